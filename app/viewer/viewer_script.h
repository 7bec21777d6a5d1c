/* The player of a script: operates the viewer as a viewer_player, and does the steps that are no
 * input. */
#ifndef APP_VIEWER_VIEWER_SCRIPT_H
#define APP_VIEWER_VIEWER_SCRIPT_H

#include "app/viewer/core/viewer_options.h"
#include "app/viewer/play/play.h"

struct script_player {
    struct script script;
    struct play play; /* valid when `begun` */
    bool begun;
};

/* Fails as script_load and play_check; STATUS_USAGE in a build without a window. */
enum status script_player_open(struct script_player *player, const char *path);
struct viewer_player script_player_of(struct script_player *player); /* borrows it */
void script_player_close(struct script_player *player);              /* accepts a zeroed one */

#endif
