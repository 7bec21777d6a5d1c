#include "app/viewer/viewer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/core/viewer_action.h"
#include "app/viewer/core/viewer_autopilot.h"
#include "app/viewer/core/viewer_files.h"
#include "app/viewer/core/viewer_film.h"
#include "app/viewer/core/viewer_find.h"
#include "app/viewer/core/viewer_make.h"
#include "app/viewer/core/viewer_ranks.h"
#include "app/viewer/core/viewer_sound.h"
#include "app/viewer/core/viewer_thumbnails.h"
#include "app/viewer/core/viewer_tour.h"
#include "app/viewer/overlays/style.h"
#include "app/viewer/panels/viewer_pages.h"
#include "app/viewer/viewer_draw.h"
#include "app/viewer/viewer_input.h"
#include "app/viewer/viewer_kiosk.h"
#include "app/viewer/viewer_remote.h"
#include "app/viewer/viewer_status.h"
#include "decomposition/thread/clock.h"
#include "kernels/stop.h"
#include "library/text/text_file.h"
#include "render/colour/palette.h"

#define VIEWER_POLL_S 0.004        /* time between polls of the engine; or as long as one takes */
#define VIEWER_POLL_MOVING_S 0.001 /* the same while a hand moves, and few polls fetch pixels */
/* While a hand moves the first picture of a view is not waited for by the next frame, but the
 * screen has had rest for so many times what a frame takes. */
#define VIEWER_COVERED_FRAMES 1
#define VIEWER_AHEAD_MOST_S 0.5 /* most time that a flight looks ahead */
#define VIEWER_AHEAD_LOG2 0.25  /* most octaves that it looks ahead: the rim is as wide */
#define VIEWER_AHEAD_MARGIN 1.3 /* it may become faster, and a rim without a picture is seen */
#define VIEWER_LATELY 4         /* pictures, over which times are averaged */
#define VIEWER_COARSEST 8       /* distance of the pixels of the first picture of a view */
#define VIEWER_REFRESH_S 0.033  /* least time between frames that only show refinements */
#define VIEWER_FIGURES_S 0.1    /* least time between frames that only show figures */
#define VIEWER_STOP_POLL_S 0.5  /* most time between polls of the stop request */

/* ---- between the hand and the engine ---- */

static deepfield_live_request request_make(const struct viewer *viewer, int pace)
{
    deepfield_live_request request = {.size = sizeof request,
                                      .pace = pace,
                                      .keep_colours = 1,
                                      .pointer_x = viewer->pointer_x,
                                      .pointer_y = viewer->pointer_y,
                                      .samples = viewer->samples,
                                      .limit_most = viewer->limit_most,
                                      .workers = viewer->workers,
                                      .again = viewer->again};
    memcpy(request.without, viewer->ranks.set.out, sizeof request.without);
    return request;
}

/* Pictures of a flight are of the view that will be seen: in the middle of the time for which they
 * are shown, so that they are neither enlarged nor small for long; at its end where pictures stay
 * coarse and on the way out, since nothing else would fill the rim. *view: of the caller. */
static enum status view_ahead(const struct viewer *viewer, double now_s, struct view *view)
{
    struct view_motion motion;
    double log2_speed, cover_s = fmin(viewer->cover_s, VIEWER_AHEAD_MOST_S);
    double shown_s = cover_s + viewer->period_s; /* the last frame that shows it, from now */
    bool coarse = viewer->state.stride >= VIEWER_COARSEST; /* it may not be enlarged at all */
    double in_s = cover_s + (coarse ? shown_s : viewer->period_s / 2);
    double out_s = VIEWER_AHEAD_MARGIN * (cover_s + shown_s);
    const struct view_track *track = &viewer->track;
    TRY(view_copy(view, &viewer->place.view));
    TRY(view_track_ahead(track, view, now_s, in_s, &motion, &log2_speed));
    double far_s = VIEWER_AHEAD_LOG2 / fmax(log2_speed, 1e-9);
    if (log2_speed < 0)
        TRY(view_track_ahead(track, view, now_s, out_s, &motion, &log2_speed));
    else if (in_s > far_s)
        TRY(view_track_ahead(track, view, now_s, far_s, &motion, &log2_speed));
    const struct view_range range = viewer_range(viewer);
    return view_move(view, &range, &motion, NULL);
}

