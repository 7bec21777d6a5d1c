#include "app/http/status_facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void status_facts_copy(struct status_facts *to, const struct status_facts *from)
{
    size_t used = offsetof(struct status_facts, rank) + (size_t)from->ranks * sizeof from->rank[0];
    memcpy(to, from, used);
}

/* ---- from the engine ---- */

static bool computes(const deepfield_live_state *state)
{
    return state->stage != DEEPFIELD_LIVE_NOTHING && state->stage != DEEPFIELD_LIVE_DONE &&
           state->stage != DEEPFIELD_LIVE_FAILED;
}

/* Adds what the state tells about loads and arrivals, the oldest arrival first. */
static void loads_add(struct status_facts *facts, const deepfield_live_state *state)
{
    for (int i = 0; i < facts->ranks && state->load; i++) {
        facts->rank[i].computes = state->load[i].computes;
        facts->rank[i].compute_s = state->load[i].compute_s;
        facts->rank[i].transfer_s = state->load[i].transfer_s;
    }
    uint64_t all = state->arrival ? state->arrivals : 0;
    uint64_t from = all > DEEPFIELD_LIVE_ARRIVALS ? all - DEEPFIELD_LIVE_ARRIVALS : 0;
    for (uint64_t n = from; n < all; n++) {
        const deepfield_live_arrival *arrival = &state->arrival[n % DEEPFIELD_LIVE_ARRIVALS];
        if (arrival->worker < 0 || arrival->worker >= facts->ranks)
            continue;
        int32_t *tile = facts->rank[arrival->worker].tile;
        tile[0] = arrival->x;
        tile[1] = arrival->y;
        tile[2] = arrival->width;
        tile[3] = arrival->height;
    }
}

void status_facts_engine(struct status_facts *facts, const deepfield_live_state *state,
                         uint32_t (*colour)(int rank))
{
    bool works = computes(state);
    facts->width = state->width;
    facts->height = state->height;
    facts->done = state->done;
    facts->settled = state->settled;
    facts->iterations_per_s = works ? state->iterations_per_s : 0;
    facts->work_s = state->work_s;
    facts->compose_s = state->compose_s;
    facts->devices_lost = state->threads_lost;
    facts->health = state->stage == DEEPFIELD_LIVE_FAILED ? "failing"
                    : state->threads_lost                 ? "reduced"
                                                          : "ok";
    facts->ranks = state->workers < STATUS_RANKS_MOST ? state->workers : STATUS_RANKS_MOST;
    for (int i = 0; i < facts->ranks; i++) {
        const deepfield_live_worker *from = &state->worker[i];
        struct status_rank *to = &facts->rank[i];
        *to = (struct status_rank){.rank = from->rank,
                                   .threads = from->threads,
                                   .alive = from->alive,
                                   .busy = works && from->alive ? from->busy : 0,
                                   .heard_s = from->heard_s,
                                   .tiles = from->tiles,
                                   .late = from->late,
                                   .iterations = from->iterations,
                                   .bytes = from->bytes,
                                   .colour = colour(from->rank) & 0xffffff};
        memcpy(to->host, from->host, sizeof to->host);
    }
    loads_add(facts, state);
}

/* The number in `rank` of what the squares have: the rank modulo 255. */
static uint8_t rank_number(const struct status_facts *facts, uint8_t owner)
{
    for (int i = 0; i < facts->ranks && i < STATUS_MAP_NOBODY; i++)
        if (facts->rank[i].rank % 255 == owner)
            return (uint8_t)i;
    return STATUS_MAP_NOBODY;
}

