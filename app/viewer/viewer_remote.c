#include "app/viewer/viewer_remote.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/core/viewer_action.h"
#include "app/viewer/core/viewer_autopilot.h"
#include "app/viewer/core/viewer_ranks.h"
#include "app/viewer/core/viewer_tour.h"
#include "app/viewer/kiosk/kiosk.h"
#include "app/viewer/viewer_input.h"
#include "app/viewer/viewer_kiosk.h"
#include "decomposition/thread/clock.h"

#define HELD_S 1.0  /* a hand that says nothing for so long does not hold the picture */
#define TOLD_S 0.05 /* least time between facts while nothing else is new */

static void wake(void *context)
{
    window_wake(context);
}

void viewer_remote_open(struct viewer *viewer)
{
    struct remote *remote = viewer->options->remote;
    viewer->remote.hand_over = remote;
    if (remote)
        remote_viewer_wake(remote, wake, viewer->window);
}

void viewer_remote_close(struct viewer *viewer)
{
    if (viewer->remote.hand_over)
        remote_viewer_wake(viewer->remote.hand_over, NULL, NULL);
}

/* ---- the lead ---- */

void viewer_remote_touched(struct viewer *viewer, const struct input_event *event)
{
    struct viewer_remote *remote = &viewer->remote;
    if (!remote->hand_over || !kiosk_is_touch(event))
        return;
    remote->touched_s = event->time_s;
    if (remote_page_leads(remote->hand_over))
        remote_lead_take(remote->hand_over);
}

/* A page that leads, or asks for it, is told to the user once. */
static void lead_tell(struct viewer *viewer)
{
    struct viewer_remote *remote = &viewer->remote;
    bool leads = remote_page_leads(remote->hand_over);
    int asked = remote_asked(remote->hand_over);
    if (viewer_is_hidden(viewer)) /* nobody is there to be told */
        return;
    if (leads && !remote->leads)
        viewer_tell(viewer, NOTICE_INFO, STRING_SAY_PAGE_LEADS);
    else if (!leads && asked > remote->asked)
        viewer_tell(viewer, NOTICE_INFO, STRING_SAY_PAGE_ASKS);
    remote->leads = leads;
    remote->asked = asked;
}

/* ---- commands ---- */

/* A hand at a page moves the picture: what moves it by itself ends. */
static void hand_begin(struct viewer *viewer)
{
    viewer_tour_touch(viewer);
    viewer_autopilot_end(viewer);
    if (viewer_moves(viewer) && !viewer->remote.holds)
        gesture_cancel(viewer->gesture);
}

static enum status motion_obey(struct viewer *viewer, const struct remote_command *command,
                               double now_s)
{
    struct view_motion step = command->motion;
    const struct view *view = &viewer->place.view;
    hand_begin(viewer);
    step.from_x += view->width * 0.5;
    step.from_y += view->height * 0.5;
    step.to_x += view->width * 0.5;
    step.to_y += view->height * 0.5;
    viewer->pointer_x = step.to_x;
    viewer->pointer_y = step.to_y;
    viewer_kiosk_guide(viewer, &step, now_s - viewer->remote.held_s);
    viewer->remote.motion = command->number;
    viewer->remote.holds = command->held;
    viewer->remote.held_s = now_s;
    return viewer_motion(viewer, &step, now_s);
}

static void rank_set(struct viewer *viewer, const struct remote_command *command)
{
    int worker = (int)command->number;
    if (worker < viewer->state.workers &&
        (viewer->state.load[worker].computes != 0) != command->held)
        viewer_ranks_toggle(viewer, worker);
}

/* A window that nobody sees gets the size of the page that leads. */
static void size_set(const struct viewer *viewer, const struct remote_command *command)
{
    const struct input_event resize = {
        .kind = INPUT_RESIZE, .x = command->width, .y = command->height};
    if (viewer_is_hidden(viewer))
        (void)window_inject(viewer->window, &resize);
}

static enum status word_obey(struct viewer *viewer, const struct remote_command *command,
                             double now_s)
{
    static const enum action actions[] = {
        [REMOTE_HOME] = ACTION_HOME, [REMOTE_BACK] = ACTION_UNDO, [REMOTE_FORWARD] = ACTION_REDO};
    switch (command->word) {
    case REMOTE_MOVE:
        return motion_obey(viewer, command, now_s);
    case REMOTE_REST:
        viewer->remote.holds = false;
        return STATUS_OK;
    case REMOTE_SHOW:
        viewer_set_place(viewer, command->text, strlen(command->text), "the page", PLACE_GIVEN);
        return STATUS_OK;
    case REMOTE_LOOK:
        return viewer_action(viewer, (enum action)command->number, viewer->pointer_x,
                             viewer->pointer_y);
    case REMOTE_RANK:
        rank_set(viewer, command);
        return STATUS_OK;
    case REMOTE_SIZE:
        size_set(viewer, command);
        return STATUS_OK;
    case REMOTE_HOME:
    case REMOTE_BACK:
    case REMOTE_FORWARD:
        hand_begin(viewer);
        return viewer_action(viewer, actions[command->word], viewer->pointer_x, viewer->pointer_y);
    default: /* words of a stand, where there is none */
        return STATUS_OK;
    }
}

