/* The pages of places: those that come with the program, formulas, bookmarks, files, and the text
 * box. */
#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/settings/view_operand.h"
#include "app/viewer/core/viewer_action.h"
#include "app/viewer/core/viewer_files.h"
#include "app/viewer/core/viewer_make.h"
#include "app/viewer/core/viewer_thumbnails.h"
#include "app/viewer/core/viewer_tour.h"
#include "app/viewer/panels/pages.h"
#include "kernels/formula_text.h"
#include "library/place/place_format.h"
#include "library/settings/view_file.h"
#include "library/text/image_size.h"
#include "render/colour/palette_kinds.h"
#include "render/disk/folder.h"

enum { ENDINGS_MOST = 24 };

/* A row with the picture of that name, where there is one. */
static enum ui_answer card_build(struct viewer *viewer, const char *name, const char *title,
                                 const char *note, bool marked)
{
    struct pages *state = viewer->pages;
    const struct paint_image *image = NULL;
    if (state->cards < CARDS_SHOWN && viewer_thumbnail(viewer, name, &state->card[state->cards]))
        image = &state->card[state->cards++];
    return ui_card(state->ui, image, title, note, marked);
}

/* ---- places and tours of the program ---- */

/* The folder configs/KIND. */
static void folder_of(const struct viewer *viewer, const char *kind,
                      char folder[USER_DATA_PATH_BYTES + 32])
{
    snprintf(folder, USER_DATA_PATH_BYTES + 32, "%s/../configs/%s", viewer->options->assets, kind);
}

/* Reads the title of a place; the row keeps the name where there is none. */
static void place_row_read(struct place_row *row, const char *path)
{
    struct view_file file = {0};
    if (view_operand_load(&file, path, VIEW_WHOLE) == STATUS_OK) {
        const struct ini_entry *title = ini_find(&file.ini, "view", "title");
        if (title && *title->value)
            snprintf(row->title, sizeof row->title, "%.*s", (int)sizeof row->title - 1,
                     title->value);
    }
    view_file_destroy(&file);
}

/* Orders places by title; places of a file of many come last. */
static int by_title(const void *a, const void *b)
{
    const struct place_row *one = a, *other = b;
    bool many = strchr(one->name, ':'), others = strchr(other->name, ':');
    return many != others ? (int)many - (int)others : strcoll(one->title, other->title);
}

/* Reads the list once, when the page is first seen. */
static void places_list(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    struct data_names names = {0};
    char folder[USER_DATA_PATH_BYTES + 32], path[2 * USER_DATA_PATH_BYTES];
    if (state->place)
        return;
    folder_of(viewer, "views", folder);
    if (data_views_list(&names, folder) != STATUS_OK)
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
    state->place = calloc(names.count + 1, sizeof *state->place);
    for (size_t i = 0; state->place && i < names.count; i++) {
        struct place_row *row = &state->place[state->places++];
        snprintf(row->name, sizeof row->name, "%s", names.name[i]);
        snprintf(row->title, sizeof row->title, "%s", names.name[i]);
        if (data_view_path(path, sizeof path, folder, row->name))
            place_row_read(row, path);
    }
    viewer_thumbnails_places(viewer, &names);
    data_names_destroy(&names);
    if (state->place)
        qsort(state->place, state->places, sizeof *state->place, by_title);
}

/* Is the typed text a part of the title or the name? */
static bool is_found(const struct place_row *row, const char *typed)
{
    return strcasestr(row->title, typed) || strcasestr(row->name, typed);
}