/* A mean of the last few times. */
static void lately(double *mean_s, double time_s)
{
    *mean_s += (fmin(time_s, VIEWER_AHEAD_MOST_S) - *mean_s) / VIEWER_LATELY;
}

/* Posts a request for a place, of which other values than its view are those of the viewer's. */
static enum status request_post(struct viewer *viewer, const struct place *place, int pace)
{
    const deepfield_live_request request = request_make(viewer, pace);
    viewer->figures->requests++;
    TRY(program_live_ask(viewer->live, place, &request, &viewer->serial));
    return compositor_asked(&viewer->compositor, viewer->serial, &place->view, &place->formula,
                            clock_s());
}

/* A picture for a file, of another size than the window, while the hand rests. */
static enum status print_post(struct viewer *viewer)
{
    struct place place = viewer->place; /* borrowed */
    place.view.width = viewer->print_width;
    place.view.height = viewer->print_height;
    TRY(request_post(viewer, &place, DEEPFIELD_LIVE_SETTLE));
    viewer->print_serial = viewer->serial;
    return STATUS_OK;
}

static enum status viewer_request(struct viewer *viewer, double now_s)
{
    struct throttle *throttle = &viewer->throttle;
    double until_s;
    bool moves = viewer_moves(viewer);
    throttle->flies = viewer_flies(viewer);
    if (moves)
        throttle->changed_s = now_s; /* a hand that only pauses has not come to rest */
    viewer_history_poll(viewer, now_s);
    enum throttle_kind kind = throttle_decide(throttle, now_s, &until_s);
    viewer->wake_s = fmin(viewer->wake_s, until_s);
    if (kind == THROTTLE_WAIT) {
        if (viewer->print_width && !viewer->print_serial && viewer_settled(viewer))
            return print_post(viewer);
        return STATUS_OK;
    }
    bool fresh = throttle->view_is_new;
    bool previews = kind == THROTTLE_ASK_MOVING;
    lately(&viewer->period_s, now_s - throttle->asked_s);
    throttle_asked(throttle, kind, now_s);
    struct place place = viewer->place; /* borrowed */
    struct view ahead = {.re = NULL};
    enum status status = STATUS_OK;
    if (throttle->flies && previews) {
        status = view_ahead(viewer, now_s, &ahead);
        place.view = ahead;
    }
    if (status == STATUS_OK)
        status =
            request_post(viewer, &place, previews ? DEEPFIELD_LIVE_MOVE : DEEPFIELD_LIVE_SETTLE);
    view_destroy(&ahead);
    TRY(status);
    viewer->print_serial = 0; /* a print that was under way begins again when this is settled */
    if (fresh) {
        viewer->view_serial = viewer->serial;
        viewer->asked_input_s = viewer->input_s > 0 ? viewer->input_s : now_s;
        viewer->input_s = 0;
    }
    double again_s;
    throttle_decide(throttle, now_s, &again_s);
    viewer->wake_s = fmin(viewer->wake_s, again_s);
    return STATUS_OK;
}

/* ---- what came of it ---- */

static void picture_begins(struct viewer *viewer)
{
    viewer->wait =
        (struct viewer_wait){.picture = viewer->state.picture, .input_s = viewer->asked_input_s};
    viewer->figures->pictures++;
}

static void moments_measure(struct viewer *viewer)
{
    const deepfield_live_moments *moments = &viewer->state.moments;
    struct viewer_wait *wait = &viewer->wait;
    if (!wait->cancelled && moments->asked > 0 && moments->cancelled > 0) {
        wait->cancelled = true;
        measure_add(&viewer->figures->cancel, moments->cancelled - moments->asked);
    }
    if (!wait->fine && moments->asked > 0 && moments->fine > 0) {
        wait->fine = true;
        measure_add(&viewer->figures->fine, moments->fine - moments->asked);
    }
    if (!wait->covered && moments->asked > 0 && moments->covered > 0) {
        wait->covered = true;
        lately(&viewer->cover_s, moments->covered - moments->asked);
    }
    viewer->figures->late = viewer->state.late;
}

/* Says once, until they are there again, that colours go by counts in place of averages and traps
 * along orbits. */
static void planes_missing_tell(struct viewer *viewer)
{
    if (!viewer_planes_known(viewer))
        return;
    unsigned wanted = look_planes(&viewer->place.look) & PLANE_MASK_ORBIT;
    bool missing = wanted & ~viewer->state.planes;
    if (missing && !viewer->planes_missing && !viewer->kiosk)
        viewer_tell(viewer, NOTICE_INFO, STRING_SAY_BY_MISSING);
    viewer->planes_missing = missing;
}

