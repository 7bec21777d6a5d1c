/* Small pictures of views, side by side on a terminal, each computed when it is shown. */
#ifndef APP_THUMBNAILS_H
#define APP_THUMBNAILS_H

#include "app/data.h"
#include "app/terminal.h"
#include "decomposition/world.h"
#include "kernels/status.h"

/* Prints those of the files FOLDER/NAME.ini to stdout, with their names below. What cannot be read
 * or computed stays blank. `world` has one rank. STATUS_STOPPED; STATUS_NO_DEVICE. About 0.3 s for
 * the program's own views on two cores. */
enum status thumbnails_print(struct world *world, const char *folder,
                             const struct data_names *names, enum terminal_colours colours);

#endif