void page_places(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    char folder[USER_DATA_PATH_BYTES + 32], path[2 * USER_DATA_PATH_BYTES] = "";
    const struct place_row *chosen = NULL, *first = NULL;
    places_list(viewer);
    ui_prompt(state->ui, string_of(STRING_PLACES_SEARCH));
    bool accepted = ui_entry(state->ui, &state->search, &state->clipboard) == ENTRY_ACCEPTED;
    const char *typed = state->search.text ? state->search.text : "";
    for (size_t i = 0; i < state->places; i++) {
        const struct place_row *row = &state->place[i];
        if (!is_found(row, typed))
            continue;
        if (!first)
            ui_focus(state->ui);
        first = first ? first : row;
        if (card_build(viewer, row->name, row->title, row->name, false) == UI_CHOSEN)
            chosen = row;
    }
    chosen = accepted ? first : chosen;
    folder_of(viewer, "views", folder);
    if (chosen && data_view_path(path, sizeof path, folder, chosen->name))
        viewer_file_open(viewer, path);
}

static enum status tour_of_name(const struct viewer *viewer, const char *name, struct tour *tour)
{
    char folder[USER_DATA_PATH_BYTES + 32], path[2 * USER_DATA_PATH_BYTES];
    folder_of(viewer, "tours", folder);
    data_view_path(path, sizeof path, folder, name);
    return tour_read(tour, path);
}

/* Reads all tours, which are small files. The error of one is shown when it is chosen. */
static void tours_list(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    char folder[USER_DATA_PATH_BYTES + 32];
    if (state->tour)
        return;
    folder_of(viewer, "tours", folder);
    if (data_names_list(&state->tours, folder, ".ini") != STATUS_OK)
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
    state->tour = calloc(state->tours.count + 1, sizeof *state->tour);
    for (size_t i = 0; state->tour && i < state->tours.count; i++) {
        enum status ignored = tour_of_name(viewer, state->tours.name[i], &state->tour[i]);
        (void)ignored;
    }
    if (state->tour)
        viewer_thumbnails_tours(viewer, &state->tours, state->tour);
}

static void tour_play(struct viewer *viewer, struct tour *tour, const char *name)
{
    viewer_panel_close(viewer);
    enum status status = tour->stops ? STATUS_OK : tour_of_name(viewer, name, tour);
    if (status == STATUS_OK) {
        viewer_tour_end(viewer);
        status = viewer_tour_begin(viewer, tour);
    }
    if (status != STATUS_OK)
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
}

void page_tours(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    const char *language = language_codes[language_used()];
    size_t chosen = SIZE_MAX;
    tours_list(viewer);
    for (size_t i = 0; state->tour && i < state->tours.count; i++) {
        const char *title = tour_text(state->tour[i].title, language);
        char name[DATA_NAME_BYTES + 8];
        snprintf(name, sizeof name, "tour-%s", state->tours.name[i]);
        if (card_build(viewer, name, *title ? title : state->tours.name[i], state->tours.name[i],
                       false) == UI_CHOSEN)
            chosen = i;
    }
    if (chosen != SIZE_MAX)
        tour_play(viewer, &state->tour[chosen], state->tours.name[chosen]);
}

/* ---- texts that are typed ---- */

/* A text box; true: the text was accepted. */
static bool entry_row(struct viewer *viewer, struct entry *entry)
{
    enum entry_answer answer = ui_entry(viewer->pages->ui, entry, &viewer->pages->clipboard);
    if (answer == ENTRY_FULL)
        viewer_tell(viewer, NOTICE_ALARM, STRING_ENTRY_CLIPBOARD_FULL);
    return answer == ENTRY_ACCEPTED;
}

/* ---- formulas ---- */

static const char *formula_typed(const struct pages *state)
{
    return state->formula.text ? state->formula.text : "";
}

/* Is the typed text a part of the formula's name? */
static bool is_named(const struct formula *formula, const char *typed)
{
    return strstr(formula_name(formula), typed) != NULL;
}

/* Number of the first row whose name has the typed text as a part; FORMULA_ROWS: none has. */
static int name_find(const char *typed)
{
    int step = 0;
    for (; step < FORMULA_ROWS; step++) {
        struct formula formula = formula_of_step((enum formula_step)step);
        if (is_named(&formula, typed))
            break;
    }
    return step;
}

