/* Gradients of Ultra Fractal (.ugr, or among parameters in a .upr), many in a file:
 *
 *     NAME {
 *     gradient:
 *       title="..." smooth=no rotation=30 index=0 color=6555392 index=39 color=13331232
 *     opacity:
 *       smooth=no index=0 opacity=255
 *     }
 *
 * 400 positions go round once; a colour is red + 256 (green + 256 blue). `;` begins a comment, a
 * backslash before the end of a line continues it. Sections and keys without colours are skipped,
 * known or not: versions add some. */
#include "render/colour/palette_kinds.h"

#include <stdlib.h>
#include <string.h>

enum { TURN_STEPS = 400, INDEX_MAX = 1 << 20, COLOUR_MAX = 0xffffff };

struct ugr_entry { /* one gradient, while it is read */
    struct palette_draft *draft;
    char name[PALETTE_NAME_BYTES];
    bool in_gradient; /* inside the section "gradient" */
    bool index_known; /* an index was read, a colour may follow */
    int index, rotation;
    int line; /* line where the entry begins */
};

/* ---- words ---- */

static bool space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Length of a backslash and end of line, behind which the line continues; else 0. */
static size_t continuation(const struct palette_text *text)
{
    const char *at = text->at;
    if (at == text->end || *at != '\\')
        return 0;
    for (at++; at < text->end && (*at == ' ' || *at == '\t' || *at == '\r');)
        at++;
    return at < text->end && *at == '\n' ? (size_t)(at + 1 - text->at) : 0;
}

static void spaces_skip(struct palette_text *text)
{
    for (size_t length; text->at < text->end; text->at += length) {
        const char *at = text->at;
        if (*at == ';') {
            const char *newline = memchr(at, '\n', (size_t)(text->end - at));
            length = (size_t)((newline ? newline : text->end) - at);
        } else if (!(length = continuation(text)) && !(length = space(*at))) {
            return;
        }
        text->line += length && at[length - 1] == '\n';
    }
}

/* Takes a word, or key=value, or key="value with blanks", or a single brace. */
static bool word_next(struct palette_text *text, struct text *word)
{
    bool quoted = false;
    spaces_skip(text);
    *word = (struct text){text->at, text->at};
    for (; word->end < text->end; word->end++) {
        char c = *word->end;
        bool ends = space(c) || c == ';' || c == '{' || c == '}';
        bool resumes = c == '\\' && word->end > word->begin; /* the next word checks what it is */
        if ((ends || resumes) && !quoted)
            break;
        if (c == '\n' && word->end > word->begin && memchr("\\\r", word->end[-1], 2))
            text->line++; /* a title may continue on the next line */
        else if (c == '\n')
            break;
        quoted ^= c == '"';
    }
    if (word->end == word->begin && word->begin < text->end && memchr("{}", *word->begin, 2))
        word->end++;
    text->at = word->end;
    return word->end > word->begin;
}

/* ---- entries ---- */

/* Reads the text before the next brace: the name of an entry. STATUS_OK with an empty one: no
 * more. */
static enum status head_read(struct palette_text *text, struct text *name)
{
    spaces_skip(text);
    *name = (struct text){text->at, text->at};
    if (text->at == text->end)
        return STATUS_OK;
    const char *brace = memchr(text->at, '{', (size_t)(text->end - text->at));
    const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
    if (!brace || (newline && newline < brace) || brace == text->at)
        return palette_fail(text, "expected 'NAME {', where a gradient begins");
    text->at = brace + 1;
    name->end = brace;
    while (name->end > name->begin && space(name->end[-1]))
        name->end--;
    return STATUS_OK;
}

/* Skips an entry of free text. */
static enum status comment_skip(struct palette_text *text)
{
    for (; text->at < text->end; text->at++) {
        text->line += *text->at == '\n';
        if (*text->at == '}') {
            text->at++;
            return STATUS_OK;
        }
    }
    return palette_fail(text, "the file ends inside a comment; '}' is missing");
}

static enum status number_read(const struct palette_text *text, struct text value, const char *key,
                               int low, int high, int *number)
{
    if (!palette_whole_take(&value, low, high, number) || value.begin != value.end)
        return palette_fail(text, "%s is not a whole number from %d to %d", key, low, high);
    return STATUS_OK;
}

static enum status colour_add(struct ugr_entry *entry, const struct palette_text *text, int colour)
{
    const int rgb[3] = {colour & 255, colour >> 8 & 255, colour >> 16};
    if (!entry->index_known)
        return palette_fail(text, "a color without an index before it");
    entry->index_known = false;
    TRY(palette_draft_add(entry->draft, text, rgb));
    entry->draft->stops[entry->draft->count - 1].position = entry->index;
    return STATUS_OK;
}

