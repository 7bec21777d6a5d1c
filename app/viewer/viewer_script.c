#include "app/viewer/viewer_script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/process/environment.h"
#include "app/viewer/core/viewer_files.h"
#include "app/viewer/core/viewer_film.h"
#include "app/viewer/core/viewer_ranks.h"
#include "app/viewer/core/viewer_state.h"
#include "app/viewer/core/viewer_tour.h"
#include "app/viewer/panels/viewer_pages.h"
#include "app/viewer/viewer_draw.h"
#include "app/viewer/viewer_input.h"
#include "app/viewer/viewer_kiosk.h"
#include "decomposition/thread/clock.h"
#include "kernels/number_text.h"
#include "library/handle/program.h"

#define NEAR 1e-6 /* relative, for `near` */
#define STALL_S_MAX 60.0

/* ---- figures and texts by name ---- */

/* log10 of a checked number, beyond the doubles too. */
static double log10_of(const char *text)
{
    const char *exponent = strpbrk(text, "eE");
    double mantissa = number_real(text);
    if (!exponent)
        return log10(mantissa);
    char head[64];
    snprintf(head, sizeof head, "%.*s", (int)fmin((double)(exponent - text), 60), text);
    return log10(number_real(head)) + number_real(exponent + 1);
}

/* Pictures of a list, by how their names begin. */
static double thumbnails_of(const struct bookmarks *images, const char *list)
{
    int count = 0;
    for (size_t i = 0; i < images->count; i++)
        count += strncmp(images->bookmark[i].name, list, strlen(list)) == 0;
    return count;
}

