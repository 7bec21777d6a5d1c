#include "app/command/command_view_serve.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command/view_tls.h"
#include "app/http/status_server.h"
#include "app/launch/program_world.h"
#include "app/launch/rank.h"
#include "app/process/environment.h"
#include "app/process/message.h"
#include "app/process/stop.h"
#include "app/serve/serve.h"
#include "app/serve/page_server.h"
#include "app/settings/engine.h"
#include "app/viewer/core/remote.h"
#include "app/viewer/files/user_data.h"
#include "library/handle/program_live.h"

struct service {
    struct serve *serve;
    deepfield_live *live; /* ends with the page; NULL: it is a window's */
    struct remote *window;
    pthread_t thread;
    enum status status; /* result of its thread, with its sentence */
    char folder[4096], text[STATUS_TEXT_BYTES];
};

struct service_source { /* where the picture comes from: an engine, or a window */
    deepfield_live *live;
    struct status_server *feed;
    struct remote *window;
};

enum view_shown view_shown_of(const struct invocation *invocation)
{
    const struct config *config = &invocation->config;
    if (config_integer(config, OPTION_VIEWER_SERVE_PORT) <= 0)
        return VIEW_WINDOW;
    if (config_boolean(config, OPTION_VIEWER_WINDOW))
        return VIEW_WINDOW_AND_PAGE;
    return config_boolean(config, OPTION_STAND_KIOSK) ? VIEW_STAND_PAGE : VIEW_PAGE;
}

static enum status built_check(void)
{
    return page_server_is_built()
               ? STATUS_OK
               : status_fail(STATUS_CONFIG, "--serve: this program was built without "
                                            "libwebsockets; install libwebsockets-dev and build "
                                            "it again");
}

/* Flags of a window, which nobody sees. */
enum status view_serve_flags_check(const struct invocation *invocation)
{
    const bool stand = view_shown_of(invocation) == VIEW_STAND_PAGE;
    const struct idle_flag flags[] = {
        {OPTION_VIEWER_FULLSCREEN, true, "a page has no window; add --window"},
        {OPTION_VIEWER_DISPLAY, true, "a page has no window; add --window"},
        {OPTION_VIEWER_SOFTWARE, true, "a page has no window; add --window"},
        {OPTION_VIEWER_SOUND, true, "a page has no sound; add --window"},
        {OPTION_SCRIPT, !stand, "a script drives a window; add --window"},
        {OPTION_TOUR, !stand, "a tour plays in a window; add --window"},
        {OPTION_REPORT, true, "it reports about a window; add --window"}};
    TRY(arguments_none_idle(&invocation->arguments, flags, sizeof flags / sizeof *flags));
    return built_check();
}

static void *service_thread(void *context)
{
    struct service *service = context;
    service->status = serve_run(service->serve);
    if (service->status != STATUS_OK) {
        snprintf(service->text, sizeof service->text, "%s", status_text());
        __atomic_store_n(&stop_requested, 1, __ATOMIC_RELAXED); /* a window closes, too */
    }
    if (service->live)
        program_live_quit(service->live);
    view_thread_end();
    return NULL;
}

/* Signals are for the thread that expects them. */
static bool thread_start(struct service *service)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool runs = pthread_create(&service->thread, NULL, service_thread, service) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return runs;
}

/* This thread feeds the devices, another one answers pages. */
static enum status service_run(struct service *service)
{
    char text[STATUS_TEXT_BYTES] = "";
    if (!thread_start(service))
        return status_fail(STATUS_SYSTEM, "no thread for the page");
    enum status status = program_live_run(service->live);
    if (status != STATUS_OK)
        snprintf(text, sizeof text, "%s", status_text());
    __atomic_store_n(&stop_requested, 1, __ATOMIC_RELAXED);
    serve_wake(service->serve);
    pthread_join(service->thread, NULL);
    if (status != STATUS_OK)
        return status_fail(status, "%s", text);
    if (service->status != STATUS_OK)
        return status_fail(service->status, "%s", service->text);
    return program_live_losses(service->live);
}

/* The folder of the bookmarks, which the window uses, too. False: this user has no folder. */
static bool bookmarks_find(char path[USER_DATA_PATH_BYTES])
{
    char folder[USER_DATA_PATH_BYTES];
    return user_data_folder(folder) == STATUS_OK &&
           user_data_path(path, folder, "bookmarks") == STATUS_OK;
}