/* A text box for a formula; an error is shown while it is typed, unless the text is the begin of a
 * name. */
static void own_formula(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    struct formula formula;
    char text[FORMULA_TEXT_BYTES];
    if (!state->formula.text)
        entry_open(&state->formula, viewer->place.formula.step == STEP_OWN
                                        ? formula_text(&viewer->place.formula, text)
                                        : "");
    ui_paragraph(state->ui, string_of(STRING_FORMULAS_OWN));
    bool accepted = entry_row(viewer, &state->formula);
    const char *typed = formula_typed(state);
    int named = name_find(typed);
    if (!*typed || (!accepted && named < FORMULA_ROWS))
        return;
    enum status status = formula_of_text(&formula, typed, strlen(typed));
    if (status != STATUS_OK && named < FORMULA_ROWS) { /* Enter takes the first that is listed */
        formula = formula_of_step((enum formula_step)named);
        status = STATUS_OK;
    }
    if (status == STATUS_OK && accepted)
        status = viewer_formula_use(viewer, &formula);
    if (status != STATUS_OK)
        ui_paragraph(state->ui, status_text());
}

void page_formulas(struct viewer *viewer)
{
    char name[DATA_NAME_BYTES + 16];
    viewer_thumbnails_formulas(viewer);
    own_formula(viewer);
    const char *typed = formula_typed(viewer->pages);
    bool all = name_find(typed) == FORMULA_ROWS;
    for (int step = 0; step < FORMULA_ROWS; step++) {
        struct formula formula = formula_of_step((enum formula_step)step);
        if (!all && !is_named(&formula, typed))
            continue;
        snprintf(name, sizeof name, "formula-%s", formula_name(&formula));
        bool used = viewer->place.formula.step == formula.step;
        if (used)
            ui_seek(viewer->pages->ui);
        if (card_build(viewer, name, formula_name(&formula), formula_summary(&formula), used) ==
                UI_CHOSEN &&
            viewer_formula_use(viewer, &formula) != STATUS_OK)
            viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
    }
}

/* ---- bookmarks ---- */

#define CELL_WIDTH 150
#define CELL_HEIGHT 130

/* A name, for a new bookmark or one that is chosen. */
static void name_rows(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    const char *labels[] = {string_of(STRING_DO_BOOKMARK)};
    ui_line(state->ui, string_of(STRING_BOOKMARK_NAME), "");
    bool adds = entry_row(viewer, &state->bookmark_name);
    adds |= ui_buttons(state->ui, labels, 1) == 0;
    if (adds && state->bookmark_name.length)
        snprintf(viewer->place.title, sizeof viewer->place.title, "%s", state->bookmark_name.text);
    if (adds) {
        viewer_bookmark_add(viewer);
        viewer_bookmarks_load(viewer);
        entry_open(&state->bookmark_name, "");
    }
}

void page_bookmarks(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    const struct bookmarks *bookmarks = &viewer->bookmarks;
    struct paint_image *images = NULL;
    int chosen = -1, removed = -1;
    if (bookmarks->count)
        images = calloc(bookmarks->count, sizeof *images);
    if (!images)
        ui_paragraph(state->ui, string_of(STRING_BOOKMARKS_NONE));
    ui_grid(state->ui, CELL_WIDTH, CELL_HEIGHT);
    for (size_t i = 0; images && i < bookmarks->count; i++) {
        const struct bookmark *bookmark = &bookmarks->bookmark[i];
        images[i] = (struct paint_image){bookmark->pixels, (int32_t)bookmark->width,
                                         (int32_t)bookmark->height, (int32_t)bookmark->width};
        const char *title = *bookmark->title ? bookmark->title : bookmark->name;
        enum ui_answer answer = ui_cell(state->ui, &images[i], title);
        chosen = answer == UI_CHOSEN ? (int)i : chosen;
        removed = answer == UI_REMOVED ? (int)i : removed;
    }
    name_rows(viewer);
    if (images && ui_switch(state->ui, string_of(STRING_BOOKMARKS_REMOVE), state->removes))
        state->removes = !state->removes;
    if (images && ui_switch(state->ui, string_of(STRING_BOOKMARKS_RENAME), state->renames))
        state->renames = !state->renames;
    free(viewer->pages->bookmark_images); /* drawn by ui_end: kept until the next pass */
    viewer->pages->bookmark_images = images;
    if (state->removes && chosen >= 0) {
        removed = chosen;
        chosen = -1;
    }
    if (removed >= 0)
        viewer_bookmark_remove(viewer, removed);
    if (chosen >= 0 && state->renames && state->bookmark_name.length) {
        viewer_bookmark_rename(viewer, chosen, state->bookmark_name.text);
        chosen = -1;
    }
    if (chosen >= 0) {
        viewer->bookmark = chosen;
        viewer_bookmark_open(viewer, chosen);
    }
}

