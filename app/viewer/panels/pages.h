/* What the files of the panel's pages share: their state, and a function for each page. */
#ifndef APP_VIEWER_PANELS_PAGES_H
#define APP_VIEWER_PANELS_PAGES_H

#include "app/place/data.h"
#include "app/tour/tour.h"
#include "app/viewer/core/viewer_state.h"
#include "app/viewer/panels/palette_edit.h"
#include "app/viewer/panels/ui.h"

enum {
    STRIP_PX = 256,       /* colours of a palette as a row of pixels */
    PALETTES_SHOWN = 256, /* limit for built-in and user palettes together */
    FILES_SHOWN = 2000,
    NAME_BYTES = 96
};

struct place_row {
    char name[DATA_NAME_BYTES], title[NAME_BYTES];
};

struct palette_row {
    char name[NAME_BYTES];
    char text[OPTION_PALETTE_MAX + 1]; /* what a place has: the name, or colours */
    uint32_t strip[STRIP_PX];
    struct paint_image image;
};

struct file_row {
    char name[256];
    bool folder;
};

struct pages {
    struct ui *ui;
    enum panel shown; /* panel that the state below belongs to */
    struct ui_clipboard clipboard;
    struct place_row *place; /* rows for configs/views; owned */
    size_t places;
    struct data_names tours;             /* names of the files in configs/tours */
    struct tour *tour;                   /* one for each; no stops: it cannot be read; owned */
    bool removes;                        /* choosing a bookmark removes it */
    struct paint_image *bookmark_images; /* owned */

    struct palette_row *palette; /* owned */
    int palettes;
    bool palettes_stale;

    struct palette_edit edit; /* of the palette of the place, as its text is below */
    char edited[OPTION_PALETTE_MAX + 1];
    uint32_t strip[STRIP_PX];
    struct paint_image strip_image;
    char strip_of[OPTION_PALETTE_MAX + 1];
    struct entry name;    /* name of a palette to be saved */
    struct entry formula; /* text of a user formula */

    char folder[USER_DATA_PATH_BYTES];
    struct file_row *file; /* owned */
    int files;

    double menu_until_s; /* the button is seen until then */
};

void page_settings(struct viewer *viewer);
void page_places(struct viewer *viewer);
void page_tours(struct viewer *viewer);
void page_formulas(struct viewer *viewer);
void page_bookmarks(struct viewer *viewer);
void page_palettes(struct viewer *viewer);
void page_colours(struct viewer *viewer);
void page_files(struct viewer *viewer);
void page_entry(struct viewer *viewer);

/* The colours of a palette file become those of the place, in the editor. */
void palette_import(struct viewer *viewer, const char *path);

/* Lists that are read anew when the page is opened. */
void palettes_list(struct viewer *viewer);
void files_list(struct viewer *viewer);

/* Colours that a hand has chosen: seen at once, and a step to undo. */
void look_chosen(struct viewer *viewer);

#endif
