#include "app/http/access.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

enum status access_name(char *name, size_t bytes)
{
    unsigned char random[32];
    size_t count = bytes / 2;
    if (getrandom(random, count, 0) != (ssize_t)count)
        return status_fail(STATUS_SYSTEM, "the system has no random bytes for a token");
    for (size_t i = 0; i < count; i++)
        snprintf(name + 2 * i, 3, "%02x", random[i]);
    return STATUS_OK;
}

enum status access_create(struct access *access, int port, bool watchers, const char *hosts,
                          const char *proxies)
{
    *access = (struct access){
        .port = port, .hosts = hosts ? hosts : "", .proxies = proxies ? proxies : ""};
    TRY(access_name(access->folder, sizeof access->folder));
    TRY(access_name(access->lead, sizeof access->lead));
    return watchers ? access_name(access->watch, sizeof access->watch) : STATUS_OK;
}

enum status access_staff_create(struct access *access)
{
    return access_name(access->staff, sizeof access->staff);
}

enum status access_screen_create(struct access *access)
{
    return access_name(access->screen, sizeof access->screen);
}

const char *access_token(const struct access *access, enum access_right right)
{
    return right == ACCESS_STAFF    ? access->staff
           : right == ACCESS_LEAD   ? access->lead
           : right == ACCESS_SCREEN ? access->screen
           : right == ACCESS_WATCH  ? access->watch
                                    : "";
}

/* Compares all characters in any case. */
static bool token_same(const char *ours, const char *token, size_t length)
{
    volatile unsigned char differs = 0;
    if (length != ACCESS_TOKEN_BYTES - 1)
        return false;
    for (size_t i = 0; i < length; i++)
        differs = differs | (unsigned char)(ours[i] ^ token[i]);
    return ours[0] != '\0' && differs == 0;
}

enum access_right access_of_token(const struct access *access, const char *token)
{
    enum access_right found = ACCESS_NONE;
    for (int right = ACCESS_WATCH; right < ACCESS_RIGHTS; right++)
        if (token_same(access_token(access, (enum access_right)right), token, strlen(token)))
            found = (enum access_right)right;
    return found;
}

bool access_in_cookies(const struct access *access, enum access_right right, const char *cookies)
{
    const size_t name = strlen(ACCESS_COOKIE "=");
    const char *ours = access_token(access, right);
    bool found = false;
    while (*cookies) {
        cookies += strspn(cookies, "; ");
        size_t length = strcspn(cookies, "; ");
        if (length > name && !strncmp(cookies, ACCESS_COOKIE "=", name))
            found |= token_same(ours, cookies + name, length - name);
        cookies += length;
    }
    return found;
}

static bool is_listed(const char *names, const char *name, size_t length)
{
    while (*names) {
        names += strspn(names, ", ");
        size_t bytes = strcspn(names, ", ");
        if (bytes && bytes == length && !strncasecmp(names, name, length))
            return true;
        names += bytes;
    }
    return false;
}

/* The length of the name before the port of HOST:PORT; 0: it is none. */
static size_t host_length(const char *host)
{
    size_t length = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    if (length > strlen(host))
        return 0;
    const char *port = host + length;
    bool good = !*port || (*port == ':' && port[1] && !port[1 + strspn(port + 1, "0123456789")]);
    return good ? length : 0;
}

/* An address in digits: "192.168.1.5", "[fe80::1]". */
static bool is_number(const char *host, size_t length)
{
    const char *characters = *host == '[' ? "[]0123456789abcdefABCDEF:." : "0123456789.";
    return strspn(host, characters) >= length;
}

/* The port matters not: an ssh tunnel has another one at its other end. */
bool access_host_known(const struct access *access, const char *host)
{
    size_t length = host_length(host);
    return length &&
           (is_listed("localhost,127.0.0.1,[::1]", host, length) ||
            (access->numbers && is_number(host, length)) || is_listed(access->hosts, host, length));
}

bool access_origin_same(const struct access *access, const char *origin, const char *host)
{
    const char *name = strstr(origin, "://");
    if (!name || (strncmp(origin, "http://", 7) != 0 && strncmp(origin, "https://", 8) != 0))
        return false;
    name += 3;
    return !strcasecmp(name, host) || is_listed(access->proxies, name, host_length(name));
}

const char *access_folder_end(enum access_right right)
{
    static const char *const ends[ACCESS_RIGHTS] = {[ACCESS_NONE] = "",
                                                    [ACCESS_WATCH] = "-watch",
                                                    [ACCESS_SCREEN] = "-screen",
                                                    [ACCESS_LEAD] = "",
                                                    [ACCESS_STAFF] = "-staff"};
    return ends[right];
}

const char *access_path_inside(const struct access *access, const char *path,
                               enum access_right *right)
{
    size_t length = strlen(access->folder);
    if (*path != '/' || strncmp(path + 1, access->folder, length) != 0)
        return NULL;
    path += 1 + length;
    for (int i = ACCESS_WATCH; i < ACCESS_RIGHTS; i++) {
        const char *end = access_folder_end((enum access_right)i);
        size_t bytes = strlen(end);
        if (!strncmp(path, end, bytes) && path[bytes] == '/') {
            *right = (enum access_right)i;
            return path + bytes + 1;
        }
    }
    return NULL;
}
