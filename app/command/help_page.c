#include "app/command/help_page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/process/environment.h"
#include "library/place/data.h"
#include "library/text/spelling.h"
#include "library/text/text_file.h"

enum { PATH_BYTES = 4096, PAGE_BYTES = 1 << 18, WIDTH = 90, CELL = 22 };

static enum status guide_folder(char path[PATH_BYTES])
{
    static const char below[] = "/docs/guide";
    TRY(environment_data_folder(path, PATH_BYTES - sizeof below));
    memcpy(path + strlen(path), below, sizeof below);
    return STATUS_OK;
}

static enum status page_read(const char *folder, const char *name, char **text)
{
    char path[PATH_BYTES + DATA_NAME_BYTES];
    size_t length;
    snprintf(path, sizeof path, "%s/%s.md", folder, name);
    return text_file_read(path, PAGE_BYTES, text, &length);
}

/* ---- Markdown, as far as the pages use it ---- */

/* Takes the marks of links, images and bold type out of a line, in place. */
static void marks_remove(char *line)
{
    char *to = line;
    for (const char *from = line; *from;) {
        const char *end = *from == '[' ? strstr(from, "](") : NULL;
        const char *close = end ? strchr(end, ')') : NULL;
        if (close) {
            memmove(to, from + 1, (size_t)(end - from - 1));
            to += end - from - 1;
            from = close + 1;
        } else if (!strncmp(from, "**", 2)) {
            from += 2;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

/* Prints words from column `at` on, in lines that begin in column `indent`. */
static void words_wrap(const char *words, int at, int indent, FILE *stream)
{
    bool first = true;
    while (*words) {
        int length = (int)strcspn(words, " ");
        if (!first && at + 1 + length > WIDTH) {
            fprintf(stream, "\n%*s", indent, "");
            at = indent;
            first = true;
        }
        fprintf(stream, "%s%.*s", first ? "" : " ", length, words);
        at += length + !first;
        first = false;
        words += length;
        words += strspn(words, " ");
    }
    fputc('\n', stream);
}

/* A row of a table: its first cell, and the others beside it. */
static void row_print(char *row, FILE *stream)
{
    char *cells = strchr(row + 1, '|');
    if (!cells || strspn(row, "|-") == strlen(row))
        return;
    size_t length = strlen(row);
    if (row[length - 1] == '|')
        row[length - 1] = '\0';
    *cells++ = '\0';
    row += 1 + strspn(row + 1, " ");
    cells += strspn(cells, " ");
    int width = (int)strlen(row);
    while (width > 0 && row[width - 1] == ' ')
        width--;
    fprintf(stream, "  %-*.*s", CELL, width, row);
    if (width > CELL - 1)
        fprintf(stream, "\n  %*s", CELL, "");
    words_wrap(cells, 2 + CELL, 2 + CELL, stream);
}

static void line_print(char *line, FILE *stream)
{
    bool item = !strncmp(line, "- ", 2);
    if (!strncmp(line, "<!--", 4) || strstr(line, "!["))
        return;
    marks_remove(line);
    if (*line == '|')
        row_print(line, stream);
    else if (*line == '#')
        fprintf(stream, "%s\n", line + strspn(line, "# "));
    else
        words_wrap(line, 0, item ? 2 : 0, stream);
}

static void page_print(char *text, FILE *stream)
{
    bool fenced = false;
    for (char *line = text; *line;) {
        char *end = line + strcspn(line, "\n");
        char *next = *end ? end + 1 : end;
        *end = '\0';
        if (!strncmp(line, "```", 3))
            fenced = !fenced;
        else if (fenced)
            fprintf(stream, "%s%s\n", *line ? "  " : "", line);
        else
            line_print(line, stream);
        line = next;
    }
}

/* ---- pages ---- */

enum status help_pages_list(FILE *stream)
{
    char folder[PATH_BYTES];
    struct data_names names = {0};
    TRY(guide_folder(folder));
    enum status status = data_names_list(&names, folder, ".md");
    for (size_t i = 0; status == STATUS_OK && i < names.count; i++) {
        char *text;
        if (page_read(folder, names.name[i], &text) != STATUS_OK)
            continue; /* `deepfield help` NAME says why */
        text[strcspn(text, "\n")] = '\0';
        fprintf(stream, "  %-14s  %s\n", names.name[i], text + strspn(text, "# "));
        free(text);
    }
    data_names_destroy(&names);
    return status;
}

void help_pages_offer(struct spelling *spelling)
{
    char folder[PATH_BYTES];
    struct data_names names = {0};
    if (guide_folder(folder) != STATUS_OK || data_names_list(&names, folder, ".md") != STATUS_OK)
        return;
    for (size_t i = 0; i < names.count; i++)
        spelling_offer(spelling, names.name[i]);
    data_names_destroy(&names);
}

enum status help_page_print(const char *name, FILE *stream, bool *there)
{
    char folder[PATH_BYTES], *text;
    struct data_names names = {0};
    *there = false;
    if (guide_folder(folder) != STATUS_OK)
        return STATUS_OK;
    TRY(data_names_list(&names, folder, ".md"));
    for (size_t i = 0; i < names.count; i++)
        *there |= !strcmp(names.name[i], name);
    data_names_destroy(&names);
    if (!*there)
        return STATUS_OK;
    TRY(page_read(folder, name, &text));
    page_print(text, stream);
    free(text);
    return STATUS_OK;
}
