#include "app/launch/agreement.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library/config/options.h"
#include "library/text/convert.h"

enum { NAME_BYTES = 64, VERSION_BYTES = 32, STDIN_BYTES = 1 << 16 };

/* ---- what a rank was given ------------------------------------------------------------------- */

/* FNV-1a, 64 bits (Fowler, Noll, Vo 1991; RFC 9923). */
static uint64_t sum_of(const char *bytes, size_t length)
{
    uint64_t sum = 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * 0x100000001b3;
    return sum;
}

static void item_put(FILE *stream, char kind, const char *name, const char *text)
{
    fprintf(stream, "%c%s%s", kind, name, text);
    fputc('\0', stream);
}

static void variables_put(FILE *stream)
{
    for (int i = 0; i < OPTIONS; i++) {
        char name[NAME_BYTES];
        const char *text =
            option_environment((enum option_key)i, name, sizeof name) ? getenv(name) : NULL;
        if (text) {
            char equals[NAME_BYTES + 1];
            snprintf(equals, sizeof equals, "%s=", name);
            item_put(stream, 'v', equals, text);
        }
    }
}

/* Writes the text of a file on stdin, without consuming it; what a launcher puts there is a pipe or
 * nothing. */
static void stdin_put(FILE *stream)
{
    struct stat about;
    char *bytes = malloc(STDIN_BYTES), text[64];
    ssize_t length = -1;
    if (bytes && fstat(STDIN_FILENO, &about) == 0 && S_ISREG(about.st_mode))
        length = pread(STDIN_FILENO, bytes, STDIN_BYTES, 0);
    if (length >= 0) {
        snprintf(text, sizeof text, "%lld bytes, %016llx", (long long)about.st_size,
                 (unsigned long long)sum_of(bytes, (size_t)length));
        item_put(stream, 'i', "", text);
    }
    free(bytes);
}

char *agreement_items(char *const *words, size_t *bytes)
{
    char *items = NULL;
    bool reads = false;
    FILE *stream = open_memstream(&items, bytes);
    if (!stream)
        return NULL;
    for (; words && *words; words++) {
        item_put(stream, 'w', "", *words);
        reads = reads || !strcmp(*words, "-");
    }
    variables_put(stream);
    if (reads)
        stdin_put(stream);
    if (fclose(stream) == 0)
        return items;
    free(items);
    return NULL;
}

/* ---- two of them ----------------------------------------------------------------------------- */

static const char remedy[] = "; all ranks of a job are given the same, since they do one work "
                             "together (--ranks 1: each works alone)";

static const char *item_shown(const char *item, char shown[SHOWN_BYTES + 2])
{
    char text[SHOWN_BYTES];
    if (!item || *item == 'i')
        return item ? "a file on stdin" : "nothing";
    snprintf(shown, SHOWN_BYTES + 2, "'%s'", text_shown(item + 1, text));
    return shown;
}

/* The item that begins at `at`, or NULL behind the last; *whole: not cut off. */
static const char *item_at(const char *items, size_t bytes, size_t at, bool *whole)
{
    *whole = at >= bytes || memchr(items + at, '\0', bytes - at) != NULL;
    return at < bytes ? items + at : NULL;
}

