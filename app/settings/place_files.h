/* Places into files, of the format that each suffix says. */
#ifndef APP_SETTINGS_PLACE_FILES_H
#define APP_SETTINGS_PLACE_FILES_H

#include "app/settings/invocation.h"

/* The place of the config into every -o, all of them or none. */
enum status place_files_write(const struct invocation *invocation);

/* Their paths on stdout, each as a line. */
void place_files_print(const struct invocation *invocation);

#endif
