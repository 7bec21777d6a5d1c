#include "app/viewer/files/io_thread.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct io_thread {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct io_thread_job jobs[IO_THREAD_JOBS_MAX]; /* a ring */
    struct io_thread_report reports[IO_THREAD_JOBS_MAX];
    int first, count, first_report, report_count;
    bool ends, works;
    void (*wake)(void *context);
    void *context;
};

/* Keeps a report; when the ring is full the oldest, which was not fetched, is dropped. */
static void report_keep(struct io_thread *io_thread, const struct io_thread_report *report)
{
    if (io_thread->report_count == IO_THREAD_JOBS_MAX) {
        io_thread->first_report = (io_thread->first_report + 1) % IO_THREAD_JOBS_MAX;
        io_thread->report_count--;
    }
    io_thread->reports[(io_thread->first_report + io_thread->report_count++) % IO_THREAD_JOBS_MAX] =
        *report;
}

static struct io_thread_report job_do(const struct io_thread_job *job)
{
    struct io_thread_report report = {0};
    report.status = job->work(job->context, report.text);
    if (report.status != STATUS_OK)
        snprintf(report.text, sizeof report.text, "%s", status_text());
    if (job->destroy)
        job->destroy(job->context);
    return report;
}

static void *jobs_run(void *context)
{
    struct io_thread *io_thread = context;
    pthread_mutex_lock(&io_thread->mutex);
    while (io_thread->count || !io_thread->ends) {
        if (!io_thread->count) {
            pthread_cond_wait(&io_thread->changed, &io_thread->mutex);
            continue;
        }
        struct io_thread_job job = io_thread->jobs[io_thread->first];
        io_thread->first = (io_thread->first + 1) % IO_THREAD_JOBS_MAX;
        io_thread->count--;
        io_thread->works = true;
        pthread_mutex_unlock(&io_thread->mutex);
        struct io_thread_report report = job_do(&job);
        pthread_mutex_lock(&io_thread->mutex);
        io_thread->works = false;
        if (*report.text)
            report_keep(io_thread, &report);
        if (io_thread->wake)
            io_thread->wake(io_thread->context);
    }
    pthread_mutex_unlock(&io_thread->mutex);
    return NULL;
}

enum status io_thread_open(struct io_thread **io_thread, void (*wake)(void *context), void *context)
{
    struct io_thread *c = *io_thread = calloc(1, sizeof *c);
    if (!c)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a thread");
    c->wake = wake;
    c->context = context;
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->changed, NULL);
    if (pthread_create(&c->thread, NULL, jobs_run, c) == 0)
        return STATUS_OK;
    free(c);
    *io_thread = NULL;
    return status_fail(STATUS_SYSTEM, "no thread for writing files");
}

void io_thread_finish(struct io_thread *io_thread)
{
    if (io_thread->ends)
        return;
    pthread_mutex_lock(&io_thread->mutex);
    io_thread->ends = true;
    pthread_cond_signal(&io_thread->changed);
    pthread_mutex_unlock(&io_thread->mutex);
    pthread_join(io_thread->thread, NULL);
}

void io_thread_close(struct io_thread *io_thread)
{
    if (!io_thread)
        return;
    io_thread_finish(io_thread);
    pthread_cond_destroy(&io_thread->changed);
    pthread_mutex_destroy(&io_thread->mutex);
    free(io_thread);
}

enum status io_thread_give(struct io_thread *io_thread, const struct io_thread_job *job)
{
    pthread_mutex_lock(&io_thread->mutex);
    bool room = io_thread->count < IO_THREAD_JOBS_MAX;
    if (room)
        io_thread->jobs[(io_thread->first + io_thread->count++) % IO_THREAD_JOBS_MAX] = *job;
    pthread_cond_signal(&io_thread->changed);
    pthread_mutex_unlock(&io_thread->mutex);
    if (room)
        return STATUS_OK;
    if (job->destroy)
        job->destroy(job->context);
    return status_fail(STATUS_SYSTEM, "%d files wait to be written; nothing more is taken on",
                       IO_THREAD_JOBS_MAX);
}

bool io_thread_report(struct io_thread *io_thread, struct io_thread_report *report)
{
    pthread_mutex_lock(&io_thread->mutex);
    bool there = io_thread->report_count > 0;
    if (there) {
        *report = io_thread->reports[io_thread->first_report];
        io_thread->first_report = (io_thread->first_report + 1) % IO_THREAD_JOBS_MAX;
        io_thread->report_count--;
    }
    pthread_mutex_unlock(&io_thread->mutex);
    return there;
}

bool io_thread_idle(struct io_thread *io_thread)
{
    pthread_mutex_lock(&io_thread->mutex);
    bool idle = !io_thread->count && !io_thread->works;
    pthread_mutex_unlock(&io_thread->mutex);
    return idle;
}
