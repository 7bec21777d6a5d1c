#include "app/viewer/play/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/text/convert.h"
#include "library/text/spelling.h"
#include "library/text/text_file.h"

const struct script_form script_forms[] = {
    {SCRIPT_MOVE, "move # #", "the pointer goes to x y"},
    {SCRIPT_WHEEL, "wheel # at # #", "notches, up is positive"},
    {SCRIPT_WHEEL, "wheel # at # # with $", "with ctrl, shift or alt, joined by +"},
    {SCRIPT_CLICK, "click $ at # #", "left, middle, right or double"},
    {SCRIPT_DRAG, "drag # # # # over #", "from x y to x y in so many seconds"},
    {SCRIPT_DRAG, "drag # # # # over # with $", "with shift or ctrl"},
    {SCRIPT_HOLD, "hold $ at # # for #", "left, middle or right, at x y for so many seconds"},
    {SCRIPT_HOLD_MOVED, "hold $ from # # to # # for #", "the same, and moves meanwhile"},
    {SCRIPT_KEY, "key $", "ctrl+z, plus, f1, ..."},
    {SCRIPT_TEXT, "text $", "typed into the box that is open"},
    {SCRIPT_CLIPBOARD, "clipboard $", "becomes what can be pasted"},
    {SCRIPT_FINGER, "finger # $ # #", "number, down, move or up, x y in 0 ... 1"},
    {SCRIPT_PAD_BUTTON, "pad button $ $", "name, down or up"},
    {SCRIPT_PAD_AXIS, "pad axis $ #", "name, -1 ... 1"},
    {SCRIPT_RESIZE, "resize # #", "the window, in pixels"},
    {SCRIPT_WAIT, "wait #", "seconds"},
    {SCRIPT_WAIT_UNTIL, "wait until $ $ #", "what could be expected is so, at most 250 s"},
    {SCRIPT_WAIT_UNTIL, "wait until $ $ $", "the same of a text"},
    {SCRIPT_SETTLE, "settle", "wait until the picture is finished, at most 60 s"},
    {SCRIPT_SETTLE, "settle within #", "at most so many seconds"},
    {SCRIPT_CLOSE, "close", "the window's close button is pressed"},
    {SCRIPT_STALL, "stall #", "the loop of the window stands still, seconds"},
    {SCRIPT_HURRY, "hurry #", "what flies by itself, and rests, is so many times as fast"},
    {SCRIPT_WORKERS, "workers #", "so many ranks compute, the first ones; 0: all"},
    {SCRIPT_CAPTURE, "shot $", "the window as it is, as PNG"},
    {SCRIPT_PICTURE, "picture $", "the finished picture, with the view inside"},
    {SCRIPT_PICTURE, "picture $ # #", "the same view at another size"},
    {SCRIPT_EXPECT_RENDER, "expect same-as-render", "the window shows what render would make"},
    {SCRIPT_EXPECT_PIXEL, "expect pixel # # $", "x y #rrggbb"},
    {SCRIPT_EXPECT, "expect $ $ #", "a figure of the viewer, < <= = >= > or near, a number"},
    {SCRIPT_EXPECT, "expect $ $ $", "a text of the viewer, is or has, a text"},
    {SCRIPT_RANDOM, "random # # #", "input of all kinds: seconds, events a second, seed"},
    {SCRIPT_MASH, "mash # # #",
     "the same, and gamepads that come and go, closing, dropping, all keys"},
    {SCRIPT_CHANGES, "changes # #", "so many new views in so many seconds"},
    {SCRIPT_QUIT, "quit", "end, as the end of the script does"},
};

enum { FORMS = sizeof script_forms / sizeof *script_forms };
const int script_forms_count = FORMS;

enum { WORDS_MAX = 12 };

struct script_word {
    char *text; /* quotes and escapes gone */
    int quoted;
};

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Reads the next word of the line, without copying it; text is NULL at the end. */
static enum status word_read(char **at, struct script_word *word)
{
    char *from = *at;
    *word = (struct script_word){0};
    while (blank(*from))
        from++;
    if (!*from)
        return STATUS_OK;
    word->quoted = *from == '"';
    char *to = word->text = from;
    if (!word->quoted) {
        while (*from && !blank(*from))
            from++;
    } else {
        for (from++; *from && *from != '"'; from++) {
            if (*from == '\\' && from[1])
                from++, *from = *from == 'n' ? '\n' : *from;
            *to++ = *from;
        }
        if (!*from)
            return status_fail(STATUS_BAD_DATA, "a quote is not closed");
    }
    *at = *from ? from + 1 : from;
    *(word->quoted ? to : from) = '\0';
    return STATUS_OK;
}

/* The next word of a form; false at its end. */
static bool form_word(const char **at, char word[16])
{
    size_t length = strcspn(*at, " ");
    if (!length)
        return false;
    snprintf(word, 16, "%.*s", (int)length, *at);
    *at += length + ((*at)[length] == ' ');
    return true;
}

static bool number_of(const struct script_word *word, double *number)
{
    return !word->quoted && convert_real(word->text, -1e300, 1e300, number) == STATUS_OK;
}