static enum status pair_read(struct ugr_entry *entry, const struct palette_text *text,
                             const struct text *key, struct text value)
{
    int number;
    if (value.end - value.begin >= 2 && *value.begin == '"' && value.end[-1] == '"')
        value = (struct text){value.begin + 1, value.end - 1};
    if (text_is(key, "title")) {
        palette_text_keep(&value, entry->draft->about.title, sizeof entry->draft->about.title);
    } else if (text_is(key, "smooth")) {
        if (!text_is(&value, "yes") && !text_is(&value, "no"))
            return palette_fail(text, "smooth must be yes or no");
        entry->draft->course = text_is(&value, "yes") ? PALETTE_CURVE : PALETTE_STRAIGHT;
    } else if (text_is(key, "rotation")) {
        return number_read(text, value, "rotation", -INDEX_MAX, INDEX_MAX, &entry->rotation);
    } else if (text_is(key, "index")) {
        entry->index_known = true;
        return number_read(text, value, "index", -INDEX_MAX, INDEX_MAX, &entry->index);
    } else if (text_is(key, "color")) {
        TRY(number_read(text, value, "color", 0, COLOUR_MAX, &number));
        return colour_add(entry, text, number);
    }
    return STATUS_OK;
}

static enum status word_read(struct ugr_entry *entry, const struct palette_text *text,
                             const struct text *word)
{
    const char *equals = memchr(word->begin, '=', (size_t)(word->end - word->begin));
    if (*word->begin == '{')
        return palette_fail(text, "'{' inside a gradient; is a '}' missing before it?");
    if (text_begins(word, "::"))
        return palette_fail(text, "compressed parameters of Ultra Fractal; save the gradient "
                                  "itself (.ugr), or parameters without compression");
    if (!equals && word->end[-1] == ':') /* the first of several layers counts */
        entry->in_gradient = text_is(word, "gradient:") && !entry->draft->count;
    else if (entry->in_gradient && equals) {
        struct text key = {word->begin, equals};
        return pair_read(entry, text, &key, (struct text){equals + 1, word->end});
    } else if (entry->in_gradient)
        return palette_fail(text, "expected key=value, such as 'index=0 color=255'");
    return STATUS_OK;
}

static enum status entry_read(struct ugr_entry *entry, struct palette_text *text)
{
    struct text word;
    entry->in_gradient = entry->index_known = false;
    entry->rotation = 0;
    *entry->draft = (struct palette_draft){.course = PALETTE_STRAIGHT};
    while (word_next(text, &word)) {
        if (*word.begin == '}')
            return STATUS_OK;
        TRY(word_read(entry, text, &word));
    }
    return palette_fail(text, "the file ends inside '%s'; '}' is missing", entry->name);
}

/* ---- from indices to positions ---- */

static int stop_compare(const void *a, const void *b)
{
    double first = ((const struct palette_stop *)a)->position;
    double second = ((const struct palette_stop *)b)->position;
    return (first > second) - (first < second);
}

/* Converts indices of any size, in any order, to rising positions of a ring that begins at the
 * first. Of two colours at one index the later in the file stays. */
static void ring_lay(struct ugr_entry *entry)
{
    struct palette_draft *draft = entry->draft;
    struct palette_stop *stops = draft->stops;
    int kept = 0;
    for (int i = 0; i < draft->count; i++) { /* the fraction keeps the order of the file */
        int index = ((int)stops[i].position + entry->rotation) % TURN_STEPS;
        stops[i].position =
            (index < 0 ? index + TURN_STEPS : index) + (double)i / (2 * PALETTE_STOPS_MAX);
    }
    qsort(stops, (size_t)draft->count, sizeof *stops, stop_compare);
    for (int i = 0; i < draft->count; i++) {
        struct palette_stop stop = stops[i];
        stop.position = (double)(int)stop.position / TURN_STEPS;
        kept -= kept > 0 && stops[kept - 1].position == stop.position;
        stops[kept++] = stop;
    }
    draft->shift = stops[0].position;
    for (int i = 0; i < kept; i++)
        stops[i].position -= draft->shift;
    draft->count = kept;
    stops[draft->count] = stops[0];
    stops[draft->count++].position = 1;
    draft->about.cyclic = true;
}

/* ---- the verbs ---- */

/* Reads entries until `visit` has enough. */
typedef enum status entry_visit(void *context, struct ugr_entry *entry,
                                const struct palette_text *text, bool *enough);

