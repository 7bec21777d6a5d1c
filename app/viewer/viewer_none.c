/* The viewer of a build without SDL. */
#include "app/viewer/viewer.h"
#include "app/viewer/viewer_script.h"

static enum status no_window(void)
{
    return status_fail(STATUS_USAGE, "this build has no window; configured with "
                                     "-D DEEPFIELD_WINDOW=ON it has one, by SDL2 and SDL2_ttf");
}

enum status viewer_run(const struct viewer_options *options, struct figures *figures)
{
    (void)options;
    (void)figures;
    return no_window();
}

enum status script_player_open(struct script_player *player, const char *path)
{
    (void)player;
    (void)path;
    return no_window();
}

struct viewer_player script_player_of(struct script_player *player)
{
    (void)player;
    return (struct viewer_player){0};
}

void script_player_close(struct script_player *player)
{
    (void)player;
}
