/* The report of a picture, from what deepfield_output_close says: one line for people, or one line
 * of JSON for programs. */
#ifndef APP_REPORT_REPORT_H
#define APP_REPORT_REPORT_H

#include <stdio.h>

#include "kernels/status.h"
#include "render/disk/json.h"

/* Prints the document of `deepfield render --json`. view: what names the picture.
 * STATUS_OUT_OF_MEMORY. */
enum status report_json(const char *view, struct json_object *report);

/* "1920 x 1080, limit 10000: 2.25 G iterations in 0.21 s (10.7 G/s) on avx512, 2 threads". */
void report_line(const struct json_object *report, FILE *stream);

/* Prints, in several lines, the times of each rank, if there are several; and for a picture by
 * perturbation the cost of the orbit, and the blocks that were used. */
void report_survey(const struct json_object *report, FILE *stream);

#endif
