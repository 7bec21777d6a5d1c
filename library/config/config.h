/* The values of all settings, with their origins. A later source replaces the values of earlier
 * ones; who has several says in which order (app/arguments/config_load.h). Every value is checked
 * when it is set, so reading one cannot fail. */
#ifndef LIBRARY_CONFIG_CONFIG_H
#define LIBRARY_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/status.h"
#include "library/config/data_folder.h"
#include "library/config/options.h"
#include "library/text/ini.h"

struct config_value {
    char *text;       /* as given; NULL: not set; owned */
    char *origin;     /* "default", "FILE:LINE", "DEEPFIELD_SIZE", "--size"; owned */
    int64_t integer;  /* integers, booleans, the number of a choice, width of a size */
    int64_t second;   /* height of a size */
    double real;      /* also the dpi of a size; 0: none was given */
    double imaginary; /* imaginary part of a point */
};

/* May `text` be what [keys] says of `name`? STATUS_CONFIG with a sentence. */
typedef enum status config_keys_check(const char *name, const char *text);

struct config {
    struct config_value value[OPTIONS];
    struct ini keys; /* [keys]: what the viewer's actions are bound to, each checked */
    config_keys_check *keys_check; /* judges them; NULL: there is no section [keys] */
    struct data_source data;       /* where palettes are; borrowed; zeroed: those installed */
};

/* Sets all defaults, without [keys]. */
enum status config_create(struct config *config);
void config_destroy(struct config *config); /* accepts a zeroed one */

/* Copies all but [keys]. STATUS_OUT_OF_MEMORY leaves *copy zeroed. */
enum status config_copy(struct config *copy, const struct config *config);

/* Moves a value, which `from` has no more. */
void config_move(struct config *to, struct config *from, enum option_key option);

/* `blame` is the status of a bad value; the sentence begins with `origin`. */
enum status config_set(struct config *config, enum option_key option, const char *text,
                       const char *origin, enum status blame);

/* The sentence of a failure of `status`, told as that of the value of `option`: with its origin and
 * its text before it. For what only its use can judge. */
enum status config_blame(const struct config *config, enum option_key option, enum status status);

/* config_set by names, as in files and in --set. The error of an unknown one names the nearest. */
enum status config_set_named(struct config *config, const char *section, const char *key,
                             const char *text, const char *origin, enum status blame);

/* The error of a name that no option has, with the nearest one. */
enum status config_unknown(const char *section, const char *key, const char *origin,
                           enum status blame);

/* Sets all entries of an ini or location file. A view (blame STATUS_BAD_DATA) may not set how this
 * machine is used. */
enum status config_apply(struct config *config, const struct ini *ini, const char *name,
                         enum status blame);

/* Sets all entries of a configuration file. STATUS_NO_INPUT, STATUS_CONFIG. */
enum status config_apply_file(struct config *config, const char *path);

/* Ends the setting of values. Forgets the title, the credit and the distribution of a file where
 * its centre was replaced by another source: it is another place. Drops the c of a file where
 * another source names the Mandelbrot set. */
void config_settle(struct config *config);

/* NULL when not set. Borrowed. */
const char *config_text(const struct config *config, enum option_key option);
const char *config_text_or_null(const struct config *config, enum option_key option); /* "": NULL */
int64_t config_integer(const struct config *config, enum option_key option);
double config_real(const struct config *config, enum option_key option);
bool config_boolean(const struct config *config, enum option_key option);

/* Is the value automatic, or not set? */
bool config_is_auto(const struct config *config, enum option_key option);

/* Has the option another origin than its default? */
bool config_was_set(const struct config *config, enum option_key option);

/* Writes the values as ini text that loads back equal: all with a comment that names the origin,
 * or only those that a picture needs. */
enum config_selection { CONFIG_ALL, CONFIG_OF_PICTURE };
void config_write(const struct config *config, enum config_selection selection, FILE *stream);

#endif
