/* What settings describe, as members of an open object of JSON, which configs/deepfield.schema.json
 * defines; what is automatic, or not there, is null. */
#ifndef LIBRARY_SETTINGS_SETTINGS_JSON_H
#define LIBRARY_SETTINGS_SETTINGS_JSON_H

#include "library/config/config.h"
#include "render/disk/json.h"
#include "render/picture/estimate.h"
#include "render/picture/picture.h"

/* Names the program: program, version, revision. */
void program_json(struct json *json);
/* Members of the object that is open: the view; the picture, with the view. */
void view_json(struct json *json, const struct view *view);
void picture_json(struct json *json, const struct picture *picture);
/* The number of an option. */
void setting_json(struct json *json, const char *key, const struct config *config,
                  enum option_key option);
void look_json(struct json *json, const struct config *config);
void plan_json(struct json *json, const struct plan *plan);
void estimate_json(struct json *json, const struct estimate *estimate);
void checksums_json(struct json *json, unsigned planes, const uint64_t checksum[PLANES]);

#endif
