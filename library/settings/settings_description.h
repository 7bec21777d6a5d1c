/* Settings read as the description of a picture (render/view/description.h), of the devices that
 * compute it and of its files. */
#ifndef LIBRARY_SETTINGS_SETTINGS_DESCRIPTION_H
#define LIBRARY_SETTINGS_SETTINGS_DESCRIPTION_H

#include "kernels/spec.h"
#include "kernels/status.h"
#include "library/config/config.h"
#include "library/config/language.h"
#include "render/device/renderer.h"
#include "render/view/description.h"

/* The picture that the settings describe. picture->view is the caller's to destroy; the names are
 * borrowed from the config. Backend `auto` becomes `cpu` where GPUs cannot compute the view.
 * STATUS_BAD_DATA when the view cannot be. */
enum status settings_picture(const struct config *config, struct picture *picture);

/* Do settings describe a picture? Fails as settings_picture. */
enum status settings_picture_check(const struct config *config);

/* What planes along orbits measure. */
struct orbit_rule settings_orbit(const struct config *config);

/* The region of it, which settings_picture leaves out, as only single pictures have one. It counts
 * pixels of the size that it was given for. STATUS_CONFIG. */
enum status settings_region(const struct config *config, struct picture *picture);

/* Samples a pixel, or SAMPLES_AUTO; 0: the settings do not say (plan_samples). */
int settings_samples(const struct config *config);

/* Does a schedule that is chosen give all tiles beforehand? */
bool settings_schedule_is_static(const struct config *config);

/* Bits of a sample in a file: those that are set, or the nearest that its kind has. */
int settings_bits(const struct config *config, const char *path);

/* Language of texts: the one that is chosen, or `automatic`, that of the caller. */
enum language settings_language(const struct config *config, enum language automatic);

/* The devices that the settings name; names are borrowed from the config. MPI gets no addresses of
 * device memory, as nothing has proven that it can: see struct renderer_mpi_device. */
struct renderer_options settings_renderer(const struct config *config);

#endif
