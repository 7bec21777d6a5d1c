#include "app/command/output_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum mark { MARK_NAME, MARK_NAME_SHORT, MARK_SIZE, MARK_INDEX, MARKS };

static const char *const marks[MARKS] = {[MARK_NAME] = "{name}",
                                         [MARK_NAME_SHORT] = "{}",
                                         [MARK_SIZE] = "{size}",
                                         [MARK_INDEX] = "{index}"};

/* Finds the first mark of a text; NULL: there is none. */
static const char *mark_find(const char *text, enum mark *mark)
{
    for (; (text = strchr(text, '{')); text++)
        for (*mark = MARK_NAME; *mark < MARKS; ++*mark)
            if (!strncmp(text, marks[*mark], strlen(marks[*mark])))
                return text;
    return NULL;
}

static bool is_folder(const char *path)
{
    struct stat about;
    size_t length = strlen(path);
    return (length && path[length - 1] == '/') ||
           (stat(path, &about) == 0 && S_ISDIR(about.st_mode));
}

bool output_is_many(const char *pattern)
{
    enum mark mark;
    return mark_find(pattern, &mark) || is_folder(pattern);
}

bool output_has_size(const char *pattern)
{
    return strstr(pattern, marks[MARK_SIZE]);
}

enum status output_folder_check(const char *pattern)
{
    enum mark mark;
    char folder[4096];
    const char *end = mark_find(pattern, &mark);
    size_t length = end ? (size_t)(end - pattern) : strlen(pattern);
    while (length && pattern[length - 1] != '/' && (end || !is_folder(pattern)))
        length--;
    snprintf(folder, sizeof folder, "%.*s", (int)length, pattern);
    if (!length || access(folder, F_OK) == 0)
        return STATUS_OK;
    return status_fail(STATUS_CANNOT_CREATE, "-o %s: %s; make the folder first", pattern,
                       strerror(errno));
}

/* Writes a stem, which may be hostile, as part of one name that is neither hidden nor "..". */
static void stem_write(FILE *stream, const char *stem)
{
    for (const char *c = stem; *c; c++) {
        bool hidden = c == stem && *c == '.';
        bool odd = *c == '/' || (unsigned char)*c < ' ' || *c == 0x7f;
        fputc(hidden || odd ? '_' : *c, stream);
    }
}

static enum status mark_write(FILE *stream, enum mark mark, const struct output_facts *facts)
{
    if (mark == MARK_SIZE && !facts->size)
        return status_fail(STATUS_USAGE, "{size} is not known here; {name} and {index} are");
    if (mark == MARK_SIZE)
        fputs(facts->size, stream);
    else if (mark == MARK_INDEX)
        fprintf(stream, "%0*zu", snprintf(NULL, 0, "%zu", facts->count), facts->number);
    else
        stem_write(stream, facts->stem);
    return STATUS_OK;
}

static enum status marks_write(FILE *stream, const char *pattern, const struct output_facts *facts)
{
    enum mark mark;
    for (const char *at; (at = mark_find(pattern, &mark)); pattern = at + strlen(marks[mark])) {
        fprintf(stream, "%.*s", (int)(at - pattern), pattern);
        TRY(mark_write(stream, mark, facts));
    }
    fputs(pattern, stream);
    return STATUS_OK;
}

enum status output_name(const char *pattern, const struct output_facts *facts, char **name)
{
    size_t length = 0;
    FILE *stream = open_memstream(name, &length);
    enum status status = stream ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    if (stream)
        status = marks_write(stream, pattern, facts);
    if (stream && status == STATUS_OK && is_folder(pattern)) {
        fputs(pattern[strlen(pattern) - 1] == '/' ? "" : "/", stream);
        status = marks_write(stream, "{name}.png", facts);
    }
    if (stream && fclose(stream) != 0)
        status = STATUS_OUT_OF_MEMORY;
    if (status == STATUS_OK)
        return STATUS_OK;
    if (stream)
        free(*name);
    *name = NULL;
    return status == STATUS_OUT_OF_MEMORY
               ? status_fail(status, "no memory for the names of the files")
               : status;
}

static int named_compared(const void *a, const void *b)
{
    return strcmp(((const struct output_named *)a)->out, ((const struct output_named *)b)->out);
}

enum status output_names_check(struct output_named *named, size_t count)
{
    if (count)
        qsort(named, count, sizeof *named, named_compared);
    for (size_t i = 1; i < count; i++)
        if (!strcmp(named[i - 1].out, named[i].out))
            return status_fail(STATUS_USAGE,
                               "%s would be written twice, for %s and for %s; in the name {index} "
                               "stands for the number of each",
                               named[i].out, named[i - 1].path, named[i].path);
    return STATUS_OK;
}
