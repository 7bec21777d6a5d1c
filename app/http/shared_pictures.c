#include "app/http/shared_pictures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/markup.h"

enum { NAME_DIGITS = SHARED_NAME_BYTES - 1, WORDS = 4 };

static const char *const suffixes[SHARED_FILES] = {
    [SHARED_PAGE] = "", [SHARED_JPEG] = ".jpg", [SHARED_PLACE] = ".ini"};

/* ---- files ---- */

struct shared_bytes *shared_bytes_create(const void *bytes, size_t length)
{
    struct shared_bytes *made = malloc(sizeof *made + length);
    if (!made)
        return NULL;
    *made = (struct shared_bytes){.holders = 1, .length = length};
    memcpy(made->bytes, bytes, length);
    return made;
}

void shared_bytes_release(struct shared_bytes *bytes)
{
    if (bytes && __atomic_sub_fetch(&bytes->holders, 1, __ATOMIC_ACQ_REL) == 0)
        free(bytes);
}

/* ---- pictures ---- */

static void picture_drop(struct shared_picture *picture)
{
    for (int i = 0; i < SHARED_FILES; i++)
        shared_bytes_release(picture->file[i]);
    *picture = (struct shared_picture){.until_s = 0};
}

void shared_pictures_open(struct shared_pictures *pictures)
{
    *pictures = (struct shared_pictures){.picture = {{.until_s = 0}}};
    pthread_mutex_init(&pictures->mutex, NULL);
}

void shared_pictures_close(struct shared_pictures *pictures)
{
    for (int i = 0; i < SHARED_MOST; i++)
        picture_drop(&pictures->picture[i]);
    pthread_mutex_destroy(&pictures->mutex);
}

void shared_pictures_add(struct shared_pictures *pictures, struct shared_picture *picture)
{
    pthread_mutex_lock(&pictures->mutex);
    struct shared_picture *oldest = pictures->picture;
    for (int i = 1; i < SHARED_MOST; i++)
        if (pictures->picture[i].until_s < oldest->until_s)
            oldest = &pictures->picture[i];
    picture_drop(oldest);
    *oldest = *picture;
    *picture = (struct shared_picture){.until_s = 0};
    pthread_mutex_unlock(&pictures->mutex);
}

void shared_pictures_expire(struct shared_pictures *pictures, double now_s)
{
    pthread_mutex_lock(&pictures->mutex);
    for (int i = 0; i < SHARED_MOST; i++)
        if (pictures->picture[i].until_s <= now_s)
            picture_drop(&pictures->picture[i]);
    pthread_mutex_unlock(&pictures->mutex);
}

struct shared_bytes *shared_pictures_hold(struct shared_pictures *pictures, const char *name,
                                          enum shared_file file, double now_s)
{
    struct shared_bytes *held = NULL;
    pthread_mutex_lock(&pictures->mutex);
    for (int i = 0; !held && i < SHARED_MOST; i++) {
        const struct shared_picture *picture = &pictures->picture[i];
        if (picture->until_s > now_s && !strcmp(picture->name, name))
            held = picture->file[file];
    }
    if (held)
        __atomic_add_fetch(&held->holders, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&pictures->mutex);
    return held;
}

/* ---- paths ---- */

bool shared_path_split(const char *path, char name[SHARED_NAME_BYTES], enum shared_file *file)
{
    if (*path++ != '/' || strspn(path, "0123456789abcdef") != NAME_DIGITS)
        return false;
    memcpy(name, path, NAME_DIGITS);
    name[NAME_DIGITS] = '\0';
    for (int i = 0; i < SHARED_FILES; i++)
        if (!strcmp(path + NAME_DIGITS, suffixes[i])) {
            *file = (enum shared_file)i;
            return true;
        }
    return false;
}

/* ---- the page ---- */

char *shared_page(const char *name, const struct shared_words *words)
{
    static const char form[] =
        "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width\"><title>%s</title></head>\n"
        "<body bgcolor=\"#101216\" text=\"#f4f4f4\" link=\"#ffb454\" vlink=\"#ffb454\">\n"
        "<h1>%s</h1>\n<p><a href=\"%s.jpg\" download=\"deepfield.jpg\">"
        "<img src=\"%s.jpg\" width=\"100%%\" alt=\"%s\"></a></p>\n<p>%s</p>\n"
        "<p><a href=\"%s.jpg\" download=\"deepfield.jpg\">%s</a></p>\n"
        "<p><a href=\"%s.ini\" download=\"deepfield.ini\">%s</a></p>\n</body></html>\n";
    const char *const texts[WORDS] = {words->title, words->sentence, words->save, words->place};
    char *escapes[WORDS] = {NULL}, *page = NULL;
    size_t length = sizeof form + 8 * SHARED_NAME_BYTES;
    bool room = true;
    for (int i = 0; i < WORDS; i++) {
        escapes[i] = malloc(MARKUP_LONGEST * strlen(texts[i]) + 1);
        if (escapes[i])
            length += 3 * (size_t)(markup_escape(escapes[i], texts[i]) - escapes[i]);
        room = room && escapes[i];
    }
    if (room && (page = malloc(length)))
        snprintf(page, length, form, escapes[0], escapes[0], name, name, escapes[0], escapes[1],
                 name, escapes[2], name, escapes[3]);
    for (int i = 0; i < WORDS; i++)
        free(escapes[i]);
    return page;
}