/* ---- the text box ---- */

static void accept(struct viewer *viewer)
{
    enum entry_for what = viewer->entry_for;
    char *text = viewer->entry.text;
    struct image_size size;
    viewer->entry.text = NULL;
    viewer_panel_close(viewer);
    if (!text || !*text)
        ;
    else if (what == ENTRY_GO_TO)
        viewer_set_place(viewer, text, strlen(text), "what was typed", PLACE_GIVEN);
    else if (image_size_read(text, &size) == STATUS_OK)
        viewer_print(viewer, &size, "");
    else
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
    free(text);
}

void page_entry(struct viewer *viewer)
{
    struct ui *ui = viewer->pages->ui;
    char number[16], lines[64] = "";
    bool print = viewer->entry_for == ENTRY_PRINT;
    ui_paragraph(ui, string_of(print ? STRING_ENTRY_PRINT : STRING_ENTRY_GO_TO));
    bool accepted = entry_row(viewer, &viewer->entry);
    snprintf(number, sizeof number, "%d", entry_lines(&viewer->entry));
    if (entry_lines(&viewer->entry) > 1)
        string_fill(lines, sizeof lines, STRING_ENTRY_LINES, number);
    const char *labels[] = {string_of(STRING_DO_PASTE), string_of(STRING_DO_OK)};
    int pressed = ui_buttons(ui, labels, 2);
    ui_line(ui, lines, "");
    if (pressed == 0) {
        char *text = window_clipboard(viewer->window);
        if (text && !entry_type(&viewer->entry, text))
            viewer_tell(viewer, NOTICE_ALARM, STRING_ENTRY_CLIPBOARD_FULL);
        free(text);
    }
    if (accepted || pressed == 1)
        accept(viewer);
}

/* ---- files ---- */

static int by_name(const void *a, const void *b)
{
    const struct file_row *one = a, *other = b;
    if (one->folder != other->folder)
        return one->folder ? -1 : 1;
    return strcoll(one->name, other->name);
}

/* Is it a folder, or a file of a kind that can be opened here? */
static bool file_is_shown(const struct viewer *viewer, const char *name, bool folder)
{
    if (folder)
        return strcmp(name, ".") != 0 && (*name != '.' || !strcmp(name, ".."));
    if (*name == '.')
        return false;
    return viewer->file_for == FILE_PALETTE ? palette_kind_of(name) != NULL
                                            : place_format_suffix(name);
}

