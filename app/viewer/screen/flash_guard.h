/* The guard against flashes on the screen: every picture that is shown is metered as those of films
 * are (render/motion/film_flash.h), and one that would be the fourth flash of a second is blended
 * with the picture before, as far as is safe.
 *
 * Metered are 8 x 8 pixels of each cell. A second is 60 slots of 1/59 s, so that changes that are a
 * second apart or less are always counted together. One thread. */
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

/* Meters the next picture before it is shown, and changes it where it must. True: it was changed,
 * and the wanted picture should be passed again soon. The picture before may have had another size.
 */
bool flash_guard_show(struct flash_guard *guard, struct warp_image *image, double now_s);

/* Factor of the speed of automatic motion, 1 ... 0: less the more flashes the last second had. */
double flash_guard_ease(struct flash_guard *guard, double now_s);

/* Time since when the picture has one colour, but for its edges, where buttons and figures are; 0:
 * it has several. */
double flash_guard_flat_s(const struct flash_guard *guard);

struct flash_report {
    double flashes, at_s; /* flashes, general or red, in the worst second; its end */
    uint64_t pictures, limited;
    double flat_s;        /* the longest time of one colour */
    struct measure meter; /* seconds that metering takes */
};
const struct flash_report *flash_guard_report(const struct flash_guard *guard);

#endif
