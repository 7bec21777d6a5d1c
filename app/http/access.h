/* Who may see and move the served picture: random tokens, hosts and origins. Pure but for
 * access_create.
 *
 * The address of the page has a folder with a random name, and a token behind "?t=", once; after
 * that the token is in a cookie, which the browser sends to that folder alone, since programs on
 * other ports of the same host would get it otherwise. Whoever reads the address of the page in the
 * browser finds no token in it. Each right has a folder of its own, in which no other token is
 * taken: pages of several rights in one browser keep their rights, and none gets more by another
 * one's cookie. */
#ifndef APP_HTTP_ACCESS_H
#define APP_HTTP_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/status.h"

enum {
    ACCESS_TOKEN_BYTES = 33, /* 128 random bits as 32 hexadecimal digits */
    ACCESS_FOLDER_BYTES = 17 /* 64 bits */
};

enum access_right {
    ACCESS_NONE,
    ACCESS_WATCH,
    ACCESS_SCREEN, /* is a screen of a wall */
    ACCESS_LEAD,
    ACCESS_STAFF,
    ACCESS_RIGHTS
};

struct access {
    char folder[ACCESS_FOLDER_BYTES]; /* begin of the names of all folders */
    char lead[ACCESS_TOKEN_BYTES];    /* token of those who may move the picture */
    char watch[ACCESS_TOKEN_BYTES];   /* token of those who only look; "": nobody */
    char staff[ACCESS_TOKEN_BYTES];   /* token of a stand's staff; "": nobody */
    char screen[ACCESS_TOKEN_BYTES];  /* token of the screens of a wall; "": nobody */
    int port;
    bool numbers;      /* may it be called by any address in digits? Those are no names that others
                          can make mean this machine */
    const char *hosts; /* names by which the page may be called besides this machine's own,
                          separated by commas; borrowed */
    const char *proxies; /* names of proxies among them: their pages are of the same origin,
                            whatever host they name to us; borrowed */
};

#define ACCESS_COOKIE "deepfield"

/* Makes tokens of the kernel's random bytes. STATUS_SYSTEM: there are none. */
enum status access_create(struct access *access, int port, bool watchers, const char *hosts,
                          const char *proxies);

/* Makes a token for the staff of a stand. STATUS_SYSTEM. */
enum status access_staff_create(struct access *access);

/* Makes a token for the screens of a wall. STATUS_SYSTEM. */
enum status access_screen_create(struct access *access);

/* Writes a random name of bytes - 1 hexadecimal digits, which nobody guesses. STATUS_SYSTEM. */
enum status access_name(char *name, size_t bytes);

/* The token of a right; "": there is none. */
const char *access_token(const struct access *access, enum access_right right);

/* The right that a token gives. The time that it takes says nothing about how much of it is right.
 */
enum access_right access_of_token(const struct access *access, const char *token);

/* Has a header "Cookie" (NAME=VALUE; NAME=VALUE) the token of this right? */
bool access_in_cookies(const struct access *access, enum access_right right, const char *cookies);

/* Is this header "Host" one of ours? Another one is that of a page elsewhere whose name was made to
 * mean this machine (DNS rebinding). */
bool access_host_known(const struct access *access, const char *host);

/* Is this header "Origin" a page of the same host, or of a proxy? */
bool access_origin_same(const struct access *access, const char *origin, const char *host);

/* What follows `folder` in the name of the folder of a right: "", "-watch". */
const char *access_folder_end(enum access_right right);

/* What stands behind the folder in the path of a request, "/FOLDER/page.js": "page.js"; *right:
 * whose folder it is. NULL: it is another folder. */
const char *access_path_inside(const struct access *access, const char *path,
                               enum access_right *right);

#endif
