/* deepfield view: a window on rank 0, the engine behind it, and the ranks that compute. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/arguments/config_load.h"
#include "app/command/command.h"
#include "app/command/command_view_serve.h"
#include "app/command/view_tls.h"
#include "app/launch/program_world.h"
#include "app/launch/rank.h"
#include "app/process/environment.h"
#include "app/process/stop.h"
#include "app/settings/engine.h"
#include "app/settings/idle_flags.h"
#include "app/settings/view_operand.h"
#include "app/viewer/input/actions.h"
#include "app/viewer/kiosk/kiosk.h"
#include "app/viewer/viewer.h"
#include "app/viewer/viewer_script.h"
#include "library/config/config_view.h"
#include "library/handle/program_live.h"
#include "library/place/data.h"
#include "library/settings/settings_description.h"
#include "library/settings/view_file.h"

enum { ATTRACT_TOURS = 2 };

struct show {               /* rank 0 */
    struct picture picture; /* picture of the settings; owned view */
    struct viewer_options viewer;
    struct place place, unsaid, home;
    struct script_player script;
    struct place *stop;               /* locations of the attract loop; owned */
    struct tour tours[ATTRACT_TOURS]; /* tours of the attract loop without --tour's */
    struct tour tour;
    struct figures figures;
    char folder[4096], assets[4200], font[4300];
    enum status status; /* result of the window's thread, with its sentence */
    char text[STATUS_TEXT_BYTES];
};

static enum status tour_prepare(struct show *show, const struct arguments *arguments)
{
    const char *name = arguments_last(arguments, OPTION_TOUR);
    if (!name)
        return STATUS_OK;
    TRY(tour_load(&show->tour, show->folder, name));
    show->viewer.tour = &show->tour;
    return STATUS_OK;
}

static enum status script_prepare(struct show *show, const struct arguments *arguments)
{
    const char *path = arguments_last(arguments, OPTION_SCRIPT);
    if (!path)
        return STATUS_OK;
    TRY(script_player_open(&show->script, path));
    show->viewer.player = script_player_of(&show->script);
    return STATUS_OK;
}

/* Flags apply to the look of every location that the command line names, but flags of the view only
 * to the one where the viewer begins. */
static enum status centre_restore(struct config *config, const struct view_file *file)
{
    static const char *const keys[] = {"re", "im", "zoom"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct ini_entry *entry = ini_find(&file->ini, "view", keys[i]);
        TRY(config_set_named(config, "view", keys[i], entry->value, file->path, STATUS_BAD_DATA));
    }
    return STATUS_OK;
}

/* The place of the same settings with another view in them; NULL: without any. */
static enum status place_with(struct place *place, const struct arguments *arguments,
                              const char *view)
{
    struct config config = {0};
    struct view_file file = {0};
    enum status status = view ? view_operand_load(&file, view, VIEW_WHOLE) : STATUS_OK;
    if (status == STATUS_OK)
        status = config_load(&config, action_check, arguments, view ? &file.ini : NULL, file.path);
    if (status == STATUS_OK && view)
        status = centre_restore(&config, &file);
    if (status == STATUS_OK && view)
        status = config_colours(&config);
    if (status == STATUS_OK)
        status = place_of_settings(place, &config);
    config_destroy(&config);
    view_file_destroy(&file);
    return status;
}

/* Sets where the viewer begins, the defaults for texts that leave values out, and the home of the
 * formula that it begins with. */
static enum status places_prepare(struct show *show, const struct invocation *invocation)
{
    const struct arguments *arguments = &invocation->arguments;
    TRY(place_of_settings(&show->place, &invocation->config));
    TRY(place_check(&show->place));
    TRY(place_with(&show->unsaid, arguments, NULL));
    TRY(place_with(&show->home, arguments, "whole-set"));
    show->home.formula = show->place.formula;
    if (show->home.formula.plane == DYNAMIC_PLANE && show->home.limit_ends)
        show->home.limit = 0;
    show->viewer.place = &show->place;
    show->viewer.unsaid = &show->unsaid;
    show->viewer.home = &show->home;
    return STATUS_OK;
}

/* Obeys the samples of the command line, and more than one of a file; else, 0, there are as many as
 * `deepfield render` takes. */
static int samples_of(const struct config *config)
{
    const struct config_value *value = &config->value[OPTION_LOOK_SAMPLES];
    bool said = value->origin && (!strcmp(value->origin, "--samples") ||
                                  !strcmp(value->origin, "DEEPFIELD_SAMPLES"));
    int samples = (int)value->integer; /* 0: auto, or none are said */
    return samples > 1 || said ? samples : 0;
}

