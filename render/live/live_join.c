#include "render/live/live.h"

#include <unistd.h>

#include "decomposition/pool/joined.h"
#include "render/live/coordinator.h"
#include "render/worker/context.h"

struct join *live_join(const struct live *live)
{
    return live->join;
}

enum status live_join_serve(struct live *live, const struct live_join *run,
                            const volatile int *stop, void (*joined)(void *context, int rank),
                            void *context)
{
    const struct joined_place place = {run->address, run->port, run->token};
    char identity[JOIN_IDENTITY_BYTES];
    int socket, rank;
    context_identity(identity, run->program);
    TRY(joined_connect(&socket, &rank, &place, identity, live->state.worker[0].backend, live->pool,
                       stop));
    if (joined)
        joined(context, rank);
    enum status status = joined_serve(socket, live->pool, stop);
    close(socket);
    return status;
}
