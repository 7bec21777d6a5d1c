/* Files of the viewer: the history, places, pictures and bookmarks as jobs for the I/O thread, and
 * the results of these jobs. */
#ifndef APP_VIEWER_CORE_VIEWER_FILES_H
#define APP_VIEWER_CORE_VIEWER_FILES_H

#include "app/viewer/core/viewer_state.h"
#include "library/text/image_size.h"

/* Gives a job to the I/O thread. False: the thread will not do it, and the user is told why. */
bool viewer_give(struct viewer *viewer, enum status (*work)(void *, char *),
                 void (*destroy)(void *), void *context);

/* Path of a name: itself, or in the current folder, so that messages say where a file is. */
void path_whole(char *path, size_t bytes, const char *name);

void viewer_history_keep(struct viewer *viewer); /* the place that is seen becomes a step */
void viewer_place_save(struct viewer *viewer);
void viewer_place_save_as(struct viewer *viewer, const char *path); /* replaces no file */
void viewer_file_open(struct viewer *viewer, const char *path);

/* Saves the picture that is seen: at once if it is finished, else when it is. path "": named by the
 * time. */
void viewer_picture(struct viewer *viewer, const char *path);

/* Saves the picture that is seen at another size, as soon as the hand rests; path as above. */
void viewer_print(struct viewer *viewer, const struct image_size *size, const char *path);

/* Writes requested pictures that are finished; called after each poll of the engine. */
enum status viewer_pictures_poll(struct viewer *viewer);

void viewer_bookmark_add(struct viewer *viewer);
void viewer_bookmark_open(struct viewer *viewer, int number);
void viewer_bookmark_remove(struct viewer *viewer, int number);
void viewer_bookmark_rename(struct viewer *viewer, int number, const char *title);

/* Steps through the list, which is loaded first if need be. */
void viewer_bookmark_go(struct viewer *viewer, int step);
void viewer_bookmarks_load(struct viewer *viewer);
void viewer_bookmarks_close(struct viewer *viewer);

/* Takes the thumbnail of the newest bookmark again when its picture is finished. */
bool viewer_thumbnail_due(const struct viewer *viewer); /* may a poll find it finished? */
void viewer_thumbnail_poll(struct viewer *viewer);

/* Writes a small text into the user's folder, or one below it ("" for itself), and then says `said`
 * ("": nothing, also of a failure before it is written). */
void viewer_text_keep(struct viewer *viewer, const char *below, const char *name, const char *text,
                      const char *said);

void viewer_hints_keep(struct viewer *viewer); /* writes the learnt hints */

/* Keeps the colours that are seen as a favourite, or uses those of one. */
void viewer_favourite_keep(struct viewer *viewer, int number);
void viewer_favourite_recall(struct viewer *viewer, int number);

/* Receives the results of the I/O thread. */
void viewer_inbox(struct viewer *viewer);

/* Writes what there is of a picture under way and ends the I/O thread when all its jobs are done,
 * whose failures are printed on stderr, since the window shows no more notices. A history whose
 * file has a gap is saved once more. */
void viewer_files_close(struct viewer *viewer);

#endif