void files_list(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    char path[USER_DATA_PATH_BYTES + 300];
    if (!*state->folder && !getcwd(state->folder, sizeof state->folder))
        snprintf(state->folder, sizeof state->folder, "/");
    if (!state->file)
        state->file = calloc(FILES_SHOWN, sizeof *state->file);
    state->files = 0;
    DIR *folder = state->file ? folder_list_path(state->folder) : NULL;
    for (struct dirent *one; folder && (one = readdir(folder)) && state->files < FILES_SHOWN;) {
        struct stat facts;
        struct file_row *row = &state->file[state->files];
        snprintf(path, sizeof path, "%s/%s", state->folder, one->d_name);
        if (strlen(one->d_name) >= sizeof row->name || stat(path, &facts) != 0 ||
            !file_is_shown(viewer, one->d_name, S_ISDIR(facts.st_mode)))
            continue;
        row->folder = S_ISDIR(facts.st_mode);
        snprintf(row->name, sizeof row->name, "%s", one->d_name);
        state->files++;
    }
    if (folder)
        closedir(folder);
    qsort(state->file, (size_t)state->files, sizeof *state->file, by_name);
}

static void folder_enter(struct viewer *viewer, const char *name)
{
    struct pages *state = viewer->pages;
    char path[USER_DATA_PATH_BYTES + 300], *real;
    snprintf(path, sizeof path, "%s/%s", state->folder, name);
    real = realpath(path, NULL);
    if (real && strlen(real) < sizeof state->folder) {
        snprintf(state->folder, sizeof state->folder, "%s", real);
        files_list(viewer);
        ui_reset(state->ui);
    }
    free(real);
}

/* ---- saving: the kind is the ending of the name, sizes and samples are for pictures ---- */

static const char *const save_sizes[] = {"",          "1080p",     "1440p",     "4k",
                                         "8k",        "16k",       "A4@150dpi", "A4@300dpi",
                                         "A3@150dpi", "A3@300dpi", "A2@150dpi", "A2@300dpi"};
static const int save_samples[] = {16, 4, 1, 64};
enum {
    SAVE_SIZES = sizeof save_sizes / sizeof *save_sizes,
    SAVE_SAMPLES = sizeof save_samples / sizeof *save_samples
};

static struct make_picture save_picture(const struct viewer *viewer)
{
    const struct pages *state = viewer->pages;
    struct make_picture picture = {.width = viewer->place.view.width,
                                   .height = viewer->place.view.height,
                                   .samples = save_samples[state->save_samples]};
    struct image_size size;
    if (!state->save_size)
        return picture;
    if (image_size_read(save_sizes[state->save_size], &size) != STATUS_OK)
        assert(!"a size of the list");
    picture.size = save_sizes[state->save_size];
    picture.width = size.width;
    picture.height = size.height;
    return picture;
}

/* Endings of all kinds that can be written, places first; returns how many. */
static int endings(const char *list[ENDINGS_MOST])
{
    const char *ending;
    int count = 0;
    for (int i = 0; i < place_formats_count && count < ENDINGS_MOST; i++)
        if (place_formats[i]->write)
            list[count++] = place_formats[i]->suffix;
    for (int i = 0; count < ENDINGS_MOST && (ending = picture_ending(i)); i++)
        list[count++] = ending;
    return count;
}

/* Gives the typed name another ending. */
static void ending_put(struct entry *entry, const char *ending)
{
    char name[300];
    const char *typed = entry->text ? entry->text : "", *dot = strrchr(typed, '.');
    size_t length = dot && !strchr(dot, '/') ? (size_t)(dot - typed) : strlen(typed);
    if (length > sizeof name - 20)
        return;
    snprintf(name, sizeof name, "%.*s%s", (int)length, length ? typed : "deepfield", ending);
    name[length ? length + strlen(ending) : sizeof "deepfield" - 1 + strlen(ending)] = '\0';
    entry_open(entry, name);
}

