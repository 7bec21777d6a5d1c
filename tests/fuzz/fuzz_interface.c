/* Any bytes as the text of a place and as keys with values, by the C interface: refused with a
 * sentence, or a picture whose place can be written and read again. Lines after the first that
 * begins with `=` are set as KEY VALUE. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "include/deepfield/deepfield.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        __builtin_trap();
}

static deepfield_world *world_once(void)
{
    static deepfield_world *world;
    if (!world)
        must(deepfield_world_open(&world, NULL) == DEEPFIELD_OK);
    return world;
}

static int told(deepfield_status status)
{
    must(status == DEEPFIELD_OK || *deepfield_error());
    return status == DEEPFIELD_OK;
}

/* Sets each line of a text; what was refused has changed nothing. */
static void lines_set(deepfield_picture *picture, char *lines)
{
    for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
        char *value = line + strcspn(line, " ");
        const char *before, *after;
        if (*value)
            *value++ = '\0';
        if (!told(deepfield_picture_get(picture, line, &before))) {
            must(deepfield_picture_set(picture, line, value) == DEEPFIELD_USAGE);
            continue;
        }
        char *kept = before ? strdup(before) : NULL;
        if (!told(deepfield_picture_set(picture, line, value))) {
            must(deepfield_picture_get(picture, line, &after) == DEEPFIELD_OK);
            must(!after == !kept && (!kept || !strcmp(kept, after)));
        }
        free(kept);
    }
}

/* A text that was written is read. */
static void texts_check(deepfield_world *world, const deepfield_picture *picture)
{
    static const char *const formats[] = {".ini", ".kfr", ".toml", ".txt"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        deepfield_picture *again = NULL;
        char *text;
        if (!told(deepfield_picture_text(picture, formats[i], &text)))
            continue;
        if (strlen(text) < 400000) /* a text of a place is at most 512 KiB */
            must(told(deepfield_picture_open(&again, world, text)));
        deepfield_picture_destroy(again);
        deepfield_free(text);
    }
}

/* The path that keys say, where they name no file. */
static void film_check(deepfield_picture *picture)
{
    static const char *const files[] = {"film.path", "film.tour"};
    deepfield_film *film;
    deepfield_picture *frame;
    const char *name;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        must(told(deepfield_picture_get(picture, files[i], &name)));
        if (name)
            return;
    }
    if (told(deepfield_film_open(&film, NULL, picture)) &&
        told(deepfield_film_picture(film, 1, &frame)))
        deepfield_picture_destroy(frame);
    deepfield_film_destroy(film);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    deepfield_world *world = world_once();
    deepfield_picture *picture;
    deepfield_film *film;
    char *text = malloc(size + 2), *re, *im;
    must(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    char *lines = *text == '=' ? text : strstr(text, "\n=");
    if (lines && *lines == '\n')
        lines++;
    if (lines)
        *lines++ = '\0';
    /* Without a newline it would be the name of a file. */
    int opened = strchr(text, '\n') ? told(deepfield_picture_open(&picture, world, text))
                                    : told(deepfield_picture_open(&picture, world, NULL));
    if (opened) {
        if (lines)
            lines_set(picture, lines);
        texts_check(world, picture);
        if (told(deepfield_picture_point(picture, 0.5, 0.5, &re, &im))) {
            double x, y;
            must(told(deepfield_picture_pixel(picture, re, im, &x, &y)));
            deepfield_free(re);
            deepfield_free(im);
        }
        if (told(deepfield_film_open(&film, picture, picture)))
            must(deepfield_film_frames(film) >= 1);
        deepfield_film_destroy(film);
        film_check(picture);
    }
    deepfield_picture_destroy(picture);
    free(text);
    return 0;
}