static enum status engine_poll(struct viewer *viewer)
{
    deepfield_live_state *state = &viewer->state;
    bool pixels = false, moves = viewer_moves(viewer);
    double least_s = moves ? VIEWER_POLL_MOVING_S : VIEWER_POLL_S;
    double now_s = clock_s(), due_s = viewer->polled_s + fmax(least_s, viewer->poll_s);
    if (now_s < due_s) /* rectangles come by the hundred: many are fetched at once */
        viewer->wake_s = fmin(viewer->wake_s, due_s);
    else if (deepfield_live_version(viewer->live) > state->version) {
        char error[STATUS_TEXT_BYTES];
        int troubles = state->troubles;
        uint64_t serial = state->serial, measured = state->measured;
        snprintf(error, sizeof error, "%s", state->sentence);
        TRY(compositor_poll(&viewer->compositor, viewer->live, state,
                            moves ? COMPOSITOR_FAST : COMPOSITOR_FINE, &pixels));
        viewer->polled_s = clock_s();
        viewer->poll_s = viewer->polled_s - now_s;
        if (pixels)
            measure_add(&viewer->figures->fetch, viewer->poll_s);
        if (state->measured != measured)
            program_live_measured(viewer->live, &viewer->measured);
        viewer->state_new = true;
        viewer->pixels_new |= pixels;
        if (state->picture != viewer->wait.picture && state->serial >= viewer->view_serial)
            picture_begins(viewer);
        if (state->serial >= viewer->view_serial && !viewer->print_serial)
            throttle_covered(&viewer->throttle, viewer->compositor.covered,
                             viewer->compositor.covered && state->stride == 1);
        moments_measure(viewer);
        if (state->troubles > troubles)
            viewer_say(viewer, NOTICE_ALARM, "%s", state->trouble);
        bool again = state->stage == DEEPFIELD_LIVE_FAILED && state->serial != serial;
        if (*state->sentence && (again || strcmp(error, state->sentence) != 0))
            viewer_say(viewer, NOTICE_ALARM, "%s", state->sentence);
        planes_missing_tell(viewer);
        viewer_ranks_tell(viewer);
        if (viewer->shown.tiles)
            TRY(viewer_owners_poll(viewer));
    }
    return viewer_pictures_poll(viewer);
}

/* Notes the zoom of a flight for the next drift of its colours. */
static void flight_zoom_note(struct viewer *viewer)
{
    struct view_numbers numbers;
    if (viewer->state.measured != viewer->density.drifted &&
        view_numbers(&viewer->place.view, &numbers) == STATUS_OK)
        viewer->density.log2_zoom = view_log10_zoom(&numbers) * log2(10);
}

static void viewer_density(struct viewer *viewer, double now_s)
{
    bool fresh = viewer->throttle.view_is_new;
    bool wanted = viewer->state.serial >= viewer->view_serial && !viewer->print_serial;
    enum automatic_density_sight sight = viewer_flies(viewer)              ? DENSITY_FLIES
                                         : viewer_moves(viewer) || fresh   ? DENSITY_MOVES
                                         : !wanted                         ? DENSITY_OTHER
                                         : viewer->options->reduced_motion ? DENSITY_AT_ONCE
                                                                           : DENSITY_WANTED;
    if (sight == DENSITY_FLIES)
        flight_zoom_note(viewer);
    if (automatic_density_step(&viewer->density, &viewer->place, &viewer->state,
                               &viewer->measured.distribution, sight, now_s, &viewer->wake_s))
        viewer_look_changed(viewer);
}

/* ---- the loop ---- */

enum { EVENTS_A_ROUND = 512 }; /* a flood of input may not keep the screen from being drawn */

static void wake(void *context)
{
    window_wake(context);
}

