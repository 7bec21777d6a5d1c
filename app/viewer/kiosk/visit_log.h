/* The log of a stand for those who pay for it: a line of CSV for each day, with how many visits
 * there were, how long they lasted, and how many places were seen. Nothing of a visitor. Pure.
 *
 *     date,visits,seconds,places
 *     2026-11-28,41,3902,212
 */
#ifndef APP_VIEWER_KIOSK_VISIT_LOG_H
#define APP_VIEWER_KIOSK_VISIT_LOG_H

#include <stdint.h>

#include "kernels/status.h"

enum { VISIT_LOG_BYTES_MOST = 1 << 20, VISIT_LOG_DATE_BYTES = 11 };

struct visit {
    char date[VISIT_LOG_DATE_BYTES]; /* "2026-11-28", of its first touch */
    double seconds;                  /* from the first touch to the last */
    uint64_t places;                 /* pictures that came to rest meanwhile */
};

/* The text of the log with the visit in it, freed by the caller. `text` is that before, "" for a
 * new one. STATUS_BAD_DATA when it is no such log; STATUS_OUT_OF_MEMORY. */
enum status visit_log_add(const char *text, const struct visit *visit, char **added);

#endif
