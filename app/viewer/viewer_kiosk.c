#include "app/viewer/viewer_kiosk.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/http/share_server.h"
#include "app/viewer/core/viewer_action.h"
#include "app/viewer/core/viewer_ranks.h"
#include "app/viewer/core/viewer_tour.h"
#include "app/viewer/kiosk/challenge.h"
#include "app/viewer/kiosk/kiosk.h"
#include "app/viewer/kiosk/kiosk_bound.h"
#include "app/viewer/kiosk/kiosk_buttons.h"
#include "app/viewer/kiosk/kiosk_guide.h"
#include "app/viewer/kiosk/kiosk_invite.h"
#include "app/viewer/kiosk/kiosk_journey.h"
#include "app/viewer/kiosk/take_away.h"
#include "app/viewer/kiosk/visit_log.h"
#include "app/viewer/kiosk/watchdog.h"
#include "app/viewer/overlays/depth_words.h"
#include "app/viewer/overlays/strings.h"
#include "app/viewer/screen/flash_guard.h"
#include "decomposition/thread/clock.h"
#include "kernels/number_text.h"
#include "library/text/text_file.h"

#define HELD_S 180.0      /* time for which a held input is a visitor; later it is a thing */
#define THERE_S 6.0       /* time that a journey rests at its end */
#define HEARTBEAT_S 0.5   /* most time between frames, which the service manager's watchdog sees */
#define FLAT_S 0.6        /* time that a picture of one colour may stay */
#define BLANK_S 2.5       /* time that one with nothing to see stays, with the sentence about it */
#define FLAT_GLIDE_S 0.5  /* duration of a flight out of it */
#define FLAT_AGAIN_S 0.75 /* time from one such flight to the next */
#define FLAT_LOG2 4.0     /* octaves of each */
#define HAND_STEP_S 0.05  /* time between frames of the hand */
#define FLIGHT_PX 0.5     /* a step that moves its fixed point by no more only zooms */
#define CLOCK_S 0.25      /* time between updates of a challenge's clock */
#define FAILING_S 10.0    /* without any picture: the service manager starts another program */

enum { PAGES_OF_THEIR_OWN = 1 << 18 }; /* bytes: larger blocks go back to the system when freed */
enum { FLAT_STEPS = 3, HISTORY_MOST = 200, TILES_EACH = 3 /* stop of the attract loop */ };

struct viewer_kiosk {
    struct kiosk_idle idle;
    struct kiosk_exit staff;
    struct kiosk_journey journey;
    struct kiosk_bound bound;
    struct flash_guard *guard;
    struct watchdog watchdog;
    size_t rounds, stops;       /* numbers of shows and stops of the attract loop so far */
    uint64_t surprises;         /* number so far */
    double ui_scale;            /* scale at the start */
    struct share_server *share; /* NULL: nothing is shared */
    struct challenge_run challenge;
    uint64_t judged;       /* request for another view that was judged last */
    bool more;             /* the second row of buttons is open */
    struct take_away code; /* code on the screen */
    bool shared;           /* it is of a picture's address */
    int pressed;           /* enum kiosk_button */
    bool pressed_by_finger;
    int64_t finger;  /* the finger that presses */
    uint64_t learnt; /* the picture whose cost is known */
    double learnt_s;
    double flat_step_s; /* when the last flight out of one colour began */
    int flat_steps;
    double blank_s;        /* since when there is nothing to see; 0: there is */
    double guided_s;       /* when the way of a flight was judged last */
    bool has_flown;        /* this visitor has held the picture */
    double hand_s;         /* since when the hand is shown; 0: it is not */
    double hand_x, hand_y; /* position of its finger; pixels */
    double failing_s;      /* since when there is no picture; 0: there is */
    double visitor_s;      /* the last input of a visitor; 0: none yet */
    uint64_t visitors;
    bool is_counted; /* the visit has had its first touch */
    struct visit visit;
    double visit_s;        /* time of its first touch */
    uint64_t visit_places; /* pictures at rest before it */
};

/* ---- what moves by itself ---- */

static bool flies(const struct viewer *viewer)
{
    return viewer->kiosk->journey.on || viewer_tour_plays(viewer);
}

static void flight_end(struct viewer *viewer)
{
    kiosk_journey_end(&viewer->kiosk->journey);
    viewer_tour_end(viewer);
}

/* ---- the log of visits ---- */

struct visit_job { /* for the I/O thread */
    struct visit visit;
    char path[USER_DATA_PATH_BYTES];
};

static enum status visit_write(void *context, char text[IO_THREAD_TEXT_BYTES])
{
    const struct visit_job *job = context;
    char *before = NULL, *after = NULL;
    size_t length;
    (void)text;
    enum status status = text_file_read(job->path, VISIT_LOG_BYTES_MOST, &before, &length);
    bool fresh = status == STATUS_NO_INPUT;
    if (status == STATUS_OK || fresh)
        status = visit_log_add(fresh ? "" : before, &job->visit, &after);
    if (status == STATUS_BAD_DATA)
        status = status_fail(STATUS_BAD_DATA, "stand.log: %.200s: %.200s", job->path,
                             strdupa(status_text()));
    if (status == STATUS_OK)
        status = user_data_replace(job->path, after, strlen(after));
    free(before);
    free(after);
    return status;
}

static void visit_begin(struct viewer *viewer, double now_s)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    time_t now = time(NULL);
    struct tm day;
    kiosk->visitors++;
    kiosk->is_counted = true;
    kiosk->visit_s = now_s;
    kiosk->visit_places = viewer->figures->settled_pictures;
    char before[sizeof kiosk->visit.date];
    memcpy(before, kiosk->visit.date, sizeof before);
    if (localtime_r(&now, &day))
        strftime(kiosk->visit.date, sizeof kiosk->visit.date, "%Y-%m-%d", &day);
    if (strcmp(before, kiosk->visit.date) != 0)
        challenge_day(&kiosk->challenge);
}

/* Ends the visit, if there is one, and hands it to the log. */
static void visit_end(struct viewer *viewer)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    const char *path = viewer->options->stand.log;
    struct visit_job *job = NULL;
    bool wanted = kiosk->is_counted && path && *path;
    kiosk->is_counted = false;
    if (!wanted || !(job = calloc(1, sizeof *job)))
        return;
    kiosk->visit.seconds = kiosk->visitor_s - kiosk->visit_s;
    kiosk->visit.places = viewer->figures->settled_pictures - kiosk->visit_places;
    job->visit = kiosk->visit;
    snprintf(job->path, sizeof job->path, "%s", path);
    const struct io_thread_job work = {.work = visit_write, .destroy = free, .context = job};
    if (io_thread_give(viewer->io_thread, &work) != STATUS_OK) {
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
        free(job);
    }
}

