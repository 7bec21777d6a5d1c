/* Six deep places that other renderers publish times for. */
#ifndef APP_BENCH_DEEP_PLACES_H
#define APP_BENCH_DEEP_PLACES_H

#include <stdint.h>

enum { DEEP_PLACES = 6 };

struct deep_place {
    const char *name, *zoom, *re, *im; /* zoom: the image is 4 / zoom high */
    int64_t limit;
};

extern const struct deep_place deep_places[DEEP_PLACES]; /* by depth */

#endif
