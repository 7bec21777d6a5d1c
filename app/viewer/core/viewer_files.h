/* What the disk is needed for: the history, places, pictures and bookmarks as jobs for the I/O
 * thread, and what comes back from them. */
#ifndef APP_VIEWER_CORE_VIEWER_FILES_H
#define APP_VIEWER_CORE_VIEWER_FILES_H

#include "app/viewer/core/viewer_state.h"

void viewer_history_keep(struct viewer *viewer); /* the place that is seen becomes a step */
void viewer_place_save(struct viewer *viewer);
void viewer_place_save_as(struct viewer *viewer, const char *path); /* replaces nothing */
void viewer_file_open(struct viewer *viewer, const char *path);

/* The picture that is seen, when it is finished; if it is, whatever moves next. path "": named by
 * now. */
void viewer_picture(struct viewer *viewer, const char *path);

/* The picture that is seen, at another size, as soon as the hand rests; path "": named by now. */
void viewer_print(struct viewer *viewer, int32_t width, int32_t height, const char *path);

/* Writes pictures that have been asked for and are finished; to be called after each look at what
 * the engine has. */
enum status viewer_pictures_look(struct viewer *viewer);
void viewer_picture_close(struct viewer *viewer); /* writes what there is of one under way */

void viewer_bookmark_add(struct viewer *viewer);
void viewer_bookmark_open(struct viewer *viewer, int number);
void viewer_bookmark_remove(struct viewer *viewer, int number);

/* Steps through the list, which is loaded first if need be. */
void viewer_bookmark_go(struct viewer *viewer, int step);
void viewer_bookmarks_load(struct viewer *viewer);
void viewer_bookmarks_close(struct viewer *viewer);

bool viewer_thumbnail_due(const struct viewer *viewer); /* would a look say more? */
void viewer_thumbnail_look(struct viewer *viewer);

/* A small text for the user's folder, or one below it ("" for itself). */
void viewer_text_keep(struct viewer *viewer, const char *below, const char *name, const char *text);

void viewer_hints_keep(struct viewer *viewer); /* what has been learnt */

/* The colours that are seen become a favourite, or are those of one. */
void viewer_favourite_keep(struct viewer *viewer, int number);
void viewer_favourite_recall(struct viewer *viewer, int number);

/* What the I/O thread has finished. */
void viewer_inbox(struct viewer *viewer);

#endif
