/* deepfield status: how far has a run come that another shell has started? */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "app/command/command.h"
#include "app/report/document.h"
#include "app/report/event_log.h"
#include "app/report/progress.h"
#include "render/disk/run_status.h"

enum { PATH_BYTES = 4096 };

/* Finds the folder of a run; `operand` is that folder, or the file that the run writes. */
static enum status folder_find(const char *operand, char path[PATH_BYTES])
{
    struct stat about;
    if (!operand)
        return status_fail(STATUS_USAGE, "deepfield status needs a NAME.deepfield, the folder of a "
                                         "run");
    snprintf(path, PATH_BYTES, "%s", operand);
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return STATUS_OK;
    snprintf(path, PATH_BYTES, "%s%s", operand, RUN_STATUS_SUFFIX);
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return STATUS_OK;
    return status_fail(
        STATUS_NO_INPUT,
        "there is no folder %.3000s: a run makes it with the first tile that ends after a second, "
        "behind a reference orbit however long that takes, and removes it when all is done",
        path);
}

static void ranks_print(const struct run_status *status)
{
    printf("%5s  %-16s %10s %6s %14s %9s\n", "rank", "host", "tiles", "done", "G iterations/s",
           "heard");
    for (int i = 0; i < status->ranks; i++) {
        const struct run_rank *rank = &status->rank[i];
        if (!rank->computes)
            continue;
        double share =
            status->iterations ? (double)rank->iterations / (double)status->iterations : 0;
        share = share < 1 ? share : 1; /* its own figure may be the newer one */
        double speed = status->seconds > 0 ? (double)rank->iterations / status->seconds * 1e-9 : 0;
        printf("%5d  %-16s %10llu %4.0f %% %14.2f %5.1f s ago\n", i, rank->host,
               (unsigned long long)rank->tiles, share * 100, speed, rank->unheard_s);
    }
}

static void status_print(const struct run_status *status)
{
    char left[32] = "?", since[32], ago[32];
    double now_s = event_time(), age_s = now_s - status->written_s;
    if (status->left_s >= 0)
        progress_duration(status->left_s, left, sizeof left);
    progress_duration(status->seconds, since, sizeof since);
    progress_duration(age_s > 0 ? age_s : 0, ago, sizeof ago);
    printf("%.1f %% of the work in %s", status->share * 100, since);
    switch (run_status_state(status, now_s)) {
    case RUN_RUNNING:
        printf(", %s left; running, as of %s ago\n", left, ago);
        break;
    case RUN_SILENT:
        printf(", %s left; no sign for %s of process %lld on %s\n", left, ago,
               (long long)status->process, status->host);
        break;
    case RUN_GONE:
        printf("; its process is gone, the last sign was %s ago\n", ago);
        break;
    case RUN_ENDED:
        printf("; ended %s ago with code %d%s%s\n", ago, status->code, *status->text ? ": " : "",
               status->text);
        break;
    }
    ranks_print(status);
}

static enum status status_json_print(const struct run_status *status)
{
    struct json json = {.stream = stdout};
    json_begin(&json, "status/1");
    run_status_json(&json, status);
    json_text(&json, "state", run_state_name(run_status_state(status, event_time())));
    run_status_end_json(&json, status);
    return document_end(&json);
}

enum status command_status(struct invocation *invocation)
{
    char folder[PATH_BYTES];
    struct run_status status;
    TRY(folder_find(invocation->arguments.operand, folder));
    TRY(run_status_read(&status, folder));
    enum status shown = STATUS_OK;
    if (arguments_has(&invocation->arguments, OPTION_JSON))
        shown = status_json_print(&status);
    else
        status_print(&status);
    run_status_destroy(&status);
    return shown;
}