void status_facts_map(struct status_facts *facts, const deepfield_array *owners, int32_t side)
{
    const uint8_t *cells = owners->data;
    memset(facts->map, STATUS_MAP_NOBODY, sizeof facts->map);
    if (side <= 0)
        return;
    for (int y = 0; y < STATUS_MAP; y++)
        for (int x = 0; x < STATUS_MAP; x++) {
            int64_t column = (2 * x + 1) * (int64_t)facts->width / (2 * STATUS_MAP) / side;
            int64_t row = (2 * y + 1) * (int64_t)facts->height / (2 * STATUS_MAP) / side;
            if (column < owners->width && row < owners->height)
                facts->map[y][x] = rank_number(facts, cells[row * owners->row_bytes + column]);
        }
}

/* ---- texts ---- */

/* Copies a text without characters that would end a string of JSON or begin a tag of HTML. */
static const char *plain(char to[static STATUS_FACTS_TEXT], const char *from)
{
    size_t used = 0;
    for (; *from && used + 1 < STATUS_FACTS_TEXT; from++)
        if ((unsigned char)*from >= ' ' && (unsigned char)*from < 127 && !strchr("\"\\<>&", *from))
            to[used++] = *from;
    to[used] = '\0';
    return to;
}

static void real_write(FILE *stream, const char *key, double value, int decimals)
{
    if (isfinite(value))
        fprintf(stream, ",\"%s\":%.*f", key, decimals, value);
    else
        fprintf(stream, ",\"%s\":null", key);
}

static int alive_count(const struct status_facts *facts)
{
    int alive = 0;
    for (int i = 0; i < facts->ranks; i++)
        alive += facts->rank[i].alive;
    return alive;
}

static void health_write(FILE *stream, const struct status_facts *facts)
{
    char error[STATUS_FACTS_TEXT];
    fprintf(stream, "{\"health\":\"%s\",\"stage\":\"%s\"", facts->health, facts->stage);
    real_write(stream, "up_s", facts->up_s, 2);
    real_write(stream, "last_visitor_s", facts->visitor_s, 1);
    fprintf(stream, ",\"visitors\":%llu,\"frames\":%llu,\"events\":%llu,\"pictures\":%llu",
            (unsigned long long)facts->visitors, (unsigned long long)facts->frames,
            (unsigned long long)facts->events, (unsigned long long)facts->pictures);
    real_write(stream, "frame_p99_ms", facts->frame_p99_ms, 3);
    real_write(stream, "reaction_p99_ms", facts->reaction_p99_ms, 3);
    real_write(stream, "coarse_p99_ms", facts->coarse_p99_ms, 3);
    real_write(stream, "worst_flashes_per_s", facts->flashes, 1);
    fprintf(stream,
            ",\"workers\":%d,\"workers_alive\":%d,\"devices_lost\":%d,\"errors\":%d,"
            "\"memory_bytes\":%llu,\"last_error\":\"%s\"",
            facts->ranks, alive_count(facts), facts->devices_lost, facts->errors,
            (unsigned long long)facts->memory_bytes, plain(error, facts->error));
}

static void rank_write(FILE *stream, const struct status_rank *rank)
{
    char host[STATUS_FACTS_TEXT];
    fprintf(stream, "{\"rank\":%d,\"host\":\"%s\",\"threads\":%d,\"alive\":%s,\"computes\":%s",
            rank->rank, plain(host, rank->host), rank->threads, rank->alive ? "true" : "false",
            rank->computes ? "true" : "false");
    real_write(stream, "busy", rank->busy, 3);
    real_write(stream, "wait", rank->alive ? 1 - rank->busy : 0, 3);
    real_write(stream, "heard_s", rank->heard_s, 2);
    real_write(stream, "compute_s", rank->compute_s, 3);
    real_write(stream, "transfer_s", rank->transfer_s, 3);
    fprintf(stream,
            ",\"tiles\":%llu,\"late\":%llu,\"iterations\":%llu,\"bytes\":%llu,"
            "\"colour\":\"#%06x\",\"tile\":",
            (unsigned long long)rank->tiles, (unsigned long long)rank->late,
            (unsigned long long)rank->iterations, (unsigned long long)rank->bytes,
            (unsigned)rank->colour);
    if (rank->tile[2] > 0)
        fprintf(stream, "[%d,%d,%d,%d]}", rank->tile[0], rank->tile[1], rank->tile[2],
                rank->tile[3]);
    else
        fputs("null}", stream);
}

