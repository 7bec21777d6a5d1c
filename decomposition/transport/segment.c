#include "decomposition/transport/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#include "decomposition/transport/segment_block.h"

/* Two ways of a block to another process. First by the owner's descriptor under /proc, which needs
 * nothing of the owner. The kernel refuses that between containers (namespaces of processes or of
 * users of their own); there the owner hands the descriptor through a Unix socket whose address is
 * abstract: it too has no name in any file system, but is seen in one network namespace only. Both
 * need the same user. */

struct offer {      /* description of rank 0's block; plain bytes */
    uint64_t bytes; /* 0: there is no block, for the reason `why` */
    int32_t process, file;
    char name[SEGMENT_NAME_BYTES]; /* name of the memfd and of the socket */
    char why[SEGMENT_WHY_BYTES];
};

enum { PATIENCE_MS = 20000 }; /* the owner gives at once; it may have to wait for a core */

/* --- by /proc -------------------------------------------------------------------------------- */

static bool hand_by_proc(const struct offer *offer, struct segment_block *block,
                         char why[SEGMENT_WHY_BYTES])
{
    char path[64], wanted[SEGMENT_NAME_BYTES + 32], found[sizeof wanted];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)offer->process, (int)offer->file);
    snprintf(wanted, sizeof wanted, "/memfd:%s (deleted)", offer->name);
    /* Checks the name first: in another namespace of processes the path may be any file. */
    ssize_t length = readlink(path, found, sizeof found - 1);
    found[length < 0 ? 0 : length] = '\0';
    if (length >= 0 && strcmp(found, wanted) != 0) {
        snprintf(why, SEGMENT_WHY_BYTES, "%s is not rank 0's memory (another container?)", path);
        return false;
    }
    int file = length < 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        snprintf(why, SEGMENT_WHY_BYTES, "%s: %s", path, strerror(errno));
        return false;
    }
    return segment_block_map(block, file, offer->bytes, why);
}

/* --- by socket ------------------------------------------------------------------------------- */

