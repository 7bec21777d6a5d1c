/* Settings from all sources of a program: files, the environment and the command line.
 *
 * Defaults < /etc/xdg/deepfield/deepfield.ini < the user's deepfield.ini < --config files < the
 * view < environment < flags. */
#ifndef APP_ARGUMENTS_CONFIG_LOAD_H
#define APP_ARGUMENTS_CONFIG_LOAD_H

#include "app/arguments/arguments.h"
#include "kernels/status.h"
#include "library/config/config.h"
#include "library/text/ini.h"

/* /etc/xdg and the user's own. */
enum status config_apply_standard_files(struct config *config);

/* DEEPFIELD_*. An unknown name that is nearly one of ours is an error. */
enum status config_apply_environment(struct config *config);

/* Sets all flags but --config, in the order of the command line. */
enum status config_apply_flags(struct config *config, const struct arguments *arguments);

/* Loads all sources in the order of precedence; `view` (NULL: none) has the keys of the view file
 * `name`. */
enum status config_load(struct config *config, config_keys_check *keys_check,
                        const struct arguments *arguments, const struct ini *view,
                        const char *name);

#endif
