#include "app/viewer/viewer_status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/http/status_server.h"
#include "app/viewer/overlays/style.h"
#include "app/viewer/viewer_kiosk.h"

#define FIGURES_S 0.25 /* time between figures that take long to make */

struct viewer_status {
    struct status_server *server;
    struct status_facts facts;
    double told_s, figures_s; /* when the feed was told; when figures were made */
    uint64_t version;         /* version of the state that was told last */
};

static void figures_tell(struct viewer *viewer, double now_s)
{
    const struct figures *figures = viewer->figures;
    struct status_facts *facts = &viewer->status->facts;
    viewer->status->figures_s = now_s;
    facts->frame_p99_ms = 1e3 * measure_quantile(&figures->frame, 0.99);
    facts->reaction_p99_ms = 1e3 * measure_quantile(&figures->reaction, 0.99);
    facts->coarse_p99_ms = 1e3 * measure_quantile(&figures->coarse, 0.99);
    facts->memory_bytes = figures_memory();
}

static enum status facts_tell(struct viewer *viewer, double now_s)
{
    struct viewer_status *status = viewer->status;
    struct status_facts *facts = &status->facts;
    const struct figures *figures = viewer->figures;
    status->told_s = now_s;
    status->version = viewer->state.version;
    if (now_s >= status->figures_s + FIGURES_S)
        figures_tell(viewer, now_s);
    facts->stage = "viewer";
    facts->up_s = now_s - figures->begun_s;
    facts->visitor_s = -1;
    facts->frames = figures->frames;
    facts->events = figures->events;
    facts->pictures = figures->pictures;
    facts->errors = viewer->alarms;
    snprintf(facts->error, sizeof facts->error, "%.*s", STATUS_FACTS_TEXT - 1, viewer->alarm);
    viewer_kiosk_facts(viewer, facts, now_s);
    status_facts_engine(facts, &viewer->state, style_worker);
    TRY(viewer_owners_poll(viewer));
    const deepfield_array owners = {.data = viewer->owners.worker,
                                    .width = viewer->owners.columns,
                                    .height = viewer->owners.rows,
                                    .row_bytes = sizeof viewer->owners.worker[0]};
    status_facts_map(facts, &owners, viewer->owners.side);
    status_server_tell(status->server, facts);
    return STATUS_OK;
}

enum status viewer_status_step(struct viewer *viewer, double now_s)
{
    struct viewer_status *status = viewer->status;
    if (!status)
        return STATUS_OK;
    double due_s = status->told_s + status_server_interval_s(status->server);
    if (now_s >= due_s)
        return facts_tell(viewer, now_s);
    if (status->version != viewer->state.version)
        viewer->wake_s = fmin(viewer->wake_s, due_s);
    return STATUS_OK;
}

enum status viewer_status_open(struct viewer *viewer)
{
    const struct viewer_stand *stand = &viewer->options->stand;
    if (!stand->status_port)
        return STATUS_OK;
    viewer->status = calloc(1, sizeof *viewer->status);
    if (!viewer->status)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the status page");
    enum status status = status_server_open(&viewer->status->server, stand->status_address,
                                            stand->status_port, stand->status_hosts, &stand->tls);
    if (status == STATUS_SYSTEM) /* a visit does not end because another program has the port */
        status = viewer_forgive(viewer, status);
    return status;
}

void viewer_status_close(struct viewer *viewer)
{
    if (viewer->status)
        status_server_close(viewer->status->server);
    free(viewer->status);
    viewer->status = NULL;
}
