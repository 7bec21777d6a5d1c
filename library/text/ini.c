#include "library/text/ini.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <iniparser.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/number_text.h"
#include "library/text/convert.h"
#include "render/disk/folder.h"
#include "render/disk/text_lines.h"

struct ini_cursor { /* position in a text that is being looked through */
    const char *name;
    enum status blame;
    int line, sections;
    char section[INI_NAME_MAX + 1];
};

enum status ini_value_wrong(const char *name, const struct ini_entry *entry)
{
    char shown[SHOWN_BYTES];
    return status_fail(STATUS_BAD_DATA, "%s:%d: %s = %s: %.700s", name, entry->line, entry->key,
                       text_shown(entry->value, shown), status_text());
}

void ini_destroy(struct ini *ini)
{
    for (size_t i = 0; i < ini->count; i++) {
        free(ini->entry[i].section);
        free(ini->entry[i].key);
        free(ini->entry[i].value);
    }
    free(ini->entry);
    *ini = (struct ini){0};
}

enum status ini_add(struct ini *ini, const char *section, const char *key, const char *value,
                    int line)
{
    struct ini_entry *grown = realloc(ini->entry, (ini->count + 1) * sizeof *grown);
    if (grown) {
        ini->entry = grown;
        struct ini_entry *entry = &grown[ini->count++];
        *entry = (struct ini_entry){
            .section = strdup(section), .key = strdup(key), .value = strdup(value), .line = line};
        if (entry->section && entry->key && entry->value)
            return STATUS_OK;
    }
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the key %s.%s", section, key);
}

const struct ini_entry *ini_find(const struct ini *ini, const char *section, const char *key)
{
    for (size_t i = 0; i < ini->count; i++)
        if (!strcmp(ini->entry[i].section, section) && !strcmp(ini->entry[i].key, key))
            return &ini->entry[i];
    return NULL;
}

/* ---- looking through the text: what iniparser would silently take, lose or misread ---- */

/* Copies a name in lower case. False if it is empty, too long or has other characters. */
static bool name_copy(char out[INI_NAME_MAX + 1], const char *begin, const char *end)
{
    if (begin >= end || end - begin > INI_NAME_MAX)
        return false;
    for (; begin < end; begin++) {
        if (!isalnum((unsigned char)*begin) && !strchr("._-", *begin))
            return false;
        *out++ = (char)tolower((unsigned char)*begin);
    }
    *out = '\0';
    return true;
}

static enum status scan_section(struct ini_cursor *cursor, const char *begin, const char *end)
{
    const char *close = memchr(begin, ']', (size_t)(end - begin));
    if (!close || close + 1 != end || !name_copy(cursor->section, begin + 1, close))
        return status_fail(cursor->blame, "%s:%d: not a section; it must be [name]", cursor->name,
                           cursor->line);
    if (++cursor->sections > INI_SECTIONS_MAX)
        return status_fail(cursor->blame, "%s:%d: more than %d sections", cursor->name,
                           cursor->line, INI_SECTIONS_MAX);
    return STATUS_OK;
}

static enum status scan_key(struct ini_cursor *cursor, struct ini *ini, const char *begin,
                            const char *end)
{
    char key[INI_NAME_MAX + 1], shown[SHOWN_BYTES];
    const char *equals = memchr(begin, '=', (size_t)(end - begin));
    const char *key_end = equals ? equals : end;
    while (key_end > begin && isblank((unsigned char)key_end[-1]))
        key_end--;
    if (!equals || !name_copy(key, begin, key_end))
        return status_fail(cursor->blame, "%s:%d: '%s' is not key = value", cursor->name,
                           cursor->line, text_shown_until(begin, end, shown));
    if (!cursor->section[0])
        return status_fail(cursor->blame, "%s:%d: the key '%s' stands before any [section]",
                           cursor->name, cursor->line, key);
    if (ini->count >= INI_KEYS_MAX)
        return status_fail(cursor->blame, "%s:%d: more than %d keys", cursor->name, cursor->line,
                           INI_KEYS_MAX);
    const struct ini_entry *earlier = ini_find(ini, cursor->section, key);
    if (earlier)
        return status_fail(cursor->blame, "%s:%d: %s.%s was given in line %d already", cursor->name,
                           cursor->line, cursor->section, key, earlier->line);
    return ini_add(ini, cursor->section, key, "", cursor->line);
}