/* Opens the port. */
static enum status service_listen(struct service *service, const struct invocation *invocation,
                                  struct deepfield_world *world,
                                  const struct service_source *source)
{
    const struct config *config = &invocation->config;
    char bookmarks[USER_DATA_PATH_BYTES];
    bool kept = !config_boolean(config, OPTION_STAND_KIOSK) && bookmarks_find(bookmarks);
    TRY(environment_data_folder(service->folder, sizeof service->folder));
    const struct serve_options options = {
        .session = {.world = world,
                    .live = source->live,
                    .config = config,
                    .data = service->folder,
                    .bookmarks = kept ? bookmarks : NULL,
                    .status = source->feed,
                    .window = source->window,
                    .hidden = view_shown_of(invocation) == VIEW_STAND_PAGE,
                    .stand = config_boolean(config, OPTION_STAND_KIOSK),
                    .wall = config_text_or_null(config, OPTION_VIEWER_WALL)},
        .address = config_text(config, OPTION_VIEWER_SERVE_ADDRESS),
        .hosts = config_text_or_null(config, OPTION_VIEWER_SERVE_HOSTS),
        .port = (int)config_integer(config, OPTION_VIEWER_SERVE_PORT),
        .pages = (int)config_integer(config, OPTION_VIEWER_SERVE_PAGES),
        .tls = view_tls_files(config),
        .watchers = config_boolean(config, OPTION_VIEWER_SERVE_WATCH) ||
                    config_text_or_null(config, OPTION_VIEWER_WALL),
        .staff = config_boolean(config, OPTION_STAND_KIOSK),
        .stop = &stop_requested};
    return serve_open(&service->serve, &options);
}

/* Serves the page; with the status feed, if there is one. */
static enum status page_serve(const struct invocation *invocation, struct deepfield_world *world,
                              deepfield_live *live, struct status_server *feed)
{
    struct service service = {.live = live};
    const struct service_source source = {.live = live, .feed = feed};
    enum status status = service_listen(&service, invocation, world, &source);
    if (status == STATUS_OK) {
        program_live_wake(live, serve_wake, service.serve);
        status = service_run(&service);
        program_live_wake(live, NULL, NULL);
    }
    serve_close(service.serve);
    return status;
}

/* Opens the status feed that was asked for. One whose port is taken is tried again, as on a stand.
 */
static enum status feed_open(struct status_server **feed, const struct config *config)
{
    int port = (int)config_integer(config, OPTION_STAND_STATUS_PORT);
    const struct tls_files tls = view_tls_files(config);
    *feed = NULL;
    if (!port)
        return STATUS_OK;
    enum status status =
        status_server_open(feed, config_text(config, OPTION_STAND_STATUS_ADDRESS), port,
                           config_text_or_null(config, OPTION_VIEWER_SERVE_HOSTS), &tls);
    if (status != STATUS_SYSTEM)
        return status;
    message_print(status_text());
    return STATUS_OK;
}

static enum status page_and_feed_serve(const struct invocation *invocation,
                                       struct deepfield_world *world, deepfield_live *live)
{
    struct status_server *feed;
    enum status status = feed_open(&feed, &invocation->config);
    if (status == STATUS_OK)
        status = page_serve(invocation, world, live, feed);
    status_server_close(feed);
    return status;
}

enum status view_serve_run(struct invocation *invocation, struct deepfield_world *world)
{
    deepfield_renderer *renderer = NULL;
    deepfield_live *live = NULL;
    char text[STATUS_TEXT_BYTES] = "";
    TRY(view_serve_flags_check(invocation));
    enum status status = engine_renderer(&renderer, world, invocation, 0, true);
    if (status == STATUS_OK)
        status = program_live_open(
            &live, renderer, config_text_or_null(&invocation->config, OPTION_COMPUTE_ORBIT_CACHE));
    if (status == STATUS_OK)
        status = page_and_feed_serve(invocation, world, live);
    if (status != STATUS_OK)
        snprintf(text, sizeof text, "%s", status_text());
    enum status closed = program_live_close(live);
    if (closed != STATUS_OK) { /* nobody may wait for a rank that does not answer */
        message_print(status_text());
        rank_say(RANK_CODE, status_exit_code(closed));
        program_world_abort(invocation->world, closed);
    }
    deepfield_renderer_destroy(renderer);
    return status == STATUS_OK ? STATUS_OK : status_fail(status, "%s", text);
}

/* ---- beside a window ---- */

enum status view_service_open(struct service **service, const struct invocation *invocation,
                              struct deepfield_world *world, struct remote *window)
{
    const struct service_source source = {.window = window};
    struct service *made = *service = calloc(1, sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a page");
    TRY(built_check());
    TRY(service_listen(made, invocation, world, &source));
    remote_server_wake(window, serve_wake, made->serve);
    if (!thread_start(made)) {
        remote_server_wake(window, NULL, NULL);
        return status_fail(STATUS_SYSTEM, "no thread for the page");
    }
    made->window = window;
    return STATUS_OK;
}

enum status view_service_close(struct service *service)
{
    char text[STATUS_TEXT_BYTES];
    if (!service)
        return STATUS_OK;
    if (service->window) {
        __atomic_store_n(&stop_requested, 1, __ATOMIC_RELAXED);
        serve_wake(service->serve);
        pthread_join(service->thread, NULL);
        remote_server_wake(service->window, NULL, NULL);
    }
    enum status status = service->status;
    memcpy(text, service->text, sizeof text);
    serve_close(service->serve);
    free(service);
    return status == STATUS_OK ? STATUS_OK : status_fail(status, "%s", text);
}
