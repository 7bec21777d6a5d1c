/* A film before and after it is made, as members of an open object of JSON. */
#ifndef LIBRARY_FILM_FILM_JSON_H
#define LIBRARY_FILM_FILM_JSON_H

#include "library/film/film_target.h"
#include "render/device/renderer.h"
#include "render/disk/json.h"
#include "render/film/film_estimate.h"

/* What it is: the same before and after. */
void film_json(struct json *json, const struct film *film);

/* How it would be made: frames, depth, method, memory, file. */
void film_plan_json(struct json *json, const struct film_target *target,
                    const struct film_memory *memory, const struct renderer_info *renderer);

/* How long that takes. */
void film_estimate_json(struct json *json, const struct film *film,
                        const struct film_estimate *estimate);

/* What came of it. */
void film_report_json(struct json *json, const struct film_report *report);

#endif
