/* Pictures that visitors of a stand have taken away, in memory for some minutes: nothing of them is
 * written to a disk. Threads: any. */
#ifndef APP_HTTP_SHARED_PICTURES_H
#define APP_HTTP_SHARED_PICTURES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernels/status.h"

enum {
    SHARED_MOST = 64,       /* pictures; the oldest makes room */
    SHARED_NAME_BYTES = 17, /* 64 random bits as hexadecimal digits, and a NUL */
    SHARED_FILES = 3
};

enum shared_file { SHARED_PAGE, SHARED_JPEG, SHARED_PLACE };

/* A file, freed with its last holder: its picture, and each connection that sends it. Bytes stay as
 * they are. */
struct shared_bytes {
    int holders;
    size_t length;
    unsigned char bytes[];
};

struct shared_picture { /* zeroed: none */
    char name[SHARED_NAME_BYTES];
    double until_s;                          /* time of its end */
    struct shared_bytes *file[SHARED_FILES]; /* held */
};

struct shared_pictures {
    pthread_mutex_t mutex;
    struct shared_picture picture[SHARED_MOST];
};

/* A copy of these bytes with one holder. NULL: no memory. */
struct shared_bytes *shared_bytes_create(const void *bytes, size_t length);
void shared_bytes_release(struct shared_bytes *bytes); /* accepts NULL */

void shared_pictures_open(struct shared_pictures *pictures);
void shared_pictures_close(struct shared_pictures *pictures);

/* Takes the files over; the caller has none afterwards. */
void shared_pictures_add(struct shared_pictures *pictures, struct shared_picture *picture);

/* Drops pictures whose time is over; files that are being sent stay until their last holder. */
void shared_pictures_expire(struct shared_pictures *pictures, double now_s);

/* A file with one holder more, the caller. NULL: there is no such picture now. */
struct shared_bytes *shared_pictures_hold(struct shared_pictures *pictures, const char *name,
                                          enum shared_file file, double now_s);

/* Splits a path "/NAME", "/NAME.jpg" or "/NAME.ini" into a name and a file; false: another one. */
bool shared_path_split(const char *path, char name[SHARED_NAME_BYTES], enum shared_file *file);

/* The page of a picture: texts are escaped. NULL without memory. */
struct shared_words {
    const char *title, *sentence, *save, *place; /* the last two: texts of links */
};
char *shared_page(const char *name, const struct shared_words *words);

#endif