static enum status scan_line(struct ini_cursor *cursor, struct ini *ini, struct text line)
{
    if (line.end - line.begin > INI_LINE_MAX)
        return status_fail(cursor->blame,
                           "%s:%d: the line is longer than %d characters; split a long number "
                           "into re.0 = ..., re.1 = ..., of up to 900 digits each",
                           cursor->name, cursor->line, INI_LINE_MAX);
    text_trim(&line);
    if (line.begin == line.end || *line.begin == '#' || *line.begin == ';')
        return STATUS_OK;
    if (line.end[-1] == '\\')
        return status_fail(cursor->blame,
                           "%s:%d: lines cannot be continued; split a long number into re.0 = "
                           "..., re.1 = ...",
                           cursor->name, cursor->line);
    return *line.begin == '[' ? scan_section(cursor, line.begin, line.end)
                              : scan_key(cursor, ini, line.begin, line.end);
}

/* Fills *ini with all keys, values still empty. */
static enum status scan(struct ini *ini, struct text rest, const char *name, enum status blame)
{
    struct ini_cursor cursor = {.name = name, .blame = blame};
    for (struct text line; text_line_take(&rest, &line);) {
        cursor.line++;
        TRY(scan_line(&cursor, ini, line));
    }
    return STATUS_OK;
}

/* ---- iniparser ---- */

static _Thread_local char complaint[256];

/* iniparser reports errors through a global, so one thread loads at a time. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int complain(const char *format, ...)
{
    size_t used = strlen(complaint);
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(complaint + used, sizeof complaint - used, format, arguments);
    va_end(arguments);
    return written;
}

static bool bytes_write(int file, const char *bytes, size_t length)
{
    for (ssize_t some; length > 0; bytes += some, length -= (size_t)some)
        if ((some = TEMP_FAILURE_RETRY(write(file, bytes, length))) <= 0)
            return false;
    return true;
}

/* iniparser 4.1 opens by name only; the name of a memory file is as good as any. */
static enum status load(dictionary **loaded, const struct text *text, const char *name,
                        enum status blame)
{
    char path[64], shown[SHOWN_BYTES];
    int file = memfd_create("deepfield-ini", MFD_CLOEXEC);
    if (file < 0 || !bytes_write(file, text->begin, (size_t)(text->end - text->begin))) {
        if (file >= 0)
            close(file);
        return status_fail(STATUS_SYSTEM, "%s: no memory file: %s", name, strerror(errno));
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int again = folder_input(path); /* iniparser would not say why it cannot */
    if (again < 0) {
        int reason = errno;
        close(file);
        return status_fail(STATUS_SYSTEM,
                           "%s: cannot be read through %s: %s; deepfield needs /proc, and a few "
                           "open files (ulimit -n)",
                           name, path, strerror(reason));
    }
    close(again);
    complaint[0] = '\0';
    pthread_mutex_lock(&one_at_a_time);
    iniparser_set_error_callback(complain);
    errno = 0;
    *loaded = iniparser_load(path);
    int reason = errno;
    iniparser_set_error_callback(NULL);
    pthread_mutex_unlock(&one_at_a_time);
    close(file);
    if (reason == ENOMEM) /* it takes that for a wrong line, or leaves out a key */
        return status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory to read it", name);
    if (!*loaded && (reason == EMFILE || reason == ENFILE))
        return status_fail(STATUS_SYSTEM, "%s: cannot be read through %s: %s", name, path,
                           strerror(reason));
    if (!*loaded) {
        const char *arrow = strstr(complaint, "-> ");
        return status_fail(blame, "%s: malformed%s%s", name, arrow ? ": " : "",
                           arrow ? text_shown(arrow + 3, shown) : "");
    }
    return STATUS_OK;
}

/* Keys that iniparser found. */
static int keys_counted(const dictionary *loaded)
{
    int keys = 0, sections = iniparser_getnsec(loaded);
    for (int i = 0; i < sections; i++)
        keys += iniparser_getsecnkeys(loaded, iniparser_getsecname(loaded, i));
    return keys;
}

static enum status values_take(struct ini *ini, const dictionary *loaded, const char *name,
                               enum status blame)
{
    char full[2 * INI_NAME_MAX + 2];
    for (size_t i = 0; i < ini->count; i++) {
        struct ini_entry *entry = &ini->entry[i];
        snprintf(full, sizeof full, "%s:%s", entry->section, entry->key);
        const char *value = iniparser_getstring(loaded, full, NULL);
        if (!value)
            return status_fail(blame, "%s:%d: malformed", name, entry->line);
        char *copy = strdup(value);
        if (!copy)
            return status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for its values", name);
        free(entry->value);
        entry->value = copy;
    }
    if (keys_counted(loaded) != (int)ini->count)
        return status_fail(blame, "%s: malformed: its lines can be read in two ways", name);
    return STATUS_OK;
}

/* ---- values in parts ---- */

/* Length of the key without ".N", and N; 0 if it has no such end. */
static size_t part_of(const char *key, int *number)
{
    const char *dot = strrchr(key, '.');
    if (!dot || dot == key || !dot[1] || strspn(dot + 1, "0123456789") != strlen(dot + 1) ||
        strlen(dot + 1) > 4)
        return 0;
    *number = (int)number_whole(dot + 1);
    return (size_t)(dot - key);
}

static enum status append(char **text, const char *more)
{
    size_t length = strlen(*text), added = strlen(more);
    char *grown = realloc(*text, length + added + 1);
    if (!grown)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a value of %zu bytes",
                           length + added);
    memcpy(grown + length, more, added + 1);
    *text = grown;
    return STATUS_OK;
}

