/* The steps of a script that are no input: what they do, and whether what they expect is so. */
#ifndef APP_VIEWER_VIEWER_SCRIPT_H
#define APP_VIEWER_VIEWER_SCRIPT_H

#include "app/viewer/core/viewer_state.h"

enum status viewer_script(struct viewer *viewer); /* all that is due */

#endif
