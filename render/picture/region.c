#include "render/picture/region.h"

#include "render/colour/refine.h"

enum {
    SIDE_LEAST = 2 * REFINE_SQUARE_PX, /* more than a cell */
    /* The subgrid of the whole picture is computed in the memory of the region, by a job of all
     * ranks for each piece: 12 pieces where a side has so many pixels, 2,304 of one cell. */
    SIDE_WANTED = 16 * REFINE_SQUARE_PX
};

struct tile region_wanted(const struct picture *picture)
{
    if (picture->region.width)
        return picture->region;
    return (struct tile){.width = picture->view.width, .height = picture->view.height};
}

/* Widens one side to whole squares. */
static void side_widen(int32_t *from, int32_t *length, int32_t image, int32_t halo)
{
    int64_t begin = *from - (int64_t)halo, end = (int64_t)*from + *length + halo;
    if (end - begin < SIDE_WANTED)
        end = begin + SIDE_WANTED;
    if (end > image) /* where the image ends: so many before it */
        begin = begin < image - SIDE_WANTED ? begin : image - SIDE_WANTED;
    begin = begin > 0 ? begin - begin % REFINE_SQUARE_PX : 0;
    end = (end + REFINE_SQUARE_PX - 1) / REFINE_SQUARE_PX * REFINE_SQUARE_PX;
    end = end < image ? end : image;
    *from = (int32_t)begin;
    *length = (int32_t)(end - begin);
}

struct tile region_computed(const struct picture *picture)
{
    struct tile tile = region_wanted(picture);
    int32_t width = picture->view.width, height = picture->view.height;
    int32_t halo = samples_most(picture->samples) > 1 ? REFINE_SQUARE_PX : 0;
    if (!picture->region.width || width < SIDE_LEAST || height < SIDE_LEAST)
        return (struct tile){.width = width, .height = height};
    side_widen(&tile.x, &tile.width, width, halo);
    side_widen(&tile.y, &tile.height, height, halo);
    return tile;
}

bool region_is_part(const struct view_numbers *view)
{
    return view->width != view->image_width || view->height != view->image_height;
}
