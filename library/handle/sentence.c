#include "library/handle/sentence.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "library/config/options.h"

/* Words of the program that are no flags of keys, and what a caller does instead. */
static const struct {
    const char *said, *means;
} phrases[] = {
    {"--force replaces it", "`replace` other than 0 replaces it"},
    {"--force", "`replace`"},
    {"the same command", "the same call"},
    {"-o ", "file "},
    {"deepfield views lists them", "deepfield_list lists them"},
    {"deepfield devices", "deepfield_list"},
    {"deepfield help formulas", "deepfield_list"},
    {"deepfield help formats", "deepfield_list"},
    {"deepfield view --tour", "the window of the program"},
    {"`render --explain`", "deepfield_picture_info"},
    {"`find --misiurewicz`", "deepfield_find with find.misiurewicz"},
    {"`find`", "deepfield_find"},
    {"render --planes count,fraction,phase saves", "output.planes = count,fraction,phase keeps"},
    {"render --planes saves", "output.planes keeps"},
    {"render --planes", "output.planes"},
    {"a flag, the environment or a configuration file", "deepfield_renderer_set"},
};

static bool flags_kept; /* atomic */

void sentence_keep_flags(void)
{
    __atomic_store_n(&flags_kept, true, __ATOMIC_RELAXED);
}

static enum option_key key_of_flag(const char *flag, size_t length)
{
    for (int i = 0; i < OPTIONS; i++) {
        const struct option_row *row = &option_rows[i];
        if (row->key && row->flag && strlen(row->flag) == length &&
            !strncmp(row->flag, flag, length))
            return (enum option_key)i;
    }
    return OPTIONS;
}

/* Bytes at the begin of `said` that become `means`; 0: none. */
static size_t words_take(const char *said, char *means, size_t bytes)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
        size_t length = strlen(phrases[i].said);
        if (!strncmp(said, phrases[i].said, length)) {
            snprintf(means, bytes, "%s", phrases[i].means);
            return length;
        }
    }
    if (strncmp(said, "--", 2) != 0)
        return 0;
    size_t length = strspn(said + 2, "abcdefghijklmnopqrstuvwxyz-");
    enum option_key key = key_of_flag(said + 2, length);
    if (key == OPTIONS)
        return 0;
    option_name(key, means, bytes);
    return 2 + length;
}

void sentence_by_keys(char *out, size_t bytes, const char *said)
{
    char means[64];
    size_t at = 0;
    if (__atomic_load_n(&flags_kept, __ATOMIC_RELAXED)) {
        snprintf(out, bytes, "%s", said);
        return;
    }
    for (bool begins = true; *said && at + 1 < bytes;) {
        size_t taken = begins ? words_take(said, means, sizeof means) : 0;
        if (taken) {
            at += (size_t)snprintf(out + at, bytes - at, "%s", means);
            said += taken;
            begins = false;
            continue;
        }
        begins = strchr(" (`", *said) != NULL;
        out[at++] = *said++;
    }
    out[at < bytes ? at : bytes - 1] = '\0';
}
