#include "decomposition/world/root_watch.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

/* A machine that is gone is found in 30 s, as silent ranks are. */
enum { PROBE_AFTER_S = 10, PROBE_EVERY_S = 5, PROBES = 4, CALLS_AGAIN = 2, INPUT_BYTES = 4096 };

struct root_watch {
    struct root_address at;
    int socket; /* listening socket, or the connection; -1: none */
    /* Rank 0: */
    int *admitted; /* [others] */
    int others, count;
    /* Another rank: */
    int next;    /* the address that is tried when this one fails */
    bool known;  /* it is rank 0 */
    size_t said; /* bytes of its secret that have come */
    unsigned char secret[sizeof(uint64_t[2])];
};

void root_watch_close(struct root_watch *watch)
{
    if (!watch)
        return;
    for (int i = 0; i < watch->count; i++)
        close(watch->admitted[i]);
    if (watch->socket >= 0)
        close(watch->socket);
    free(watch->admitted);
    free(watch);
}

static struct root_watch *watch_create(const struct root_address *at, int others)
{
    struct root_watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return NULL;
    watch->at = *at;
    watch->socket = -1;
    watch->others = others;
    watch->admitted = calloc((size_t)others + 1, sizeof *watch->admitted);
    if (watch->admitted)
        return watch;
    root_watch_close(watch);
    return NULL;
}

static struct sockaddr_in place_of(uint32_t address, uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = address};
}

/* ---- rank 0 ---------------------------------------------------------------------------------- */

/* Loopback last: where there is no network all ranks are on this machine. */
static void addresses_find(struct root_address *at)
{
    struct ifaddrs *list = NULL;
    int count = 0;
    if (getifaddrs(&list) != 0)
        return;
    for (int loops = 0; loops < 2; loops++)
        for (const struct ifaddrs *one = list; one && count < ROOT_ADDRESSES; one = one->ifa_next) {
            struct sockaddr_in place;
            if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET ||
                !(one->ifa_flags & IFF_UP) || !(one->ifa_flags & IFF_LOOPBACK) != !loops)
                continue;
            memcpy(&place, one->ifa_addr, sizeof place);
            at->address[count++] = place.sin_addr.s_addr;
        }
    freeifaddrs(list);
}

static bool listens(struct root_watch *watch)
{
    struct sockaddr_in place = place_of(htonl(INADDR_ANY), 0);
    socklen_t length = sizeof place;
    const int room = INPUT_BYTES; /* input of strangers; ranks say nothing */
    watch->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (watch->socket < 0 ||
        setsockopt(watch->socket, SOL_SOCKET, SO_RCVBUF, &room, sizeof room) != 0 ||
        bind(watch->socket, (const struct sockaddr *)&place, length) != 0 ||
        listen(watch->socket, SOMAXCONN) != 0 ||
        getsockname(watch->socket, (struct sockaddr *)&place, &length) != 0)
        return false;
    watch->at.port = place.sin_port;
    return getrandom(watch->at.secret, sizeof watch->at.secret, 0) ==
           (ssize_t)sizeof watch->at.secret;
}

struct root_watch *root_watch_listen(int others, struct root_address *address)
{
    *address = (struct root_address){.port = 0};
    struct root_watch *watch = watch_create(address, others);
    if (!watch || !listens(watch)) {
        root_watch_close(watch);
        return NULL;
    }
    addresses_find(&watch->at);
    *address = watch->at;
    return watch;
}

void root_watch_admit(struct root_watch *watch)
{
    while (watch && watch->count < watch->others) {
        int caller = accept4(watch->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (caller < 0)
            return;
        if (send(caller, watch->at.secret, sizeof watch->at.secret, MSG_NOSIGNAL) ==
            (ssize_t)sizeof watch->at.secret)
            watch->admitted[watch->count++] = caller;
        else
            close(caller);
    }
}

/* ---- other ranks ----------------------------------------------------------------------------- */

struct root_watch *root_watch_call(const struct root_address *address)
{
    return address->port ? watch_create(address, 0) : NULL;
}

static void option_set(int socket, int level, int option, int value)
{
    setsockopt(socket, level, option, &value, sizeof value);
}

/* Calls the next address, without waiting for an answer. */
static void call_next(struct root_watch *watch)
{
    while (watch->next < ROOT_ADDRESSES && watch->at.address[watch->next]) {
        struct sockaddr_in place = place_of(watch->at.address[watch->next++], watch->at.port);
        watch->said = 0;
        watch->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (watch->socket < 0)
            return;
        option_set(watch->socket, IPPROTO_TCP, TCP_SYNCNT, CALLS_AGAIN);
        option_set(watch->socket, SOL_SOCKET, SO_KEEPALIVE, 1);
        option_set(watch->socket, IPPROTO_TCP, TCP_KEEPIDLE, PROBE_AFTER_S);
        option_set(watch->socket, IPPROTO_TCP, TCP_KEEPINTVL, PROBE_EVERY_S);
        option_set(watch->socket, IPPROTO_TCP, TCP_KEEPCNT, PROBES);
        if (connect(watch->socket, (const struct sockaddr *)&place, sizeof place) == 0 ||
            errno == EINPROGRESS)
            return;
        close(watch->socket);
        watch->socket = -1;
    }
}

/* Takes in what it says. False: it has ended, or says what rank 0 does not. */
static bool hear(struct root_watch *watch)
{
    unsigned char more; /* than the secret: rank 0 says nothing more */
    void *room = watch->known ? &more : watch->secret + watch->said;
    size_t length = watch->known ? sizeof more : sizeof watch->secret - watch->said;
    ssize_t got = recv(watch->socket, room, length, MSG_DONTWAIT);
    if (got < 0) /* ENOTCONN: it has not answered yet */
        return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
    if (got == 0 || watch->known)
        return false;
    watch->said += (size_t)got;
    if (watch->said < sizeof watch->secret)
        return true;
    watch->known = memcmp(watch->secret, watch->at.secret, sizeof watch->secret) == 0;
    return watch->known;
}

bool root_watch_poll(struct root_watch *watch)
{
    if (!watch)
        return true;
    if (watch->socket < 0 && !watch->known)
        call_next(watch);
    if (watch->socket < 0 || hear(watch))
        return !watch->known || watch->socket >= 0;
    close(watch->socket);
    watch->socket = -1;
    return !watch->known;
}
