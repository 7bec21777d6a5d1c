/* An orbit that is saved, to go on in another process.
 *
 * Its identity is all that decides its numbers: limbs, radius, and c to as many bits as the
 * arithmetic sees; of any other formula and plane than z^2 + c of a parameter bits, the operations
 * and what the orbit begins with. Orbits of one identity are the same, bit for bit, however far
 * they go. What is restored is what computing would have given for its own limit, its own disc and
 * its own pixels: the first points of a longer orbit; where a nucleus ends it, and how its errors
 * grow over a pixel, is determined anew, from the points. A cycle is saved without the rounds that
 * are added.
 *
 * Several orbits may belong together (orbit.h, critical). They are saved and restored together, and
 * the identity of the first is that of all. */
#ifndef KERNELS_ORBIT_ORBIT_STATE_H
#define KERNELS_ORBIT_ORBIT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/orbit/orbit.h"

/* Raised with every change of a number that a step computes, or of a member of orbit_saved. */
enum { ORBIT_STATE_VERSION = 3 };

/* Orbits of a view: one of 0 or a root in each phase, and that of the centre. */
enum { ORBIT_CHAIN_MOST = 1 + FORMULA_PERTURBED_PHASES_MAX };

enum { ORBIT_NUMBERS_MOST = 8 }; /* both parts of z and of z remembered, and of those before */

int orbit_chain(const struct orbit *orbit); /* number of orbits from this one on */

struct orbit_saved { /* all but the points, the tape, tiny, small and the numbers */
    int64_t length, steps, tiny_count, small_count, limbs, period, seen, next;
    int64_t exponent[ORBIT_NUMBERS_MOST]; /* exponents of floating-point numbers, else 0 */
    int32_t end;
    uint32_t negative; /* signs of the numbers, a bit each */
};

/* One line of text for free(). STATUS_OUT_OF_MEMORY. */
enum status orbit_identity(const struct orbit *orbit, char **text);

/* False: one of the orbits cannot be saved, and took no time. (It is z^2 + c and c is far out, or
 * the limit lies among the last steps of an escape, or it was cut.) Unused elements of `saved` are
 * 0. */
bool orbit_save(const struct orbit *orbit, struct orbit_saved saved[ORBIT_CHAIN_MOST]);

/* Save the numbers of one orbit, in so many bytes. */
size_t orbit_numbers_bytes(const struct orbit *orbit);
void orbit_save_numbers(const struct orbit *orbit, uint64_t *numbers);

/* One orbit that is to be restored. */
struct orbit_return {
    struct orbit_saved saved;
    struct orbit_point *z;     /* [orbit_return_points], from malloc() */
    struct orbit_point *tape;  /* [orbit_return_points][tape_width], those of orbit_return_steps
                                  read; from malloc(); NULL if there is none */
    struct orbit_tiny *tiny;   /* [tiny_count], from malloc(); NULL if there are none */
    struct orbit_small *small; /* [small_count], the same */
    int64_t tiny_count;        /* number for orbit_return_points */
    int64_t small_count;       /* number for orbit_return_steps */
    uint64_t *numbers;         /* from malloc() */
    /* Points and rows of the tape that the functions below have accepted. */
    int64_t points_fit, tape_fits;
};

/* Points and steps that are needed for this limit. */
int64_t orbit_return_points(const struct orbit_saved *saved, int64_t limit);
int64_t orbit_return_steps(const struct orbit_saved *saved, int64_t limit);

/* Tests of orbit_restore one by one, for readers of a file that reject nonsense early; the orbit is
 * one of z_0 alone. Can it be of this orbit? Is this a tiny point, after that at index `before`, or
 * a small value, after that one, or the first one after NULL? Is each of the points, and each
 * step's tape, from `from` on what the step from the point before gives, within the rounding of
 * doubles? */
bool orbit_saved_fits(const struct orbit *orbit, const struct orbit_saved *saved);
bool orbit_tiny_fits(const struct orbit *orbit, const struct orbit_saved *saved,
                     const struct orbit_tiny *tiny, int64_t before);
bool orbit_small_fits(const struct orbit *orbit, const struct orbit_saved *saved,
                      const struct orbit_small *small, const struct orbit_small *before);
bool orbit_steps_fit(const struct orbit *orbit, const struct orbit_saved *saved,
                     const struct orbit_point *z, int64_t from, int64_t to);
bool orbit_tape_fits(const struct orbit *orbit, const struct orbit_point *z,
                     const struct orbit_point *tape, int64_t from, int64_t to);

/* Is it a value of the first `points` points and `steps` steps? */
bool orbit_small_within(const struct orbit_small *small, int64_t points, int64_t steps);

/* Makes orbits of z_0 alone, of the same identity, what orbit_extend would make of them for
 * `limit`, or as much of that as was saved. They can go on unless they were cut or have ended.
 * Takes the arrays of `from`, which become NULL. False: what was saved is not consistent; then they
 * can only be destroyed. As many steps of each as take some 20 ms are computed anew for that, the
 * first ones and, where they reach so far, those from the remembered z to the last, and must be the
 * same, bit for bit; all others must fit as doubles. */
bool orbit_restore(struct orbit *orbit, struct orbit_return from[ORBIT_CHAIN_MOST], int64_t limit);

/* Frees all arrays that were not taken. */
void orbit_return_free(struct orbit_return from[ORBIT_CHAIN_MOST]);

#endif