static bool figure_of(const struct viewer *viewer, const char *name, double *value)
{
    const struct place *place = &viewer->place;
    const deepfield_live_state *state = &viewer->state;
    const struct {
        const char *name;
        double value;
    } figures[] = {
        {"zoom", number_real(place->view.zoom)},
        {"log10-zoom", log10_of(place->view.zoom)},
        {"re", number_real(place->view.re)},
        {"im", number_real(place->view.im)},
        {"rotation", place->view.rotation_deg},
        {"mirrored", (double)place->view.shape.mirrored},
        {"stretch", view_stretch(&place->view.shape)},
        {"stretch-angle", place->view.shape.stretch_deg},
        {"width", place->view.width},
        {"height", place->view.height},
        {"limit", (double)state->limit},
        {"limit-asked", (double)place->limit},
        {"density", place->look.density},
        {"colours-measured",
         distribution_same(&place->distribution, &viewer->measured.distribution)},
        {"offset", place->look.offset},
        {"contrast", place->look.contrast},
        {"relief", place->look.relief},
        {"interior", place->look.interior_kind},
        {"periods", state->planes & PLANE_MASK_PERIOD ? 1 : 0},
        {"insides", state->planes & PLANE_MASK_INSIDE ? 1 : 0},
        {"distances", state->planes & PLANE_MASK_DISTANCE ? 1 : 0},
        {"julia", place->formula.plane == DYNAMIC_PLANE},
        {"formula", place->formula.step},
        {"julia-re", place->formula.c_re},
        {"julia-im", place->formula.c_im},
        {"settled", viewer_settled(viewer)},
        {"done", state->done},
        {"samples", state->samples},
        {"smooth", state->smooth && viewer_settled(viewer)},
        {"workers", state->workers},
        {"late", (double)state->late},
        {"lost", state->threads_lost},
        {"accuracy", place->accuracy_px},
        {"bailout", place->bailout},
        {"undo", (double)history_before(viewer->history)},
        {"redo", (double)history_after(viewer->history)},
        {"bookmarks", (double)viewer->bookmarks.count},
        {"panel", viewer->panel},
        {"menu", viewer_menu_seen(viewer)},
        {"makes", viewer->make.begun},
        {"previews", viewer->film->previews},
        {"thumbnails", (double)viewer->thumbnails.images.count},
        {"tour-thumbnails", thumbnails_of(&viewer->thumbnails.images, "tour-")},
        {"keyframes", viewer->film->keys},
        {"keyframe", viewer->film->keys ? viewer->film->selected + 1 : 0},
        {"stripes", place->orbit.stripes},
        {"trap-re", place->orbit.trap_re},
        {"trap-im", place->orbit.trap_im},
        {"trap-radius", place->orbit.trap_radius},
        {"frames", (double)viewer->figures->frames},
        {"samples-asked", viewer->samples},
        {"light", place->look.light_deg},
        {"cycling", viewer->shown.cycling},
        {"sound", viewer->sound.tone != NULL},
        {"loudness", viewer->sound.loudness},
        {"minimap", viewer->shown.minimap},
        {"hud", viewer->shown.hud},
        {"ui-scale", window_ui_scale(viewer->window)},
        {"requests", (double)viewer->figures->requests},
        {"pictures", (double)viewer->figures->pictures},
        {"flight-frames", viewer->figures->flight.frames},
        {"flight-misplaced", viewer->figures->flight.misplaced_px},
        {"flies", viewer_flies(viewer)},
        {"autopilot", viewer->autopilots},
        {"tour-stop", viewer_tour_plays(viewer) ? (double)viewer->tour.stop + 1 : 0},
        {"tour-phase", viewer->tour.phase},
        {"tour-paused", viewer->tour.paused},
        {"tiles", viewer->shown.tiles},
        {"workers-used", viewer->workers},
        {"workers-out", viewer_ranks_out(viewer)},
        {"computing", state->computing},
        {"tiles-last", state->workers ? (double)state->worker[state->workers - 1].tiles : 0},
        {"rank-times", viewer->shown.times},
        {"picture-s", state->picture_s},
        {"picture-one-s", state->picture_one_s},
        {"faster", overlay_times_factor(state)},
        {"again", (double)viewer->again},
        {"reaction-p99-ms", 1e3 * measure_quantile(&viewer->figures->reaction, 0.99)},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (!strcmp(figures[i].name, name)) {
            *value = figures[i].value;
            return true;
        }
    return viewer_kiosk_figure(viewer, name, value);
}

static const char *text_of(const struct viewer *viewer, const char *name)
{
    static char blank[BLANK_BYTES], hint[HINT_BYTES];
    const struct notice *notice = viewer->notices.notice;
    int last = NOTICES - 1;
    while (last > 0 && !*notice[last].text)
        last--;
    return !strcmp(name, "palette") ? viewer->place.palette
           : !strcmp(name, "by")
               ? colour_source_name(colour_source_number(&viewer->place.look.source))
           : !strcmp(name, "layer")   ? colour_blend_name(viewer->place.look.layer.blend)
           : !strcmp(name, "method")  ? viewer->state.method
           : !strcmp(name, "error")   ? viewer->state.sentence
           : !strcmp(name, "trouble") ? viewer->state.trouble
           : !strcmp(name, "title")   ? viewer->place.title
           : !strcmp(name, "blank")   ? blank_text(viewer_blank(viewer), &viewer->state,
                                                 viewer->kiosk ? NULL : &viewer->actions, blank)
           : !strcmp(name, "hint")    ? hint_text(&viewer->hints, &viewer->actions, clock_s(), hint)
           : !strcmp(name, "language") ? language_codes[language_used()]
           : !strcmp(name, "notice")   ? notice[last].text
                                       : NULL;
}

static bool holds(double value, const char *sign, double wanted, bool *known)
{
    *known = true;
    if (!strcmp(sign, "<"))
        return value < wanted;
    if (!strcmp(sign, "<="))
        return value <= wanted;
    if (!strcmp(sign, "="))
        return value == wanted;
    if (!strcmp(sign, ">="))
        return value >= wanted;
    if (!strcmp(sign, ">"))
        return value > wanted;
    *known = !strcmp(sign, "near");
    return fabs(value - wanted) <= NEAR * fmax(fabs(wanted), 1e-300);
}

/* Writes what is wrong into `why`; "" if nothing is. */
static void expect(const struct viewer *viewer, const struct script_step *step, char *why,
                   size_t bytes)
{
    const char *name = step->word[0], *sign = step->word[1], *wanted = step->word[2];
    double value;
    bool known;
    if (wanted) {
        const char *text = text_of(viewer, name);
        bool is = !strcmp(sign, "is");
        if (!text || (!is && strcmp(sign, "has") != 0))
            snprintf(why, bytes, "no text is called '%s', or asked with '%s'", name, sign);
        else if (is ? strcmp(text, wanted) != 0 : !strstr(text, wanted))
            snprintf(why, bytes, "%s %s '%.200s', but it is '%.200s'", name, sign, wanted, text);
        return;
    }
    if (!figure_of(viewer, name, &value))
        snprintf(why, bytes, "no figure is called '%s'", name);
    else if (!holds(value, sign, step->number[0], &known))
        snprintf(why, bytes, known ? "%s %s %.9g, but it is %.12g" : "%s: unknown sign '%s'", name,
                 sign, step->number[0], value);
}

/* ---- pixels ---- */

static uint32_t *screen_read(struct viewer *viewer, int32_t *width, int32_t *height)
{
    window_size(viewer->window, width, height);
    uint32_t *pixels = malloc((size_t)*width * (size_t)*height * sizeof *pixels);
    if (pixels && window_read(viewer->window, pixels, *width) != STATUS_OK) {
        free(pixels);
        pixels = NULL;
    }
    return pixels;
}

static void expect_pixel(struct viewer *viewer, const struct script_step *step, char *why,
                         size_t bytes)
{
    int32_t width, height;
    uint32_t *pixels = screen_read(viewer, &width, &height);
    double x = step->number[0], y = step->number[1];
    char found[16];
    if (!pixels || !(x >= 0 && x < width && y >= 0 && y < height))
        snprintf(why, bytes, "there is no pixel %g %g", x, y);
    else {
        snprintf(found, sizeof found, "#%06x",
                 (unsigned)(pixels[(int64_t)y * width + (int64_t)x] & 0xffffff));
        if (strcmp(found, step->word[0]) != 0)
            snprintf(why, bytes, "pixel %g %g is %s, not %s", x, y, found, step->word[0]);
    }
    free(pixels);
}

/* A picture of the place that is seen, computed by devices of its own, since the engine uses
 * others. */
struct rendered {
    deepfield_world *world;
    deepfield_renderer *renderer;
    deepfield_picture *picture;
    deepfield_field *field;
    char *text;
    uint8_t *rgb; /* [height][width][3]; owned */
};

static void rendered_close(struct rendered *rendered)
{
    free(rendered->rgb);
    free(rendered->text);
    deepfield_field_destroy(rendered->field);
    deepfield_picture_destroy(rendered->picture);
    deepfield_renderer_destroy(rendered->renderer);
    deepfield_world_close(rendered->world);
}

static enum status number_set(deepfield_picture *picture, const char *key, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    return status_take(deepfield_picture_set(picture, key, text));
}

/* rendered_close also after a failure. */
static enum status rendered_open(struct rendered *rendered, struct viewer *viewer)
{
    const struct program_parts parts = {.data = environment_data()};
    const struct program_devices devices = {.config = viewer->options->config, .once = true};
    int32_t width = viewer->place.view.width, height = viewer->place.view.height;
    deepfield_array into = {.size = sizeof into,
                            .type = DEEPFIELD_U8,
                            .width = width,
                            .height = height,
                            .channels = 3,
                            .row_bytes = 3 * (int64_t)width};
    TRY(program_world(&rendered->world, &parts));
    TRY(program_renderer(&rendered->renderer, rendered->world, &devices));
    TRY(viewer_place_text(viewer, &rendered->text));
    TRY(status_take(deepfield_picture_open(&rendered->picture, rendered->world, rendered->text)));
    TRY(number_set(rendered->picture, "view.limit", viewer->state.limit));
    TRY(number_set(rendered->picture, "look.samples", viewer->state.samples));
    TRY(status_take(deepfield_field_create(&rendered->field)));
    TRY(status_take(deepfield_render(rendered->renderer, rendered->picture, DEEPFIELD_COLOURS,
                                     rendered->field)));
    rendered->rgb = malloc((size_t)into.row_bytes * (size_t)height);
    if (!rendered->rgb)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture to compare with");
    into.data = rendered->rgb;
    return status_take(deepfield_field_colour(rendered->field, rendered->picture, &into));
}

/* Counts pixels of the window that are others, and finds the first. */
static int64_t pixels_differ(const uint8_t *rgb, const uint32_t *pixels, int64_t count,
                             int64_t *first)
{
    int64_t differ = 0;
    for (int64_t i = 0; i < count; i++, rgb += 3) {
        uint32_t wanted =
            UINT32_C(0xff000000) | (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
        if (pixels[i] != wanted && !differ++)
            *first = i;
    }
    return differ;
}

/* Compares the window with a rendered picture. */
static void expect_render(struct viewer *viewer, char *why, size_t bytes)
{
    struct rendered rendered = {.world = NULL};
    const struct view *view = &viewer->place.view;
    int32_t width, height;
    int64_t first = 0, differ;
    uint32_t *pixels = NULL;
    if (rendered_open(&rendered, viewer) != STATUS_OK)
        snprintf(why, bytes, "%s", status_text());
    else if (!(pixels = screen_read(viewer, &width, &height)) || width != view->width ||
             height != view->height)
        snprintf(why, bytes, "the window cannot be read, or has another size");
    else if ((differ = pixels_differ(rendered.rgb, pixels, (int64_t)width * height, &first)))
        snprintf(why, bytes, "%lld pixels are not those of a rendered picture, the first at %d %d",
                 (long long)differ, (int)(first % width), (int)(first / width));
    free(pixels);
    rendered_close(&rendered);
}

/* ---- steps ---- */

/* Ends the script, since later steps may wait for ever. */
static void fail(struct viewer *viewer, const struct script *script, const struct script_step *step,
                 const char *why)
{
    snprintf(viewer->failure, sizeof viewer->failure, "%s:%d: %.900s", script->name, step->line,
             why);
    viewer->ends = true;
}

static void resize(struct viewer *viewer, const struct script_step *step)
{
    struct input_event event = {.kind = INPUT_RESIZE,
                                .width = (int32_t)fmin(fmax(step->number[0], 1), 16384),
                                .height = (int32_t)fmin(fmax(step->number[1], 1), 16384)};
    window_inject(viewer->window, &event);
}

static void picture_ask(struct viewer *viewer, const struct script_step *step)
{
    double width = fmin(step->number[0], IMAGE_SIDE_MAX);
    double height = fmin(step->number[1], IMAGE_SIDE_MAX);
    if (width >= 1 && height >= 1) {
        const struct image_size size = {(int32_t)width, (int32_t)height, 0};
        viewer_print(viewer, &size, step->word[0]);
        return;
    }
    viewer_picture(viewer, step->word[0]);
}

/* Delays the viewer like a slow disk or machine. */
static void stall(double seconds)
{
    double end_s = clock_s() + fmin(seconds, STALL_S_MAX);
    while (clock_s() < end_s)
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
}

static enum status step_do(struct viewer *viewer, const struct script *script,
                           const struct script_step *step)
{
    char why[512] = "";
    if (viewer->picture_stale || viewer->pixels_new || viewer->overlay_stale || viewer->state_new)
        TRY(viewer_draw(viewer)); /* expectations are about the pixels that were shown */
    switch (step->verb) {
    case SCRIPT_CLIPBOARD:
        TRY(window_set_clipboard(viewer->window, step->word[0]));
        break;
    case SCRIPT_RESIZE:
        resize(viewer, step);
        break;
    case SCRIPT_CLOSE:
        window_inject(viewer->window, &(struct input_event){.kind = INPUT_QUIT});
        break;
    case SCRIPT_STALL:
        stall(step->number[0]);
        break;
    case SCRIPT_WORKERS:
        viewer_ranks_set(viewer, (int)fmin(fmax(step->number[0], 0), 1e6));
        break;
    case SCRIPT_HURRY:
        viewer->hurry = fmin(fmax(step->number[0], 1), 1000);
        break;
    case SCRIPT_CAPTURE:
        if (window_capture(viewer->window, step->word[0], OVERWRITE_YES) != STATUS_OK)
            snprintf(why, sizeof why, "%s", status_text());
        break;
    case SCRIPT_PICTURE:
        picture_ask(viewer, step);
        break;
    case SCRIPT_EXPECT:
        expect(viewer, step, why, sizeof why);
        break;
    case SCRIPT_EXPECT_PIXEL:
        expect_pixel(viewer, step, why, sizeof why);
        break;
    case SCRIPT_EXPECT_RENDER:
        expect_render(viewer, why, sizeof why);
        break;
    default:
        viewer->ends = true;
    }
    if (*why)
        fail(viewer, script, step, why);
    return STATUS_OK;
}

/* Is everything that was requested there and shown? */
static bool at_rest(const struct viewer *viewer)
{
    return viewer_settled(viewer) && !viewer->state.mixed && !viewer->picture_stale &&
           !viewer->pixels_new && !viewer->state_new && !viewer->picture_wanted &&
           !viewer->picture && !viewer->print_width && !viewer_thumbnail_due(viewer);
}

/* Was the newest picture stopped (Escape) before it was finished? */
static bool is_stopped(const struct viewer *viewer)
{
    const deepfield_live_state *state = &viewer->state;
    return state->stopped && state->serial == viewer->serial && !viewer_settled(viewer);
}

static bool never_settles(const struct viewer *viewer)
{
    return throttle_at_rest(&viewer->throttle) && !viewer_moves(viewer) &&
           (viewer_never(viewer) || is_stopped(viewer));
}

/* Is the condition true that the script waits for, if it waits? */
static bool holds_now(const struct viewer *viewer, const struct play *play)
{
    const struct script_step *step = play_step(play);
    char why[512] = "";
    if (step && step->verb == SCRIPT_WAIT_UNTIL)
        expect(viewer, step, why, sizeof why);
    return !*why;
}

static void late(struct viewer *viewer, const struct script *script, const struct script_step *step)
{
    char why[STATUS_TEXT_BYTES + 64] = "the picture is not finished in time";
    if (never_settles(viewer))
        snprintf(why, sizeof why, "there will be no picture to settle: %s",
                 is_stopped(viewer) ? "computing was stopped" : viewer->state.sentence);
    if (step->verb == SCRIPT_WAIT_UNTIL)
        expect(viewer, step, why, sizeof why);
    fail(viewer, script, step, why);
}

static enum status player_step(void *context, struct viewer *viewer)
{
    struct script_player *player = context;
    const struct script *script = &player->script;
    struct play_act act;
    if (!player->begun)
        player->play = play_begin(script, clock_s());
    player->begun = true;
    while (!viewer->ends) {
        bool idle = io_thread_idle(viewer->io_thread);
        viewer_inbox(viewer); /* what it has done until then is part of the rest */
        struct play_sight sight = {idle && at_rest(viewer), never_settles(viewer),
                                   holds_now(viewer, &player->play), viewer->place.view.width,
                                   viewer->place.view.height};
        switch (play_next(&player->play, clock_s(), &sight, &act)) {
        case PLAY_EVENT:
            TRY(viewer_take(viewer, &act.event));
            TRY(viewer_steps(viewer, clock_s()));
            break;
        case PLAY_STEP:
            TRY(step_do(viewer, script, act.step));
            if (act.step->verb == SCRIPT_RESIZE || act.step->verb == SCRIPT_CLOSE)
                return STATUS_OK; /* it comes as an event */
            break;
        case PLAY_LATE:
            late(viewer, script, act.step);
            break;
        case PLAY_WAIT:
            viewer->wake_s = fmin(viewer->wake_s, act.wake_s);
            return STATUS_OK;
        case PLAY_END:
            viewer->ends = true;
        }
    }
    return STATUS_OK;
}

static enum status player_stopped(const void *context)
{
    const struct script_player *player = context;
    const struct script *script = &player->script;
    size_t next = player->play.next;
    if (next >= script->count)
        return STATUS_OK;
    return status_fail(STATUS_STOPPED, "stopped in line %d of the script",
                       script->steps[next].line);
}

enum status script_player_open(struct script_player *player, const char *path)
{
    TRY(script_load(&player->script, path));
    return play_check(&player->script);
}

struct viewer_player script_player_of(struct script_player *player)
{
    return (struct viewer_player){player_step, player_stopped, player};
}

void script_player_close(struct script_player *player)
{
    script_destroy(&player->script);
}