/* ---- from visitor to visitor ---- */

/* Drops the whole history, which is in memory only: the next visitor cannot undo to it. */
static enum status history_forget(struct viewer *viewer)
{
    history_destroy(viewer->history);
    viewer->history = NULL;
    viewer->home_was = HOME_WAS_NOTHING;
    return history_create(&viewer->history);
}

/* Restores everything to the settings. */
static enum status reset(struct viewer *viewer)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    flight_end(viewer);
    viewer_panel_close(viewer);
    gesture_cancel(viewer->gesture);
    TRY(viewer_action(viewer, ACTION_HOME, 0, 0));
    viewer->notices = (struct notices){.notice = {{0}}};
    window_set_ui_scale(viewer->window, kiosk->ui_scale);
    language_use(viewer->options->language);
    viewer->pointer_x = viewer->place.view.width / 2.0;
    viewer->pointer_y = viewer->place.view.height / 2.0;
    kiosk->pressed = KIOSK_BUTTONS;
    kiosk->more = false;
    challenge_end(&kiosk->challenge);
    take_away_destroy(&kiosk->code);
    kiosk->has_flown = false;
    kiosk->hand_s = 0;
    return history_forget(viewer);
}

/* ---- journeys ---- */

/* Ranks that visitors can leave out. */
static bool has_ranks(const struct viewer *viewer)
{
    return viewer->state.workers > 1;
}

/* Uses the colours of the place; the bound decides how many iterations. */
static enum status journey_to(struct viewer *viewer, const struct place *stop, enum kiosk_way way)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    if (viewer->options->reduced_motion)
        way = KIOSK_AT_ONCE;
    struct place *place = &viewer->place;
    struct view home = {.width = place->view.width, .height = place->view.height};
    memcpy(place->palette, stop->palette, sizeof place->palette);
    place->look = stop->look;
    place->limit = 0;
    gesture_cancel(viewer->gesture);
    viewer_look_changed(viewer);
    enum status status = view_home(&home, view_range_of(&place->formula), home.width, home.height);
    if (status == STATUS_OK)
        status = kiosk_journey_begin(&kiosk->journey, &place->view, &home, &stop->view, THERE_S,
                                     way, clock_s());
    view_destroy(&home);
    return status;
}

/* Changes to the formula of the stop, at the whole of its set if it was another formula. */
static enum status formula_enter(struct viewer *viewer, const struct place *stop)
{
    struct place *place = &viewer->place;
    struct view *view = &place->view;
    if (formula_same(&place->formula, &stop->formula))
        return STATUS_OK;
    TRY(viewer_action(viewer, ACTION_HOME, 0, 0));
    place->formula = stop->formula;
    place->bailout = stop->bailout;
    place->orbit = stop->orbit;
    viewer_view_changed(viewer, clock_s());
    return view_home(view, view_range_of(&place->formula), view->width, view->height);
}

/* Plays the next tour, or after the last one a journey to the next stop. */
static enum status attract_next(struct viewer *viewer)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    const struct viewer_stand *stand = &viewer->options->stand;
    size_t round = kiosk->rounds++ % (stand->tours + 1);
    viewer_tour_end(viewer);
    if (round < stand->tours)
        return viewer_tour_begin(viewer, &stand->tour[round]);
    if (!stand->stops)
        return STATUS_OK;
    size_t stop = kiosk->stops++ % stand->stops;
    TRY(formula_enter(viewer, &stand->stop[stop]));
    viewer->shown.hud = HUD_NOTHING;
    if (viewer->shown.tiles != (stop % TILES_EACH == TILES_EACH - 1))
        TRY(viewer_action(viewer, ACTION_TILES, 0, 0));
    viewer->shown.times = viewer->shown.tiles && has_ranks(viewer);
    return journey_to(viewer, &stand->stop[stop], KIOSK_AND_BACK);
}

static enum status surprise(struct viewer *viewer)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    const struct viewer_stand *stand = &viewer->options->stand;
    if (!stand->stops)
        return STATUS_OK;
    viewer_tour_end(viewer);
    size_t stop = (size_t)(++kiosk->surprises * 7 + viewer->figures->events) % stand->stops;
    TRY(formula_enter(viewer, &stand->stop[stop]));
    return journey_to(viewer, &stand->stop[stop], KIOSK_ONE_WAY);
}

static enum status play_toggle(struct viewer *viewer)
{
    if (!flies(viewer))
        return attract_next(viewer);
    flight_end(viewer);
    viewer_view_changed(viewer, clock_s());
    return STATUS_OK;
}

static enum status journey_go_on(struct viewer *viewer, double now_s)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    if (viewer_tour_is_at_end(viewer))
        viewer_tour_end(viewer);
    if (!flies(viewer) && kiosk->idle.stage == KIOSK_ATTRACT)
        return attract_next(viewer);
    if (!kiosk->journey.on)
        return STATUS_OK;
    struct view before = {.width = 0};
    TRY(view_copy(&before, &viewer->place.view));
    enum status status =
        kiosk_journey_step(&kiosk->journey, now_s, 1 - viewer->slowed, &viewer->place.view);
    if (!view_same(&before, &viewer->place.view)) /* equal while the journey rests at its end */
        viewer_view_changed(viewer, now_s);
    if (status != STATUS_OK)
        flight_end(viewer);
    viewer_motion_end(viewer, status);
    view_destroy(&before);
    viewer->wake_s = fmin(viewer->wake_s, now_s + VIEWER_GLIDE_S);
    return STATUS_OK;
}

/* ---- what visitors take away ---- */

static bool is_press(const struct input_event *event)
{
    return event->kind == INPUT_FINGER_DOWN ||
           (event->kind == INPUT_BUTTON_DOWN && event->button == INPUT_LEFT);
}

