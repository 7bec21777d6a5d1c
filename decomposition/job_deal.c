#include "decomposition/job_root.h"

#include <stdio.h>

#include "decomposition/clock.h"
#include "decomposition/outbox.h"

static const double feed_interval_s = 0.0005;

/* --- giving tiles out ------------------------------------------------------------------------- */

static enum status give_one(struct root *root, uint32_t worker, bool *any)
{
    uint32_t tile = book_next(root->book, worker, clock_s());
    if (tile == root->job->tile_count)
        return STATUS_OK;
    *any = true;
    int rank = root->rank_of[worker];
    if (rank == 0) {
        worker_give(root->own, tile);
        return STATUS_OK;
    }
    struct message message = {.kind = MESSAGE_TAKE, .epoch = root->job->epoch, .tile = tile};
    return outbox_post(root->world, rank, &message, NULL, 0);
}

/* One each before anybody gets a second. */
enum status root_give_all(struct root *root)
{
    for (bool any = true; any;) {
        any = false;
        for (uint32_t worker = 0; worker < root->workers; worker++)
            TRY(give_one(root, worker, &any));
    }
    return STATUS_OK;
}

enum status root_give_again(struct root *root)
{
    double now_s = clock_s();
    if (now_s < root->next_feed_s)
        return STATUS_OK;
    root->next_feed_s = now_s + feed_interval_s;
    return root_give_all(root);
}

/* --- ranks that do not answer ----------------------------------------------------------------- */

static void notice(const struct root *root, int rank)
{
    const struct world *world = root->world;
    char text[STATUS_TEXT_BYTES], what[64] = "answers again";
    if (!root->job->notice)
        return;
    bool answers = presence_answers(world, rank);
    if (!answers && presence_lost(world, rank))
        snprintf(what, sizeof what, "has ended");
    else if (!answers)
        snprintf(what, sizeof what, "has not answered for %.3g s", world->silent_s);
    snprintf(text, sizeof text, "rank %d on %s %s%s", rank, presence_host(world, rank), what,
             answers || root->ended ? "" : "; others compute what it has");
    root->job->notice(root->job->context, text);
}

enum status root_judge(struct root *root, int rank)
{
    bool silent = !presence_answers(root->world, rank);
    if (silent == root->silent[rank] || root->gone[rank])
        return STATUS_OK;
    root->silent[rank] = silent;
    root->report->rank[rank].silences += silent;
    notice(root, rank);
    if (silent)
        TRY(inbox_widen(root->inbox, rank));
    if (!root->book || root->worker_of[rank] < 0)
        return STATUS_OK;
    (silent ? book_silent : book_answers)(root->book, (uint32_t)root->worker_of[rank]);
    return root->ended ? STATUS_OK : root_give_all(root);
}

/* --- taking tiles home ------------------------------------------------------------------------ */

/* Is this a tile of the picture, and of the right size? */
static enum status check_announced(const struct root *root, int rank, const struct message *message)
{
    const struct job *job = root->job;
    if (message->tile >= job->tile_count)
        return status_fail(STATUS_INTERNAL, "rank %d announced tile %u of %u", rank, message->tile,
                           job->tile_count);
    const struct tile *tile = &job->tiles[message->tile];
    size_t bytes;
    TRY(field_bytes(tile->width, tile->height, job->planes, job->count_bytes, &bytes));
    if (message->length != bytes)
        return status_fail(STATUS_INTERNAL, "rank %d announced tile %u with %llu bytes, not %zu",
                           rank, message->tile, (unsigned long long)message->length, bytes);
    return STATUS_OK;
}

/* *first: nobody had it sooner. */
static enum status announce(struct root *root, int rank, const struct message *message, bool *first)
{
    int32_t worker = root->worker_of[rank];
    enum book_news news = BOOK_UNASKED;
    if (worker >= 0)
        news = book_done(root->book, (uint32_t)worker, message->tile, message->iterations,
                         message->busy_s);
    *first = news == BOOK_FIRST;
    if (news == BOOK_UNASKED)
        return status_fail(STATUS_INTERNAL,
                           "rank %d announced tile %u, which it was not to compute", rank,
                           message->tile);
    struct job_rank *row = &root->report->rank[rank];
    if (!root->gone[rank]) { /* BYE brings the figures of all */
        row->tiles++;
        row->iterations += message->iterations;
        row->busy_s += message->busy_s;
    }
    if (news == BOOK_AGAIN) {
        root->report->twice++;
    } else {
        const struct tile *tile = &root->job->tiles[message->tile];
        root->progress.tiles_done++;
        root->progress.pixels_done += (uint64_t)tile->width * (uint64_t)tile->height;
        root->progress.iterations += message->iterations;
    }
    bool any = !root->ended;
    while (any) {
        any = false;
        TRY(give_one(root, (uint32_t)worker, &any));
    }
    return STATUS_OK;
}

