/* Rows of the colour editor: what colours go by, and the layer over them. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "app/viewer/core/viewer_action.h"
#include "app/viewer/panels/pages.h"
#include "decomposition/thread/clock.h"
#include "render/colour/palette.h"

/* Orbits of z^2 + c stay within a circle of radius 2; the command line takes any other value. */
#define TRAP_MOST 2.0
enum { STRIPES_MOST = 16 };

/* Palette lengths by powers of two, as those of densities. */
static bool runs_row(struct viewer *viewer, double *runs)
{
    char words[24];
    double power = fmin(fmax(log2(*runs), -6), 6);
    snprintf(words, sizeof words, "%.3g", *runs);
    if (!ui_slider(viewer->pages->ui, string_of(STRING_BY_RUNS), words, &power, -6, 6, 0.25))
        return false;
    *runs = exp2(power);
    return true;
}

static bool share_row(struct viewer *viewer, enum string name, double *value)
{
    char words[24];
    snprintf(words, sizeof words, "%.2f", *value);
    return ui_slider(viewer->pages->ui, string_of(name), words, value, 0, 1, 0.05);
}

static bool source_rows(struct viewer *viewer, struct colour_source *source)
{
    struct ui *ui = viewer->pages->ui;
    int step = ui_choice(ui, string_of(STRING_LOOK_BY), string_of(viewer_input_name(source)));
    if (step)
        colour_source_step(source, step);
    if (!source->input)
        return step != 0;
    bool changed = ui_switch(ui, string_of(STRING_BY_WITH), !source->alone);
    if (changed)
        source->alone = !source->alone;
    changed |= runs_row(viewer, &source->runs);
    return changed || step;
}

/* Shows at once what was chosen; planes that it needs are computed. */
static void sources_chosen(struct viewer *viewer, unsigned planes)
{
    if (look_planes(&viewer->place.look) & ~planes)
        viewer_view_changed(viewer, clock_s());
    viewer_look_changed(viewer);
    viewer->unkept_s = clock_s();
    viewer_insets_ask(viewer);
}

static bool number_row(struct viewer *viewer, enum string name, double *value, double least,
                       double step)
{
    char words[24];
    snprintf(words, sizeof words, "%.4g", *value);
    return ui_slider(viewer->pages->ui, string_of(name), words, value, least, TRAP_MOST, step);
}

static bool stripes_row(struct viewer *viewer, int32_t *stripes)
{
    char words[16];
    double value = *stripes;
    snprintf(words, sizeof words, "%d", *stripes);
    if (!ui_slider(viewer->pages->ui, string_of(STRING_ORBIT_STRIPES), words, &value, 1,
                   STRIPES_MOST, 1))
        return false;
    *stripes = (int32_t)lrint(value);
    return true;
}

/* What planes along orbits measure, of those that are wanted. */
static void orbit_rows(struct viewer *viewer)
{
    unsigned planes = look_planes(&viewer->place.look);
    struct orbit_rule *orbit = &viewer->place.orbit;
    bool changed = false;
    if (planes & PLANE_MASK_STRIPE)
        changed |= stripes_row(viewer, &orbit->stripes);
    if (planes & PLANE_MASK_TRAPS) {
        changed |= number_row(viewer, STRING_ORBIT_TRAP_RE, &orbit->trap_re, -TRAP_MOST, 0.05);
        changed |= number_row(viewer, STRING_ORBIT_TRAP_IM, &orbit->trap_im, -TRAP_MOST, 0.05);
    }
    if (planes & PLANE_MASK_CIRCLE)
        changed |= number_row(viewer, STRING_ORBIT_TRAP_RADIUS, &orbit->trap_radius, 0, 0.05);
    if (!changed)
        return;
    viewer_view_changed(viewer, clock_s());
    viewer->unkept_s = clock_s();
    viewer_insets_ask(viewer);
}

void colour_source_rows(struct viewer *viewer)
{
    struct look_options *look = &viewer->place.look;
    unsigned planes = look_planes(look);
    if (source_rows(viewer, &look->source))
        sources_chosen(viewer, planes);
    orbit_rows(viewer);
    if (viewer->planes_missing)
        ui_paragraph(viewer->pages->ui, string_of(STRING_SAY_BY_MISSING));
}

/* Steps through the names of palettes, with the first one's, "", before them. */
static bool palette_row(struct viewer *viewer)
{
    char names[sizeof viewer->palettes], *rest = names, *name;
    const char *list[257] = {""};
    const char *now = palette_plus(viewer->place.palette);
    int count = 1, chosen = 0;
    snprintf(names, sizeof names, "%s", viewer->palettes);
    while (count < 257 && (name = strsep(&rest, ","))) {
        list[count] = name + strspn(name, " ");
        if (now && !strcmp(list[count], now + 1))
            chosen = count;
        count++;
    }
    int step = ui_choice(viewer->pages->ui, string_of(STRING_LAYER_PALETTE),
                         now ? now + 1 : string_of(STRING_LAYER_FIRST));
    if (step)
        viewer_palette_set(viewer, PALETTE_OF_LAYER, list[(chosen + step + count) % count]);
    return step != 0;
}

void layer_rows(struct viewer *viewer)
{
    static const enum string blends[BLENDS] = {
        [BLEND_NONE] = STRING_BLEND_NONE,     [BLEND_MULTIPLY] = STRING_BLEND_MULTIPLY,
        [BLEND_SCREEN] = STRING_BLEND_SCREEN, [BLEND_OVERLAY] = STRING_BLEND_OVERLAY,
        [BLEND_ALPHA] = STRING_BLEND_ALPHA,
    };
    struct ui *ui = viewer->pages->ui;
    struct look_options *look = &viewer->place.look;
    struct colour_layer *layer = &look->layer;
    unsigned planes = look_planes(look);
    ui_heading(ui, string_of(STRING_LAYER_HEAD));
    int step = ui_choice(ui, string_of(STRING_LAYER_BLEND), string_of(blends[layer->blend]));
    if (step)
        layer->blend = (enum colour_blend)(((int)layer->blend + step + BLENDS) % BLENDS);
    bool changed = step != 0;
    if (layer->blend) {
        changed |= palette_row(viewer);
        changed |= source_rows(viewer, &layer->source);
        changed |= share_row(viewer, STRING_LOOK_OFFSET, &layer->offset);
        changed |= share_row(viewer, STRING_LAYER_OPACITY, &layer->opacity);
    }
    if (changed)
        sources_chosen(viewer, planes);
}
