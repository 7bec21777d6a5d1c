#include "app/viewer/clerk.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct clerk {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct clerk_job jobs[CLERK_JOBS_MAX]; /* a ring */
    struct clerk_report reports[CLERK_JOBS_MAX];
    int first, count, first_report, report_count;
    bool ends, works;
    void (*wake)(void *context);
    void *context;
};

/* A report that nobody fetched gives way to newer ones. */
static void report_keep(struct clerk *clerk, const struct clerk_report *report)
{
    if (clerk->report_count == CLERK_JOBS_MAX) {
        clerk->first_report = (clerk->first_report + 1) % CLERK_JOBS_MAX;
        clerk->report_count--;
    }
    clerk->reports[(clerk->first_report + clerk->report_count++) % CLERK_JOBS_MAX] = *report;
}

static struct clerk_report job_do(const struct clerk_job *job)
{
    struct clerk_report report = {0};
    report.status = job->work(job->context, report.text);
    if (report.status != STATUS_OK)
        snprintf(report.text, sizeof report.text, "%s", status_text());
    if (job->destroy)
        job->destroy(job->context);
    return report;
}

static void *work(void *context)
{
    struct clerk *clerk = context;
    pthread_mutex_lock(&clerk->mutex);
    while (clerk->count || !clerk->ends) {
        if (!clerk->count) {
            pthread_cond_wait(&clerk->changed, &clerk->mutex);
            continue;
        }
        struct clerk_job job = clerk->jobs[clerk->first];
        clerk->first = (clerk->first + 1) % CLERK_JOBS_MAX;
        clerk->count--;
        clerk->works = true;
        pthread_mutex_unlock(&clerk->mutex);
        struct clerk_report report = job_do(&job);
        pthread_mutex_lock(&clerk->mutex);
        clerk->works = false;
        if (*report.text)
            report_keep(clerk, &report);
        if (clerk->wake)
            clerk->wake(clerk->context);
    }
    pthread_mutex_unlock(&clerk->mutex);
    return NULL;
}

enum status clerk_open(struct clerk **clerk, void (*wake)(void *context), void *context)
{
    struct clerk *c = *clerk = calloc(1, sizeof *c);
    if (!c)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a thread");
    c->wake = wake;
    c->context = context;
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->changed, NULL);
    if (pthread_create(&c->thread, NULL, work, c) == 0)
        return STATUS_OK;
    free(c);
    *clerk = NULL;
    return status_fail(STATUS_SYSTEM, "no thread for writing files");
}

void clerk_close(struct clerk *clerk)
{
    if (!clerk)
        return;
    pthread_mutex_lock(&clerk->mutex);
    clerk->ends = true;
    pthread_cond_signal(&clerk->changed);
    pthread_mutex_unlock(&clerk->mutex);
    pthread_join(clerk->thread, NULL);
    pthread_cond_destroy(&clerk->changed);
    pthread_mutex_destroy(&clerk->mutex);
    free(clerk);
}

enum status clerk_give(struct clerk *clerk, const struct clerk_job *job)
{
    pthread_mutex_lock(&clerk->mutex);
    bool room = clerk->count < CLERK_JOBS_MAX;
    if (room)
        clerk->jobs[(clerk->first + clerk->count++) % CLERK_JOBS_MAX] = *job;
    pthread_cond_signal(&clerk->changed);
    pthread_mutex_unlock(&clerk->mutex);
    if (room)
        return STATUS_OK;
    if (job->destroy)
        job->destroy(job->context);
    return status_fail(STATUS_SYSTEM, "%d files wait to be written; nothing more is taken on",
                       CLERK_JOBS_MAX);
}

bool clerk_report(struct clerk *clerk, struct clerk_report *report)
{
    pthread_mutex_lock(&clerk->mutex);
    bool there = clerk->report_count > 0;
    if (there) {
        *report = clerk->reports[clerk->first_report];
        clerk->first_report = (clerk->first_report + 1) % CLERK_JOBS_MAX;
        clerk->report_count--;
    }
    pthread_mutex_unlock(&clerk->mutex);
    return there;
}

bool clerk_idle(struct clerk *clerk)
{
    pthread_mutex_lock(&clerk->mutex);
    bool idle = !clerk->count && !clerk->works;
    pthread_mutex_unlock(&clerk->mutex);
    return idle;
}
