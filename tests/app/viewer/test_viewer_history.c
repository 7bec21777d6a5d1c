/* Saves of the history by the viewer that fail: no change is added to a file that lacks the changes
 * before it, and the next save writes the file whole. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "app/viewer/core/viewer_files.h"
#include "tests/app/scratch.h"
#include "tests/support/check.h"

static char folder[SCRATCH_BYTES];

static int folder_open(void **state)
{
    (void)state;
    scratch_make(folder);
    return 0;
}

static int folder_close(void **state)
{
    (void)state;
    scratch_remove(folder);
    return 0;
}

static struct viewer *viewer_begin(void)
{
    struct viewer *viewer = calloc(1, sizeof *viewer);
    assert_non_null(viewer);
    pthread_mutex_init(&viewer->inbox.mutex, NULL);
    assert_int_equal(place_create(&viewer->place, 640, 480), STATUS_OK);
    assert_int_equal(history_create(&viewer->history), STATUS_OK);
    assert_int_equal(io_thread_open(&viewer->io_thread, NULL, NULL), STATUS_OK);
    snprintf(viewer->history_path, sizeof viewer->history_path, "%s/history.log", folder);
    return viewer;
}

static void viewer_end(struct viewer *viewer)
{
    viewer_files_close(viewer);
    history_destroy(viewer->history);
    place_destroy(&viewer->place);
    pthread_mutex_destroy(&viewer->inbox.mutex);
    free(viewer);
}

/* Makes a place of this limit a step, and waits until the I/O thread has done what it could. */
static void step_keep(struct viewer *viewer, int64_t limit)
{
    viewer->place.limit = limit;
    viewer_history_keep(viewer);
    while (!io_thread_idle(viewer->io_thread))
        sched_yield();
}

static int alarms_take(struct viewer *viewer)
{
    struct io_thread_report report;
    int alarms = 0;
    while (io_thread_report(viewer->io_thread, &report))
        alarms += report.status != STATUS_OK;
    return alarms;
}

/* The file says that so many places lie before the present one, which has this limit. */
static void assert_saved(const struct viewer *viewer, size_t before, int64_t limit)
{
    struct history *history;
    char warning[STATUS_TEXT_BYTES], line[32];
    assert_int_equal(history_create(&history), STATUS_OK);
    assert_int_equal(history_load(history, viewer->history_path, warning), STATUS_OK);
    assert_string_equal(warning, "");
    assert_int_equal(history_before(history), before);
    snprintf(line, sizeof line, "limit = %d\n", (int)limit);
    assert_non_null(strstr(history_present(history), line));
    history_destroy(history);
}

/* Limits the size of files, so that nothing more can be written; false: lifts the limit. */
static void disk_fill(bool full)
{
    static struct rlimit before;
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    if (full)
        before = limit;
    limit.rlim_cur = full ? 9 : before.rlim_cur;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST_WITH(test_a_full_disk, folder_open, folder_close)
{
    struct viewer *viewer = viewer_begin();
    step_keep(viewer, 1001);
    assert_saved(viewer, 0, 1001);
    disk_fill(true);
    step_keep(viewer, 1002);
    assert_int_equal(alarms_take(viewer), 1);
    step_keep(viewer, 1003);
    assert_int_equal(alarms_take(viewer), 1);
    disk_fill(false);
    assert_saved(viewer, 0, 1001);
    step_keep(viewer, 1004);
    assert_saved(viewer, 3, 1004);
    step_keep(viewer, 1005);
    assert_saved(viewer, 4, 1005);
    assert_int_equal(alarms_take(viewer), 0);
    viewer_end(viewer);
}

/* The viewer's last change is saved as it ends, if there is room again. */
TEST_WITH(test_room_before_the_end, folder_open, folder_close)
{
    struct viewer *viewer = viewer_begin();
    step_keep(viewer, 1001);
    disk_fill(true);
    step_keep(viewer, 1002);
    disk_fill(false);
    viewer_files_close(viewer);
    assert_saved(viewer, 1, 1002);
    viewer_end(viewer);
}

struct gate {
    pthread_mutex_t mutex;
    atomic_bool reached;
};

/* Job of the I/O thread that keeps it until the mutex is free. */
static enum status gate_wait(void *context, char *text)
{
    struct gate *gate = context;
    (void)text;
    atomic_store(&gate->reached, true);
    pthread_mutex_lock(&gate->mutex);
    pthread_mutex_unlock(&gate->mutex);
    return STATUS_OK;
}

static void gate_shut(struct viewer *viewer, struct gate *gate)
{
    struct io_thread_job job = {gate_wait, NULL, gate};
    pthread_mutex_lock(&gate->mutex);
    assert_int_equal(io_thread_give(viewer->io_thread, &job), STATUS_OK);
    while (!atomic_load(&gate->reached))
        sched_yield();
}

static void gate_open(struct viewer *viewer, struct gate *gate)
{
    pthread_mutex_unlock(&gate->mutex);
    while (!io_thread_idle(viewer->io_thread))
        sched_yield();
}

/* Changes that wait for the thread while an earlier one fails are not added behind the gap. */
TEST_WITH(test_changes_that_wait, folder_open, folder_close)
{
    struct gate gate = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    struct viewer *viewer = viewer_begin();
    char path[sizeof viewer->history_path];
    step_keep(viewer, 1001);
    gate_shut(viewer, &gate);
    memcpy(path, viewer->history_path, sizeof path);
    snprintf(viewer->history_path, sizeof path, "/proc/history.log"); /* this one fails */
    viewer->place.limit = 1002;
    viewer_history_keep(viewer);
    memcpy(viewer->history_path, path, sizeof path);
    viewer->place.limit = 1003;
    viewer_history_keep(viewer);
    gate_open(viewer, &gate);
    assert_int_equal(alarms_take(viewer), 1);
    assert_saved(viewer, 0, 1001);
    step_keep(viewer, 1004);
    assert_saved(viewer, 3, 1004);
    viewer_end(viewer);
}

/* A change that the thread does not take, since too many jobs wait, is in the next one. */
TEST_WITH(test_changes_refused, folder_open, folder_close)
{
    struct gate gate = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    struct viewer *viewer = viewer_begin();
    step_keep(viewer, 1001);
    gate_shut(viewer, &gate);
    struct io_thread_job job = {gate_wait, NULL, &gate};
    while (io_thread_give(viewer->io_thread, &job) == STATUS_OK)
        ;
    viewer->place.limit = 1002;
    viewer_history_keep(viewer);
    gate_open(viewer, &gate);
    step_keep(viewer, 1003);
    assert_saved(viewer, 2, 1003);
    viewer_end(viewer);
}

int main(void)
{
    return check_run(NULL, NULL);
}