/* Keeps the picture that is seen for phones to fetch, and writes its address. */
static enum status picture_share(struct viewer *viewer, const char *place,
                                 char url[SHARE_URL_BYTES])
{
    struct warp_image image;
    char minutes[24], sentence[256];
    *url = '\0';
    if (!viewer->kiosk->share || !compositor_image(&viewer->compositor, &image))
        return STATUS_OK;
    snprintf(minutes, sizeof minutes, "%g", viewer->options->stand.share_minutes);
    string_fill(sentence, sizeof sentence, STRING_STAND_SHARED_MINUTES, minutes);
    const struct share_request request = {.pixels = image.pixels,
                                          .width = image.width,
                                          .height = image.height,
                                          .stride = image.stride,
                                          .place = place,
                                          .words = {.title = string_of(STRING_STAND_SHARED),
                                                    .sentence = sentence,
                                                    .save = string_of(STRING_STAND_SHARED_SAVE),
                                                    .place = string_of(STRING_STAND_SHARED_PLACE)}};
    return share_server_add(viewer->kiosk->share, &request, url);
}

/* Shows a code, which stays still meanwhile: of the address of the picture, or of the place. */
static enum status take_away(struct viewer *viewer)
{
    char *text = NULL, url[SHARE_URL_BYTES];
    struct viewer_kiosk *kiosk = viewer->kiosk;
    enum status status = take_away_text(&viewer->place, &text);
    if (status == STATUS_OK)
        status = picture_share(viewer, text, url);
    if (status == STATUS_OK)
        status = take_away_make(&kiosk->code, *url ? url : text);
    kiosk->shared = status == STATUS_OK && *url;
    kiosk->pressed = KIOSK_BUTTONS;
    gesture_cancel(viewer->gesture); /* it does not get the end of what is held */
    free(text);
    viewer->overlay_stale = true;
    if (status == STATUS_TOO_LARGE) {
        viewer_tell(viewer, NOTICE_INFO, STRING_STAND_NO_CODE);
        return STATUS_OK;
    }
    return viewer_forgive(viewer, status);
}

/* The next touch ends it, and does nothing else; other input waits. */
static bool code_take(struct viewer *viewer, const struct input_event *event)
{
    if (!viewer->kiosk->code.side || event->kind == INPUT_FOCUS_LOST)
        return false;
    if (is_press(event)) {
        take_away_destroy(&viewer->kiosk->code);
        viewer->overlay_stale = true;
    }
    return true;
}

/* ---- challenges ---- */

static double log2_zoom_of(const struct view *view)
{
    struct view_numbers numbers;
    return view_numbers(view, &numbers) == STATUS_OK ? view_log10_zoom(&numbers) * log2(10) : 0;
}

/* How many times the whole set is larger than the picture. */
static double log10_magnification(const struct viewer *viewer)
{
    const struct place *place = &viewer->place;
    return log2_zoom_of(&place->view) / log2(10) - log10(view_range_of(&place->formula)->home_zoom);
}

/* What the finder says of the picture. */
static struct challenge_found found_of(const struct viewer *viewer)
{
    const struct search_found *found = &viewer->search.found;
    double log10_height = log10(4) - log2_zoom_of(&viewer->search.place.view) * log10(2);
    return (struct challenge_found){.misiurewicz = viewer->search.misiurewicz,
                                    .period = found->period,
                                    .preperiod = found->preperiod,
                                    .disc = found->disc,
                                    .size_heights = pow(10, found->log10_size - log10_height),
                                    .re = number_real(found->view.re),
                                    .im = number_real(found->view.im)};
}

/* Asks the finder about the middle of a picture at rest. */
static enum status challenge_ask(struct viewer *viewer)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    struct place place = viewer->place; /* borrowed */
    const struct view *view = &place.view;
    double aside_x = view->width * (1 - CHALLENGE_MIDDLE) / 2;
    double aside_y = view->height * (1 - CHALLENGE_MIDDLE) / 2;
    const struct search_request request = {.place = &place,
                                           .x0 = aside_x,
                                           .y0 = aside_y,
                                           .x1 = view->width - aside_x,
                                           .y1 = view->height - aside_y,
                                           .misiurewicz =
                                               challenges[kiosk->challenge.number].misiurewicz};
    bool asked = kiosk->judged == viewer->view_serial;
    bool judged = formula_quadratic(&place.formula) && place.formula.plane == PARAMETER_PLANE &&
                  log10_magnification(viewer) >= log10(CHALLENGE_DEEP);
    if (asked || !viewer_settled(viewer) || viewer_moves(viewer) || !judged)
        return STATUS_OK;
    kiosk->judged = viewer->view_serial;
    place.limit = viewer->state.limit;
    return viewer_forgive(viewer, search_begin(&viewer->search, &request));
}

/* Judges each picture at rest; one that is left meanwhile is not judged. */
static enum status challenge_follow(struct viewer *viewer, double now_s)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    struct challenge_run *run = &kiosk->challenge;
    struct search *search = &viewer->search;
    bool is_now =
        run->on && search->place.view.re && view_same(&search->place.view, &viewer->place.view);
    viewer->overlay_stale |= challenge_step(run, now_s);
    if (search->busy && search_take(search) && is_now && !run->met && search->status == STATUS_OK) {
        struct challenge_found found = found_of(viewer);
        if (challenge_is_met(&challenges[run->number], &found))
            challenge_meet(run, now_s);
        viewer->overlay_stale = true;
    }
    if (search->busy && !is_now)
        search_stop(search);
    if (!run->on)
        return STATUS_OK;
    viewer->overlay_stale |= now_s >= viewer->presented_s + CLOCK_S;
    viewer->wake_s = fmin(viewer->wake_s, fmax(viewer->presented_s + CLOCK_S, now_s));
    return search->busy || run->met ? STATUS_OK : challenge_ask(viewer);
}

/* ---- input ---- */

static struct kiosk_rows rows_of(const struct viewer *viewer)
{
    return (struct kiosk_rows){.more = viewer->kiosk->more,
                               .ranks = has_ranks(viewer),
                               .ranks_shown = viewer->shown.times};
}

/* All that a page may press, whose rows have room. */
static struct kiosk_rows rows_all(const struct viewer *viewer)
{
    struct kiosk_rows rows = rows_of(viewer);
    rows.more = true;
    return rows;
}

/* The button that an event presses; KIOSK_BUTTONS: none. */
static enum kiosk_button button_pressed(const struct viewer *viewer,
                                        const struct input_event *event)
{
    return is_press(event)
               ? kiosk_button_at(window_paint(viewer->window), rows_of(viewer), event->x, event->y)
               : KIOSK_BUTTONS;
}

