/* An orbit put aside, to go on in another process.
 *
 * Its identity is all that decides its numbers: limbs, radius, and c to as many bits as the
 * arithmetic sees. Orbits of one identity are the same, bit for bit, however far they go. What is
 * taken up is what computing would have given for its own limit and its own disc: of a longer orbit
 * the first points, and where a nucleus ends it is found out anew, from the points. */
#ifndef KERNELS_ORBIT_ORBIT_STATE_H
#define KERNELS_ORBIT_ORBIT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/orbit/orbit.h"

/* To be raised when another number comes out of a step, or another member into orbit_saved. */
enum { ORBIT_STATE_VERSION = 1 };

struct orbit_saved { /* beside the points, the tiny ones and the numbers */
    int64_t length, tiny_count, limbs, period, seen, next;
    int32_t end;
    uint32_t negative; /* signs of the numbers, a bit each */
};

enum { ORBIT_NUMBERS = 4 }; /* of `limbs` limbs each: both parts of z, and of z remembered */

/* One line of text for free(). STATUS_OUT_OF_MEMORY. */
enum status orbit_identity(const struct orbit *orbit, char **text);

/* False: this one cannot be put aside, and took no time. (It is of another formula or plane than
 * z^2 + c of a parameter, c is far out, or the limit lies among the
 * last steps of an escape.) */
bool orbit_save(const struct orbit *orbit, struct orbit_saved *saved);
void orbit_save_numbers(const struct orbit *orbit, uint64_t *numbers);

/* An orbit on its way back. */
struct orbit_return {
    struct orbit_saved saved;
    struct orbit_point *z;   /* [orbit_return_points], from malloc() */
    struct orbit_tiny *tiny; /* [tiny_count], from malloc(); NULL if there are none */
    int64_t tiny_count;      /* of those points */
    uint64_t *numbers;       /* borrowed */
};

/* Parts of what orbit_restore asks, for who reads a file bit by bit and does not want to keep what
 * is nonsense. Can it be of this orbit? Is this a tiny point, after that at index `before`? Is each
 * of the points from `from` on what z^2 + c of the one before is, within the rounding of doubles?
 */
bool orbit_saved_fits(const struct orbit *orbit, const struct orbit_saved *saved);
bool orbit_tiny_fits(const struct orbit *orbit, const struct orbit_saved *saved,
                     const struct orbit_tiny *tiny, int64_t before);
bool orbit_steps_fit(const struct orbit *orbit, const struct orbit_saved *saved,
                     const struct orbit_point *z, int64_t from, int64_t to);

/* Points that are needed for this limit. */
int64_t orbit_return_points(const struct orbit_saved *saved, int64_t limit);

/* Makes an orbit of z_0 alone, of the same identity, what orbit_extend would make of it for
 * `limit`, or as much of that as there is. It can go on unless it was cut or has ended. Takes z and
 * tiny. False: what was saved is not consistent; then it can only be destroyed. As many steps
 * as take some 20 ms are taken anew for that, the first ones and, where they reach so far, those
 * from the remembered z to the last, and must be the same, bit for bit; all others must fit as
 * doubles. */
bool orbit_restore(struct orbit *orbit, const struct orbit_return *from, int64_t limit);

#endif
