#include "app/viewer/viewer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/viewer_parts.h"
#include "decomposition/clock.h"
#include "render/palette.h"

enum { EVENTS_A_TURN = 512 }; /* a flood of input may not keep the screen from being drawn */

static void wake(void *context)
{
    window_wake(context);
}

/* Bookmarks and the history are a comfort: the viewer goes on without them. */
static enum status memories_open(struct viewer *viewer)
{
    char folder[USER_DATA_PATH_BYTES], warning[STATUS_TEXT_BYTES] = "";
    TRY(history_create(&viewer->history));
    enum status status = user_data_folder(folder);
    if (status == STATUS_OK)
        status = user_data_path(viewer->bookmarks_path, folder, "bookmarks");
    if (status == STATUS_OK)
        status = user_data_path(viewer->history_path, folder, "history.log");
    if (status == STATUS_OK)
        status = history_load(viewer->history, viewer->history_path, warning);
    if (*warning)
        viewer_say(viewer, NOTICE_ALARM, "history: %s", warning);
    return viewer_forgive(viewer, status);
}

static void hint(struct viewer *viewer)
{
    char keys[128];
    actions_words(&viewer->actions, ACTION_HELP, keys, sizeof keys);
    keys[strcspn(keys, ",")] = '\0';
    if (*keys)
        viewer_say(viewer, NOTICE_NEWS, "%s shows all keys", keys);
}

static enum status viewer_open(struct viewer *viewer)
{
    const struct viewer_options *options = viewer->options;
    TRY(window_open(&viewer->window, &options->window));
    live_wake_with(viewer->live, wake, viewer->window);
    TRY(io_thread_open(&viewer->io_thread, wake, viewer->window));
    TRY(insets_open(&viewer->insets, options->assets, wake, viewer->window));
    TRY(actions_create(&viewer->actions, &options->config->keys));
    TRY(place_copy(&viewer->place, options->place));
    palette_names(options->assets, viewer->palettes, sizeof viewer->palettes);
    viewer->hud = HUD_SHORT;
    viewer->figures->driver = window_driver(viewer->window);
    viewer->figures->renderer = window_renderer(viewer->window);
    TRY(viewer_fit(viewer));
    struct gesture_settings settings = viewer_gesture_settings(viewer);
    TRY(gesture_create(&viewer->gesture, &settings));
    TRY(memories_open(viewer));
    viewer_history_keep(viewer);
    viewer->throttle.changed_s = -THROTTLE_REST_S; /* the first picture is wanted whole at once */
    if (!options->script)
        hint(viewer);
    else {
        viewer->plays = true;
        viewer->play = play_begin(options->script, clock_s());
    }
    return STATUS_OK;
}

static void viewer_close(struct viewer *viewer)
{
    live_wake_with(viewer->live, NULL, NULL); /* the window goes first */
    viewer_picture_close(viewer);
    io_thread_close(viewer->io_thread);
    insets_close(&viewer->insets);
    gesture_destroy(viewer->gesture);
    history_destroy(viewer->history);
    window_close(viewer->window);
    viewer_bookmarks_close(viewer);
    free(viewer->inbox.text);
    pthread_mutex_destroy(&viewer->inbox.mutex);
    free(viewer->owners.cell);
    entry_close(&viewer->entry);
    compositor_destroy(&viewer->compositor);
    place_destroy(&viewer->place);
}