static enum status button_act(struct viewer *viewer, enum kiosk_button button)
{
    static const enum action actions[KIOSK_BUTTONS] = {[KIOSK_BUTTON_HOME] = ACTION_HOME,
                                                       [KIOSK_BUTTON_PALETTE] = ACTION_PALETTE_NEXT,
                                                       [KIOSK_BUTTON_RANKS] = ACTION_RANK_TIMES};
    viewer->kiosk->challenge.touches += button == KIOSK_BUTTON_HOME || button == KIOSK_BUTTON_OUT;
    viewer->kiosk->more = button == KIOSK_BUTTON_MORE && !viewer->kiosk->more;
    if (button == KIOSK_BUTTON_MORE)
        return STATUS_OK;
    if (button == KIOSK_BUTTON_PLAY || button == KIOSK_BUTTON_SURPRISE)
        challenge_end(&viewer->kiosk->challenge); /* the program leads now */
    if (button == KIOSK_BUTTON_PLAY)
        return play_toggle(viewer);
    if (button == KIOSK_BUTTON_SURPRISE)
        return surprise(viewer);
    if (button == KIOSK_BUTTON_LANGUAGE) {
        language_use((enum language)((language_used() + 1) % LANGUAGES));
        return STATUS_OK;
    }
    if (button != KIOSK_BUTTON_PALETTE && button != KIOSK_BUTTON_RANKS)
        flight_end(viewer);
    if (button == KIOSK_BUTTON_CHALLENGE) {
        challenge_begin(&viewer->kiosk->challenge, clock_s());
        return viewer_action(viewer, ACTION_HOME, 0, 0);
    }
    if (button == KIOSK_BUTTON_TAKE_AWAY)
        return take_away(viewer);
    if (button == KIOSK_BUTTON_OUT) {
        gesture_do(viewer->gesture, ACTION_ZOOM_OUT, clock_s());
        return STATUS_OK;
    }
    return viewer_action(viewer, actions[button], 0, 0);
}

static bool is_of_finger(const struct input_event *event)
{
    return event->kind == INPUT_FINGER_DOWN || event->kind == INPUT_FINGER_MOVE ||
           event->kind == INPUT_FINGER_UP;
}

/* Is it a touch of the picture, or what moves it without one? */
static bool moves_picture(const struct input_event *event)
{
    return is_press(event) || event->kind == INPUT_WHEEL ||
           (event->kind == INPUT_KEY_DOWN && !event->repeat) || event->kind == INPUT_PAD_DOWN;
}

/* Does the event continue the press of a button? */
static bool is_of_press(struct viewer_kiosk *kiosk, const struct input_event *event)
{
    if (kiosk->pressed == KIOSK_BUTTONS)
        return false;
    if (kiosk->pressed_by_finger)
        return is_of_finger(event) && event->finger == kiosk->finger;
    return event->kind == INPUT_MOVE || event->kind == INPUT_BUTTON_UP;
}

static enum status buttons_take(struct viewer *viewer, const struct input_event *event, bool *taken)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    if (is_of_press(kiosk, event)) {
        *taken = true;
        if (event->kind == INPUT_FINGER_UP || event->kind == INPUT_BUTTON_UP)
            kiosk->pressed = KIOSK_BUTTONS;
        viewer->overlay_stale = true;
        return STATUS_OK;
    }
    enum kiosk_button button = button_pressed(viewer, event);
    if (button == KIOSK_BUTTONS)
        return STATUS_OK;
    *taken = true;
    kiosk->pressed = (int)button;
    kiosk->pressed_by_finger = event->kind == INPUT_FINGER_DOWN;
    kiosk->finger = event->finger;
    viewer->overlay_stale = true;
    return button_act(viewer, button);
}

static void digits_take(struct viewer *viewer, const struct input_event *event)
{
    char digit = 0;
    if (is_press(event))
        digit = kiosk_digit_at(window_paint(viewer->window), event->x, event->y);
    if (event->kind == INPUT_KEY_DOWN && event->key >= '0' && event->key <= '9' && !event->repeat)
        digit = (char)event->key;
    viewer->overlay_stale = true;
    if (digit && kiosk_exit_digit(&viewer->kiosk->staff, digit, event->time_s))
        viewer->ends = true;
}

/* Shows the cursor for mice alone. */
static void cursor_follow(struct viewer *viewer, const struct input_event *event)
{
    if (is_of_finger(event))
        window_set_cursor(viewer->window, false);
    if (event->kind == INPUT_MOVE)
        window_set_cursor(viewer->window, true);
}

static void released(struct viewer_kiosk *kiosk)
{
    kiosk->pressed = KIOSK_BUTTONS;
    kiosk->staff.corner[0].held = kiosk->staff.corner[1].held = false;
    kiosk->staff.held_s = 0;
}

enum status viewer_kiosk_take(struct viewer *viewer, const struct input_event *event, bool *taken)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    *taken = event->kind == INPUT_QUIT || event->kind == INPUT_DROP_FILE ||
             event->kind == INPUT_DROP_TEXT;
    if (event->kind == INPUT_FOCUS_LOST)
        released(kiosk);
    if (*taken || event->kind == INPUT_RESIZE || event->kind == INPUT_PAD_ADDED ||
        event->kind == INPUT_PAD_REMOVED)
        return STATUS_OK;
    double scale = window_paint(viewer->window)->scale;
    if (is_of_finger(event))
        kiosk_exit_finger(&kiosk->staff, event, viewer->place.view.width, KIOSK_CORNER * scale);
    bool sign = kiosk_is_sign(&kiosk->idle, event, scale);
    if (sign) {
        cursor_follow(viewer, event);
        if (kiosk->idle.stage == KIOSK_COUNTDOWN)
            viewer->overlay_stale = true;
        bool arrived = kiosk_touched(&kiosk->idle, event->time_s) == KIOSK_ARRIVED;
        kiosk->visitor_s = event->time_s;
        if (!kiosk->is_counted && kiosk_is_touch(event))
            visit_begin(viewer, event->time_s);
        if (arrived) { /* a touch of the picture flies already; a button is pressed anew */
            *taken = !is_press(event) || button_pressed(viewer, event) != KIOSK_BUTTONS;
            return reset(viewer);
        }
    } else if (kiosk->idle.stage == KIOSK_ATTRACT) {
        *taken = event->kind != INPUT_FOCUS_LOST; /* a mouse that trembles moves nothing */
        return STATUS_OK;
    }
    if (kiosk->staff.asks) {
        digits_take(viewer, event);
        *taken = event->kind != INPUT_FOCUS_LOST;
        return STATUS_OK;
    }
    if (code_take(viewer, event)) {
        *taken = true;
        return STATUS_OK;
    }
    TRY(buttons_take(viewer, event, taken));
    kiosk->challenge.touches += !*taken && moves_picture(event);
    if (!*taken && sign && event->kind != INPUT_MOVE && flies(viewer)) {
        flight_end(viewer); /* the hand has it */
        viewer_view_changed(viewer, event->time_s);
    }
    return STATUS_OK;
}

