#include "app/viewer/files/history_file.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/files/history.h"
#include "kernels/number_text.h"

static const char *const verbs[HISTORY_VERBS] = {"add", "back", "forth"};

static uint64_t fnv1a(uint64_t sum, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return sum;
}

/* "add 123": what the checksum begins with. */
static int words_print(const struct history_record *record, char *line)
{
    return snprintf(line, HISTORY_RECORD_MOST, "%s %zu", verbs[record->verb], record->count);
}

static uint64_t record_sum(const struct history_record *record)
{
    char words[HISTORY_RECORD_MOST];
    int length = words_print(record, words);
    uint64_t sum = fnv1a(0xcbf29ce484222325u, words, (size_t)length);
    return record->verb == HISTORY_ADD ? fnv1a(sum, record->text, record->count) : sum;
}

size_t history_line(const struct history_record *record, char *line)
{
    int length = words_print(record, line);
    length += snprintf(line + length, HISTORY_RECORD_MOST - (size_t)length, " %016llx\n",
                       (unsigned long long)record_sum(record));
    return (size_t)length;
}

/* Reads "add 123"; the end of it, or NULL. Strict: what history_line writes, and nothing else. */
static const char *words_read(struct history_record *record, const char *line)
{
    for (int verb = 0; verb < HISTORY_VERBS; verb++) {
        size_t length = strlen(verbs[verb]);
        if (strncmp(line, verbs[verb], length) != 0 || line[length] != ' ')
            continue;
        const char *digits = line + length + 1;
        size_t count = strspn(digits, "0123456789");
        if (count < 1 || count > 9)
            return NULL;
        record->verb = (enum history_verb)verb;
        record->count = (size_t)number_whole(digits);
        return digits + count;
    }
    return NULL;
}

enum history_reading history_read(struct history_record *record, const char **at, const char *end)
{
    size_t left = (size_t)(end - *at);
    const char *newline =
        memchr(*at, '\n', left < HISTORY_RECORD_MOST ? left : HISTORY_RECORD_MOST - 1);
    if (left == 0)
        return HISTORY_END;
    if (!newline)
        return left < HISTORY_RECORD_MOST ? HISTORY_CUT : HISTORY_DAMAGED;
    char line[HISTORY_RECORD_MOST], wanted[HISTORY_RECORD_MOST];
    size_t length = (size_t)(newline + 1 - *at);
    memcpy(line, *at, length);
    line[length] = '\0';
    if (!words_read(record, line) || record->count > HISTORY_TEXT_MAX)
        return HISTORY_DAMAGED;
    record->text = newline + 1;
    bool add = record->verb == HISTORY_ADD;
    if (add && left - length < record->count + 1)
        return HISTORY_CUT;
    if (history_line(record, wanted) != length || memcmp(wanted, line, length) != 0 ||
        (add && (record->text[record->count] != '\n' || memchr(record->text, 0, record->count))))
        return HISTORY_DAMAGED;
    *at = newline + 1 + (add ? record->count + 1 : 0);
    return HISTORY_READ;
}
