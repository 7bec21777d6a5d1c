/* Memory that the ranks on rank 0's machine share.
 *
 * One block, for a picture: rank 0's neighbours write their pixels where rank 0 reads them, and
 * nothing travels. It has no name in any file system, so nothing is left behind however a rank
 * ends, and no limit of /dev/shm applies. The kernel gives it out in two ways: by the descriptor of
 * rank 0 under /proc, and through a socket where /proc will not (ranks in containers of their own).
 *
 * A rank that neither way reaches has no memory, and says why; that is no error, its pixels take
 * another transport. When no neighbour is reached rank 0 has none either. Whatever happens to one
 * rank, all stay in step. In a world of one rank it is ordinary memory. */
#ifndef DECOMPOSITION_TRANSPORT_SEGMENT_H
#define DECOMPOSITION_TRANSPORT_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "decomposition/world/world.h"
#include "kernels/status.h"

struct segment;

/* Opens `bytes` of zeroed memory; rank 0's number counts. Collective; the same status on every
 * rank, as world_agree makes it of `mine` and what comes of it. Two collectives, where ranks reach
 * the memory as usual. All of it is committed: touching it later cannot fail (with several ranks;
 * one rank alone takes it page by page). STATUS_OUT_OF_MEMORY with the figures when there is less
 * memory than that. */
enum status segment_open(struct segment **segment, struct world *world, enum status mine,
                         size_t bytes);

/* Start of the block, at least page aligned (2 MiB from that size on); NULL where this rank has
 * none. */
void *segment_memory(const struct segment *segment);

/* Has that rank the memory? Every rank knows the answer for all. */
bool segment_reaches(const struct segment *segment, int rank);

/* Why this rank has no memory, with the values; "" where it has. Borrowed until segment_close. */
const char *segment_why(const struct segment *segment);

/* Unmaps this rank's memory; not collective, the memory of the others stays. Accepts NULL. */
void segment_close(struct segment *segment);

#endif