static void map_write(FILE *stream, const struct status_facts *facts)
{
    fputs(",\"map\":[", stream);
    for (int y = 0; y < STATUS_MAP; y++) {
        fputs(y ? ",[" : "[", stream);
        for (int x = 0; x < STATUS_MAP; x++) {
            uint8_t number = facts->map[y][x];
            if (x)
                fputc(',', stream);
            if (number < facts->ranks)
                fprintf(stream, "%d", facts->rank[number].rank);
            else
                fputs("null", stream);
        }
        fputc(']', stream);
    }
    fputs("]}", stream);
}

static char *text_end(FILE *stream, char **text)
{
    bool bad = ferror(stream);
    if (fclose(stream) == 0 && !bad)
        return *text;
    free(*text);
    return NULL;
}

char *status_facts_json(const struct status_facts *facts, size_t *length)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);
    if (!stream)
        return NULL;
    health_write(stream, facts);
    fprintf(stream, ",\"width\":%d,\"height\":%d,\"settled\":%s", facts->width, facts->height,
            facts->settled ? "true" : "false");
    real_write(stream, "done", facts->done, 4);
    real_write(stream, "iterations_per_s", facts->iterations_per_s, 0);
    real_write(stream, "work_s", facts->work_s, 3);
    real_write(stream, "compose_s", facts->compose_s, 3);
    fputs(",\"ranks\":[", stream);
    for (int i = 0; i < facts->ranks; i++) {
        if (i)
            fputc(',', stream);
        rank_write(stream, &facts->rank[i]);
    }
    fputc(']', stream);
    map_write(stream, facts);
    return text_end(stream, &text);
}

static void milliseconds_write(FILE *stream, const char *name, double value)
{
    if (isfinite(value))
        fprintf(stream, "<tr><td>%s<td>99 of 100 within %.1f ms", name, value);
}

char *status_facts_html(const struct status_facts *facts, size_t *length)
{
    char *text = NULL, error[STATUS_FACTS_TEXT], visitor[32] = "none yet";
    FILE *stream = open_memstream(&text, length);
    if (!stream)
        return NULL;
    if (facts->visitor_s >= 0)
        snprintf(visitor, sizeof visitor, "%.0f s ago", facts->visitor_s);
    fprintf(stream,
            "<!doctype html><html lang=en><meta charset=utf-8><meta http-equiv=refresh content=5>"
            "<title>deepfield: %s</title><h1>deepfield: %s</h1><table>"
            "<tr><td>now<td>%s<tr><td>up<td>%.0f s<tr><td>last visitor<td>%s"
            "<tr><td>visitors<td>%llu<tr><td>pictures shown<td>%llu",
            facts->health, facts->health, facts->stage, facts->up_s, visitor,
            (unsigned long long)facts->visitors, (unsigned long long)facts->frames);
    milliseconds_write(stream, "frame", facts->frame_p99_ms);
    milliseconds_write(stream, "answer to a hand", facts->reaction_p99_ms);
    milliseconds_write(stream, "coarse picture", facts->coarse_p99_ms);
    fprintf(stream,
            "<tr><td>flashes in the worst second<td>%.1f of 3<tr><td>ranks<td>%d of %d"
            "<tr><td>devices lost<td>%d<tr><td>memory<td>%.1f MB<tr><td>errors<td>%d %s</table>"
            "<p><a href=/status.json>status.json</a> <a href=/events>events</a></html>\n",
            facts->flashes, alive_count(facts), facts->ranks, facts->devices_lost,
            (double)facts->memory_bytes / 1e6, facts->errors, plain(error, facts->error));
    return text_end(stream, &text);
}
