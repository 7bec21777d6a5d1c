/* How are results written for other programs? One line of JSON (RFC 8259), built in order; and one
 * text of it is found again. */
#ifndef RENDER_JSON_H
#define RENDER_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *stream; /* borrowed */
    bool follows; /* the next element needs a comma before it */
};

/* Every call takes the key of the element, or NULL inside an array and at the top. */
void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json, char bracket);                 /* '}' or ']' */
/* Any bytes: what is not UTF-8 becomes U+FFFD. NULL becomes null. */
void json_text(struct json *json, const char *key, const char *text);
void json_integer(struct json *json, const char *key, int64_t value);
void json_count(struct json *json, const char *key, uint64_t value);
/* Reads back to the same double; not finite becomes null. */
void json_real(struct json *json, const char *key, double value);
void json_boolean(struct json *json, const char *key, bool value);
/* 16 hexadecimal digits as text: JSON's readers lose integers beyond 2^53. */
void json_hex(struct json *json, const char *key, uint64_t value);

/* The text that the outermost object in a JSON text has for the key; freed by the caller. NULL if
 * it has none, or without memory. Only what leads there is looked at. */
char *json_text_find(const char *json, const char *key);

#endif