/* Bookmarks and the history are a comfort: the viewer goes on without them. */
static enum status memories_open(struct viewer *viewer)
{
    char folder[USER_DATA_PATH_BYTES], warning[STATUS_TEXT_BYTES] = "";
    TRY(history_create(&viewer->history));
    if (viewer->options->stand.kiosk) /* a stand writes no history */
        return STATUS_OK;
    enum status status = user_data_folder(folder);
    if (status == STATUS_OK)
        status = user_data_path(viewer->bookmarks_path, folder, "bookmarks");
    if (status == STATUS_OK)
        status = user_data_path(viewer->history_path, folder, "history.log");
    if (status == STATUS_OK)
        status = history_load(viewer->history, viewer->history_path, warning);
    if (*warning)
        viewer_tell_of(viewer, NOTICE_ALARM, STRING_SAY_HISTORY, warning);
    return viewer_forgive(viewer, status);
}

/* Reads learnt hints, favourites and the language of earlier runs. */
static void comforts_load(struct viewer *viewer)
{
    char folder[USER_DATA_PATH_BYTES], path[USER_DATA_PATH_BYTES], *text = NULL;
    size_t length;
    hints_begin(&viewer->hints, clock_s());
    if (user_data_folder(folder) != STATUS_OK)
        return;
    if (user_data_path(path, folder, "learnt") == STATUS_OK &&
        text_file_read(path, HINTS_TEXT_BYTES, &text, &length) == STATUS_OK)
        hints_read(&viewer->hints, text);
    free(text);
    text = NULL;
    if (!viewer->options->language_said && user_data_path(path, folder, "language") == STATUS_OK &&
        text_file_read(path, HINTS_TEXT_BYTES, &text, &length) == STATUS_OK)
        language_use(language_of_locale(text));
    free(text);
    if (user_data_path(path, folder, "favourites") == STATUS_OK)
        favourites_load(&viewer->favourites, path);
}

static enum status viewer_open(struct viewer *viewer)
{
    const struct viewer_options *options = viewer->options;
    language_use(options->language);
    TRY(viewer_film_open(viewer));
    TRY(window_open(&viewer->window, &options->window));
    style_contrast = options->large_text;
    if (options->large_text)
        window_set_ui_scale(viewer->window, STYLE_LARGE * window_ui_scale(viewer->window));
    program_live_wake(viewer->live, wake, viewer->window);
    TRY(io_thread_open(&viewer->io_thread, wake, viewer->window));
    TRY(insets_open(&viewer->insets, options->assets, wake, viewer->window));
    TRY(search_open(&viewer->search, wake, viewer->window));
    TRY(orbit_watch_open(&viewer->orbit_watch, wake, viewer->window));
    viewer->orbit_count = 100;
    TRY(actions_create(&viewer->actions, &options->config->keys));
    TRY(place_copy(&viewer->place, options->place));
    palette_names(options->assets, viewer->palettes, sizeof viewer->palettes);
    viewer->shown.hud = HUD_SHORT;
    viewer->samples = options->samples;
    viewer->cycles_per_s = CYCLES_PER_S;
    viewer->figures->driver = window_driver(viewer->window);
    viewer->figures->renderer = window_renderer(viewer->window);
    TRY(viewer_fit(viewer));
    struct gesture_settings settings = viewer_gesture_settings(viewer);
    TRY(gesture_create(&viewer->gesture, &settings));
    TRY(memories_open(viewer));
    viewer_history_keep(viewer);
    TRY(viewer_kiosk_open(viewer));
    TRY(viewer_status_open(viewer));
    viewer_remote_open(viewer);
    TRY(viewer_sound_open(viewer));
    viewer->throttle.changed_s = -THROTTLE_REST_S; /* the first picture is wanted whole at once */
    viewer->hurry = 1;
    if (!viewer->kiosk)
        comforts_load(viewer);
    TRY(viewer_pages_open(viewer));
    if (options->tour && !viewer->kiosk)
        TRY(viewer_tour_begin(viewer, options->tour));
    return STATUS_OK;
}

static void viewer_close(struct viewer *viewer)
{
    program_live_wake(viewer->live, NULL, NULL); /* the window goes first */
    viewer_remote_close(viewer);
    viewer_status_close(viewer);
    viewer_kiosk_close(viewer);
    viewer_sound_close(viewer);
    viewer_files_close(viewer);
    viewer_make_close(viewer);
    viewer_thumbnails_close(viewer);
    viewer_film_close(viewer);
    insets_close(&viewer->insets);
    search_close(&viewer->search);
    orbit_watch_close(&viewer->orbit_watch);
    gesture_destroy(viewer->gesture);
    history_destroy(viewer->history);
    window_close(viewer->window);
    viewer_bookmarks_close(viewer);
    free(viewer->inbox.text);
    pthread_mutex_destroy(&viewer->inbox.mutex);
    entry_close(&viewer->entry);
    favourites_destroy(&viewer->favourites);
    compositor_destroy(&viewer->compositor);
    view_track_forget(&viewer->track);
    tour_end(&viewer->tour);
    viewer_pages_close(viewer); /* whose tour it may have been */
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
    if (!viewer->pixels_new && (!viewer->state_new || viewer->shown.hud == HUD_NOTHING))
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
    for (int i = 0; there && i < EVENTS_A_ROUND; i++) {
        TRY(viewer_take(viewer, &event));
        there = window_wait(viewer->window, 0, &event);
    }
    return STATUS_OK;
}

