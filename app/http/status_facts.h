/* What the status feed tells: facts about the running viewer, as JSON for programs and as a page
 * for people. Pure.
 *
 * JSON: numbers that are not known are null, names and hosts have no characters that end a text. */
#ifndef APP_HTTP_STATUS_FACTS_H
#define APP_HTTP_STATUS_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/deepfield/deepfield.h"

enum {
    STATUS_FACTS_TEXT = 256,
    STATUS_RANKS_MOST = 256,
    STATUS_MAP = 8 /* squares of the map in each direction */
};
enum { STATUS_MAP_NOBODY = 255 };

struct status_rank {
    int rank, threads;
    bool alive, computes; /* computes: alive, and not left out */
    double busy;          /* share of the last half second, 0 ... 1 */
    double heard_s;
    double compute_s, transfer_s;            /* since the start: see deepfield_live_load */
    uint64_t tiles, late, iterations, bytes; /* since the start */
    int32_t
        tile[4]; /* x, y, width, height of its newest tile in the picture; width 0: none known */
    uint32_t colour; /* 0xRRGGBB: that of its tiles in the window */
    char host[64];
};

struct status_facts {
    const char *health;     /* "ok", "reduced", "failing"; a literal */
    const char *stage;      /* "visitor", "countdown", "attract", "viewer", "page"; a literal */
    double up_s, visitor_s; /* time since the start; since the last input, < 0: none yet */
    uint64_t visitors, frames, events, pictures;
    double frame_p99_ms, reaction_p99_ms, coarse_p99_ms; /* NAN: not known */
    double flashes;                                      /* count in the worst second */
    int devices_lost, errors;
    uint64_t memory_bytes;
    char error[STATUS_FACTS_TEXT]; /* the newest */

    int32_t width, height;
    double done; /* part of the picture */
    bool settled;
    double iterations_per_s;
    double work_s, compose_s; /* since the start: see deepfield_live_state */
    /* [y][x] of the picture in 8 x 8 squares: number in `rank` of the worker that computed the
     * middle of the square. */
    uint8_t map[STATUS_MAP][STATUS_MAP];
    int ranks;
    struct status_rank rank[STATUS_RANKS_MOST]; /* last: rows that are not used are not copied */
};

void status_facts_copy(struct status_facts *to, const struct status_facts *from);

/* Sets what is about the engine, but for the map. colour: of the tiles of a rank. While nothing
 * computes nobody is busy, whatever the last measurement was. */
void status_facts_engine(struct status_facts *facts, const deepfield_live_state *state,
                         uint32_t (*colour)(int rank));

/* Sets the map from the squares of deepfield_live_owners; side: theirs in pixels. */
void status_facts_map(struct status_facts *facts, const deepfield_array *owners, int32_t side);

/* One line of JSON, or a page; owned by the caller; NULL without memory. */
char *status_facts_json(const struct status_facts *facts, size_t *length);
char *status_facts_html(const struct status_facts *facts, size_t *length);

#endif
