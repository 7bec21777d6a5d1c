/* What is done of a film: a folder beside it, in which its stretches lie until they are joined, so
 * that a run that was ended goes on with the frames that are missing, and several runs may have
 * parts of one film.
 *
 *     lock                        every run has it, shared; who begins the film has it alone
 *     film.txt                    the identity of the film: what decides its frames, a line each
 *     command                     the words of the command line, for `deepfield resume`
 *     000120-000239.mp4           a stretch: frames 120 to 239
 *     000120-000239.measures      what was measured of them
 *     000120-000239.light         its last frame, as it was shown: of films without flashes
 *     film.mp4                    all of it, joined, until the film has its own name
 *     film.y4m                    instead of both: stretches are frames in their places in it
 *     status.json                 how far a run has come (render/disk/run_status.h)
 *     .NAME.HOST.PID.TIME.part    being written
 *
 * A stretch is there when both files are; it gets its name when it is whole and on the disk. Of
 * films that are frames, each its own file, the folder has neither stretches nor film. */
#ifndef RENDER_FILM_FILM_STORE_H
#define RENDER_FILM_FILM_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"
#include "render/disk/atomic_file.h"
#include "render/film/film_flash.h"
#include "render/film/video/film_y4m.h"

enum {
    FILM_PATH_BYTES = 4096,
    FILM_FRAMES_MOST = 1000000,
    FILM_STRETCH_MOST = 120 /* frames of a stretch, at most */
};

struct film_measure { /* of a frame */
    float change;     /* film_change_add; NAN: not known */
    struct flash_frame flash;
};

struct film_stretch {
    int64_t first, last;
};

struct film_store {
    char folder[FILM_PATH_BYTES];
    char suffix[8];               /* of stretches; "": frames have their own files */
    struct film_places places;    /* of frames in the whole film */
    int64_t frames;               /* of that */
    int descriptor, lock;         /* -1: not open */
    bool alone;                   /* no other run has the folder */
    bool fresh;                   /* nothing was known of the film before */
    struct film_stretch *stretch; /* by their first frame, then by length; owned */
    size_t count;
};

/* The folder of a film that is written to `path`. */
enum status film_store_folder(char folder[FILM_PATH_BYTES], const char *path, bool frames);

struct film_store_order { /* borrowed */
    const char *folder, *suffix, *identity;
    struct film_places places; /* frame_bytes 0: stretches have files of their own */
    int64_t frames;            /* of the film */
    const char *command;       /* words, each with a final 0; ... */
    size_t command_bytes;      /* ... all of them; 0: none are kept */
    enum overwrite overwrite;
    const volatile int *stop; /* may be NULL */
};

/* Makes the folder, or finds in it what is there of the same film. Another film's goes if it may be
 * replaced and no other run has the folder; else STATUS_CANNOT_CREATE with the first line that
 * differs. film_store_close also after a failure. */
enum status film_store_open(struct film_store *store, const struct film_store_order *order);

/* What is there goes, and the film is fresh. STATUS_CANNOT_CREATE while other runs have it. */
enum status film_store_empty(struct film_store *store);

/* From now on what is there is of this film, and others may have the folder too. Of a fresh one,
 * before, no frame may be there. */
enum status film_store_begin(struct film_store *store, const struct film_store_order *order);
void film_store_close(struct film_store *store); /* accepts a zeroed one */

/* Looks again at what is there: stretches of FILM_STRETCH_MOST frames at most, all of the film. */
enum status film_store_scan(struct film_store *store);

/* The longest stretch that begins with the frame; NULL: none. */
const struct film_stretch *film_store_at(const struct film_store *store, int64_t frame);

/* The file of a stretch. */
struct film_file film_store_file(const struct film_store *store, const struct film_stretch *stretch,
                                 const char *suffix);

/* A new and empty one while it is written. As long as *claim, a descriptor, is open nobody takes
 * the file for one of a dead run. */
enum status film_store_temporary(const struct film_store *store, struct film_file *file,
                                 int *claim);

/* Writes the measures of the stretch, then gives its file (`temporary`; NULL: it has none of its
 * own) its name. The next scan finds it: another thread may look for others meanwhile. */
enum status film_store_commit(const struct film_store *store, const struct film_stretch *stretch,
                              const struct film_file *temporary,
                              const struct film_measure *measures);

/* Those of its frames; false if they cannot be read. */
bool film_store_measures(const struct film_store *store, const struct film_stretch *stretch,
                         struct film_measure *measures);

/* The light of the last frame of a stretch, before it is committed; the older ones are not needed
 * any more. */
enum status film_store_light_write(const struct film_store *store,
                                   const struct film_stretch *stretch, const float (*light)[3],
                                   size_t pixels);

/* False if it is not there, damaged or of another size. light NULL: only looks. */
bool film_store_light_read(const struct film_store *store, const struct film_stretch *stretch,
                           float (*light)[3], size_t pixels);
void film_store_light_remove(const struct film_store *store, const struct film_stretch *stretch);

/* Are the stretches that are there the first of the film, without a gap, all that was measured of
 * them, and the light of the last? `pixels`: of a frame. */
bool film_store_past(const struct film_store *store, size_t pixels);

/* Is the folder, a descriptor, one of a film? */
bool film_store_recognise(int folder);

/* Where the whole film lies until it has its name. */
struct film_file film_store_whole(const struct film_store *store);

/* Has the film that was joined in this folder its name, `path`? */
bool film_store_is_placed(const char *folder, const char *suffix, const char *path);

/* Removes the folder with what we know in it. */
void film_store_remove(struct film_store *store);

#endif
