#include "app/viewer/core/search.h"

#include <stdio.h>

#include "render/live/rank_worker.h"

enum { MILLE = 1000 };

enum status search_open(struct search *search, void (*wake)(void *context), void *context)
{
    search->wake = wake;
    search->context = context;
    return background_open(&search->thread);
}

void search_close(struct search *search)
{
    search_stop(search);
    background_close(search->thread);
    finding_destroy(&search->finding);
    view_destroy(&search->view);
}

static void progress_take(void *context, const struct finder_progress *progress)
{
    struct search *search = context;
    int mille = (int)(MILLE * progress->part);
    atomic_store(&search->progress,
                 MILLE * (int)progress->stage + (mille < MILLE ? mille : MILLE - 1));
}

static void search_run(void *argument)
{
    static _Thread_local bool lowered;
    struct search *search = argument;
    if (!lowered)
        thread_priority_lower();
    lowered = true;
    search->status = finder_run(&search->request, &search->finding);
    snprintf(search->text, sizeof search->text, "%s",
             search->status == STATUS_OK ? "" : status_text());
    view_thread_end();
    atomic_store(&search->done, true);
    search->wake(search->context);
}

enum status search_begin(struct search *search, const struct finder_request *request)
{
    finding_destroy(&search->finding);
    TRY(view_copy(&search->view, request->view));
    search->request = *request;
    search->request.view = &search->view;
    search->request.threads = 0;
    search->request.stop = &search->stop;
    search->request.progress = progress_take;
    search->request.context = search;
    search->stop = 0;
    search->busy = true;
    atomic_store(&search->done, false);
    atomic_store(&search->progress, 0);
    background_run(search->thread, search_run, search);
    return STATUS_OK;
}

void search_stop(struct search *search)
{
    __atomic_store_n(&search->stop, 1, __ATOMIC_RELAXED);
}

bool search_take(struct search *search)
{
    if (!search->busy || !atomic_load(&search->done))
        return false;
    search->busy = false;
    return true;
}

struct finder_progress search_progress(struct search *search)
{
    int progress = atomic_load(&search->progress);
    return (struct finder_progress){(enum finder_stage)(progress / MILLE),
                                    (double)(progress % MILLE) / MILLE, 0};
}
