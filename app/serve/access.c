#include "app/serve/access.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

static enum status random_hex(char *text, size_t bytes)
{
    unsigned char random[32];
    size_t count = bytes / 2;
    if (getrandom(random, count, 0) != (ssize_t)count)
        return status_fail(STATUS_SYSTEM, "the system has no random bytes for a token");
    for (size_t i = 0; i < count; i++)
        snprintf(text + 2 * i, 3, "%02x", random[i]);
    return STATUS_OK;
}

enum status access_create(struct access *access, int port, bool watchers, const char *hosts)
{
    *access = (struct access){.port = port, .hosts = hosts ? hosts : ""};
    TRY(random_hex(access->folder, sizeof access->folder));
    TRY(random_hex(access->lead, sizeof access->lead));
    return watchers ? random_hex(access->watch, sizeof access->watch) : STATUS_OK;
}

/* Compares all characters in any case. */
static bool token_same(const char ours[ACCESS_TOKEN_BYTES], const char *token, size_t length)
{
    volatile unsigned char differs = 0;
    if (length != ACCESS_TOKEN_BYTES - 1)
        return false;
    for (size_t i = 0; i < length; i++)
        differs = differs | (unsigned char)(ours[i] ^ token[i]);
    return ours[0] != '\0' && differs == 0;
}

static enum access_right right_of(const struct access *access, const char *token, size_t length)
{
    bool lead = token_same(access->lead, token, length);
    bool watch = token_same(access->watch, token, length);
    return lead ? ACCESS_LEAD : watch ? ACCESS_WATCH : ACCESS_NONE;
}

enum access_right access_of_token(const struct access *access, const char *token)
{
    return right_of(access, token, strlen(token));
}

enum access_right access_of_cookies(const struct access *access, const char *cookies)
{
    const size_t name = strlen(ACCESS_COOKIE "=");
    enum access_right best = ACCESS_NONE;
    while (*cookies) {
        cookies += strspn(cookies, "; ");
        size_t length = strcspn(cookies, "; ");
        if (length > name && !strncmp(cookies, ACCESS_COOKIE "=", name)) {
            enum access_right right = right_of(access, cookies + name, length - name);
            best = right > best ? right : best;
        }
        cookies += length;
    }
    return best;
}

static bool name_is(const char *name, size_t length, const char *wanted, size_t wanted_length)
{
    return length == wanted_length && !strncasecmp(name, wanted, length);
}

/* The port matters not: an ssh tunnel has another one at its other end. */
bool access_host_known(const struct access *access, const char *host)
{
    static const char *const own[] = {"localhost", "127.0.0.1", "[::1]"};
    size_t length = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    if (length > strlen(host))
        return false;
    const char *port = host + length;
    if (*port && (*port != ':' || port[1 + strspn(port + 1, "0123456789")] || !port[1]))
        return false;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (name_is(host, length, own[i], strlen(own[i])))
            return true;
    for (const char *name = access->hosts; *name;) {
        name += strspn(name, ", ");
        size_t bytes = strcspn(name, ", ");
        if (bytes && name_is(host, length, name, bytes))
            return true;
        name += bytes;
    }
    return false;
}

bool access_origin_same(const char *origin, const char *host)
{
    const char *name = strstr(origin, "://");
    if (!name || (strncmp(origin, "http://", 7) != 0 && strncmp(origin, "https://", 8) != 0))
        return false;
    return !strcasecmp(name + 3, host);
}

const char *access_path_inside(const struct access *access, const char *path)
{
    size_t length = strlen(access->folder);
    if (*path != '/' || strncmp(path + 1, access->folder, length) != 0 || path[1 + length] != '/')
        return NULL;
    return path + length + 2;
}
