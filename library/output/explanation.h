/* Why a picture is computed as it is, as lines for people. */
#ifndef LIBRARY_OUTPUT_EXPLANATION_H
#define LIBRARY_OUTPUT_EXPLANATION_H

#include <stdio.h>

#include "library/settings/picture_settings.h"
#include "render/device/renderer.h"

struct cores_choice;

/* Writes the plan, who chose the colours, and the devices. choice: why these; NULL: nothing to
 * say. */
void output_explain(const struct picture_settings *settings, const struct renderer *renderer,
                    const struct cores_choice *choice, FILE *stream);

/* Bytes that the files can need at most on the disk of the first. */
uint64_t output_disk_most(const struct picture_settings *settings);

#endif
