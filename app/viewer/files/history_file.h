/* The file format of the history. A line "deepfield history 1", then records:
 *
 *     add BYTES CHECKSUM        a new place after the present one; BYTES of text follow, and a
 *                               newline
 *     back STEPS CHECKSUM       undone
 *     forth STEPS CHECKSUM      redone
 *
 * The checksum is FNV-1a (Fowler, Noll, Vo 1991) of 64 bits, over the line before it and the text.
 * It detects damage, not intent: what is read is as hostile as any text. */
#ifndef APP_VIEWER_FILES_HISTORY_FILE_H
#define APP_VIEWER_FILES_HISTORY_FILE_H

#include <stddef.h>

#define HISTORY_HEADER "deepfield history 1\n"

enum history_verb { HISTORY_ADD, HISTORY_BACK, HISTORY_FORTH, HISTORY_VERBS };

struct history_record {
    enum history_verb verb;
    size_t count;     /* bytes of the text, or steps */
    const char *text; /* HISTORY_ADD; not NUL-ended; borrowed from the bytes */
};

enum history_reading {
    HISTORY_READ,    /* a record */
    HISTORY_END,     /* no more records */
    HISTORY_CUT,     /* the last record is not whole: what a crash leaves */
    HISTORY_DAMAGED, /* bytes that are no record */
};

enum { HISTORY_RECORD_MOST = 64 /* bytes of a record besides its text */ };

/* Writes the line of a record into line[HISTORY_RECORD_MOST] and returns its length. The text and a
 * newline are to follow for HISTORY_ADD. */
size_t history_line(const struct history_record *record, char *line);

/* Reads the record at *at and advances *at to the next. */
enum history_reading history_read(struct history_record *record, const char **at, const char *end);

#endif