/* ---- pages ---- */

/* May a page of the public have this obeyed? What needs a right of its own was judged before. */
static bool page_may(const struct viewer *viewer, const struct remote_command *command)
{
    switch (command->word) {
    case REMOTE_HOME:
        return kiosk_allows(ACTION_HOME);
    case REMOTE_BACK:
        return kiosk_allows(ACTION_UNDO);
    case REMOTE_FORWARD:
        return kiosk_allows(ACTION_REDO);
    case REMOTE_PRESS:
        return command->number < KIOSK_BUTTONS &&
               kiosk_button_is_there(rows_all(viewer), (enum kiosk_button)command->number);
    case REMOTE_LOOK:
        return kiosk_allows((enum action)command->number);
    case REMOTE_SHOW: /* a place of their own may cost more than a visitor should wait for */
        return false;
    default:
        return true;
    }
}

/* Staff ends a visit, as the countdown does; digits that a visitor has opened close. */
static enum status visit_leave(struct viewer *viewer)
{
    visit_end(viewer);
    viewer->kiosk->staff.asks = false;
    viewer->kiosk->idle.stage = KIOSK_ATTRACT;
    return reset(viewer);
}

static enum status hand_obey(struct viewer *viewer, const struct remote_command *command,
                             double now_s, bool *taken)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    bool arrived = kiosk_touched(&kiosk->idle, now_s) == KIOSK_ARRIVED;
    bool moves = command->word == REMOTE_MOVE;
    kiosk->visitor_s = now_s;
    *taken = !moves;
    if (!kiosk->is_counted)
        visit_begin(viewer, now_s);
    if (arrived) {
        *taken = true;
        return reset(viewer);
    }
    if (kiosk->code.side) { /* the next touch ends it, and does nothing else */
        *taken = true;
        if (!moves)
            take_away_destroy(&kiosk->code);
        return STATUS_OK;
    }
    if (command->word == REMOTE_PRESS)
        return button_act(viewer, (enum kiosk_button)command->number);
    kiosk->challenge.touches += moves && !viewer->remote.holds;
    kiosk->has_flown |= moves && viewer->remote.holds && command->motion.factor > 1;
    if (moves && flies(viewer)) {
        flight_end(viewer); /* the hand has it */
        viewer_view_changed(viewer, now_s);
    }
    *taken = command->word == REMOTE_TOUCH;
    return STATUS_OK;
}

/* The digits hold up pages of the public alone: a visitor can keep them open. */
enum status viewer_kiosk_obey(struct viewer *viewer, const struct remote_command *command,
                              double now_s, bool *taken)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    bool staff = command->word == REMOTE_RESET || command->word == REMOTE_END;
    *taken = kiosk && (!page_may(viewer, command) || (kiosk->staff.asks && !staff));
    if (!kiosk || *taken)
        return STATUS_OK;
    viewer->overlay_stale = true;
    switch (command->word) {
    case REMOTE_RANK:
    case REMOTE_REST:
    case REMOTE_SIZE:
        return STATUS_OK;
    case REMOTE_RESET:
        *taken = true;
        return visit_leave(viewer);
    case REMOTE_END:
        *taken = viewer->ends = true;
        return STATUS_OK;
    default:
        return hand_obey(viewer, command, now_s, taken);
    }
}

/* ---- bounds ---- */

static void bound_set(struct viewer *viewer)
{
    const struct kiosk_bound *bound = &viewer->kiosk->bound;
    viewer->log2_zoom_most = bound->log2_zoom_most;
    viewer->limit_most = bound->limit_most;
}

/* Adapts the bounds; a picture that takes too long is requested again with lower ones. */
static void bound_follow(struct viewer *viewer, double now_s)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    const deepfield_live_state *state = &viewer->state;
    const deepfield_live_moments *moments = &state->moments;
    if (!(moments->asked > 0) || state->stage == DEEPFIELD_LIVE_FAILED ||
        state->stage == DEEPFIELD_LIVE_NOTHING)
        return;
    if (viewer_ranks_out(viewer) > 0) /* bounds are pixels: those of the whole machine stay */
        return;
    struct kiosk_cost cost = {.covered = state->covered && moments->covered > 0,
                              .limit = state->limit,
                              .orbit_s = state->orbit_s,
                              .log2_zoom = log2_zoom_of(&viewer->place.view)};
    cost.seconds = (cost.covered ? moments->covered : now_s) - moments->asked;
    if (cost.covered && kiosk->learnt == state->picture)
        return;
    if (!cost.covered) {
        double due_s = fmax(moments->asked, kiosk->learnt_s) + KIOSK_COARSE_S;
        viewer->wake_s = fmin(viewer->wake_s, fmax(due_s, now_s) + VIEWER_GLIDE_S);
        if (now_s <= due_s)
            return;
    }
    kiosk->learnt = state->picture;
    kiosk->learnt_s = now_s;
    if (kiosk_bound_learn(&kiosk->bound, &cost) && !cost.covered)
        viewer_view_changed(viewer, now_s);
}

/* Since when there is nothing to see, and it may stay no longer than *most_s; 0: there is. */
static double nothing_seen_s(struct viewer *viewer, double now_s, double *most_s)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    double flat_s = flash_guard_flat_s(kiosk->guard);
    bool blank = viewer_blank(viewer) != BLANK_NOT && viewer->state.stage != DEEPFIELD_LIVE_FAILED;
    kiosk->blank_s = !blank ? 0 : kiosk->blank_s > 0 ? kiosk->blank_s : now_s;
    *most_s = flat_s > 0 ? FLAT_S : BLANK_S;
    return viewer->figures->settled_pictures ? fmax(flat_s, kiosk->blank_s) : 0;
}

/* Flies out of a picture of one colour, in which a visitor cannot find a way; not under a hand,
 * whose flight stops. */
