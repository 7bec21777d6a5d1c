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
    return wall->phase == WALL_RESTS;
}

uint32_t wall_begin(struct wall *wall, double now_s)
{
    wall->frame++;
    for (int i = 0; i < count_of(wall); i++)
        if (wall->screen[i].page && !wall->screen[i].late) {
            wall->screen[i].stage = SCREEN_DECODES;
            wall->screen[i].behind = false;
            wall->screen[i].frame = wall->frame;
        }
    wall->phase = WALL_DECODES;
    wall->begun_s = now_s;
    return wall->frame;
}

/* Takes the answer that a screen owes. It brings a late one back, which then waits for the next
 * frame. */
static void answer_take(struct wall *wall, const void *page, uint32_t frame, enum wall_stage from,
                        enum wall_stage to)
{
    struct wall_screen *screen = wall_screen_of(wall, page);
    if (!screen || screen->stage != from || screen->frame != frame)
        return;
    screen->stage = screen->late ? SCREEN_RESTS : to;
    screen->late = false;
}

void wall_ready(struct wall *wall, const void *page, uint32_t frame)
{
    answer_take(wall, page, frame, SCREEN_DECODES, SCREEN_READY);
}

void wall_shown(struct wall *wall, const void *page, uint32_t frame)
{
    answer_take(wall, page, frame, SCREEN_PRESENTS, SCREEN_RESTS);
}

/* Is a screen waited for that is in this stage? Those that are late are left behind. */
static bool any_waits(struct wall *wall, enum wall_stage stage, bool late)
{
    bool waits = false;
    for (int i = 0; i < count_of(wall); i++) {
        struct wall_screen *screen = &wall->screen[i];
        if (!screen->page || screen->late || screen->stage != stage)
            continue;
        screen->late = screen->behind = late;
        waits |= !late;
    }
    return waits;
}

static void present(struct wall *wall, double now_s)
{
    for (int i = 0; i < count_of(wall); i++)
        if (wall->screen[i].page && wall->screen[i].stage == SCREEN_READY)
            wall->screen[i].stage = SCREEN_PRESENTS;
    wall->phase = WALL_PRESENTS;
    wall->begun_s = now_s;
}

bool wall_step(struct wall *wall, double now_s, double *until_s)
{
    bool late = now_s >= wall->begun_s + WALL_LATE_S;
    if (wall->phase == WALL_DECODES && !any_waits(wall, SCREEN_DECODES, late)) {
        present(wall, now_s);
        return true;
    }
    if (wall->phase == WALL_PRESENTS && !any_waits(wall, SCREEN_PRESENTS, late))
        wall->phase = WALL_RESTS;
    if (wall->phase != WALL_RESTS)
        *until_s = fmin(*until_s, wall->begun_s + WALL_LATE_S);
    return false;
}
