/* The join of a picture that was computed in parts: `deepfield render` without --part finds
 * TARGET.part-K-of-N.rows beside its first file, TARGET, and makes the files of their rows, byte
 * for byte those of a run that computes the picture alone. */
#ifndef LIBRARY_OUTPUT_PART_JOIN_H
#define LIBRARY_OUTPUT_PART_JOIN_H

#include "library/settings/picture_settings.h"

/* Finds the parts: *parts is their number, 0 without any. STATUS_NO_INPUT where some are missing,
 * and names them; STATUS_CONFIG for parts of several N. */
enum status part_join_find(int *parts, const struct picture_settings *settings);

/* Checks that all parts are of this picture, and takes the look that they have settled into
 * `config` and the settings. STATUS_BAD_DATA, naming what differs. */
enum status part_join_look(int parts, struct picture_settings *settings, struct config *config);

/* Hands all rows to the consumer, from the top. Fails as rows_file_read and the consumer do. */
enum status part_join_run(int parts, const struct picture_settings *settings,
                          const struct picture_consumer *consumer);

/* Removes the parts; to be called when all files of the picture are complete. */
void part_join_clear(int parts, const struct picture_settings *settings);

#endif
