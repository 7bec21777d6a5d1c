#include "app/serve/session_status.h"

#include <math.h>
#include <string.h>

#include "app/viewer/overlays/style.h"
#include "app/viewer/screen/figures.h"

static enum status map_tell(struct session_status *status, deepfield_live *live)
{
    int32_t side = 0;
    deepfield_array owners = {.size = sizeof owners,
                              .data = status->owners,
                              .type = DEEPFIELD_U8,
                              .width = DEEPFIELD_LIVE_BLOCKS,
                              .height = DEEPFIELD_LIVE_BLOCKS,
                              .channels = 1,
                              .row_bytes = sizeof status->owners[0]};
    TRY((enum status)deepfield_live_owners(live, &owners, &side));
    status_facts_map(&status->facts, &owners, side);
    return STATUS_OK;
}

static enum status facts_tell(struct session_status *status, deepfield_live *live,
                              const deepfield_live_state *state,
                              const struct serve_session_sums *sums, double moved_s, double now_s)
{
    struct status_facts *facts = &status->facts;
    status->told_s = now_s;
    status->version = state->version;
    facts->stage = "page";
    facts->up_s = now_s - status->begun_s;
    facts->visitor_s = moved_s > 0 ? now_s - moved_s : -1;
    facts->visitors = sums->visitors;
    facts->frames = sums->frames;
    facts->events = sums->messages;
    facts->pictures = state->picture;
    facts->frame_p99_ms = facts->reaction_p99_ms = facts->coarse_p99_ms = facts->flashes = NAN;
    facts->memory_bytes = figures_memory();
    status_facts_engine(facts, state, style_worker);
    TRY(map_tell(status, live));
    status_server_tell(status->server, facts);
    return STATUS_OK;
}

enum status session_status_tell(struct session_status *status, deepfield_live *live,
                                const deepfield_live_state *state,
                                const struct serve_session_sums *sums, double moved_s, double now_s,
                                double *until_s)
{
    if (!status->server)
        return STATUS_OK;
    double due_s = status->told_s + status_server_interval_s(status->server);
    if (now_s >= due_s)
        return facts_tell(status, live, state, sums, moved_s, now_s);
    if (status->version != state->version)
        *until_s = fmin(*until_s, due_s);
    return STATUS_OK;
}
