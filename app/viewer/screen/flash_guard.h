/* The guard against flashes on the screen: every picture that is shown is metered as those of films
 * are (render/film/film_flash.h), and one that would bring the fourth flash of a second goes only a
 * part of the way from the picture before, as far as is safe.
 *
 * Metered are 8 x 8 pixels of each cell. A second is 60 times of 1/59 s, so that changes that are
 * a second apart or less are always counted together. One thread. */
#ifndef APP_VIEWER_SCREEN_FLASH_GUARD_H
#define APP_VIEWER_SCREEN_FLASH_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "app/viewer/screen/measure.h"
#include "kernels/status.h"
#include "render/motion/warp.h"

struct flash_guard;

enum status flash_guard_create(struct flash_guard **guard);
void flash_guard_destroy(struct flash_guard *guard); /* accepts NULL */

/* The next picture, before it is shown: changed where it must be. True: it is not the one that was
 * wanted, which should be given again soon. The one before may have had another size. */
bool flash_guard_show(struct flash_guard *guard, struct warp_image *image, double now_s);

/* How fast what moves by itself may go on, 1 ... 0: less the more flashes the last second had. */
double flash_guard_ease(struct flash_guard *guard, double now_s);

/* Since when the picture has had one colour, but for its edges, where buttons and figures are; 0:
 * it has several. */
double flash_guard_flat_s(const struct flash_guard *guard);

struct flash_report {
    double flashes, at_s; /* of the worst second, general or red, and when it ended */
    uint64_t pictures, limited;
    double flat_s;        /* the longest time of one colour */
    struct measure meter; /* seconds that metering takes */
};
const struct flash_report *flash_guard_report(const struct flash_guard *guard);

#endif
