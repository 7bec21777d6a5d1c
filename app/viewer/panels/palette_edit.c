#include "app/viewer/panels/palette_edit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/colour/palette_colours.h"

#define NEAR (255.0 / 32)

static void insert(struct palette_edit *edit, int at, double position, const double rgb[3])
{
    size_t behind = (size_t)(edit->count - at);
    memmove(&edit->position[at + 1], &edit->position[at], behind * sizeof edit->position[0]);
    memmove(&edit->rgb[at + 1], &edit->rgb[at], behind * sizeof edit->rgb[0]);
    edit->position[at] = position;
    memcpy(edit->rgb[at], rgb, sizeof edit->rgb[at]);
    edit->count++;
}

/* The first stop behind a position; `count` if there is none. */
static int behind(const struct palette_edit *edit, double position)
{
    int at = 0;
    while (at < edit->count && edit->position[at] <= position)
        at++;
    return at;
}

/* ---- from a palette ---- */

static void sample(const float (*values)[4], int i, double rgb[3])
{
    for (int k = 0; k < 3; k++)
        rgb[k] = fmin(fmax((double)values[i][k] / 255, 0), 1);
}

/* How far straight lines between the stops are off sample i, in steps of 8 bits. */
static double off(const struct palette_edit *edit, const float (*values)[4], int i)
{
    double position = (double)i / PALETTE_SAMPLES, worst = 0;
    int to = behind(edit, position), from = to - 1, next = to % edit->count;
    double end = to < edit->count ? edit->position[to] : 1;
    double share = (position - edit->position[from]) / (end - edit->position[from]);
    for (int k = 0; k < 3; k++) {
        double line = edit->rgb[from][k] + share * (edit->rgb[next][k] - edit->rgb[from][k]);
        worst = fmax(worst, fabs(255 * line - (double)values[i][k]));
    }
    return worst;
}

void palette_edit_of(struct palette_edit *edit, const struct palette *palette)
{
    enum { STEP = 8 };
    const float(*values)[4] = palette_values(palette);
    double rgb[3];
    *edit = (struct palette_edit){.count = 0};
    for (int i = 0; i < PALETTE_SAMPLES; i += PALETTE_SAMPLES / 2) {
        sample(values, i, rgb);
        insert(edit, edit->count, (double)i / PALETTE_SAMPLES, rgb);
    }
    while (edit->count < PALETTE_EDIT_MAX) {
        int at = 0;
        double worst = NEAR;
        for (int i = STEP; i < PALETTE_SAMPLES; i += STEP) {
            double now = off(edit, values, i);
            if (now > worst) {
                worst = now;
                at = i;
            }
        }
        sample(values, at, rgb);
        if (!at || !palette_edit_add(edit, (double)at / PALETTE_SAMPLES, rgb))
            break;
    }
    edit->selected = 0;
}

/* ---- text ---- */

bool palette_edit_parse(struct palette_edit *edit, const char *text)
{
    struct palette_ring ring;
    if (!palette_is_colours(text) || palette_ring_parse(&ring, text) != STATUS_OK ||
        ring.count > PALETTE_EDIT_MAX)
        return false;
    edit->count = ring.count;
    edit->selected = edit->selected < ring.count ? edit->selected : 0;
    for (int i = 0; i < ring.count; i++) {
        edit->position[i] = ring.position[i];
        for (int k = 0; k < 3; k++)
            edit->rgb[i][k] = ring.rgb[i][k] / 255.0;
    }
    return true;
}

void palette_edit_text(const struct palette_edit *edit, char *text, size_t bytes)
{
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < edit->count && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "#%02x%02x%02x@0.%04d",
                                 (unsigned)lrint(255 * edit->rgb[i][0]) & 255,
                                 (unsigned)lrint(255 * edit->rgb[i][1]) & 255,
                                 (unsigned)lrint(255 * edit->rgb[i][2]) & 255,
                                 (int)fmin(lrint(10000 * edit->position[i]), 9999));
}

/* ---- by hand ---- */

void palette_edit_move(struct palette_edit *edit, double position)
{
    int i = edit->selected;
    double least = i ? edit->position[i - 1] + PALETTE_EDIT_GAP : 0;
    double most =
        i + 1 < edit->count ? edit->position[i + 1] - PALETTE_EDIT_GAP : 1 - PALETTE_EDIT_GAP;
    if (least <= most) /* a text may have them nearer: they stay */
        edit->position[i] = fmax(fmin(position, most), least);
}

bool palette_edit_add(struct palette_edit *edit, double position, const double rgb[3])
{
    int at = behind(edit, position);
    if (edit->count == PALETTE_EDIT_MAX || !(position >= 0 && position <= 1 - PALETTE_EDIT_GAP) ||
        (at && position - edit->position[at - 1] < PALETTE_EDIT_GAP) ||
        (at < edit->count && edit->position[at] - position < PALETTE_EDIT_GAP))
        return false;
    insert(edit, at, position, rgb);
    edit->selected = at;
    return true;
}

bool palette_edit_remove(struct palette_edit *edit)
{
    int i = edit->selected;
    if (edit->count <= PALETTE_EDIT_LEAST)
        return false;
    size_t after = (size_t)(edit->count - 1 - i);
    memmove(&edit->position[i], &edit->position[i + 1], after * sizeof edit->position[0]);
    memmove(&edit->rgb[i], &edit->rgb[i + 1], after * sizeof edit->rgb[0]);
    edit->count--;
    edit->selected = i < edit->count ? i : edit->count - 1;
    return true;
}