static enum status command_obey(struct viewer *viewer, const struct remote_command *command,
                                double now_s)
{
    bool taken;
    TRY(viewer_kiosk_obey(viewer, command, now_s, &taken));
    return taken ? STATUS_OK : word_obey(viewer, command, now_s);
}

/* Staff may do this without the lead. */
static bool is_of_staff(enum remote_word word)
{
    return word == REMOTE_RESET || word == REMOTE_END;
}

enum status viewer_remote_step(struct viewer *viewer, double now_s)
{
    struct viewer_remote *remote = &viewer->remote;
    struct remote_command command;
    enum status status = STATUS_OK;
    if (!remote->hand_over)
        return STATUS_OK;
    while (status == STATUS_OK && remote_command_next(remote->hand_over, &command)) {
        if (remote_page_leads(remote->hand_over) || is_of_staff(command.word))
            status = command_obey(viewer, &command, now_s);
        free(command.text);
    }
    if (now_s > remote->held_s + HELD_S || !remote_page_leads(remote->hand_over))
        remote->holds = false;
    if (remote->holds)
        viewer->wake_s = fmin(viewer->wake_s, remote->held_s + HELD_S);
    if (remote_is_watched(remote->hand_over) && remote_wants_all(remote->hand_over))
        viewer->picture_stale = true;
    lead_tell(viewer);
    viewer_motion_end(viewer, status);
    return STATUS_OK;
}

/* ---- what pages see ---- */

void viewer_remote_show(struct viewer *viewer, const struct paint *paint,
                        const struct paint_box *box, int count)
{
    struct viewer_remote *remote = &viewer->remote;
    const struct warp_image image = {paint->pixels, paint->width, paint->height, paint->stride};
    if (!remote->hand_over || !remote_is_watched(remote->hand_over))
        return;
    if (viewer->kiosk && remote->limited) /* its flashes are held back, as those of the window */
        return;
    remote->told = false;
    remote->behind = !remote_picture_put(remote->hand_over, &image, box, count);
}

/* Is the picture that was put the final one? */
static bool is_final(const struct viewer *viewer)
{
    return viewer_settled(viewer) && viewer->state.smooth && !viewer->state.mixed &&
           !viewer->picture_stale && !viewer->pixels_new && !viewer->compositor.rough &&
           !viewer->shown.cycling;
}

static bool tell_due(struct viewer *viewer, double now_s)
{
    struct viewer_remote *remote = &viewer->remote;
    viewer_kiosk_tell(viewer, &remote->stand, now_s);
    bool same = remote->told && remote->version == viewer->state.version &&
                remote->final == is_final(viewer) &&
                !memcmp(&remote->stand, &remote->facts.stand, sizeof remote->stand);
    if (same)
        return false;
    if (!remote->told || now_s >= remote->told_s + TOLD_S)
        return true;
    viewer->wake_s = fmin(viewer->wake_s, remote->told_s + TOLD_S);
    return false;
}

enum status viewer_remote_tell(struct viewer *viewer, double now_s)
{
    struct viewer_remote *remote = &viewer->remote;
    if (!remote->hand_over || !remote_is_watched(remote->hand_over))
        return STATUS_OK;
    if (remote->behind) { /* its pixels are under overlays now: the next frame has them */
        viewer->picture_stale = true;
        viewer->wake_s = fmin(viewer->wake_s, now_s + VIEWER_GLIDE_S);
        return STATUS_OK;
    }
    if (!tell_due(viewer, now_s))
        return STATUS_OK;
    bool final = is_final(viewer);
    struct remote_facts *facts = &remote->facts;
    *facts = (struct remote_facts){.state = viewer->state,
                                   .place = viewer->place, /* borrowed */
                                   .motion = remote->motion,
                                   .back = history_before(viewer->history) > 0,
                                   .forward = history_after(viewer->history) > 0,
                                   .final = final,
                                   .slow = viewer_settled(viewer) && !final,
                                   .touched_s = remote->touched_s,
                                   .stand = remote->stand};
    if (final)
        TRY(viewer_place_text(viewer, &facts->text));
    remote->told = remote_facts_put(remote->hand_over, facts);
    if (!remote->told) {
        free(facts->text);
        viewer->wake_s = fmin(viewer->wake_s, now_s + VIEWER_GLIDE_S);
        return STATUS_OK;
    }
    remote->told_s = now_s;
    remote->version = viewer->state.version;
    remote->final = final;
    return STATUS_OK;
}