static enum status entries_each(struct palette_text *text, entry_visit *visit, void *context)
{
    struct ugr_entry entry = {.draft = palette_draft_create()};
    enum status status = entry.draft ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    bool enough = false;
    text->line = 1;
    while (status == STATUS_OK && !enough) {
        struct text name;
        status = head_read(text, &name);
        if (status != STATUS_OK || name.begin == name.end)
            break;
        palette_text_keep(&name, entry.name, sizeof entry.name);
        if (text_is(&name, "comment")) {
            status = comment_skip(text);
            continue;
        }
        entry.line = text->line;
        status = entry_read(&entry, text);
        if (status == STATUS_OK)
            status = visit(context, &entry, text, &enough);
    }
    free(entry.draft);
    return status;
}

/* Checks that the entry has colours; STATUS_BAD_DATA at the line where it begins. */
static enum status entry_check(const struct ugr_entry *entry, const struct palette_text *text)
{
    struct palette_text begin = *text;
    begin.line = entry->line;
    return entry->draft->count
               ? STATUS_OK
               : palette_fail(&begin, "the gradient '%s' has no colours", entry->name);
}

struct ugr_search {
    const char *wanted;
    struct palette **palette;
    int gradients;
    char first[PALETTE_NAME_BYTES];
};

/* Does the entry have this name, or this title? */
static bool entry_is(const struct ugr_entry *entry, const char *wanted)
{
    return *wanted && (!strcmp(entry->name, wanted) || !strcmp(entry->draft->about.title, wanted));
}

static enum status second_refuse(const struct ugr_search *search, const struct ugr_entry *entry,
                                 const struct palette_text *text)
{
    struct palette_text begin = *text;
    begin.line = entry->line;
    return palette_fail(&begin, "a second gradient, '%s'; name the one that you want: %.200s:%s",
                        entry->name, text->name, search->first);
}

static enum status entry_take(void *context, struct ugr_entry *entry,
                              const struct palette_text *text, bool *enough)
{
    struct ugr_search *search = context;
    if (search->gradients++ == 0)
        memcpy(search->first, entry->name, sizeof search->first);
    if (!search->wanted && search->gradients == 2)
        return second_refuse(search, entry, text);
    if (search->wanted && !entry_is(entry, search->wanted))
        return STATUS_OK;
    TRY(entry_check(entry, text));
    ring_lay(entry);
    *enough = search->wanted != NULL;
    return palette_from_stops(search->palette, entry->draft);
}

static enum status ugr_read(struct palette **palette, struct palette_text *text, const char *wanted)
{
    struct ugr_search search = {.wanted = wanted, .palette = palette};
    enum status status = entries_each(text, entry_take, &search);
    if (status != STATUS_OK) {
        palette_destroy(*palette);
        *palette = NULL;
    } else if (!*palette && !search.gradients) {
        status = palette_fail(text, "the file ends without a gradient, 'NAME { gradient: ... }'");
    } else if (!*palette) {
        status = status_fail(STATUS_NO_INPUT,
                             "palette %.300s: none of its %d gradients is '%.80s' (deepfield "
                             "palettes %.300s lists them)",
                             text->name, search.gradients, wanted, text->name);
    }
    return status;
}

struct ugr_visit { /* state of the visits */
    enum palette_want want;
    palette_visit *visit;
    void *context;
    int gradients;
};

static enum status entry_visit_one(void *context, struct ugr_entry *entry,
                                   const struct palette_text *text, bool *enough)
{
    struct ugr_visit *visit = context;
    struct palette *palette = NULL;
    (void)enough;
    TRY(entry_check(entry, text));
    if (visit->gradients++ == PALETTE_GRADIENTS_MAX)
        return palette_fail(text, "more than %d gradients; one can be had by its name",
                            PALETTE_GRADIENTS_MAX);
    if (visit->want == PALETTE_COLOURS) {
        ring_lay(entry);
        TRY(palette_from_stops(&palette, entry->draft));
    }
    enum status status = visit->visit(visit->context, entry->name, palette);
    palette_destroy(palette);
    return status;
}

static enum status ugr_each(struct palette_text *text, enum palette_want want, palette_visit *visit,
                            void *context)
{
    struct ugr_visit each = {.want = want, .visit = visit, .context = context};
    return entries_each(text, entry_visit_one, &each);
}

static bool line_has_brace(const struct text *line)
{
    return memchr(line->begin, '{', (size_t)(line->end - line->begin));
}

static bool line_is_of_gradient(const struct text *line)
{
    static const char section[] = "gradient:";
    return text_begins(line, "::") ||
           memmem(line->begin, (size_t)(line->end - line->begin), section, sizeof section - 1);
}

static bool is_ugr(struct text text)
{
    return text_first_line(text, line_has_brace) && text_any_line(text, line_is_of_gradient);
}

const struct palette_kind palette_ugr = {
    .suffix = ".ugr",
    .summary = "gradients of Ultra Fractal",
    .recognise = is_ugr,
    .read = ugr_read,
    .each = ugr_each,
};
