#include "app/http/http_thread.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/thread/clock.h"

#define END_POLL_S 0.05 /* while the port is taken */

bool http_address_is_valid(const char *address)
{
    unsigned char bytes[16];
    return strlen(address) < sizeof((struct http_thread *)NULL)->address &&
           (inet_pton(AF_INET, address, bytes) == 1 || inet_pton(AF_INET6, address, bytes) == 1);
}

static enum status listen_try(struct http_thread *thread)
{
    TRY(http_server_open(&thread->http, &thread->options));
    __atomic_store_n(&thread->listens, 1, __ATOMIC_RELEASE);
    return STATUS_OK;
}

static bool is_ending(const struct http_thread *thread)
{
    return __atomic_load_n(&thread->ends, __ATOMIC_ACQUIRE);
}

/* Waits until the port may be tried again, or the thread is to end. */
static void port_await(const struct http_thread *thread)
{
    double until_s = clock_s() + HTTP_AGAIN_S;
    while (!is_ending(thread) && clock_s() < until_s)
        usleep((useconds_t)(1e6 * END_POLL_S));
}

static void *serve(void *context)
{
    struct http_thread *thread = context;
    while (!is_ending(thread)) {
        if (__atomic_load_n(&thread->listens, __ATOMIC_ACQUIRE)) {
            if (!http_server_round(&thread->http))
                break;
        } else if (listen_try(thread) != STATUS_OK)
            port_await(thread);
    }
    return NULL;
}

enum status http_thread_open(struct http_thread *thread, const struct http_options *options,
                             const char *name, const char *another)
{
    sigset_t all, before;
    thread->options = *options;
    snprintf(thread->address, sizeof thread->address, "%s", options->address);
    thread->options.address = thread->address;
    bool listens = listen_try(thread) == STATUS_OK;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread->runs = pthread_create(&thread->thread, NULL, serve, thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!thread->runs)
        return status_fail(STATUS_OUT_OF_MEMORY, "no thread for the %s page", name);
    pthread_setname_np(thread->thread, name);
    return listens
               ? STATUS_OK
               : status_fail(STATUS_SYSTEM,
                             "no %s page on %s:%d yet: the port is taken, or the address is not "
                             "this machine's; it is tried again every %.0f s, and %s takes "
                             "another",
                             name, options->address, options->port, HTTP_AGAIN_S, another);
}

void http_thread_close(struct http_thread *thread)
{
    __atomic_store_n(&thread->ends, 1, __ATOMIC_RELEASE);
    if (thread->runs) {
        if (__atomic_load_n(&thread->listens, __ATOMIC_ACQUIRE))
            http_server_wake(&thread->http);
        pthread_join(thread->thread, NULL);
    }
    http_server_close(&thread->http);
    thread->runs = false;
}
