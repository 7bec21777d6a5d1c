#include "app/serve/wall.h"

#include <math.h>
#include <string.h>

#include "kernels/number_text.h"

enum status wall_of_text(struct wall *wall, const char *text)
{
    int64_t columns = 0, rows = 0;
    const char *at = text;
    bool good = number_whole_take(&at, &columns) && *at++ == 'x' && number_whole_take(&at, &rows) &&
                !*at && columns >= 1 && rows >= 1 && columns <= WALL_SIDE_MOST &&
                rows <= WALL_SIDE_MOST && columns * rows > 1;
    if (!good)
        return status_fail(STATUS_CONFIG,
                           "'%.40s' is no wall: it has COLUMNSxROWS screens, as 2x2, up to %dx%d",
                           text, WALL_SIDE_MOST, WALL_SIDE_MOST);
    *wall = (struct wall){.columns = (int)columns, .rows = (int)rows};
    return STATUS_OK;
}

/* ---- places ---- */

static int count_of(const struct wall *wall)
{
    return wall->columns * wall->rows;
}

struct wall_screen *wall_screen_of(struct wall *wall, const void *page)
{
    for (int i = 0; page && i < count_of(wall); i++)
        if (wall->screen[i].page == page)
            return &wall->screen[i];
    return NULL;
}

void wall_leave(struct wall *wall, const void *page)
{
    struct wall_screen *screen = wall_screen_of(wall, page);
    if (screen)
        *screen = (struct wall_screen){.page = NULL};
}

bool wall_has(const struct wall *wall, int column, int row)
{
    return column >= 0 && row >= 0 && column < wall->columns && row < wall->rows;
}

bool wall_enter(struct wall *wall, const void *page, int column, int row)
{
    if (!wall_has(wall, column, row))
        return false;
    wall_leave(wall, page);
    wall->screen[row * wall->columns + column] = (struct wall_screen){.page = page};
    return true;
}

/* Where the share number `at` of `of` begins. */
static int32_t edge(int32_t length, int at, int of)
{
    return (int32_t)((int64_t)length * at / of);
}

struct cell_rect wall_part(const struct wall *wall, const struct wall_screen *screen, int32_t width,
                           int32_t height)
{
    int at = (int)(screen - wall->screen), column = at % wall->columns, row = at / wall->columns;
    int32_t x = edge(width, column, wall->columns), y = edge(height, row, wall->rows);
    return (struct cell_rect){x, y, edge(width, column + 1, wall->columns) - x,
                              edge(height, row + 1, wall->rows) - y};
}

/* ---- frames ---- */

int wall_late(const struct wall *wall)
{
    int late = 0;
    for (int i = 0; i < count_of(wall); i++)
        late += wall->screen[i].page && wall->screen[i].late;
    return late;
}

bool wall_wants_frame(const struct wall *wall)
{
    bool wants = false;
    for (int i = 0; i < count_of(wall); i++)
        wants |= wall->screen[i].page && wall->screen[i].behind && !wall->screen[i].late;
    return wants;
}

bool wall_may_begin(const struct wall *wall)
{
    return wall->presented == wall->frame;
}

uint32_t wall_begin(struct wall *wall, double now_s)
{
    wall->frame++;
    for (int i = 0; i < count_of(wall); i++) {
        struct wall_screen *screen = &wall->screen[i];
        if (!screen->page || screen->late)
            continue;
        screen->owed[WALL_READY] = wall->frame;
        screen->behind = false;
    }
    wall->begun_s[WALL_READY] = now_s;
    return wall->frame;
}

/* Takes an answer that a screen owes; false: it owes none. The last one brings a late screen back,
 * which then waits for the next frame. */
static bool answer_take(struct wall_screen *screen, enum wall_answer answer, uint32_t frame)
{
    if (!screen || !frame || screen->owed[answer] != frame)
        return false;
    screen->owed[answer] = 0;
    screen->late &= screen->owed[WALL_READY] || screen->owed[WALL_SHOWN];
    return true;
}

void wall_ready(struct wall *wall, const void *page, uint32_t frame)
{
    struct wall_screen *screen = wall_screen_of(wall, page);
    if (answer_take(screen, WALL_READY, frame) && !screen->behind)
        screen->ready = frame;
}

void wall_shown(struct wall *wall, const void *page, uint32_t frame)
{
    (void)answer_take(wall_screen_of(wall, page), WALL_SHOWN, frame);
}

/* Is a screen waited for that owes this answer? Those that are late are left behind. */
static bool any_owes(struct wall *wall, enum wall_answer answer, double now_s, double *until_s)
{
    bool owes = false;
    double late_s = wall->begun_s[answer] + WALL_LATE_S;
    for (int i = 0; i < count_of(wall); i++) {
        struct wall_screen *screen = &wall->screen[i];
        if (!screen->page || screen->late || !screen->owed[answer])
            continue;
        if (now_s >= late_s) {
            screen->late = screen->behind = true;
            screen->ready = 0;
        } else
            owes = true;
    }
    if (owes)
        *until_s = fmin(*until_s, late_s);
    return owes;
}

bool wall_step(struct wall *wall, double now_s, double *until_s)
{
    bool shown = !any_owes(wall, WALL_SHOWN, now_s, until_s);
    bool ready = !any_owes(wall, WALL_READY, now_s, until_s);
    if (wall_may_begin(wall) || !ready || !shown)
        return false;
    wall->presented = wall->frame;
    for (int i = 0; i < count_of(wall); i++) {
        struct wall_screen *screen = &wall->screen[i];
        if (screen->page && !screen->late && screen->ready == wall->frame)
            screen->owed[WALL_SHOWN] = wall->frame;
    }
    wall->begun_s[WALL_SHOWN] = now_s;
    return true;
}
