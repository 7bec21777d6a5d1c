#include "app/viewer/overlays/depth_words.h"

#include <math.h>
#include <stdio.h>

/* Sizes that the whole set may have, up to the magnification that each is used for: pictures are
 * then things that can be seen, until there is nothing larger to compare with. Diameters: of the
 * Earth, NASA Earth Fact Sheet; of Neptune's orbit, twice its semi-major axis, NASA Neptune Fact
 * Sheet; of the disc of the Milky Way and of the observable universe, 100 thousand and 93 thousand
 * million light years. */
static const struct {
    struct depth_thing thing;
    double log10_most;
} wholes[] = {
    {{STRING_DEPTH_HOUSE, 10}, 5},
    {{STRING_DEPTH_EARTH, 1.27e7}, 11},
    {{STRING_DEPTH_NEPTUNE, 9.0e12}, 17},
    {{STRING_DEPTH_GALAXY, 9.5e20}, 25},
    {{STRING_DEPTH_UNIVERSE, 8.8e26}, INFINITY},
};

/* What pictures are compared with, from large to small; lengths of everyday things are typical
 * ones, those of cells and below from textbooks. */
static const struct depth_thing things[] = {
    {STRING_DEPTH_CITY, 1e4},      {STRING_DEPTH_VILLAGE, 1e3},    {STRING_DEPTH_FIELD, 105},
    {STRING_DEPTH_BUS, 12},        {STRING_DEPTH_BED, 2},          {STRING_DEPTH_PLATE, 0.25},
    {STRING_DEPTH_WALNUT, 0.035},  {STRING_DEPTH_ANT, 5e-3},       {STRING_DEPTH_SAND, 5e-4},
    {STRING_DEPTH_HAIR, 7e-5},     {STRING_DEPTH_CELL, 8e-6},      {STRING_DEPTH_BACTERIUM, 1.5e-6},
    {STRING_DEPTH_VIRUS, 1e-7},    {STRING_DEPTH_MOLECULE, 3e-10}, {STRING_DEPTH_ATOM, 1e-10},
    {STRING_DEPTH_NUCLEUS, 1e-14}, {STRING_DEPTH_PROTON, 1.7e-15},
};
enum { THINGS = sizeof things / sizeof *things };
enum { ZEROS_LEAST = 2 }; /* fewer are no depth, and another plural */

bool depth_compare(double log10_magnification, struct depth_words *words)
{
    int whole = 0, below = 0; /* below: the first thing that is smaller than the picture */
    if (!(log10_magnification >= DEPTH_LEAST))
        return false;
    while (log10_magnification > wholes[whole].log10_most)
        whole++;
    double log10_m = log10(wholes[whole].thing.size_m) - log10_magnification;
    while (below < THINGS && log10(things[below].size_m) > log10_m)
        below++;
    *words = (struct depth_words){.whole = &wholes[whole].thing,
                                  .picture = &things[below > 0 ? below - 1 : 0],
                                  .size = DEPTH_SMALLER};
    double above = below > 0 ? log10(things[below - 1].size_m) - log10_m : INFINITY;
    double under = below < THINGS ? log10_m - log10(things[below].size_m) : INFINITY;
    if (under < above)
        words->picture = &things[below];
    if (fmin(above, under) <= log10(3))
        words->size = DEPTH_AS_LARGE;
    else if (below == THINGS && lround(above) >= ZEROS_LEAST)
        *words = (struct depth_words){words->whole, &things[THINGS - 1], DEPTH_ZEROS,
                                      (int)fmin(lround(above), 1e9)};
    else
        words->picture = &things[below - 1];
    return true;
}

const char *depth_sentence(double log10_magnification, char text[DEPTH_BYTES])
{
    static const enum string forms[] = {[DEPTH_AS_LARGE] = STRING_DEPTH_IS_AS_LARGE,
                                        [DEPTH_SMALLER] = STRING_DEPTH_IS_SMALLER,
                                        [DEPTH_ZEROS] = STRING_DEPTH_IS_ZEROS};
    struct depth_words words;
    char zeros[16];
    *text = '\0';
    if (!depth_compare(log10_magnification, &words))
        return text;
    snprintf(zeros, sizeof zeros, "%d", words.zeros);
    string_fill(text, DEPTH_BYTES, forms[words.size], string_of(words.whole->name),
                string_of(words.picture->name), zeros);
    return text;
}
