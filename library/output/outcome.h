/* What came of a picture that goes into files, and the document that says so. */
#ifndef LIBRARY_OUTPUT_OUTCOME_H
#define LIBRARY_OUTPUT_OUTCOME_H

#include <stdio.h>

#include "library/settings/picture_settings.h"
#include "render/disk/json.h"
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
    double prepare_s, write_s, total_s; /* wall seconds of the stages */
};

/* Keeps what the renderer says of the picture that it has computed last. STATUS_OUT_OF_MEMORY. */
enum status outcome_links_keep(struct outcome *outcome);
void outcome_destroy(struct outcome *outcome); /* accepts a zeroed one */

/* Opens a document with all that decided the picture, its plan and, after a run, the results; the
 * caller ends it. view: what the picture is named by; NULL: nothing. */
void outcome_json(struct json *json, const char *view, const struct picture_settings *settings,
                  const struct outcome *outcome);

/* The paths of the files, each as a line. */
void outcome_paths(const struct picture_settings *settings, FILE *stream);

/* Mean busy time over the largest, of the ranks that compute: 1 is perfect. 0 if none was busy. */
double outcome_balance(const struct job_rank *rank, int ranks);

#endif
