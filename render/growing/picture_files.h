/* The files of a picture, written strip by strip as it is computed, and resumed after a kill.
 *
 * All files take the same rows; a file that fails leaves the others as they are. A picture that
 * takes longer than an interval of, say, a second has a journal (render/growing/journal.h):
 * finished tiles are in it, and every two intervals the files themselves are synced. So a kill
 * costs up to two intervals of work (more of devices that compute pixels faster than a disk takes
 * them: keeping tiles may take a twentieth of the time), a power failure a second more, and the
 * resulting files are byte for byte those of a run without. */
#ifndef RENDER_GROWING_PICTURE_FILES_H
#define RENDER_GROWING_PICTURE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/colour/distribution.h"
#include "render/file/sink.h"
#include "render/growing/journal.h"
#include "render/picture/picture.h"
#include "render/picture/picture_sums.h"

struct picture_files;

struct picture_files_options { /* borrowed until picture_files_close */
    void *context;             /* passed to `requests` */
    /* Fills requests[count]; what they point to lives until picture_files_close. settled: the text
     * that fixes the look (its distribution); "": the callee fills it in; else it is that of an
     * interrupted run, which the callee must use. */
    enum status (*requests)(void *context, struct sink_request *requests,
                            char settled[DISTRIBUTION_TEXT_BYTES]);
    size_t count;
    unsigned planes;         /* planes of the picture */
    int32_t height;          /* rows of the picture */
    struct journal *journal; /* NULL: none is kept */
    double interval_s;       /* seconds; tiles of a strip that takes longer are kept */
    uint64_t copied_bytes;   /* most bytes of rows that the consumer copies, of a picture in one
                                strip; picture_files_end puts them into the files */
};

/* Opens the files, those of an interrupted run if the journal has one. *files is to be closed also
 * after a failure. STATUS_OUT_OF_MEMORY; STATUS_BAD_DATA for an inconsistent journal. */
enum status picture_files_open(struct picture_files **files,
                               const struct picture_files_options *options);

/* Have the files of an interrupted run got their names? Then there is nothing to compute. */
bool picture_files_complete(const struct picture_files *files);

/* Consumer of the picture; borrowed until picture_files_close. strip_rows: as in the plan. A strip
 * fails when all files have failed, with the first failure; STATUS_STOPPED. */
const struct picture_consumer *picture_files_consumer(struct picture_files *files,
                                                      int32_t strip_rows);

/* After the last strip: adds the files to the set, without their names yet, though some may have
 * failed: see picture_files_verdict. This and all below may be called on another thread, while the
 * next picture is computed. */
enum status picture_files_end(struct picture_files *files, struct atomic_file_set *set);

/* Removes the journal, when the files have their names, and returns the first failure of a file. */
enum status picture_files_verdict(struct picture_files *files);

/* Sums of all rows; checksums are 0 where an interrupted run wrote the first of them. */
struct picture_sums picture_files_sums(const struct picture_files *files);

/* Reason why the journal was given up; "": it was not, or none is needed. */
const char *picture_files_warning(const struct picture_files *files);

double picture_files_seconds(const struct picture_files *files); /* time spent in this module */

/* Closes the files; without picture_files_verdict the journal stays for another run. Accepts
 * NULL. */
void picture_files_close(struct picture_files *files);

#endif
