/* The report of a picture: one line for people, or one line of JSON for programs. */
#ifndef APP_REPORT_REPORT_H
#define APP_REPORT_REPORT_H

#include <stdio.h>

#include "app/settings/invocation.h"
#include "library/settings/picture_settings.h"
#include "render/picture/picture_sums.h"

struct outcome_link { /* how a rank that computes was connected with the picture */
    const char *transport;
    char reason[128];
};

struct outcome {
    const struct picture_report *report; /* NULL after a dry run, and of a complete picture */
    int joined;                          /* number of parts that the files were made of; 0: none */
    bool already_complete;               /* an earlier run has made all files */
    const struct renderer *renderer;     /* likewise */
    const struct estimate *estimate;     /* result of a dry run; NULL: none */
    struct outcome_link *link;           /* [ranks] of `report`; owned: outcome_links_keep */
    char refusal[256];                   /* why it does not lie on rank 0's GPU; "": it may */
    struct picture_sums sums;
    double prepare_s, write_s, total_s; /* wall seconds of this program's stages */
};

/* Keeps what the renderer says of the picture that it has computed last. STATUS_OUT_OF_MEMORY. */
enum status outcome_links_keep(struct outcome *outcome);
void outcome_destroy(struct outcome *outcome); /* accepts a zeroed one */

/* JSON document with all that decided the picture, its plan and, after a run, the results. */
enum status report_json(const struct invocation *invocation,
                        const struct picture_settings *settings, const struct outcome *outcome);

/* "1920 x 1080, limit 10000: 2.25 G iterations in 0.21 s (10.7 G/s) on avx512, 2 threads". */
void report_line(const struct picture_settings *settings, const struct outcome *outcome,
                 FILE *stream);

/* Mean busy time over the largest, of the ranks that compute: 1 is perfect. 0 if none was busy. */
double report_balance(const struct job_rank *rank, int ranks);

/* Prints, in several lines, the times of each rank, if there are several; and for a picture by
 * perturbation the cost of the orbit, and the blocks that were used. */
void report_survey(const struct outcome *outcome, FILE *stream);

/* The paths of the files, each as a line. */
void report_paths(const struct picture_settings *settings, FILE *stream);

#endif