static void save_rows(struct viewer *viewer)
{
    struct pages *state = viewer->pages;
    const char *list[ENDINGS_MOST];
    char size[32], samples[16];
    int count = endings(list), pressed = ui_buttons(state->ui, list, count);
    if (pressed >= 0)
        ending_put(&viewer->entry, list[pressed]);
    struct make_picture picture = save_picture(viewer);
    bool paper = picture.size && strchr(picture.size, '@');
    snprintf(size, sizeof size, "%s%s%d x %d", paper ? picture.size : "", paper ? ": " : "",
             picture.width, picture.height);
    snprintf(samples, sizeof samples, "%d", picture.samples);
    int step = ui_choice(state->ui, string_of(STRING_SAVE_SIZE), size);
    state->save_size = (state->save_size + step + SAVE_SIZES) % SAVE_SIZES;
    step = ui_choice(state->ui, string_of(STRING_SET_SAMPLES), samples);
    state->save_samples = (state->save_samples + step + SAVE_SAMPLES) % SAVE_SAMPLES;
}

static void file_take(struct viewer *viewer, const char *name)
{
    const char *folder = viewer->pages->folder;
    char path[USER_DATA_PATH_BYTES + 300];
    enum file_for what = viewer->file_for;
    struct stat facts;
    struct make_picture picture = save_picture(viewer);
    snprintf(path, sizeof path, *name == '/' ? "%s%s" : "%s/%s", *name == '/' ? "" : folder, name);
    if (what != FILE_SAVE && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        folder_enter(viewer, name);
        return;
    }
    viewer_panel_close(viewer);
    if (what == FILE_PALETTE)
        palette_import(viewer, path);
    else if (what == FILE_SAVE)
        viewer_save_as(viewer, path, &picture);
    else
        viewer_file_open(viewer, path);
}

/* Is the file listed? A text that is typed to open one is a part of its name. */
static bool is_listed(const struct viewer *viewer, const struct file_row *row)
{
    const char *typed = viewer->entry.text ? viewer->entry.text : "";
    return viewer->file_for == FILE_SAVE || strchr(typed, '/') || strcasestr(row->name, typed);
}

/* Endings of the files that can be opened as places. */
static void formats_text(char *text, size_t bytes)
{
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < place_formats_count; i++)
        if (!strstr(text, place_formats[i]->suffix) && used < bytes)
            used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? " " : "",
                                     place_formats[i]->suffix);
}

void page_files(struct viewer *viewer)
{
    static const enum string titles[] = {[FILE_OPEN] = STRING_ENTRY_OPEN_FILE,
                                         [FILE_PALETTE] = STRING_FILES_PALETTE,
                                         [FILE_SAVE] = STRING_FILES_SAVE};
    struct pages *state = viewer->pages;
    int chosen = -1, first = -1;
    char name[256], title[400], formats[160];
    formats_text(formats, sizeof formats);
    make_rows(viewer);
    string_fill(title, sizeof title, titles[viewer->file_for], formats);
    ui_paragraph(state->ui, title);
    bool accepted = entry_row(viewer, &viewer->entry);
    if (viewer->file_for == FILE_SAVE) {
        const char *labels[] = {string_of(STRING_DO_SAVE)};
        accepted |= ui_buttons(state->ui, labels, 1) == 0;
        save_rows(viewer);
    }
    ui_paragraph(state->ui, state->folder);
    for (int i = 0; i < state->files; i++) {
        if (!is_listed(viewer, &state->file[i]))
            continue;
        first = first < 0 ? i : first;
        snprintf(name, sizeof name, "%.250s%s", state->file[i].name,
                 state->file[i].folder ? "/" : "");
        if (ui_row(state->ui, NULL, name, state->file[i].folder) == UI_CHOSEN)
            chosen = i;
    }
    if (accepted && viewer->file_for != FILE_SAVE && first >= 0 && viewer->entry.length)
        chosen = first;
    if (chosen >= 0 && state->file[chosen].folder)
        folder_enter(viewer, state->file[chosen].name);
    else if (chosen >= 0 && viewer->file_for == FILE_SAVE)
        entry_open(&viewer->entry, state->file[chosen].name);
    else if (chosen >= 0 || (accepted && viewer->entry.length)) {
        char *text = strdup(chosen >= 0 ? state->file[chosen].name : viewer->entry.text);
        if (text)
            file_take(viewer, text);
        free(text);
    }
}