/* Do the words have the form? Fills numbers, and texts that still belong to the line. */
static bool form_fits(const char *form, const struct script_word *word, int words,
                      double number[SCRIPT_NUMBERS], char *text[SCRIPT_WORDS])
{
    char wanted[16];
    int numbers = 0, texts = 0, i = 0;
    memset(number, 0, SCRIPT_NUMBERS * sizeof *number);
    memset(text, 0, SCRIPT_WORDS * sizeof *text);
    for (; form_word(&form, wanted); i++) {
        if (i == words)
            return false;
        if (!strcmp(wanted, "#")) {
            if (!number_of(&word[i], &number[numbers++]))
                return false;
        } else if (!strcmp(wanted, "$"))
            text[texts++] = word[i].text;
        else if (word[i].quoted || strcmp(wanted, word[i].text) != 0)
            return false;
    }
    return i == words;
}

/* Error with the forms that begin as the line does, or with the nearest verb. */
static enum status form_unknown(const char *verb)
{
    char first[FORMS][16]; /* borrowed by the search */
    char shown[SHOWN_BYTES], hint[96], known[400] = "";
    size_t length = strlen(verb), used = 0;
    struct spelling spelling = spelling_of(verb);
    for (int i = 0; i < script_forms_count; i++) {
        const char *words = script_forms[i].words;
        snprintf(first[i], sizeof first[i], "%.*s", (int)strcspn(words, " "), words);
        spelling_offer(&spelling, first[i]);
        if (!strncmp(words, verb, length) && (words[length] == ' ' || !words[length]))
            used += (size_t)snprintf(known + used, sizeof known - used, "%s'%s'",
                                     used ? " or " : "", words);
        if (used >= sizeof known)
            break;
    }
    if (used)
        return status_fail(STATUS_BAD_DATA, "'%s' is written as %s (#: a number, $: a word)",
                           text_shown(verb, shown), known);
    spelling_hint(&spelling, hint, sizeof hint);
    return status_fail(STATUS_BAD_DATA, "no step is called '%s'%s", text_shown(verb, shown), hint);
}

static enum status step_keep(struct script *script, struct script_step *step,
                             char *const text[SCRIPT_WORDS])
{
    struct script_step *more = realloc(script->steps, (script->count + 1) * sizeof *script->steps);
    if (!more)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the steps of a script");
    script->steps = more;
    struct script_step *kept = &more[script->count++];
    *kept = *step;
    for (int i = 0; i < SCRIPT_WORDS; i++)
        if (text[i] && !(kept->word[i] = strdup(text[i])))
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the words of a script");
    return STATUS_OK;
}

static enum status line_parse(struct script *script, char *line, int number)
{
    struct script_step step = {.line = number, .at_s = -1};
    struct script_word word[WORDS_MAX];
    char *text[SCRIPT_WORDS] = {0};
    int words = 0, first = 0;
    if (line[strspn(line, " \t")] == '#')
        return STATUS_OK;
    for (; words < WORDS_MAX; words++) {
        TRY(word_read(&line, &word[words]));
        if (!word[words].text)
            break;
    }
    if (words && !word[0].quoted && !strncmp(word[0].text, "t=", 2)) {
        TRY(convert_real(word[0].text + 2, 0, 1e6, &step.at_s));
        first = 1;
    }
    if (words == first)
        return first ? status_fail(STATUS_BAD_DATA, "a time without a step") : STATUS_OK;
    for (int i = 0; i < script_forms_count; i++)
        if (form_fits(script_forms[i].words, word + first, words - first, step.number, text)) {
            step.verb = script_forms[i].verb;
            return step_keep(script, &step, text);
        }
    return form_unknown(word[first].text);
}

enum status script_parse(struct script *script, const char *text, size_t length, const char *name)
{
    enum status status = STATUS_OK;
    char *copy = strndup(text, length), *next = copy;
    *script = (struct script){.name = strdup(name)};
    if (!copy || !script->name)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for a script");
    else if (strlen(copy) != length)
        status = status_fail(STATUS_BAD_DATA, "%s: a zero byte in a script", name);
    for (int number = 1; status == STATUS_OK && next; number++) {
        char *line = strsep(&next, "\n");
        status = line_parse(script, line, number);
        if (status != STATUS_OK && status != STATUS_OUT_OF_MEMORY)
            status = status_fail(STATUS_BAD_DATA, "%s:%d: %s", name, number, status_text());
    }
    free(copy);
    if (status != STATUS_OK)
        script_destroy(script);
    return status;
}

enum status script_load(struct script *script, const char *path)
{
    char *text;
    size_t length;
    *script = (struct script){0};
    TRY(text_file_read(path, SCRIPT_BYTES_MAX, &text, &length));
    enum status status = script_parse(script, text, length, path);
    free(text);
    return status;
}

void script_destroy(struct script *script)
{
    for (size_t i = 0; i < script->count; i++)
        for (int j = 0; j < SCRIPT_WORDS; j++)
            free(script->steps[i].word[j]);
    free(script->steps);
    free(script->name);
    *script = (struct script){0};
}