static enum status flat_leave(struct viewer *viewer, double now_s)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    struct gesture_marks marks;
    double most_s, since_s = nothing_seen_s(viewer, now_s, &most_s);
    if (!(since_s > 0)) {
        kiosk->flat_steps = 0;
        return STATUS_OK;
    }
    gesture_marks(viewer->gesture, &marks);
    if (marks.aims || viewer->remote.holds)
        viewer->slowed = 1;
    double due_s = fmax(since_s + most_s, kiosk->flat_step_s + FLAT_AGAIN_S);
    viewer->wake_s = fmin(viewer->wake_s, fmax(due_s, now_s + VIEWER_GLIDE_S));
    if (now_s < due_s || kiosk->failing_s > 0 || marks.down || marks.held || viewer->remote.holds)
        return STATUS_OK;
    kiosk->flat_step_s = now_s;
    flight_end(viewer);
    gesture_cancel(viewer->gesture);
    if (kiosk->flat_steps++ >= FLAT_STEPS) {
        kiosk->flat_steps = 0;
        return viewer_action(viewer, ACTION_HOME, 0, 0);
    }
    gesture_glide_out(viewer->gesture, FLAT_LOG2, FLAT_GLIDE_S, now_s);
    return STATUS_OK;
}

/* ---- flights of visitors ---- */

/* Where the newest picture lies in what is seen; false: nothing of it is known. */
static bool survey_placement(const struct viewer *viewer, struct placement *at)
{
    const struct view *of = &viewer->compositor.base_sight.view;
    return of->re && viewer->measured.survey.columns &&
           viewer->compositor.base.picture == viewer->state.picture &&
           view_placement(of, &viewer->place.view, at) == STATUS_OK && at->scale > 0 &&
           fabs(at->angle_rad) < 1e-3;
}

/* Turns a flight away from what is black before it gets there: its fixed point, *x, *y in pixels,
 * moves steadily to the nearest position that is not, while it is slower. */
static void aim_guide(struct viewer *viewer, double elapsed_s, double *x, double *y)
{
    const struct view *view = &viewer->place.view;
    struct placement at;
    if (!survey_placement(viewer, &at))
        return;
    double middle_x = view->width / 2.0, middle_y = view->height / 2.0;
    double to_x = (*x - middle_x - at.dx_px) / at.scale + middle_x;
    double to_y = (*y - middle_y - at.dy_px) / at.scale + middle_y;
    enum kiosk_way_ahead ahead = kiosk_guide(
        &viewer->measured.survey, KIOSK_GUIDE_REACH * view->height / at.scale, &to_x, &to_y);
    if (ahead == KIOSK_AHEAD_CLOSED)
        viewer->slowed = 1;
    if (ahead != KIOSK_AHEAD_BLACK)
        return;
    double dx = (to_x - middle_x) * at.scale + at.dx_px + middle_x - *x;
    double dy = (to_y - middle_y) * at.scale + at.dy_px + middle_y - *y;
    double apart_px = hypot(dx, dy);
    double most_px = KIOSK_GUIDE_SPEED * view->height * fmin(fmax(elapsed_s, 0), 0.1);
    double share = fmin(most_px / fmax(apart_px, 1e-9), 1);
    *x += dx * share;
    *y += dy * share;
    viewer->slowed = fmax(viewer->slowed, 1 - kiosk_guide_ease(apart_px / view->height));
}

static void flight_guide(struct viewer *viewer, double now_s)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    struct gesture_marks marks;
    double elapsed_s = now_s - kiosk->guided_s;
    kiosk->guided_s = now_s;
    gesture_marks(viewer->gesture, &marks);
    double x = marks.aim_x, y = marks.aim_y;
    if (!marks.aims)
        return;
    aim_guide(viewer, elapsed_s, &x, &y);
    gesture_steer(viewer->gesture, x - marks.aim_x, y - marks.aim_y);
}

void viewer_kiosk_guide(struct viewer *viewer, struct view_motion *step, double elapsed_s)
{
    struct viewer_remote *remote = &viewer->remote;
    if (!viewer->kiosk)
        return;
    if (!remote->holds) /* another hand */
        remote->aside_x = remote->aside_y = 0;
    double x = step->from_x + remote->aside_x, y = step->from_y + remote->aside_y;
    double aim_x = x, aim_y = y;
    double moved_px = hypot(step->to_x - step->from_x, step->to_y - step->from_y);
    bool flies_in = remote->holds && step->factor > 1 && moved_px < FLIGHT_PX;
    if (!flies_in)
        return;
    aim_guide(viewer, elapsed_s, &aim_x, &aim_y);
    remote->aside_x += aim_x - x;
    remote->aside_y += aim_y - y;
    step->from_x = step->to_x = aim_x;
    step->from_y = step->to_y = aim_y;
    step->factor = pow(step->factor, 1 - viewer->slowed);
}

/* Shows the hand, over what is most worth a visit, to a visitor who does not hold the picture. */
static void hand_follow(struct viewer *viewer, double now_s)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    struct gesture_marks marks;
    gesture_marks(viewer->gesture, &marks);
    kiosk->has_flown |= marks.flies && kiosk->idle.stage == KIOSK_VISITOR;
    double due_s = kiosk->visitor_s + KIOSK_HAND_AFTER_S;
    bool wanted = kiosk->idle.stage == KIOSK_VISITOR && !kiosk->has_flown && !flies(viewer) &&
                  !kiosk->staff.asks && !marks.down && !viewer->remote.holds;
    if (!wanted || now_s < due_s) {
        viewer->overlay_stale |= kiosk->hand_s > 0;
        kiosk->hand_s = 0;
        if (wanted)
            viewer->wake_s = fmin(viewer->wake_s, due_s);
        return;
    }
    if (!(kiosk->hand_s > 0) && viewer_settled(viewer) &&
        kiosk_guide_best(&viewer->measured.survey, &kiosk->hand_x, &kiosk->hand_y)) {
        kiosk->hand_s = now_s;
        viewer->overlay_stale = true;
    }
    if (!(kiosk->hand_s > 0) || viewer->options->reduced_motion)
        return;
    viewer->overlay_stale |= now_s >= viewer->presented_s + HAND_STEP_S;
    viewer->wake_s = fmin(viewer->wake_s, fmax(viewer->presented_s + HAND_STEP_S, now_s));
}

/* Goes home when no picture can be computed, and ends the program if that does not help. */
static enum status failure_follow(struct viewer *viewer, double now_s)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    if (viewer->state.stage != DEEPFIELD_LIVE_FAILED) {
        kiosk->failing_s = 0;
        return STATUS_OK;
    }
    if (!(kiosk->failing_s > 0)) {
        kiosk->failing_s = now_s;
        return reset(viewer);
    }
    viewer->wake_s = fmin(viewer->wake_s, kiosk->failing_s + FAILING_S);
    return now_s < kiosk->failing_s + FAILING_S
               ? STATUS_OK
               : status_fail(STATUS_DEVICE_LOST, "there were no pictures for %.0f s: %s", FAILING_S,
                             viewer->state.sentence);
}

