/* Parts of a job, of which each run makes one: --part K/N. */
#ifndef LIBRARY_SETTINGS_PART_H
#define LIBRARY_SETTINGS_PART_H

#include "kernels/status.h"
#include "library/config/config.h"
#include "render/view/description.h"

/* Part of a job that this run makes: --part K/N, else 1 of 1. STATUS_USAGE. */
enum status settings_part(const struct config *config, int *part, int *parts);

/* The region of a picture becomes the rows that are this part's share. STATUS_CONFIG. */
enum status settings_part_region(struct picture *picture, int part, int parts);

/* Path of the rows of a part of a picture, whose first file is `target`: TARGET.part-K-of-N.rows;
 * freed by the caller, NULL without memory. */
char *settings_part_path(const char *target, int part, int parts);

#endif
