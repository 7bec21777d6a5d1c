/* The viewer of a build without SDL. */
#include "app/viewer/viewer.h"

enum status viewer_run(const struct viewer_options *options, struct figures *figures)
{
    (void)options;
    (void)figures;
    return status_fail(STATUS_USAGE, "this build has no window; configured with "
                                     "-D DEEPFIELD_WINDOW=ON it has one, by SDL2 and SDL2_ttf");
}
