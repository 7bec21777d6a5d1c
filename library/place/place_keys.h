/* Keys of other programs: rows that say what becomes of their values, and one reader that goes
 * through them, of lines KEY = VALUE or KEY: VALUE (library/text/key_lines.h) and of TOML texts. */
#ifndef LIBRARY_PLACE_PLACE_KEYS_H
#define LIBRARY_PLACE_PLACE_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "library/place/place_reader.h"
#include "library/text/key_lines.h"

struct place_key {
    const char *key;      /* name there */
    const char *name;     /* name in [view] of what takes the value; NULL: it is only compared */
    const char *fallback; /* value that program takes where nothing is said; NULL: none */
    /* Makes the number that is taken of the value, freed by the reader; NULL: as it is written. */
    enum status (*convert)(const char *value, char **number);
    const char *only; /* value that alone is computed here; NULL: any */
    bool any_case;    /* only: letters of either case */
    const char *what; /* reason why others are refused */
};

struct place_keys {
    const struct place_key *key;
    size_t count;
    char separator;      /* character behind the key of a line; TOML needs none */
    const char *section; /* "[name]" of the lines that count, with keys in letters of either case;
                            NULL: all lines */
    /* Takes the lines that no row takes, comments too; NULL: they are passed over. */
    enum status (*other)(void *context, const struct key_line *line);
};

/* Adds what the lines of a text say to the place. STATUS_BAD_DATA. */
enum status place_keys_read(struct ini *ini, const struct place_text *text,
                            const struct place_keys *keys, void *context);

/* Adds what a TOML text says, row by row, and then what `rest` makes of it. STATUS_BAD_DATA. */
enum status place_toml_read(struct ini *ini, const struct place_text *text,
                            const struct place_keys *keys,
                            enum status (*rest)(struct ini *ini, const struct ini *toml,
                                                const struct place_text *text));

/* Reads an angle in degrees of a TOML text; 0 if it is not there, and then its line is 0, too.
 * STATUS_BAD_DATA beyond ANGLE_MAX. */
enum status place_toml_angle(const struct ini *toml, const struct place_text *text, const char *key,
                             struct place_number *angle);

/* STATUS_BAD_DATA with the line, the key, its value and what is wrong with it. */
enum status place_toml_wrong(const struct place_text *text, const struct ini_entry *entry,
                             const char *what);

#endif
