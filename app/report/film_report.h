/* Texts about a film: how it would be made, and the result, from what deepfield_film_save says. */
#ifndef APP_REPORT_FILM_REPORT_H
#define APP_REPORT_FILM_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "kernels/status.h"
#include "render/disk/json.h"

/* Frames, key pictures, memory, files; for --explain and --dry-run. path: of the film; a text of
 * JSON has no bytes that are not UTF-8. */
void film_explain(const struct json_object *plan, const char *path, FILE *stream);

/* The line of --dry-run. */
void film_estimate_print(const struct json_object *plan, const struct json_object *said);

/* The path on stdout and, unless `quiet`, lines on stderr. */
void film_report_print(const struct json_object *plan, const struct json_object *report,
                       const char *path, bool quiet);

/* The document of --json of an estimate, or of a result. */
enum status film_document_print(const char *schema, struct json_object *said);

#endif
