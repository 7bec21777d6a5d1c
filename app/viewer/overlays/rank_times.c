#include "app/viewer/overlays/rank_times.h"

#include <math.h>
#include <string.h>

/* ---- rows ---- */

static void rows_set(struct rank_times *times, const deepfield_live_state *state)
{
    bool root = state->workers > 0 && state->worker[0].rank > 0;
    if (times->workers == state->workers && times->root == root)
        return;
    *times = (struct rank_times){.root = root, .workers = state->workers};
    int most = RANK_TIMES_ROWS - root;
    times->rows = (state->workers < most ? state->workers : most) + root;
}

void rank_times_workers(const struct rank_times *times, int row, int *first, int *end)
{
    int rows = times->rows - times->root, k = row - times->root;
    *first = *end = 0;
    if (k < 0 || rows < 1)
        return;
    *first = k * times->workers / rows;
    *end = (k + 1) * times->workers / rows;
}

static struct rank_times_sums sums_of(const struct rank_times *times,
                                      const deepfield_live_state *state)
{
    struct rank_times_sums sums = {.compose_s = state->compose_s, .work_s = state->work_s};
    for (int row = 0; row < times->rows; row++) {
        int first, end;
        rank_times_workers(times, row, &first, &end);
        for (int w = first; w < end; w++) {
            sums.compute_s[row] += state->load[w].compute_s / (end - first);
            sums.transfer_s[row] += state->load[w].transfer_s / (end - first);
        }
    }
    return sums;
}

static bool is_out(const struct rank_times *times, const deepfield_live_state *state, int row)
{
    int first, end;
    rank_times_workers(times, row, &first, &end);
    for (int w = first; w < end; w++)
        if (state->load[w].computes)
            return false;
    return end > first;
}

/* ---- columns ---- */

static struct rank_times_column *column_at(struct rank_times *times, int row, int64_t number)
{
    return &times->at[row][number % RANK_TIMES_COLUMNS];
}

static void columns_turn(struct rank_times *times, double now_s)
{
    int64_t newest = (int64_t)floor(now_s / RANK_TIMES_COLUMN_S);
    int64_t oldest = newest - RANK_TIMES_COLUMNS;
    for (int64_t c = fmax((double)times->column, (double)oldest) + 1; c <= newest; c++)
        for (int row = 0; row < times->rows; row++)
            *column_at(times, row, c) = (struct rank_times_column){.work = 0};
    times->column = newest;
}

static double used_of(const struct rank_times_column *column)
{
    return (double)column->part[RANK_COMPUTES] + (double)column->part[RANK_TRANSFERS] +
           (double)column->part[RANK_COMPOSES];
}

/* Adds seconds to the newest column, and what it has no room for to those before. `work`: time in
 * which there is something to compute, else the part. */
static void seconds_add(struct rank_times *times, int row, double seconds, double room_s, bool work,
                        enum rank_time part)
{
    for (int age = 0; age < RANK_TIMES_COLUMNS && seconds > 1e-6; age++) {
        struct rank_times_column *column = column_at(times, row, times->column - age);
        double free_s = room_s - (work ? (double)column->work : used_of(column));
        double taken_s = fmin(fmax(free_s, 0), seconds);
        if (work)
            column->work += (float)taken_s;
        else
            column->part[part] += (float)taken_s;
        seconds -= taken_s;
        room_s = RANK_TIMES_COLUMN_S;
    }
}

void rank_times_add(struct rank_times *times, const deepfield_live_state *state, double now_s)
{
    rows_set(times, state);
    if (times->rows == 0)
        return;
    struct rank_times_sums now = sums_of(times, state), *before = &times->sums;
    bool first = !(times->told_s > 0);
    columns_turn(times, now_s);
    double room_s = now_s - (double)times->column * RANK_TIMES_COLUMN_S;
    for (int row = 0; row < times->rows; row++) {
        column_at(times, row, times->column)->out = is_out(times, state, row);
        if (first)
            continue;
        seconds_add(times, row, now.compute_s[row] - before->compute_s[row], room_s, false,
                    RANK_COMPUTES);
        seconds_add(times, row, now.transfer_s[row] - before->transfer_s[row], room_s, false,
                    RANK_TRANSFERS);
        seconds_add(times, row, now.work_s - before->work_s, room_s, true, RANK_WAITS);
    }
    if (!first) /* rank 0 has the first row in any case */
        seconds_add(times, 0, now.compose_s - before->compose_s, room_s, false, RANK_COMPOSES);
    times->sums = now;
    times->told_s = now_s;
}

bool rank_times_shares(const struct rank_times *times, int row, int age, double share[RANK_TIMES])
{
    memset(share, 0, RANK_TIMES * sizeof *share);
    if (times->column < age)
        return true;
    const struct rank_times_column *column =
        &times->at[row][(times->column - age) % RANK_TIMES_COLUMNS];
    double left = 1;
    for (int part = 0; part < RANK_WAITS; part++) {
        share[part] = fmin((double)column->part[part] / RANK_TIMES_COLUMN_S, left);
        left -= share[part];
    }
    double waits = (double)column->work / RANK_TIMES_COLUMN_S - (1 - left);
    share[RANK_WAITS] = column->out ? 0 : fmin(fmax(waits, 0), left);
    return !column->out;
}
