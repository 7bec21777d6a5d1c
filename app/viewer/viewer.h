/* The loop of the viewer: input becomes views, views become requests to the engine, and the screen
 * shows the best there is, all the time.
 *
 * It runs on a thread of its own, which makes all calls of render/window/. It waits for input and
 * events of the engine and for nothing else: what takes long is done by the I/O thread, the inset
 * renderer and the engine. While nothing happens it sleeps. */
#ifndef APP_VIEWER_VIEWER_H
#define APP_VIEWER_VIEWER_H

#include "app/viewer/core/viewer_options.h"
#include "app/viewer/screen/figures.h"

/* Runs until the user quits, the script ends, or the window fails. Fills `figures`.
 * STATUS_INTERNAL when an expectation of the script was not met, with the first one. */
enum status viewer_run(const struct viewer_options *options, struct figures *figures);

#endif
