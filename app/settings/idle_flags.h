/* Flags of a picture that have no effect beside the others: STATUS_USAGE with the reason. */
#ifndef APP_SETTINGS_IDLE_FLAGS_H
#define APP_SETTINGS_IDLE_FLAGS_H

#include <stdbool.h>

#include "app/arguments/arguments.h"
#include "library/settings/picture_settings.h"

/* Flags of the look. */
enum status settings_look_flags(const struct look_options *look, const struct formula *formula,
                                const struct arguments *arguments);

/* --light without relief, once that is settled. */
enum status settings_light_flag(bool relief, const struct arguments *arguments);

/* Flags about jobs that join. */
enum status settings_join_flags(const struct config *config, const struct arguments *arguments);

/* --forecast on under a schedule that has none. */
enum status settings_forecast_flag(const struct config *config, const struct arguments *arguments);

/* Flags of planes along orbits that are not wanted. */
enum status settings_orbit_flags(unsigned planes, const struct arguments *arguments);

/* The other flags of a picture and its files that can be judged without a plan. */
enum status settings_flags_check(const struct picture_settings *settings,
                                 const struct arguments *arguments);

/* Flags of colours, once the plan has settled what is automatic. */
enum status settings_shading_flags_check(const struct picture_settings *settings,
                                         const struct arguments *arguments);

#endif