/* After a failure what arrives is of no use. */
static enum status put_home(struct root *root, uint32_t tile)
{
    const struct job *job = root->job;
    if (root->verdict != STATUS_OK || !job->home)
        return STATUS_OK;
    return job->home(job->context, tile);
}

enum status root_own_tile(void *context, const struct message *message)
{
    bool first;
    TRY(announce(context, 0, message, &first));
    return first ? put_home(context, message->tile) : STATUS_OK;
}

enum status root_take_pixels(void *context, int rank, const struct message *message, bool wanted,
                             const struct field *apart)
{
    struct root *root = context;
    const struct job *job = root->job;
    if (job->roads[rank]->release)
        root->kept -= wanted;
    else
        TRY(announce(root, rank, message, &wanted));
    if (!wanted)
        return STATUS_OK;
    if (apart) {
        struct field to = tile_window(&job->tiles[message->tile], &job->frame);
        TRY(job->memory->copy(job->memory->context, &to, apart));
    }
    return put_home(root, message->tile);
}

enum status root_take_tile(struct root *root, const struct arrival *arrival)
{
    const struct message *message = &arrival->message;
    const struct transport_kind *road = root->job->roads[arrival->rank];
    bool first = true;
    if (root->verdict != STATUS_OK)
        return STATUS_OK; /* finished before its rank heard of the end */
    if (root->worker_of[arrival->rank] < 0 || (int)message->kind != road->announces)
        return status_fail(STATUS_INTERNAL, "rank %d uses another transport", arrival->rank);
    TRY(check_announced(root, arrival->rank, message));
    if (road->in_place || road->release)
        TRY(announce(root, arrival->rank, message, &first));
    if (road->in_place)
        return first ? put_home(root, message->tile) : STATUS_OK;
    root->kept += road->release && first;
    return pixels_expect(root->pixels, arrival->rank, message, first,
                         &root->job->tiles[message->tile], &root->job->frame);
}

/* --- what devices lose ------------------------------------------------------------------------ */

static enum status lose(struct root *root, int rank, uint32_t tile, int lanes_left,
                        const char *host, const char *text)
{
    struct job_report *report = root->report;
    if (report->lanes_lost++ == 0) {
        report->lost_rank = rank;
        snprintf(report->lost_text, sizeof report->lost_text, "%s", text);
        snprintf(root->lost_host, sizeof root->lost_host, "%s", host);
    }
    if (root->ended || root->verdict != STATUS_OK)
        return STATUS_OK;
    int32_t worker = root->worker_of[rank];
    if (worker < 0 || tile >= root->job->tile_count ||
        !book_lost(root->book, (uint32_t)worker, tile, lanes_left))
        return status_fail(STATUS_INTERNAL, "rank %d lost tile %u, which it did not have", rank,
                           tile);
    if (book_lanes(root->book) + book_silent_lanes(root->book) == 0 && book_undone(root->book) > 0)
        return status_fail(STATUS_DEVICE_LOST,
                           "every device failed; the first, on rank %d on %s: %s",
                           report->lost_rank, root->lost_host, report->lost_text);
    return root_give_all(root);
}

enum status root_own_loss(struct root *root, uint32_t tile, int lanes_left, const char *text)
{
    return lose(root, 0, tile, lanes_left, root->world->host, text);
}

enum status root_take_loss(struct root *root, const struct arrival *arrival)
{
    struct failure_note *note = arrival->payload;
    if (arrival->message.length != sizeof *note)
        return status_fail(STATUS_INTERNAL, "rank %d lost a device without saying how",
                           arrival->rank);
    note->host[sizeof note->host - 1] = note->text[sizeof note->text - 1] = '\0';
    return lose(root, arrival->rank, arrival->message.tile, note->lanes_left, note->host,
                note->text);
}