/* Counts a held button, finger or stick as a sign of a visitor, for HELD_S at most. */
static void hold_follow(const struct viewer *viewer, double now_s)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    struct gesture_marks marks;
    gesture_marks(viewer->gesture, &marks);
    if ((marks.held || marks.flies) && kiosk->idle.stage != KIOSK_ATTRACT &&
        now_s < kiosk->visitor_s + HELD_S)
        kiosk_touched(&kiosk->idle, now_s);
}

enum status viewer_kiosk_step(struct viewer *viewer, double now_s)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    if (!kiosk)
        return STATUS_OK;
    enum kiosk_stage before = kiosk->idle.stage;
    hold_follow(viewer, now_s);
    if (kiosk_step(&kiosk->idle, now_s) == KIOSK_LEFT) {
        visit_end(viewer);
        TRY(reset(viewer));
    }
    viewer->overlay_stale |= before != kiosk->idle.stage;
    if (kiosk_exit_step(&kiosk->staff, now_s)) {
        gesture_cancel(viewer->gesture); /* it does not get the end of these fingers */
        viewer->overlay_stale = true;
    }
    if (kiosk->idle.stage == KIOSK_COUNTDOWN || kiosk->staff.held_s > 0 ||
        now_s >= viewer->presented_s + HEARTBEAT_S)
        viewer->overlay_stale = true;
    viewer->wake_s = fmin(viewer->wake_s, viewer->presented_s + HEARTBEAT_S);
    viewer->wake_s = fmin(viewer->wake_s, fmax(kiosk_next_s(&kiosk->idle), now_s));
    if (history_before(viewer->history) > HISTORY_MOST)
        TRY(history_forget(viewer));
    if (viewer->panel != PANEL_NONE) /* no action opens one; a panel would be a way out */
        viewer_panel_close(viewer);
    viewer->slowed = 1 - flash_guard_ease(kiosk->guard, now_s);
    bound_set(viewer);
    viewer->place.limit = 0; /* limits of Julia sets and of the history are not used either */
    bound_follow(viewer, now_s);
    flight_guide(viewer, now_s);
    TRY(flat_leave(viewer, now_s));
    hand_follow(viewer, now_s);
    TRY(failure_follow(viewer, now_s));
    TRY(challenge_follow(viewer, now_s));
    return journey_go_on(viewer, now_s);
}

/* ---- pixels ---- */

int32_t viewer_kiosk_height(const struct viewer *viewer, const struct paint *paint)
{
    const struct viewer_kiosk *kiosk = viewer->kiosk;
    return kiosk ? (int32_t)(kiosk_buttons_top(paint, rows_of(viewer)) * paint->scale)
                 : paint->height;
}

/* Above the buttons, and above the chart of the ranks. */
static double sentence_bottom(const struct viewer *viewer, const struct paint *screen)
{
    struct paint above = *screen;
    above.height = viewer_kiosk_height(viewer, screen);
    return viewer_ranks_room(viewer, &above);
}

/* The sentence about the picture: of the challenge, or of the depth. */
static const char *sentence_of(const struct viewer *viewer, char sentence[CHALLENGE_BYTES])
{
    const struct viewer_kiosk *kiosk = viewer->kiosk;
    _Static_assert((int)CHALLENGE_BYTES == (int)DEPTH_BYTES, "sentences of one length");
    if (kiosk->challenge.on)
        return challenge_sentence(&kiosk->challenge, clock_s(), sentence);
    if (viewer_tour_plays(viewer) || viewer_blank(viewer) != BLANK_NOT || kiosk->code.side)
        return "";
    return depth_sentence(log10_magnification(viewer), sentence);
}

static void code_tell(const struct take_away *code, struct remote_stand *stand)
{
    if (!code->side || code->side > REMOTE_CODE_SIDE)
        return;
    stand->code_side = code->side;
    memcpy(stand->code, code->modules, (size_t)code->side * (size_t)code->side);
}

/* A picture with nothing to see has a sentence that says so. */
static void sentences_tell(const struct viewer *viewer, struct remote_stand *stand)
{
    char sentence[CHALLENGE_BYTES], blank[BLANK_BYTES];
    const struct notice *notice = viewer->notices.notice;
    const char *caption = viewer_tour_caption(viewer);
    enum blank what = viewer_blank(viewer);
    int last = NOTICES - 1;
    while (last > 0 && !*notice[last].text)
        last--;
    snprintf(stand->sentence, sizeof stand->sentence, "%s",
             what == BLANK_NOT || viewer->kiosk->challenge.on
                 ? sentence_of(viewer, sentence)
                 : blank_text(what, &viewer->state, NULL, blank));
    snprintf(stand->caption, sizeof stand->caption, "%s", caption);
    snprintf(stand->notice, sizeof stand->notice, "%.255s", notice[last].text);
}

void viewer_kiosk_tell(const struct viewer *viewer, struct remote_stand *stand, double now_s)
{
    const struct viewer_kiosk *kiosk = viewer->kiosk;
    memset(stand, 0, sizeof *stand);
    if (!kiosk)
        return;
    stand->on = true;
    stand->stage = kiosk->idle.stage;
    stand->seconds = (int)ceil(kiosk_left(&kiosk->idle, now_s) * kiosk->idle.countdown_s);
    stand->language = (int)language_used();
    stand->more = kiosk->more;
    stand->flies = flies(viewer);
    stand->ranks_shown = viewer->shown.times;
    stand->title = kiosk->idle.stage == KIOSK_ATTRACT;
    stand->hand = kiosk->hand_s > 0;
    stand->hand_x = stand->hand ? kiosk->hand_x : 0;
    stand->hand_y = stand->hand ? kiosk->hand_y : 0;
    stand->visitors = kiosk->visitors;
    stand->alarms = viewer->alarms;
    stand->shared = kiosk->shared;
    snprintf(stand->alarm, sizeof stand->alarm, "%.255s", viewer->alarm);
    _Static_assert((int)KIOSK_BUTTONS == (int)REMOTE_BUTTONS, "a place for each button");
    for (int i = 0; i < KIOSK_BUTTONS; i++)
        stand->buttons[i] = kiosk_button_is_there(rows_all(viewer), (enum kiosk_button)i);
    sentences_tell(viewer, stand);
    code_tell(&kiosk->code, stand);
}