/* Joins part N to the entry that holds parts 0 ... N-1. */
static enum status join(struct ini *joined, const struct ini_entry *part, const char *key,
                        int number, const char *name, enum status blame)
{
    struct ini_entry *whole = NULL;
    for (size_t i = 0; i < joined->count; i++)
        if (!strcmp(joined->entry[i].section, part->section) && !strcmp(joined->entry[i].key, key))
            whole = &joined->entry[i];
    if (whole && !whole->parts)
        return status_fail(blame, "%s:%d: %s.%s was given whole in line %d already", name,
                           part->line, part->section, key, whole->line);
    if (number != (whole ? whole->parts : 0))
        return status_fail(blame, "%s:%d: %s.%s.%d should be part %d", name, part->line,
                           part->section, key, number, whole ? whole->parts : 0);
    if (!whole) {
        TRY(ini_add(joined, part->section, key, part->value, part->line));
        joined->entry[joined->count - 1].parts = 1;
        return STATUS_OK;
    }
    whole->parts++;
    return append(&whole->value, part->value);
}

static enum status parts_join(struct ini *ini, const char *name, enum status blame)
{
    struct ini joined = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < ini->count && status == STATUS_OK; i++) {
        const struct ini_entry *entry = &ini->entry[i];
        char key[INI_NAME_MAX + 1];
        int number = 0;
        size_t length = part_of(entry->key, &number);
        snprintf(key, sizeof key, "%.*s", (int)length, entry->key);
        const struct ini_entry *earlier =
            length ? NULL : ini_find(&joined, entry->section, entry->key);
        if (length)
            status = join(&joined, entry, key, number, name, blame);
        else if (earlier)
            status = status_fail(blame, "%s:%d: %s.%s was given in parts in line %d already", name,
                                 entry->line, entry->section, entry->key, earlier->line);
        else
            status = ini_add(&joined, entry->section, entry->key, entry->value, entry->line);
    }
    ini_destroy(ini);
    *ini = joined;
    return status;
}

enum status ini_parse(struct ini *ini, const char *text, size_t length, const char *name,
                      enum status blame)
{
    *ini = (struct ini){0};
    if (length > INI_BYTES_MAX)
        return status_fail(blame, "%s: %zu bytes of ini text; the most are %d", name, length,
                           INI_BYTES_MAX);
    TRY(text_check(text, length, name, blame));
    const struct text whole = text_lines_of(text, length);
    dictionary *loaded = NULL;
    enum status status = scan(ini, whole, name, blame);
    if (status == STATUS_OK)
        status = load(&loaded, &whole, name, blame);
    if (status == STATUS_OK)
        status = values_take(ini, loaded, name, blame);
    if (status == STATUS_OK)
        status = parts_join(ini, name, blame);
    if (loaded)
        iniparser_freedict(loaded);
    if (status != STATUS_OK)
        ini_destroy(ini);
    return status;
}
