/* The parts of documents, as configs/KEYS.md, that are made from tables of the program: compared by
 * a test, and written anew by its --write. KEYS_FILE and FILES_PAGE are paths of documents. */
#ifndef TESTS_APP_CONFIG_KEYS_DOCUMENT_H
#define TESTS_APP_CONFIG_KEYS_DOCUMENT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/text/text_file.h"
#include "tests/support/check.h"

struct keys_document {
    char *head, *table, *tail; /* the table lies between two marks, which head and tail keep */
};

static inline struct keys_document keys_document_read(const char *path, const char *begin_mark,
                                                      const char *end_mark)
{
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(text_file_read(path, 1 << 20, &text, &length), STATUS_OK);
    char *begin = strstr(text, begin_mark), *end = strstr(text, end_mark);
    assert_true(begin && end && begin < end);
    begin += strlen(begin_mark);
    struct keys_document document = {.head = strndup(text, (size_t)(begin - text)),
                                     .table = strndup(begin, (size_t)(end - begin)),
                                     .tail = strdup(end)};
    free(text);
    return document;
}

static inline void keys_document_destroy(struct keys_document *document)
{
    free(document->head);
    free(document->table);
    free(document->tail);
}

/* `made` is freed. */
static inline void keys_document_check(const char *path, const char *begin_mark,
                                       const char *end_mark, char *made, const char *test)
{
    struct keys_document document = keys_document_read(path, begin_mark, end_mark);
    if (strcmp(document.table, made) != 0)
        fail_msg("%s is out of date: run %s --write", path, test);
    keys_document_destroy(&document);
    free(made);
}

/* The same with `made` in place of what is there; the exit code of --write. */
static inline int keys_document_write(const char *path, const char *begin_mark,
                                      const char *end_mark, char *made)
{
    struct keys_document document = keys_document_read(path, begin_mark, end_mark);
    FILE *file = fopen(path, "w");
    int written = file && fprintf(file, "%s%s%s", document.head, made, document.tail) > 0 &&
                  fclose(file) == 0;
    keys_document_destroy(&document);
    free(made);
    return !written;
}

#endif
