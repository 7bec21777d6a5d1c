/* Files of any kind and size, and films, made in the background of the window by a run of the
 * program itself. One at a time, with its progress; it ends with the window. */
#ifndef APP_VIEWER_CORE_VIEWER_MAKE_H
#define APP_VIEWER_CORE_VIEWER_MAKE_H

#include "app/viewer/core/viewer_state.h"
#include "app/viewer/files/child_process.h"

enum { MAKE_WORDS_MOST = 24, MAKE_FILES_MOST = 2, MAKE_LINE_BYTES = HUD_LINE_BYTES };

/* Files that the run reads, in the folder of the user's data. */
struct make_file {
    char path[USER_DATA_PATH_BYTES];
    char *text; /* owned; NULL: none */
};

struct make_order {
    char *word[MAKE_WORDS_MOST]; /* words behind the name of the program; owned */
    int words;
    char *input;                   /* text of standard input; owned; NULL: empty */
    char path[PICTURE_PATH_BYTES]; /* file that is made */
    struct make_file file[MAKE_FILES_MOST];
    enum string said; /* sentence with the path, when it is done */
};

/* Adds a word; without memory the order is refused by viewer_make. */
void make_word(struct make_order *order, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Begins; takes the order over, which is of calloc. A second one is refused in a notice. */
void viewer_make(struct viewer *viewer, struct make_order *order);
void make_order_destroy(void *order); /* one that is not begun; accepts NULL */

/* Saves what is seen under a name whose ending says the kind: a place of any format that is
 * written, or a picture of a size and with samples. Replaces no file. */
struct make_picture {
    const char *size; /* as --size takes it, paper with its resolution; NULL: the next two */
    int32_t width, height;
    int samples;
};
void viewer_save_as(struct viewer *viewer, const char *path, const struct make_picture *picture);

bool viewer_makes(const struct viewer *viewer);
/* Line about what is being made; false: nothing is. */
bool viewer_make_line(const struct viewer *viewer, char text[MAKE_LINE_BYTES]);
bool viewer_make_stop(struct viewer *viewer); /* false: nothing is made */

/* Receives progress and ends. */
void viewer_make_poll(struct viewer *viewer);
void viewer_make_close(struct viewer *viewer);

#endif