/* Fails before any rank begins, not when the window opens. */
static enum status size_check(const struct config_value *size)
{
    if (size->integer > WINDOW_SIDE_MAX || size->second > WINDOW_SIDE_MAX)
        return status_fail(STATUS_CONFIG,
                           "%s: a window of %lldx%lld is too large; it can be at most %dx%d",
                           size->origin, (long long)size->integer, (long long)size->second,
                           WINDOW_SIDE_MAX, WINDOW_SIDE_MAX);
    return STATUS_OK;
}

/* Destroys nothing, since other threads still compute and cannot be waited for here. mpirun ends
 * the other ranks. */
static void display_ended(void)
{
    static const char text[] =
        "deepfield: the X display has ended, or has closed the connection of the window\n";
    ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    rank_say(RANK_CODE, status_exit_code(STATUS_SYSTEM));
    _exit(status_exit_code(STATUS_SYSTEM));
}

static struct window_options window_prepare(const struct show *show, const struct config *config,
                                            bool hidden)
{
    bool said = config_was_set(config, OPTION_VIEW_SIZE);
    bool kiosk = show->viewer.stand.kiosk && !hidden;
    return (struct window_options){
        .title = "deepfield",
        .width = said ? show->place.view.width : 0,
        .height = said ? show->place.view.height : 0,
        .kiosk = kiosk,
        .screen = kiosk || config_boolean(config, OPTION_VIEWER_FULLSCREEN) ? WINDOW_FULLSCREEN
                                                                            : WINDOW_NORMAL,
        .user = hidden                     ? WINDOW_NOBODY
                : show->viewer.player.step ? WINDOW_SCRIPT
                                           : WINDOW_PERSON,
        .display = (int)config_integer(config, OPTION_VIEWER_DISPLAY),
        .software = config_boolean(config, OPTION_VIEWER_SOFTWARE),
        .ui_scale = config_real(config, OPTION_VIEWER_UI_SCALE),
        .display_ended = display_ended,
        .font = show->font};
}

/* Loads the tours that a stand plays: that of --tour, or what the set is and how deep it goes. One
 * that cannot be read is left out. */
static enum status tours_prepare(struct show *show)
{
    static const char *const names[ATTRACT_TOURS] = {"the-set", "journey"};
    struct viewer_stand *stand = &show->viewer.stand;
    stand->tour = show->viewer.tour ? show->viewer.tour : show->tours;
    stand->tours = show->viewer.tour ? 1 : 0;
    for (int i = 0; i < ATTRACT_TOURS && !show->viewer.tour; i++) {
        enum status status = tour_load(&show->tours[stand->tours], show->folder, names[i]);
        if (status == STATUS_OUT_OF_MEMORY)
            return status;
        stand->tours += status == STATUS_OK;
    }
    return STATUS_OK;
}

/* Views that a stand visits: those of the program that are no Julia sets, and not all of the
 * Mandelbrot set. One that cannot be read is left out. */
static enum status stops_prepare(struct show *show, const struct arguments *arguments)
{
    struct viewer_stand *stand = &show->viewer.stand;
    struct data_names names = {0};
    char folder[4200];
    snprintf(folder, sizeof folder, "%s/configs/views", show->folder);
    TRY(data_names_list(&names, folder, ".ini"));
    show->stop = calloc(names.count + 1, sizeof *show->stop);
    for (size_t i = 0; show->stop && i < names.count; i++) {
        struct place *stop = &show->stop[stand->stops];
        if (strcmp(names.name[i], "whole-set") != 0 &&
            place_with(stop, arguments, names.name[i]) == STATUS_OK &&
            stop->formula.plane == PARAMETER_PLANE) {
            stand->stops++;
            continue;
        }
        place_destroy(stop);
        *stop = (struct place){.limit = 0};
    }
    data_names_destroy(&names);
    stand->stop = show->stop;
    return show->stop ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a stand");
}