/* Input first, then refinements, then figures. */
static bool draw_is_due(struct viewer *viewer, double now_s)
{
    double since_s = now_s - viewer->presented_s;
    bool finished = viewer->state.settled && !viewer->wait.settled && viewer->state_new;
    bool covered = viewer->compositor.covered && !viewer->wait.coarse && viewer->pixels_new;
    if (covered && viewer_moves(viewer)) { /* its next frame shows it, where frames take long */
        double due_s = viewer->presented_s + VIEWER_COVERED_FRAMES * viewer->frame_s;
        viewer->wake_s = fmin(viewer->wake_s, due_s);
        covered = now_s >= due_s;
    }
    if (finished || covered || (viewer->stamps && (viewer->picture_stale || viewer->overlay_stale)))
        return true;
    if (viewer->picture_stale || viewer->overlay_stale) { /* what moves by itself */
        viewer->wake_s = fmin(viewer->wake_s, viewer->presented_s + VIEWER_GLIDE_S);
        return since_s >= VIEWER_GLIDE_S;
    }
    double due_s = viewer->pixels_new ? VIEWER_REFRESH_S : VIEWER_FIGURES_S;
    if (!viewer->pixels_new && (!viewer->state_new || viewer->hud == HUD_NOTHING))
        return false;
    if (since_s >= due_s)
        return true;
    viewer->wake_s = fmin(viewer->wake_s, viewer->presented_s + due_s);
    return false;
}

static enum status input_take(struct viewer *viewer, double timeout_s)
{
    struct input_event event;
    bool there = window_wait(viewer->window, timeout_s, &event);
    for (int i = 0; there && i < EVENTS_A_TURN; i++) {
        TRY(viewer_take(viewer, &event));
        there = window_wait(viewer->window, 0, &event);
    }
    return STATUS_OK;
}

/* Waits until there is something to do, and does it. */
static enum status viewer_turn(struct viewer *viewer)
{
    double timeout_s = fmin(fmax(viewer->wake_s - clock_s(), 0), VIEWER_LOOK_AROUND_S);
    TRY(input_take(viewer, timeout_s));
    TRY(window_check(viewer->window));
    viewer->wake_s = INFINITY;
    TRY(viewer_script(viewer));
    double now_s = clock_s();
    TRY(viewer_steps(viewer, now_s));
    viewer_cycle(viewer, now_s);
    viewer_inbox(viewer);
    TRY(viewer_look(viewer));
    viewer_density(viewer, now_s);
    TRY(viewer_request(viewer, now_s));
    viewer->overlay_stale |= insets_look(&viewer->insets);
    viewer->overlay_stale |= notices_expire(&viewer->notices, now_s);
    viewer->wake_s = fmin(viewer->wake_s, notices_next_s(&viewer->notices));
    if (draw_is_due(viewer, clock_s())) {
        TRY(viewer_draw(viewer));
        if (viewer->compositor.rough)
            viewer->wake_s = fmin(viewer->wake_s, viewer->presented_s + VIEWER_GLIDE_S);
        if (viewer->plays)
            viewer->wake_s = 0; /* the script may have waited for this frame */
    }
    viewer_thumbnail_look(viewer);
    viewer->ends |= *viewer->options->stop != 0;
    return STATUS_OK;
}

enum status viewer_run(const struct viewer_options *options, struct figures *figures)
{
    struct viewer *viewer = calloc(1, sizeof *viewer);
    if (!viewer)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the viewer");
    viewer->options = options;
    viewer->live = options->live;
    viewer->figures = figures;
    pthread_mutex_init(&viewer->inbox.mutex, NULL);
    figures->begun_s = clock_s();
    enum status status = viewer_open(viewer);
    while (status == STATUS_OK && !viewer->ends)
        status = viewer_turn(viewer);
    figures->ended_s = clock_s();
    figures_look(figures);
    if (status == STATUS_OK && *viewer->failure)
        status = status_fail(STATUS_INTERNAL, "%s", viewer->failure);
    bool cut = viewer->plays && viewer->play.next < options->script->count;
    if (status == STATUS_OK && cut && *options->stop)
        status = status_fail(STATUS_STOPPED, "stopped in line %d of the script",
                             options->script->steps[viewer->play.next].line);
    if (viewer->print_width || viewer->picture_wanted)
        fprintf(stderr, "deepfield: a picture that was asked for was not finished in time\n");
    viewer_close(viewer);
    free(viewer);
    return status;
}
