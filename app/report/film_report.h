/* Texts about a film: how it would be made, which film its folder belongs to, and the result. */
#ifndef APP_REPORT_FILM_REPORT_H
#define APP_REPORT_FILM_REPORT_H

#include "app/settings/invocation.h"
#include "library/settings/tour.h"
#include "render/device/renderer.h"
#include "render/film/film_estimate.h"

/* Text of all that decides the frames, a line each. Freed by the caller; NULL without memory. */
char *film_identity(const struct config *config, const struct film *film, const struct tour *tour);

/* Frames, key pictures, memory, files; for --explain and --dry-run. */
void film_explain(const struct invocation *invocation, const struct renderer *renderer,
                  const struct film *film, const struct film_memory *memory);

/* Output of --dry-run: a line, or JSON. */
enum status film_estimate_print(const struct invocation *invocation,
                                const struct renderer *renderer, const struct film *film,
                                const struct film_estimate *estimate);

/* The path on stdout and a line on stderr, or JSON on stdout. */
enum status film_report_print(const struct invocation *invocation, const struct renderer *renderer,
                              const struct film *film, const struct film_report *report);

#endif