static enum status stand_prepare(struct show *show, const struct invocation *invocation)
{
    const struct config *config = &invocation->config;
    struct viewer_stand *stand = &show->viewer.stand;
    *stand = (struct viewer_stand){
        .kiosk = config_boolean(config, OPTION_STAND_KIOSK),
        .idle_s = config_real(config, OPTION_STAND_IDLE),
        .countdown_s = config_real(config, OPTION_STAND_COUNTDOWN),
        .pin = config_text(config, OPTION_STAND_PIN),
        .log = config_text(config, OPTION_STAND_LOG),
        .status_port = (int)config_integer(config, OPTION_STAND_STATUS_PORT),
        .status_address = config_text(config, OPTION_STAND_STATUS_ADDRESS),
        .share_minutes = config_real(config, OPTION_STAND_SHARE),
        .share_address = config_text(config, OPTION_STAND_SHARE_ADDRESS),
        .share_port = (int)config_integer(config, OPTION_STAND_SHARE_PORT),
        .status_hosts = config_text_or_null(config, OPTION_VIEWER_SERVE_HOSTS),
        .tls = view_tls_files(config)};
    if (stand->pin && *stand->pin && !kiosk_pin_is_valid(stand->pin))
        return status_fail(STATUS_CONFIG, "stand.pin: it has to be %d to %d digits",
                           KIOSK_PIN_LEAST, KIOSK_PIN_MOST);
    if (stand->share_minutes > 0 && !stand->kiosk)
        return status_fail(STATUS_CONFIG, "--share keeps pictures of a stand: add --kiosk");
    if (stand->share_minutes > 0 && !*stand->share_address)
        return status_fail(STATUS_CONFIG,
                           "--share needs stand.share_address: the address of this machine in the "
                           "network of the phones, as --set stand.share_address=192.168.1.5");
    if (!stand->kiosk)
        return STATUS_OK;
    TRY(tours_prepare(show));
    return stops_prepare(show, &invocation->arguments);
}

static enum status show_prepare(struct show *show, const struct invocation *invocation)
{
    const struct config *config = &invocation->config;
    struct viewer_options *viewer = &show->viewer;
    const bool hidden = view_shown_of(invocation) == VIEW_STAND_PAGE;
    if (hidden)
        TRY(view_serve_flags_check(invocation));
    TRY(environment_data_folder(show->folder, sizeof show->folder));
    snprintf(show->assets, sizeof show->assets, "%s/assets", show->folder);
    snprintf(show->font, sizeof show->font, "%s/fonts/DejaVuSans.ttf", show->assets);
    TRY(size_check(&config->value[OPTION_VIEW_SIZE]));
    const struct idle_flag flags[] = {{OPTION_VIEWER_WINDOW,
                                       view_shown_of(invocation) == VIEW_WINDOW,
                                       "there is a window without it; it is for --serve"},
                                      {OPTION_VIEWER_WALL, view_shown_of(invocation) == VIEW_WINDOW,
                                       "its screens are pages of --serve"}};
    TRY(arguments_none_idle(&invocation->arguments, flags, sizeof flags / sizeof *flags));
    TRY(settings_join_flags(config, &invocation->arguments));
    TRY(script_prepare(show, &invocation->arguments));
    TRY(tour_prepare(show, &invocation->arguments));
    TRY(settings_picture(config, &show->picture));
    TRY(places_prepare(show, invocation));
    TRY(stand_prepare(show, invocation));
    viewer->config = config;
    viewer->assets = show->assets;
    viewer->samples = samples_of(config);
    viewer->reduced_motion = config_boolean(config, OPTION_VIEWER_REDUCED_MOTION);
    viewer->sound = config_boolean(config, OPTION_VIEWER_SOUND);
    viewer->large_text = config->value[OPTION_VIEWER_TEXT].integer > 0;
    viewer->language = settings_language(config, environment_language());
    viewer->language_said = config->value[OPTION_VIEWER_LANGUAGE].integer > 0;
    viewer->stop = &stop_requested;
    viewer->window = window_prepare(show, config, hidden);
    return STATUS_OK;
}

static void *window_thread(void *context)
{
    struct show *show = context;
    show->status = viewer_run(&show->viewer, &show->figures);
    if (show->status != STATUS_OK)
        snprintf(show->text, sizeof show->text, "%s", status_text());
    program_live_quit(show->viewer.live);
    view_thread_end();
    return NULL;
}

