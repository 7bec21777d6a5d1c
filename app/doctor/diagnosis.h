/* Findings of `deepfield doctor`: what works, what is worth knowing, and what is wrong, with what
 * to do about it. */
#ifndef APP_DOCTOR_DIAGNOSIS_H
#define APP_DOCTOR_DIAGNOSIS_H

#include <stdbool.h>

enum verdict { VERDICT_FINE, VERDICT_NOTE, VERDICT_WRONG };

enum { DIAGNOSES_MOST = 24 };

struct diagnosis {
    enum verdict verdict;
    char subject[16]; /* word, such as "cores" */
    char text[400];   /* sentence without a final point */
    char remedy[200]; /* sentence of what to do; "": nothing */
};

struct diagnoses { /* without pointers, so that ranks can send it */
    int count;
    struct diagnosis row[DIAGNOSES_MOST];
};

/* Adds one; those after DIAGNOSES_MOST are dropped. remedy NULL: nothing is to be done. */
void diagnosis_add(struct diagnoses *diagnoses, enum verdict verdict, const char *subject,
                   const char *remedy, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

bool diagnosis_same(const struct diagnosis *a, const struct diagnosis *b);

/* "fine", "note", "wrong" */
const char *verdict_name(enum verdict verdict);

/* Numbers that are set, as ranges: "0-3, 5". Pure. */
void ranges_text(const bool *set, int count, char *text, int bytes);

#endif
