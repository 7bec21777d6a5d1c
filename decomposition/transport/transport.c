#include "decomposition/transport/transport.h"

#include <string.h>

const struct transport_kind *const transport_kinds[] = {&transport_local,   &transport_shared,
                                                        &transport_device,  &transport_sent,
                                                        &transport_gatherv, &transport_staged};
const int transport_kinds_count = sizeof transport_kinds / sizeof *transport_kinds;

const struct transport_kind *transport_named(const char *name)
{
    for (int i = 0; i < transport_kinds_count; i++)
        if (!strcmp(transport_kinds[i]->name, name))
            return transport_kinds[i];
    return NULL;
}

static const struct transport_kind *cheapest(const struct transport_question *question,
                                             const char **reason)
{
    if (question->reaches_device) {
        *reason = "its devices write into the picture on rank 0's device";
        return &transport_device;
    }
    if (question->reaches_segment) {
        *reason = "on rank 0's machine: it computes into the picture in shared memory";
        return &transport_shared;
    }
    if (question->sends_device && question->device_faster) {
        *reason = "it does not reach the picture: MPI sends its device memory, which proved faster";
        return &transport_sent;
    }
    *reason = "it does not reach the picture: each tile travels while the next is computed";
    return &transport_staged;
}

static bool works(const struct transport_kind *kind, const struct transport_question *question)
{
    if (kind == &transport_sent)
        return question->sends_device;
    return !kind->in_place ||
           (kind == &transport_device ? question->reaches_device : question->reaches_segment);
}

static enum status asked_for(const struct transport_question *question,
                             const struct transport_kind **transport, const char **reason)
{
    const struct transport_kind *kind = transport_named(question->name);
    if (!kind)
        return status_fail(STATUS_CONFIG,
                           "unknown transport '%s'; known: auto, local, shared, device, sent, "
                           "gatherv, staged",
                           question->name);
    if (kind == &transport_local && question->ranks > 1)
        return status_fail(STATUS_CONFIG,
                           "transport 'local' works in a single process; this job has %d ranks",
                           question->ranks);
    if (question->rank == 0 || works(kind, question)) {
        *transport = kind;
        *reason = "asked for";
        return STATUS_OK;
    }
    if (kind == &transport_device && question->sends_device) {
        *transport = &transport_sent;
        *reason = "it does not reach rank 0's device: MPI sends its device memory";
        return STATUS_OK;
    }
    if (kind != &transport_sent && !question->others_reach)
        return status_fail(STATUS_CONFIG,
                           kind == &transport_device
                               ? "transport 'device': no rank's devices reach memory of rank 0's "
                                 "device; use auto, shared or staged"
                               : "transport 'shared': no rank shares memory with rank 0; use auto, "
                                 "gatherv or staged");
    *transport = &transport_staged;
    *reason = kind == &transport_sent
                  ? "MPI is not proven to send its device memory: each tile is sent from the host's"
                  : "it does not reach the picture as asked for: each tile is sent";
    return STATUS_OK;
}

enum status transport_choose(const struct transport_question *question,
                             const struct transport_kind **transport, const char **reason)
{
    *transport = NULL;
    *reason = "";
    if (strcmp(question->name, "auto"))
        TRY(asked_for(question, transport, reason));
    if (question->rank == 0) {
        *reason = question->ranks == 1 ? "one rank: tiles are in place when they are computed"
                                       : "rank 0: tiles are in place when they are computed";
        *transport = &transport_local;
    } else if (!*transport) {
        *transport = cheapest(question, reason);
    }
    return STATUS_OK;
}
