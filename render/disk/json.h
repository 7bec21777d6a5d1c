/* Results for other programs: one line of JSON (RFC 8259), built in order by json-c; and the values
 * of such a line. */
#ifndef RENDER_DISK_JSON_H
#define RENDER_DISK_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/status.h"

enum { JSON_DEPTH_MOST = 8 };

/* Column of a table: for people an object is printed as lines of "key value", and its arrays of
 * objects as tables. */
struct json_column {
    const char *key;
    const char *head; /* NULL in the first column: the table has no heads */
    int width;        /* characters; negative: left-aligned; 0: that of the value, none for null
                       */
    int decimals;     /* places of numbers after the point */
    double scale;     /* factor by which numbers are multiplied; 0: 1 */
};
struct json_table {
    const char *key;   /* key of the array */
    const char *title; /* the line above it */
    const struct json_column *column;
    int columns;
};

struct json {
    FILE *stream;                   /* borrowed; written when the outermost element is complete */
    const struct json_table *table; /* [tables], to print for people; NULL: prints JSON */
    int tables;
    struct json_object *open[JSON_DEPTH_MOST];
    int depth;
    bool failed; /* an element is missing because memory ran out */
};

/* Every call takes the key of the element, or NULL inside an array and at the top. */
void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json);                               /* closes all but the outermost */
/* Closes the outermost element and writes it if it is complete; else STATUS_OUT_OF_MEMORY. A failed
 * write shows as the stream's error. */
enum status json_end(struct json *json) __attribute__((warn_unused_result));
/* Discards the element: nothing is written. */
void json_drop(struct json *json);
/* Opens the outermost object of a document, which begins with `schema`: NAME/VERSION of its
 * definition in configs/deepfield.schema.json. Output for people leaves that out. */
void json_begin(struct json *json, const char *schema);
/* Takes any bytes: those that are not UTF-8 become U+FFFD. NULL becomes null. */
void json_text(struct json *json, const char *key, const char *text);
void json_integer(struct json *json, const char *key, int64_t value);
void json_count(struct json *json, const char *key, uint64_t value);
/* Writes enough digits to read back the same double; a value that is not finite becomes null. */
void json_real(struct json *json, const char *key, double value);
void json_boolean(struct json *json, const char *key, bool value);
/* 16 hexadecimal digits as text: JSON's readers lose integers beyond 2^53. */
void json_hex(struct json *json, const char *key, uint64_t value);

/* Adds an element, or the members of an object in their order but those that `but` names (ends with
 * NULL; may be NULL), as they were read. */
void json_add(struct json *json, const char *key, struct json_object *value);
void json_add_members(struct json *json, struct json_object *object, const char *const *but);

/* ---- reading ---- */

/* The value that a text is: an object or an array, which json_free frees with all that was found in
 * it. NULL with STATUS_BAD_DATA: it is none, or there is no memory. */
struct json_object *json_read(const char *text);
void json_free(struct json_object *value); /* accepts NULL */

/* Values of the members of an object. There may be none of this name, or one of another type:
 * NULL, 0, NAN, false. */
struct json_object *json_member(const struct json_object *object, const char *key);
const char *json_text_of(const struct json_object *object, const char *key);
int64_t json_integer_of(const struct json_object *object, const char *key);
double json_real_of(const struct json_object *object, const char *key);
bool json_boolean_of(const struct json_object *object, const char *key);

/* Number of elements of an array, and one of them; of what is none: 0, NULL. */
int json_length(const struct json_object *array);
struct json_object *json_element(const struct json_object *array, int number);
int64_t json_element_integer(const struct json_object *array, int number);
const char *json_element_text(const struct json_object *array, int number);

/* Finds the text that an object has for the key; freed by the caller. NULL if it has none, if the
 * input is not JSON, or without memory. */
char *json_text_find(const char *json, const char *key);

#endif