static socklen_t address_of(const struct offer *offer, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    size_t length = strnlen(offer->name, sizeof offer->name - 1);
    memcpy(address->sun_path + 1, offer->name, length); /* the leading 0 makes it abstract */
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

/* The owner's end, for so many callers, or with 0 the end of a caller; -1 with the reason in `why`.
 * Never blocks. */
static int socket_open(const struct offer *offer, int callers, char why[SEGMENT_WHY_BYTES])
{
    struct sockaddr_un address;
    const struct sockaddr *name = (struct sockaddr *)&address;
    socklen_t length = address_of(offer, &address);
    int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (end >= 0 && (callers > 0 ? bind(end, name, length) == 0 && listen(end, callers) == 0
                                 : connect(end, name, length) == 0))
        return end;
    snprintf(why, SEGMENT_WHY_BYTES, "socket %s rank 0: %s", callers > 0 ? "of" : "to",
             strerror(errno));
    if (end >= 0)
        close(end);
    return -1;
}

union control { /* ancillary data of a message with one descriptor; the union aligns it */
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

static void file_give(int end, int file)
{
    union control control = {.bytes = {0}};
    struct iovec byte = {.iov_base = &(char){'.'}, .iov_len = 1};
    struct msghdr message = {.msg_iov = &byte,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(header), &file, sizeof file);
    sendmsg(end, &message, MSG_NOSIGNAL); /* a caller that gets nothing fails by itself */
}

static bool same_user(int end)
{
    struct ucred peer;
    socklen_t length = sizeof peer;
    return getsockopt(end, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

/* Gives `file` to all callers of this user. Never blocks. */
static void hand_give(int listener, int file, int callers)
{
    enum { STRANGERS = 64 }; /* limit of other callers: all users of the machine see the address */
    for (int i = 0; i < callers + STRANGERS; i++) {
        int end = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (end < 0 && (errno == EAGAIN || errno == EMFILE))
            return;
        if (end >= 0 && same_user(end))
            file_give(end, file);
        if (end >= 0)
            close(end);
    }
}

/* Takes what the owner gives; waits for it. */
static bool hand_take(int socket, const struct offer *offer, struct segment_block *block,
                      char why[SEGMENT_WHY_BYTES])
{
    union control control;
    char byte;
    struct iovec room = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &room,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct pollfd ready = {.fd = socket, .events = POLLIN};
    int polled;
    do
        polled = poll(&ready, 1, PATIENCE_MS);
    while (polled < 0 && errno == EINTR);
    struct cmsghdr *header = NULL;
    if (polled == 1 && recvmsg(socket, &message, MSG_CMSG_CLOEXEC) == 1)
        header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int))) {
        snprintf(why, SEGMENT_WHY_BYTES, "rank 0 gave nothing through its socket");
        return false;
    }
    int file;
    memcpy(&file, CMSG_DATA(header), sizeof file);
    return segment_block_map(block, file, offer->bytes, why);
}

enum reach { UNREACHED, ASKING, REACHED }; /* state of a rank */

struct segment {
    struct segment_block block;
    char why[2 * SEGMENT_WHY_BYTES];
    unsigned char reach[]; /* [world size]; the same on every rank */
};

/* --- agreement of the ranks ------------------------------------------------------------------ */

/* Gives each rank's state to all. No rank comes out before every rank has gone in. */
static enum status reach_exchange(struct segment *segment, struct world *world, enum status mine)
{
    unsigned char own = segment ? segment->reach[world_rank(world)] : UNREACHED;
    TRY(world_exchange(world, mine, &own, sizeof own));
    for (int rank = 0; rank < world_size(world); rank++)
        segment->reach[rank] = *(const unsigned char *)world_said(world, rank);
    return STATUS_OK;
}

static int reach_count(const struct segment *segment, const struct world *world, enum reach reach)
{
    int count = 0;
    for (int rank = 0; rank < world_size(world); rank++)
        count += segment->reach[rank] == reach;
    return count;
}

/* --- opening --------------------------------------------------------------------------------- */

/* Fails only for want of memory, which no other transport would mend. */
static enum status offer_make(struct segment *segment, const struct world *world, size_t bytes,
                              struct offer *offer)
{
    if (world_root_node_size(world) == 1) {
        snprintf(offer->why, sizeof offer->why, "no other rank is on rank 0's machine");
        return STATUS_OK;
    }
    segment_block_name(offer->name);
    TRY(segment_block_create(&segment->block, offer->name, bytes, offer->why));
    offer->bytes = segment->block.bytes;
    offer->process = getpid();
    offer->file = segment->block.file;
    return STATUS_OK;
}

static void take_by_proc(struct segment *segment, const struct world *world,
                         const struct offer *offer)
{
    int rank = world_rank(world);
    if (!world_beside_root(world))
        snprintf(segment->why, sizeof segment->why, "rank 0 is on another machine");
    else if (rank == 0 || hand_by_proc(offer, &segment->block, segment->why))
        segment->reach[rank] = REACHED;
    else
        segment->reach[rank] = ASKING;
}

/* Sets the state of a rank that asked: it has the memory, or both reasons why not. */
static void socket_settle(struct segment *segment, int rank, bool reached, const char *why)
{
    size_t used = strlen(segment->why);
    if (reached)
        segment->why[0] = '\0';
    else
        snprintf(segment->why + used, sizeof segment->why - used, "; %s", why);
    segment->reach[rank] = reached ? REACHED : UNREACHED;
}

/* Rank 0 waits for no caller: all are in the listener's queue when reach_exchange returns. */
static enum status take_by_socket(struct segment *segment, struct world *world, struct offer *offer)
{
    int rank = world_rank(world), callers = reach_count(segment, world, ASKING), end = -1;
    bool asking = segment->reach[rank] == ASKING;
    char why[SEGMENT_WHY_BYTES] = "";
    if (rank == 0)
        end = socket_open(offer, callers, offer->why);
    enum status status = world_tell(world, STATUS_OK, offer, sizeof *offer);
    if (status == STATUS_OK && asking && !offer->why[0])
        end = socket_open(offer, 0, why);
    if (status == STATUS_OK)
        status = reach_exchange(segment, world, STATUS_OK);
    if (status == STATUS_OK && rank == 0 && end >= 0)
        hand_give(end, segment->block.file, callers);
    if (status == STATUS_OK && asking)
        socket_settle(segment, rank, end >= 0 && hand_take(end, offer, &segment->block, why),
                      offer->why[0] ? offer->why : why);
    if (end >= 0)
        close(end);
    TRY(status);
    return reach_exchange(segment, world, STATUS_OK);
}

/* Gives up memory that no other rank has reached. */
static void settle(struct segment *segment, const struct world *world)
{
    segment_block_close_file(&segment->block);
    if (reach_count(segment, world, REACHED) > 1)
        return;
    segment->reach[0] = UNREACHED;
    if (world_rank(world) == 0) {
        segment_block_close(&segment->block);
        snprintf(segment->why, sizeof segment->why, "no other rank could map it");
    }
}

/* `mine`: status of this rank so far; a failure where `segment` is NULL. */
static enum status open_together(struct segment *segment, struct world *world, enum status mine,
                                 size_t bytes)
{
    struct offer offer = {.bytes = 0};
    if (world_rank(world) == 0 && mine == STATUS_OK)
        mine = offer_make(segment, world, bytes, &offer);
    TRY(world_tell(world, mine, &offer, sizeof offer));
    if (offer.bytes == 0) {
        if (segment)
            snprintf(segment->why, sizeof segment->why, "%s", offer.why);
        return world_agree(world, mine);
    }
    if (mine == STATUS_OK)
        take_by_proc(segment, world, &offer);
    TRY(reach_exchange(segment, world, mine));
    if (reach_count(segment, world, ASKING))
        TRY(take_by_socket(segment, world, &offer));
    settle(segment, world);
    return STATUS_OK;
}

enum status segment_open(struct segment **out, struct world *world, enum status mine, size_t bytes)
{
    *out = NULL;
    struct segment *segment = calloc(1, sizeof *segment + (size_t)world_size(world));
    enum status status = mine;
    if (segment)
        segment->block.file = -1;
    else if (mine == STATUS_OK)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for the description of a segment");
    if (world_size(world) > 1)
        status = open_together(segment, world, status, bytes);
    else if (status == STATUS_OK)
        status = segment_block_private(&segment->block, bytes);
    if (status != STATUS_OK) {
        segment_close(segment);
        return status;
    }
    if (world_size(world) == 1)
        segment->reach[0] = REACHED;
    *out = segment;
    return STATUS_OK;
}

/* --- questions and the end ------------------------------------------------------------------- */

void *segment_memory(const struct segment *segment)
{
    return segment->block.memory;
}

bool segment_reaches(const struct segment *segment, int rank)
{
    return segment->reach[rank] == REACHED;
}

const char *segment_why(const struct segment *segment)
{
    return segment->why;
}

void segment_close(struct segment *segment)
{
    if (!segment)
        return;
    segment_block_close(&segment->block);
    free(segment);
}
