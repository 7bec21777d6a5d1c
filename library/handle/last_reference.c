#include "library/handle/last_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/formula_text.h"
#include "render/picture/picture_plan.h"

enum { KEPT_BYTES_MOST = 256 << 20 };

/* Text of all that the orbit, its errors and its blocks depend on. NULL without memory. */
static char *key_make(const struct picture_settings *settings)
{
    const struct picture *picture = &settings->picture;
    const struct plan *plan = &settings->plan;
    const struct view *view = &picture->view;
    const struct tile *region = &picture->region;
    const struct spec spec = picture_spec(picture, plan);
    char formula[FORMULA_TEXT_BYTES], *key;
    int length = asprintf(
        &key,
        "%s %s %s turn %a stretch %a at %a mirror %d size %dx%d region %d,%d,%dx%d limit %lld "
        "bailout %a planes %x number %d shortcuts %d accuracy %a blocks %d cache %s plane %d "
        "c %a,%a of %s",
        view->re, view->im, view->zoom, view->rotation_deg, view->shape.stretch,
        view->shape.stretch_deg, (int)view->shape.mirrored, view->width, view->height, region->x,
        region->y, region->width, region->height, (long long)spec.limit, spec.bailout, spec.planes,
        (int)spec.number, (int)spec.shortcuts, plan->accuracy_px, (int)picture->blocks,
        picture->orbit_cache ? picture->orbit_cache : "", (int)spec.formula.plane,
        spec.formula.c_re, spec.formula.c_im, formula_text(&spec.formula, formula));
    return length < 0 ? NULL : key;
}

void last_reference_offer(struct last_reference *last, const struct picture_settings *settings,
                          struct picture_hooks *hooks)
{
    char *key = settings->plan.method == METHOD_PERTURBATION ? key_make(settings) : NULL;
    if (!key)
        return; /* the one before stays */
    bool same = last->key && !strcmp(key, last->key);
    if (!same)
        last_reference_close(last);
    free(last->key);
    last->key = key;
    hooks->kept = &last->kept;
    if (same) {
        hooks->reference = &last->kept.reference;
        hooks->request = &last->kept.request;
    }
}

static bool is_too_large(const struct reference *reference)
{
    const struct orbit *orbit = &reference->orbit;
    return orbit->length <= 0 ||
           reference_packed(orbit) + reference->settled.table_bytes > KEPT_BYTES_MOST;
}

void last_reference_keep(struct last_reference *last, enum status status, bool has_gpus)
{
    struct reference *reference = &last->kept.reference;
    if (!last->key)
        return;
    if (has_gpus)
        deep_close(&reference->settled);
    if (status != STATUS_OK || is_too_large(reference))
        last_reference_close(last);
}

void last_reference_close(struct last_reference *last)
{
    reference_close(&last->kept.reference);
    free(last->key);
    *last = (struct last_reference){.key = NULL};
}