void viewer_kiosk_draw(struct viewer *viewer, struct paint *paint)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    char sentence[CHALLENGE_BYTES];
    double left = kiosk_left(&kiosk->idle, clock_s());
    if (kiosk->idle.stage == KIOSK_ATTRACT && !viewer->shown.tiles)
        kiosk_title_draw(paint);
    if (kiosk->hand_s > 0)
        kiosk_hand_draw(paint, kiosk->hand_x, kiosk->hand_y,
                        viewer->options->reduced_motion ? -1 : clock_s() - kiosk->hand_s);
    kiosk_buttons_draw(paint, rows_of(viewer), (enum kiosk_button)kiosk->pressed, flies(viewer));
    kiosk_sentence_draw(paint, sentence_bottom(viewer, paint), sentence_of(viewer, sentence));
    if (viewer->state.threads_lost)
        kiosk_trouble_draw(paint);
    if (kiosk->code.side)
        take_away_draw(paint, &kiosk->code,
                       string_of(kiosk->shared ? STRING_STAND_CODE_SHARED : STRING_STAND_CODE));
    if (kiosk->idle.stage == KIOSK_COUNTDOWN)
        kiosk_countdown_draw(paint, left, (int)ceil(left * kiosk->idle.countdown_s));
    if (kiosk->staff.asks)
        kiosk_digits_draw(paint, (int)strlen(kiosk->staff.typed));
}

bool viewer_kiosk_guard(struct viewer *viewer, struct paint *paint, double now_s)
{
    struct warp_image frame = {paint->pixels, paint->width, paint->height, paint->stride};
    return viewer->kiosk && flash_guard_show(viewer->kiosk->guard, &frame, now_s);
}

/* ---- the status feed ---- */

void viewer_kiosk_facts(const struct viewer *viewer, struct status_facts *facts, double now_s)
{
    static const char *const stages[] = {
        [KIOSK_VISITOR] = "visitor", [KIOSK_COUNTDOWN] = "countdown", [KIOSK_ATTRACT] = "attract"};
    const struct viewer_kiosk *kiosk = viewer->kiosk;
    if (!kiosk)
        return;
    facts->stage = stages[kiosk->idle.stage];
    facts->visitor_s = kiosk->visitor_s > 0 ? now_s - kiosk->visitor_s : -1;
    facts->visitors = kiosk->visitors;
    facts->flashes = flash_guard_report(kiosk->guard)->flashes;
}

void viewer_kiosk_presented(struct viewer *viewer, double now_s)
{
    if (viewer->kiosk)
        watchdog_presented(&viewer->kiosk->watchdog, now_s);
}

bool viewer_kiosk_figure(const struct viewer *viewer, const char *name, double *value)
{
    const struct viewer_kiosk *kiosk = viewer->kiosk;
    if (!kiosk)
        return false;
    const struct flash_report *flash = flash_guard_report(kiosk->guard);
    const struct {
        const char *name;
        double value;
    } figures[] = {{"kiosk-stage", kiosk->idle.stage},
                   {"kiosk-flies", flies(viewer)},
                   {"kiosk-digits", kiosk->staff.asks},
                   {"kiosk-hand", kiosk->hand_s > 0},
                   {"kiosk-challenge", kiosk->challenge.on ? 1 + kiosk->challenge.met : 0},
                   {"kiosk-more", kiosk->more},
                   {"kiosk-code", kiosk->code.side},
                   {"kiosk-visitors", (double)kiosk->visitors},
                   {"kiosk-limit", (double)kiosk->bound.limit_most},
                   {"kiosk-log2-zoom", kiosk->bound.log2_zoom_most},
                   {"kiosk-alarms", viewer->alarms},
                   {"flashes", flash->flashes},
                   {"flash-limited", (double)flash->limited},
                   {"one-colour-s", flash->flat_s},
                   {"language", language_used()}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (!strcmp(figures[i].name, name)) {
            *value = figures[i].value;
            return true;
        }
    return false;
}

/* ---- opening ---- */

static enum status share_open(struct viewer *viewer)
{
    const struct viewer_stand *stand = &viewer->options->stand;
    if (!(stand->share_minutes > 0))
        return STATUS_OK;
    enum status status = share_server_open(&viewer->kiosk->share, stand->share_address,
                                           stand->share_port, stand->share_minutes);
    return status == STATUS_SYSTEM ? viewer_forgive(viewer, status) : status;
}

static enum status kiosk_open(struct viewer *viewer)
{
    const struct viewer_stand *stand = &viewer->options->stand;
    struct viewer_kiosk *kiosk = viewer->kiosk = calloc(1, sizeof *kiosk);
    if (!kiosk)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a stand");
    /* Else malloc keeps blocks of up to 32 MiB once one was freed, and pictures of many sizes leave
     * holes that grow for hours, by 1 to 3 MB at a time. */
    mallopt(M_MMAP_THRESHOLD, PAGES_OF_THEIR_OWN);
    kiosk->idle = (struct kiosk_idle){
        .idle_s = stand->idle_s, .countdown_s = stand->countdown_s, .stage = KIOSK_ATTRACT};
    kiosk->staff.pin = stand->pin;
    kiosk->bound = kiosk_bound_first();
    kiosk->ui_scale = window_ui_scale(viewer->window);
    kiosk->pressed = KIOSK_BUTTONS;
    kiosk->watchdog = watchdog_open();
    window_set_cursor(viewer->window, false);
    strings_limit(kiosk_shows);
    viewer->hints.learnt = UINT32_MAX; /* buttons teach; and nothing is written about it */
    bound_set(viewer);
    TRY(flash_guard_create(&kiosk->guard));
    TRY(share_open(viewer));
    return reset(viewer);
}

enum status viewer_kiosk_open(struct viewer *viewer)
{
    return viewer->options->stand.kiosk ? kiosk_open(viewer) : STATUS_OK;
}

void viewer_kiosk_close(struct viewer *viewer)
{
    struct viewer_kiosk *kiosk = viewer->kiosk;
    if (!kiosk)
        return;
    strings_limit(NULL);
    visit_end(viewer);
    if (kiosk->guard)
        viewer->figures->flash = *flash_guard_report(kiosk->guard);
    kiosk_journey_end(&kiosk->journey);
    watchdog_close(&kiosk->watchdog);
    take_away_destroy(&kiosk->code);
    share_server_close(kiosk->share);
    flash_guard_destroy(kiosk->guard);
    free(kiosk);
    viewer->kiosk = NULL;
}
