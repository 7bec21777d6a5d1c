#include "decomposition/schedule/schedule.h"

/* A worker counts as much slower than another when a tile takes it this many times as long. Between
 * workers that are not, the order of asking decides, as between equal ones. */
static const double much_slower = 2;
/* What a tile may cost, in means: a slow worker is given one only if even then nobody would wait
 * for it. Costs have a heavy tail; what lies beyond is for the backups. */
static const double dear_tile = 2;
/* Limits in times of the expected time, and in seconds: when a tile that is beyond both will end is
 * unknown, and its worker may be hanging. Costs differ up to 40 times, but few tiles are that far
 * from the mean, and what an idle worker computes in vain costs no time. */
static const double far_beyond = 20, far_beyond_s = 1;

/* Seconds that one thread takes for an iteration. Only where the speed is known. */
static double thread_s(const struct schedule_worker *worker)
{
    return worker->threads / worker->speed;
}

static bool speed_known(const struct schedule_worker *worker)
{
    return worker->threads > 0 && worker->speed > 0;
}

/* Seconds until a worker is through with `tiles` of one iteration each. */
static double through_s(const struct schedule_worker *worker, double tiles)
{
    double rounds = tiles / worker->threads;
    return thread_s(worker) * (rounds > 1 ? rounds : 1);
}

/* How many of the tiles left could the much faster ones finish before `worker` is through with one
 * more? With those, it would only hold the tail. */
static double tiles_sooner(const struct schedule *schedule, uint32_t worker)
{
    const struct schedule_worker *slow = &schedule->worker[worker];
    if (!speed_known(slow))
        return 0;
    double horizon_s = dear_tile * through_s(slow, (double)slow->outstanding + 1), tiles = 0;
    for (uint32_t i = 0; i < schedule->workers; i++) {
        const struct schedule_worker *fast = &schedule->worker[i];
        if (!speed_known(fast) || thread_s(slow) < much_slower * thread_s(fast))
            continue;
        double by_then = horizon_s * fast->speed - (double)fast->outstanding;
        tiles += by_then > 0 ? by_then : 0;
    }
    return tiles;
}

/* The same with a forecast: would `worker` still be at its tile when the much faster ones are
 * through with all that is left? */
static bool others_sooner(const struct schedule *schedule, uint32_t worker)
{
    const struct schedule_worker *slow = &schedule->worker[worker];
    double speed = 0;
    if (!speed_known(slow))
        return false;
    for (uint32_t i = 0; i < schedule->workers; i++) {
        const struct schedule_worker *fast = &schedule->worker[i];
        if (speed_known(fast) && thread_s(slow) >= much_slower * thread_s(fast))
            speed += fast->speed;
    }
    double mine_s = schedule->tile_iterations * through_s(slow, (double)slow->outstanding + 1);
    return dear_tile * mine_s * speed > schedule->left_iterations;
}

/* A slow worker takes as long over its part as the fastest over the dearest tile. */
static double dynamic_portion(const struct schedule *schedule, uint32_t worker)
{
    const struct schedule_worker *asking = &schedule->worker[worker];
    double least_s = 0;
    if (!speed_known(asking))
        return 1;
    for (uint32_t i = 0; i < schedule->workers; i++) {
        const struct schedule_worker *other = &schedule->worker[i];
        if (speed_known(other) && (least_s <= 0 || thread_s(other) < least_s))
            least_s = thread_s(other);
    }
    double portion = least_s / thread_s(asking);
    return portion * much_slower > 1 ? 1 : portion;
}

/* A worker's part of what all do together. */
static double part(const struct schedule *schedule, uint32_t worker)
{
    double speed = 0;
    for (uint32_t i = 0; i < schedule->workers; i++) {
        if (schedule->worker[i].threads > 0 && !speed_known(&schedule->worker[i]))
            return (double)schedule->worker[worker].threads / (double)schedule->threads;
        speed += schedule->worker[i].speed;
    }
    return schedule->worker[worker].speed / speed;
}

/* Would a tile that waits at `worker` behind what it has be begun only when others are idle? */
static bool waits_too_long(const struct schedule *schedule, uint32_t worker)
{
    double queued = schedule->held_iterations + schedule->tile_iterations;
    return queued > schedule->undone_iterations * part(schedule, worker);
}

/* The list is taken from the front by whoever is free, so with a forecast longest-first. Without
 * one, near the end, when fewer tiles are left than there are threads, nobody is given one that
 * would lie in a queue while another worker has nothing to do. */
static bool dynamic_gives(const struct schedule *schedule, uint32_t worker)
{
    const struct schedule_worker *asking = &schedule->worker[worker];
    if (schedule->left == 0 || asking->threads == 0 ||
        asking->outstanding >= (uint32_t)asking->credits)
        return false;
    bool queues = asking->outstanding >= (uint32_t)asking->threads;
    if (schedule->left_iterations > 0)
        return !others_sooner(schedule, worker) && !(queues && waits_too_long(schedule, worker));
    if (queues && schedule->left <= schedule->threads)
        return false;
    return schedule->left > tiles_sooner(schedule, worker);
}

/* A holder of unknown speed, or one that is far beyond its time, is judged by held_s alone, for
 * which it has not finished a tile. A tile that is overdue is dear, and will take about as long
 * again as it has taken. */
static bool dynamic_backs_up(const struct schedule *schedule, uint32_t worker, uint32_t holder,
                             double held_s)
{
    const struct schedule_worker *fast = &schedule->worker[worker];
    const struct schedule_worker *slow = &schedule->worker[holder];
    if (!speed_known(fast) || fast->outstanding >= (uint32_t)fast->threads ||
        schedule->tile_iterations <= 0)
        return false;
    double mine_s = schedule->tile_iterations * thread_s(fast);
    double tile_s = held_s, due_s = held_s;
    double predicted_s =
        speed_known(slow) ? schedule->tile_iterations * through_s(slow, slow->outstanding) : 0;
    if (predicted_s > 0 && (held_s <= far_beyond * predicted_s || held_s <= far_beyond_s)) {
        tile_s = schedule->tile_iterations * thread_s(slow);
        due_s = predicted_s;
    }
    if (tile_s < much_slower * mine_s)
        return false;
    double left_s = held_s < due_s ? due_s - held_s : held_s;
    double dearer = held_s > due_s ? held_s / due_s : 1;
    return mine_s * dearer < left_s;
}

const struct schedule_kind schedule_dynamic = {
    .name = "dynamic",
    .summary = "on demand: each worker is given the next tile as it finishes one",
    .is_static = false,
    .gives = dynamic_gives,
    .portion = dynamic_portion,
    .backs_up = dynamic_backs_up,
};
