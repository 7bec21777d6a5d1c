/* Tours: files of stops, each a place with a text in several languages, to be flown to.
 *
 *     [tour]
 *     title-en = From one to a thousand digits
 *
 *     [begin]                  ; a stop; its name is for messages
 *     re = -0.5                ; the place: keys of [view] and [look] of a view, re, im and zoom at
 *     im = 0                   ; least; without a limit it is chosen for the picture
 *     zoom = 1.4
 *     text-en = ...            ; said there, and on the way there
 *     text-de = ...
 *     flight = 8               ; seconds on the way there; 0: it is there at once
 *     dwell = 10               ; seconds there
 *     tiles = yes              ; coloured by the rank that computes them
 *     workers = 1              ; so many ranks compute; 0: all
 *     repeat = yes             ; computed again and again
 *
 * The text is hostile: everything has a cap, and unknown keys are refused with the nearest. */
#ifndef LIBRARY_SETTINGS_TOUR_H
#define LIBRARY_SETTINGS_TOUR_H

#include <stdbool.h>
#include <stddef.h>

#include "library/settings/place_text.h"
#include "kernels/status.h"
#include "library/config/language.h"

enum { TOUR_STOPS_MOST = 99, TOUR_TEXT_MOST = 600 };
#define TOUR_SECONDS_MOST 600.0 /* limit of one flight, or one stop */
#define TOUR_FLIGHT_S 6.0       /* where a stop does not say */
#define TOUR_DWELL_S 10.0

struct tour_stop {
    char *name;
    struct place place;    /* its size is not used */
    char *text[LANGUAGES]; /* NULL: none */
    double flight_s, dwell_s;
    bool tiles, repeats;
    int workers; /* 0: all */
};

struct tour {
    char *title[LANGUAGES]; /* NULL: none */
    struct tour_stop *stop;
    size_t stops; /* one at least */
};

/* STATUS_NO_INPUT, STATUS_BAD_DATA with "name:line: ..."; *tour is empty then. */
enum status tour_read(struct tour *tour, const char *path);
/* Reads also a tour that comes with the program in `folder`, by a name without slash or ending. */
enum status tour_load(struct tour *tour, const char *folder, const char *name);
/* Name of the tour without folder and ending, after which its files are named. */
void tour_stem(const char *name, char *stem, size_t bytes);
enum status tour_parse(struct tour *tour, const char *text, size_t length, const char *name);
/* Leaves out the stops that show ranks at work (tiles, workers, repeat): a film is the same bytes
 * on any of them. Returns how many these were. */
size_t tour_leave_ranks(struct tour *tour);
void tour_destroy(struct tour *tour); /* accepts a zeroed one */

/* The text in a language ("de"), else in English, else in any; "" if there is none. */
const char *tour_text(char *const text[LANGUAGES], const char *language);

#endif