/* Rank 0: this thread feeds the devices, another one shows what they compute. */
static enum status root_view(struct show *show, deepfield_live *live)
{
    pthread_t thread;
    show->viewer.live = live;
    if (pthread_create(&thread, NULL, window_thread, show) != 0)
        return status_fail(STATUS_SYSTEM, "no thread for the window");
    enum status status = program_live_run(live);
    char text[STATUS_TEXT_BYTES];
    snprintf(text, sizeof text, "%s", status == STATUS_OK ? "" : status_text());
    __atomic_store_n(&stop_requested, 1, __ATOMIC_RELAXED); /* the window closes, too */
    pthread_join(thread, NULL);
    if (status != STATUS_OK)
        return status_fail(status, "%s", text);
    if (show->status != STATUS_OK)
        return status_fail(show->status, "%s", show->text);
    return program_live_losses(live);
}

static void show_destroy(struct show *show)
{
    view_destroy(&show->picture.view);
    place_destroy(&show->place);
    place_destroy(&show->unsaid);
    place_destroy(&show->home);
    script_player_close(&show->script);
    for (size_t i = 0; i < show->viewer.stand.stops; i++)
        place_destroy(&show->stop[i]);
    free(show->stop);
    for (int i = 0; i < ATTRACT_TOURS; i++)
        tour_destroy(&show->tours[i]);
    tour_destroy(&show->tour);
    free(show);
}

/* Prints the statistics of --report. */
static void figures_print(const struct invocation *invocation, const struct show *show)
{
    if (arguments_has(&invocation->arguments, OPTION_REPORT) && show->figures.frames &&
        figures_json(&show->figures, stdout) != STATUS_OK)
        fprintf(stderr, "deepfield: %s\n", status_text());
}

/* Nobody may wait for a rank that does not answer. */
static void stuck_end(const struct invocation *invocation, const struct show *show,
                      enum status closed, const char *sentence)
{
    fprintf(stderr, "deepfield: %s\n", sentence);
    if (show->status != STATUS_OK)
        fprintf(stderr, "deepfield: %s\n", show->text);
    figures_print(invocation, show);
    fflush(stdout);
    rank_say(RANK_CODE, status_exit_code(closed));
    program_world_abort(invocation->world, closed);
}

/* Runs the window, and serves its picture as a page where both are wanted; when the window closes
 * the page ends, too. */
static enum status window_view(const struct invocation *invocation, struct deepfield_world *world,
                               struct show *show, deepfield_live *live)
{
    struct service *service = NULL;
    char text[STATUS_TEXT_BYTES] = "";
    if (view_shown_of(invocation) == VIEW_WINDOW)
        return root_view(show, live);
    enum status status = remote_create(&show->viewer.remote);
    if (status == STATUS_OK)
        status = view_service_open(&service, invocation, world, show->viewer.remote);
    if (status == STATUS_OK)
        status = root_view(show, live);
    if (status != STATUS_OK)
        snprintf(text, sizeof text, "%s", status_text());
    enum status served = view_service_close(service);
    remote_destroy(show->viewer.remote);
    show->viewer.remote = NULL;
    return served != STATUS_OK   ? served
           : status == STATUS_OK ? STATUS_OK
                                 : status_fail(status, "%s", text);
}

static enum status live_view(const struct invocation *invocation, struct deepfield_world *world,
                             struct show *show, deepfield_renderer *renderer)
{
    /* A stand writes nothing. */
    const char *orbits = show->viewer.stand.kiosk ? NULL : show->picture.orbit_cache;
    deepfield_live *live;
    TRY(program_live_open(&live, renderer, orbits));
    enum status status = window_view(invocation, world, show, live);
    char text[STATUS_TEXT_BYTES];
    snprintf(text, sizeof text, "%s", status == STATUS_OK ? "" : status_text());
    enum status closed = program_live_close(live);
    if (closed != STATUS_OK)
        stuck_end(invocation, show, closed, status_text());
    if (status != STATUS_USAGE)
        figures_print(invocation, show);
    return status == STATUS_OK ? STATUS_OK : status_fail(status, "%s", text);
}

static enum status show_run(struct invocation *invocation, struct deepfield_world *world)
{
    deepfield_renderer *renderer = NULL;
    TRY(view_tls_check(invocation));
    if (view_shown_of(invocation) == VIEW_PAGE)
        return view_serve_run(invocation, world);
    struct show *show = calloc(1, sizeof *show);
    if (!show)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the window");
    enum status status = show_prepare(show, invocation);
    if (status == STATUS_OK)
        status = engine_renderer(&renderer, world, invocation, 0, true);
    if (status == STATUS_OK)
        status = live_view(invocation, world, show, renderer);
    deepfield_renderer_destroy(renderer);
    show_destroy(show);
    return status;
}

enum status command_view(struct invocation *invocation)
{
    return engine_run(invocation, show_run);
}
