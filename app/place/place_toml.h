/* What readers of places in TOML texts share: its entries become keys of a place. */
#ifndef APP_PLACE_PLACE_TOML_H
#define APP_PLACE_PLACE_TOML_H

#include "app/place/place_reader.h"
#include "app/text/toml.h"

struct place_toml_name { /* of a key, what [view] calls it, and what holds where it is not there */
    const char *key, *name, *fallback;
};

/* Adds each of them to the place. STATUS_BAD_DATA. */
enum status place_toml_add(struct ini *ini, const struct ini *toml, const struct place_text *text,
                           const struct place_toml_name *names, size_t count);

/* 0 if it is not there, and then *line stays. STATUS_BAD_DATA beyond ANGLE_MAX. */
enum status place_toml_angle(const struct ini *toml, const struct place_text *text, const char *key,
                             double *angle, int *line);

/* STATUS_BAD_DATA with the line, the key, its value and what is wrong with it. */
enum status place_toml_wrong(const struct place_text *text, const struct ini_entry *entry,
                             const char *what);

#endif
