/* State of the panel's pages, with a function for each page. */
#ifndef APP_VIEWER_PANELS_PAGES_H
#define APP_VIEWER_PANELS_PAGES_H

#include "library/settings/tour.h"
#include "app/viewer/core/viewer_state.h"
#include "app/viewer/panels/palette_edit.h"
#include "app/viewer/panels/ui.h"
#include "library/place/data.h"

enum {
    STRIP_PX = 256,       /* colours of a palette as a row of pixels */
    PALETTES_SHOWN = 256, /* limit for built-in and user palettes together */
    FILES_SHOWN = 2000,
    CARDS_SHOWN = 512,
    NAME_BYTES = 96
};

struct place_row {
    char name[DATA_NAME_BYTES], title[NAME_BYTES];
};

struct palette_row {
    char name[NAME_BYTES];
    char text[OPTION_PALETTE_MAX + 1]; /* name or colours, as a place has them */
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
    struct data_names tours;              /* names of the files in configs/tours */
    struct tour *tour;                    /* the tours; without stops: it cannot be read; owned */
    struct paint_image card[CARDS_SHOWN]; /* pictures of a pass, until ui_end */
    int cards;
    bool removes;                        /* choosing a bookmark removes it */
    struct paint_image *bookmark_images; /* owned */

    struct palette_row *palette; /* owned */
    int palettes;
    bool palettes_stale;

    struct palette_edit edit; /* stops of the palette `edited` */
    char edited[OPTION_PALETTE_MAX + 1];
    uint32_t strip[STRIP_PX];
    struct paint_image strip_image;
    char strip_of[OPTION_PALETTE_MAX + 1];
    struct entry name;    /* name of a palette to be saved */
    struct entry formula; /* text of a user formula */
    struct entry hex;     /* text of the colour of a stop */
    char hex_of[8];       /* colour whose text that is */
    struct entry bookmark_name;
    struct entry search; /* part of the titles of places that are listed */
    bool renames;        /* choosing a bookmark gives it that name */

    int save_size, save_samples; /* choices for a picture that is saved */
    char folder[USER_DATA_PATH_BYTES];
    struct file_row *file; /* owned */
    int files;

    double menu_until_s; /* time until which the button is seen */
    double menu_faded_s; /* time when it was drawn fainter; 0: it was not */
    bool menu_pointed;   /* the mouse rests on it */
};

void page_settings(struct viewer *viewer);
void page_places(struct viewer *viewer);
void page_tours(struct viewer *viewer);
void page_formulas(struct viewer *viewer);
void page_bookmarks(struct viewer *viewer);
void page_palettes(struct viewer *viewer);
void page_colours(struct viewer *viewer);
void page_film(struct viewer *viewer);
void page_files(struct viewer *viewer);
void page_entry(struct viewer *viewer);

/* Rows of page_colours: what colours go by; the layer over them. */
void colour_source_rows(struct viewer *viewer);
void layer_rows(struct viewer *viewer);

/* Shows the progress of what is being made, with a button that cancels it. */
void make_rows(struct viewer *viewer);

/* Loads the colours of a palette file into the editor, as those of the place. */
void palette_import(struct viewer *viewer, const char *path);

/* Read the lists of a page, which is being opened. */
void palettes_list(struct viewer *viewer);
void files_list(struct viewer *viewer);

#endif