/* Waits until there is something to do, and does it. */
static enum status round_run(struct viewer *viewer)
{
    const struct viewer_player *player = &viewer->options->player;
    double timeout_s = fmin(fmax(viewer->wake_s - clock_s(), 0), VIEWER_STOP_POLL_S);
    TRY(input_take(viewer, timeout_s));
    TRY(window_check(viewer->window));
    viewer->wake_s = INFINITY;
    if (player->step)
        TRY(player->step(player->context, viewer));
    double now_s = clock_s();
    TRY(viewer_tour_step(viewer, now_s));
    viewer_motion_end(viewer, viewer_autopilot_step(viewer, now_s));
    viewer_motion_end(viewer, viewer_film_step(viewer, now_s));
    TRY(viewer_remote_step(viewer, now_s));
    TRY(viewer_steps(viewer, now_s));
    TRY(viewer_kiosk_step(viewer, now_s));
    viewer_sound_step(viewer, now_s);
    viewer_cycle(viewer, now_s);
    viewer_inbox(viewer);
    viewer_make_poll(viewer);
    viewer_thumbnails_poll(viewer, now_s);
    TRY(engine_poll(viewer));
    viewer_density(viewer, now_s);
    viewer_ranks_turn(viewer, now_s);
    TRY(viewer_find_poll(viewer, now_s));
    TRY(viewer_request(viewer, now_s));
    viewer->overlay_stale |= insets_poll(&viewer->insets);
    viewer_orbit_poll(viewer);
    viewer->overlay_stale |= hints_due(&viewer->hints, now_s, &viewer->wake_s);
    viewer->overlay_stale |= viewer_menu_due(viewer, now_s);
    viewer->overlay_stale |= notices_expire(&viewer->notices, now_s);
    viewer->wake_s = fmin(viewer->wake_s, notices_next_s(&viewer->notices));
    if (draw_is_due(viewer, clock_s())) {
        TRY(viewer_draw(viewer));
        if (viewer->compositor.rough)
            viewer->wake_s = fmin(viewer->wake_s, viewer->presented_s + VIEWER_GLIDE_S);
        if (player->step)
            viewer->wake_s = 0; /* it may have waited for this frame */
    }
    TRY(viewer_remote_tell(viewer, clock_s()));
    TRY(viewer_status_step(viewer, clock_s()));
    viewer_thumbnail_poll(viewer);
    viewer->ends |= stop_asked(viewer->options->stop);
    return STATUS_OK;
}

enum status viewer_run(const struct viewer_options *options, struct figures *figures)
{
    struct viewer *viewer = calloc(1, sizeof *viewer);
    if (!viewer)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the viewer");
    viewer->options = options;
    viewer->live = options->live;
    viewer->state =
        (deepfield_live_state){.size = sizeof viewer->state, .trouble = "", .sentence = ""};
    viewer->figures = figures;
    pthread_mutex_init(&viewer->inbox.mutex, NULL);
    figures->begun_s = clock_s();
    enum status status = viewer_open(viewer);
    while (status == STATUS_OK && !viewer->ends)
        status = round_run(viewer);
    figures->ended_s = clock_s();
    figures->polled_s = 0;
    figures_poll(figures, figures->ended_s);
    if (status == STATUS_OK && *viewer->failure)
        status = status_fail(STATUS_INTERNAL, "%s", viewer->failure);
    if (status == STATUS_OK && options->player.stopped && *options->stop)
        status = options->player.stopped(options->player.context);
    if (viewer->print_width || viewer->picture_wanted)
        fprintf(stderr, "deepfield: a picture that was asked for was not finished in time\n");
    viewer_close(viewer);
    free(viewer);
    return status;
}