enum status agreement_compare(const char *mine, size_t bytes, const char *first, size_t first_bytes)
{
    size_t at = 0; /* equal items have equal lengths */
    for (;;) {
        bool whole;
        const char *own = at < bytes ? mine + at : NULL;
        const char *its = item_at(first, first_bytes, at, &whole);
        if (!whole || (!own && !its))
            return STATUS_OK;
        if (own && its && !strcmp(own, its)) {
            at += strlen(own) + 1;
            continue;
        }
        if (own && its && *own == 'i')
            return status_fail(STATUS_USAGE, "it was given another file on stdin than rank 0%s",
                               remedy);
        char shown[SHOWN_BYTES + 2], first_shown[SHOWN_BYTES + 2];
        return status_fail(STATUS_USAGE, "it was given %s, and rank 0 %s%s", item_shown(own, shown),
                           item_shown(its, first_shown), remedy);
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

struct rank_facts {
    char version[VERSION_BYTES], host[NAME_BYTES];
    uint64_t items, folder; /* sums */
    bool one_process, shows;
};

struct first_given { /* what rank 0 was given, as much as a collective holds */
    uint32_t bytes, folder_bytes;
    char
        text[WORLD_TELL_BYTES - 2 * sizeof(uint32_t)]; /* the folder with its NUL, then the items */
};

struct rank_input {
    char folder[PATH_MAX]; /* "": not known */
    char *items;
    size_t bytes;
};

static void first_fill(struct first_given *first, const struct rank_input *given)
{
    size_t folder = strlen(given->folder) + 1;
    *first = (struct first_given){.folder_bytes = 1};
    if (folder < sizeof first->text / 2) { /* one that is longer is not compared */
        first->folder_bytes = (uint32_t)folder;
        memcpy(first->text, given->folder, folder);
    }
    size_t room = sizeof first->text - first->folder_bytes;
    first->bytes = (uint32_t)(given->bytes < room ? given->bytes : room);
    memcpy(first->text + first->folder_bytes, given->items, first->bytes);
}

/* Is rank 0's folder this rank's, by another name (an automounter's, of a bind mount), or does this
 * host have none of that name, so that the launcher chose another? Two folders of one name on two
 * hosts with separate disks cannot be distinguished. */
static bool folder_fits(const char *first, const char *mine)
{
    struct stat its, here;
    return !*first || !*mine || !strcmp(first, mine) || stat(first, &its) != 0 ||
           (stat(".", &here) == 0 && its.st_dev == here.st_dev && its.st_ino == here.st_ino);
}

static enum status given_compare(const struct rank_input *given, const struct first_given *first,
                                 bool items_differ)
{
    const char *folder = first->text;
    TRY(agreement_compare(given->items, given->bytes, first->text + first->folder_bytes,
                          first->bytes));
    if (items_differ)
        return status_fail(STATUS_USAGE,
                           "it was given other words or variables than rank 0, behind the first "
                           "%u bytes%s",
                           first->bytes, remedy);
    if (folder_fits(folder, given->folder))
        return STATUS_OK;
    return status_fail(STATUS_USAGE, "it is in the folder %.200s, and rank 0 in %.200s%s",
                       given->folder, folder, remedy);
}

/* Something differs somewhere: what, and does it matter? */
static enum status difference_find(struct world *world, const struct rank_input *given,
                                   bool items_differ)
{
    struct first_given first;
    first_fill(&first, given); /* on all ranks: rank 0's comes over it */
    TRY(world_tell(world, STATUS_OK, &first, sizeof first));
    enum status mine =
        world_rank(world) == 0 ? STATUS_OK : given_compare(given, &first, items_differ);
    return world_agree(world, mine);
}

static enum status versions_compare(const struct world *world)
{
    const struct rank_facts *first = world_said(world, 0);
    for (int rank = 1; rank < world_size(world); rank++) {
        const struct rank_facts *other = world_said(world, rank);
        if (strcmp(other->version, first->version) != 0)
            return status_fail(STATUS_USAGE,
                               "rank %d on %s is deepfield %s, but rank 0 is %s; all ranks of a "
                               "job are the same program",
                               rank, other->host, other->version, first->version);
    }
    return STATUS_OK;
}

static enum status facts_compare(struct world *world, const struct rank_input *given,
                                 enum agreement *agreement)
{
    const struct rank_facts *first = world_said(world, 0),
                            *mine = world_said(world, world_rank(world));
    bool items = false, folders = false, one_process = true;
    for (int rank = 0; rank < world_size(world); rank++) {
        const struct rank_facts *other = world_said(world, rank);
        items = items || other->items != first->items;
        folders = folders || other->folder != first->folder;
        one_process = one_process && other->one_process;
    }
    *agreement = first->shows ? AGREEMENT_SHOW : AGREEMENT_WORK;
    TRY(versions_compare(world));
    if (!items && !folders)
        return STATUS_OK;
    if (one_process) {
        *agreement = AGREEMENT_ALONE;
        return STATUS_OK;
    }
    return difference_find(world, given, mine->items != first->items);
}

enum status agreement_reach(struct world *world, const struct agreement_mine *mine,
                            enum agreement *agreement)
{
    struct rank_input given = {.items = agreement_items(mine->words, &given.bytes)};
    enum status status = mine->status;
    *agreement = mine->shows ? AGREEMENT_SHOW : AGREEMENT_WORK;
    if (!getcwd(given.folder, sizeof given.folder))
        *given.folder = '\0';
    struct rank_facts facts = {.version = DEEPFIELD_VERSION,
                               .folder = sum_of(given.folder, strlen(given.folder)),
                               .one_process = mine->one_process,
                               .shows = mine->shows};
    gethostname(facts.host, sizeof facts.host - 1);
    if (given.items)
        facts.items = sum_of(given.items, given.bytes);
    else if (status == STATUS_OK)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for the words of the command line");
    status = world_exchange(world, status, &facts, sizeof facts);
    if (status == STATUS_OK && world_size(world) > 1)
        status = facts_compare(world, &given, agreement);
    free(given.items);
    return status;
}
