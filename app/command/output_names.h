/* Names of the files of many pictures: -o FOLDER/ and -o 'pictures/{name}-{size}.png'. */
#ifndef APP_COMMAND_OUTPUT_NAMES_H
#define APP_COMMAND_OUTPUT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/status.h"

struct output_facts { /* facts of a picture that its names are made of */
    const char *stem; /* what {name} and {} stand for */
    const char *size; /* what {size} stands for, as "1920x1080"; NULL: it is not known */
    size_t number;    /* what {index} stands for, from 1 */
    size_t count;     /* number of all pictures: {index} has as many digits */
};

/* Does the -o name files of many pictures: a folder, or with a mark in it? */
bool output_is_many(const char *pattern);

/* Has the -o the mark {size}? */
bool output_has_size(const char *pattern);

/* Fails with STATUS_CANNOT_CREATE where the folder that the -o names is missing. */
enum status output_folder_check(const char *pattern);

/* Makes the name for a picture, freed by the caller: FOLDER/NAME.png in a folder, else the -o with
 * each mark replaced. A hostile stem leads to no other folder and no hidden file.
 * STATUS_OUT_OF_MEMORY; STATUS_USAGE for {size} where that is not known. */
enum status output_name(const char *pattern, const struct output_facts *facts, char **name);

struct output_named {
    const char *out;  /* name of a file */
    const char *path; /* what the file is made of */
};

/* Fails with STATUS_USAGE where a file would be written twice. Sorts the names. */
enum status output_names_check(struct output_named *named, size_t count);

#endif
