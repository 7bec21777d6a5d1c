/* Challenges for visitors of a stand: what is to be found, and whether a picture shows it, by what
 * deepfield_find says of its middle. Times and touches of the best are kept in memory, without
 * names. Pure. */
#ifndef APP_VIEWER_KIOSK_CHALLENGE_H
#define APP_VIEWER_KIOSK_CHALLENGE_H

#include <stdbool.h>
#include <stdint.h>

#include "app/viewer/overlays/strings.h"

enum { CHALLENGES = 6 };
#define CHALLENGE_MIDDLE 0.7    /* share of the picture's width and height that is judged */
#define CHALLENGE_LARGE 0.12    /* least size of a copy, in heights of the picture */
#define CHALLENGE_DEEP 8.0      /* least magnification of a picture that is judged */
#define CHALLENGE_PRAISED_S 8.0 /* time for which a success stays on the screen */

/* A point in the middle of a picture. */
struct challenge_found {
    bool misiurewicz;
    int64_t period, preperiod;
    bool disc;           /* a nucleus whose component grows on another one */
    double size_heights; /* size of a nucleus' component in heights of the picture */
    double re, im;
};

struct challenge {
    enum string text;
    bool misiurewicz; /* a Misiurewicz point is searched, else a nucleus */
    bool disc;        /* the nucleus' component grows on another one */
    int period;       /* period of the nucleus; 0: any */
    bool off_axis;    /* a real nucleus is not meant */
    int arms;         /* arms of the Misiurewicz point */
    bool touches;     /* touches count, not seconds */
};
extern const struct challenge challenges[CHALLENGES];

/* Is it what the challenge wants? */
bool challenge_is_met(const struct challenge *challenge, const struct challenge_found *found);

/* Number of arms that meet at a Misiurewicz point of z^2 + c whose orbit ends on a fixed point: the
 * denominator of the limb that it is in, by Yoccoz's inequality (Hubbard, Local connectivity of
 * Julia sets and bifurcation loci, 1993): log of the multiplier of the fixed point alpha is within
 * (log 2)/q of 2 pi i p/q + (log 2)/q. 1: an end of an arm. 0: another orbit, or it is not known.
 */
int misiurewicz_arms(double re, double im, int64_t preperiod, int64_t period);

struct challenge_run { /* zeroed: none yet */
    int number;        /* number of the challenge */
    bool on, met;
    double begun_s, met_s;
    int touches;
    double best[CHALLENGES]; /* seconds, or touches, of the best today */
    bool has_best[CHALLENGES];
};

void challenge_begin(struct challenge_run *run, double now_s); /* the next one */
void challenge_day(struct challenge_run *run);                 /* forgets the best: another day */
void challenge_end(struct challenge_run *run);
void challenge_meet(struct challenge_run *run, double now_s);

/* Ends one that was met some time ago; true: it has ended. */
bool challenge_step(struct challenge_run *run, double now_s);

/* The sentence on the screen; "": none is under way. */
enum { CHALLENGE_BYTES = 320 };
const char *challenge_sentence(const struct challenge_run *run, double now_s,
                               char text[CHALLENGE_BYTES]);

#endif
