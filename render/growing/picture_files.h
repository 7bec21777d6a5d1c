/* The files of a picture, written strip by strip as it is computed, and gone on with after a kill.
 *
 * All files take the same rows; one that fails does not cost the others what they have. A picture
 * that takes longer than an interval of, say, a second has a journal (render/growing/journal.h):
 * tiles are in it when they are done, and every two intervals the files themselves are brought to
 * the disk. So a kill costs up to two intervals of work (more of devices that compute pixels faster
 * than a disk takes them: keeping tiles may take a twentieth of the time), a power failure a second
 * more, and the files that come of it are byte for byte those of a run without. */
#ifndef RENDER_GROWING_PICTURE_FILES_H
#define RENDER_GROWING_PICTURE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/colour/distribution.h"
#include "render/file/sink.h"
#include "render/growing/journal.h"
#include "render/picture/picture.h"

struct picture_files;

struct picture_files_options { /* borrowed until picture_files_close */
    void *context;             /* handed to the call */
    /* Fills requests[count]; what they point to lives until picture_files_close. settled: what the
     * look follows from, as text; "": that is known by now, and the text to be filled in; else it
     * is that of an interrupted run, which the look is to be settled by. */
    enum status (*requests)(void *context, struct sink_request *requests,
                            char settled[DISTRIBUTION_TEXT_BYTES]);
    size_t count;
    unsigned planes;         /* of the picture, */
    int32_t height;          /* and its rows */
    struct journal *journal; /* NULL: none is kept */
    double interval_s;       /* tiles of a strip that takes longer are kept */
};

/* Takes up the files of an interrupted run, if the journal knows of one. *files is to be closed
 * also after a failure. STATUS_OUT_OF_MEMORY; STATUS_BAD_DATA for a journal that cannot be right.
 */
enum status picture_files_open(struct picture_files **files,
                               const struct picture_files_options *options);

/* Had the files of an interrupted run got their names? Then there is nothing to compute. */
bool picture_files_complete(const struct picture_files *files);

/* Who takes the picture; borrowed until picture_files_close. strip_rows: as in the plan. A strip
 * fails when all files have failed, with the first failure; STATUS_STOPPED. */
const struct picture_consumer *picture_files_consumer(struct picture_files *files,
                                                      int32_t strip_rows);

/* After the last strip: the files of the set, which have no names yet, though some may have failed:
 * see picture_files_verdict. */
enum status picture_files_end(struct picture_files *files, struct atomic_file_set *set);

/* When the files have their names: the first failure of a file; removes the journal. */
enum status picture_files_verdict(struct picture_files *files);

/* Of all rows; checksums are 0 where an interrupted run had the first of them. */
struct picture_sums picture_files_sums(const struct picture_files *files);

/* Why there will be no journal, after all; "": there is one, or need not be. */
const char *picture_files_warning(const struct picture_files *files);

double picture_files_seconds(const struct picture_files *files); /* spent here */

/* Without picture_files_verdict: leaves the journal for another run. Accepts NULL. */
void picture_files_close(struct picture_files *files);

#endif
