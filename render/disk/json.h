/* Results for other programs: one line of JSON (RFC 8259), built in order by json-c; and one text
 * of it, found again. */
#ifndef RENDER_DISK_JSON_H
#define RENDER_DISK_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/status.h"

enum { JSON_DEPTH_MOST = 8 };

/* The same for people: an object as lines of "key value", and its arrays of objects as tables. */
struct json_column {
    const char *key;
    const char *head; /* NULL in the first column: the table has no heads */
    int width;        /* negative: left-aligned; 0: as wide as it is, and nothing for null */
    int decimals;     /* of numbers, ... */
    double scale;     /* ... multiplied; 0: as they are */
};
struct json_table {
    const char *key;   /* of the array */
    const char *title; /* the line above it */
    const struct json_column *column;
    int columns;
};

struct json {
    FILE *stream;                   /* borrowed; written when the outermost element is complete */
    const struct json_table *table; /* [tables]: for people; NULL: as JSON */
    int tables;
    struct json_object *open[JSON_DEPTH_MOST];
    int depth;
    bool failed; /* an element is missing, for want of memory */
};

/* Every call takes the key of the element, or NULL inside an array and at the top. */
void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json);                               /* all but the outermost */
/* Closes the outermost element and writes it, if all of it is there; else there was no memory. What
 * the stream does not take is the stream's error. */
enum status json_end(struct json *json) __attribute__((warn_unused_result));
/* Instead: nothing is written. */
void json_drop(struct json *json);
/* The outermost object of a document, which begins with `schema`: NAME/VERSION of its definition in
 * configs/deepfield.schema.json. For people that is left out. */
void json_begin(struct json *json, const char *schema);
/* Any bytes: what is not UTF-8 becomes U+FFFD. NULL becomes null. */
void json_text(struct json *json, const char *key, const char *text);
void json_integer(struct json *json, const char *key, int64_t value);
void json_count(struct json *json, const char *key, uint64_t value);
/* Reads back to the same double; not finite becomes null. */
void json_real(struct json *json, const char *key, double value);
void json_boolean(struct json *json, const char *key, bool value);
/* 16 hexadecimal digits as text: JSON's readers lose integers beyond 2^53. */
void json_hex(struct json *json, const char *key, uint64_t value);

/* The text that an object has for the key; freed by the caller. NULL if it has none, if this is not
 * JSON, or without memory. */
char *json_text_find(const char *json, const char *key);

#endif
