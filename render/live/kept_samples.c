#include "render/live/kept_samples.h"

#include <stdlib.h>

#include "render/disk/memory.h"

int kept_samples_most(uint64_t available, uint64_t held, uint64_t bytes)
{
    uint64_t memory = available <= UINT64_MAX - held ? available + held : UINT64_MAX;
    uint64_t share = memory / KEPT_SHARE < KEPT_BYTES_MOST ? memory / KEPT_SHARE : KEPT_BYTES_MOST;
    uint64_t most = share / bytes;
    return most < SAMPLES_MOST - 1 ? (int)most : SAMPLES_MOST - 1;
}

/* Frees the fields from [first] on. */
static void fields_free(struct kept_samples *kept, int first)
{
    for (int i = first; i < SAMPLES_MOST; i++) {
        free(kept->base[i]);
        kept->base[i] = NULL;
    }
}

static uint64_t bytes_held(const struct kept_samples *kept)
{
    uint64_t held = 0;
    for (int i = 0; i < SAMPLES_MOST; i++)
        held += kept->base[i] ? kept->bytes : 0;
    return held;
}

/* Begins the samples of another picture. Its size may be another, and so may the memory that is
 * available. */
static void picture_fit(struct kept_samples *kept, size_t bytes)
{
    if (kept->bytes < bytes || kept->bytes / 4 > bytes) {
        kept_samples_free(kept);
        kept->bytes = bytes;
    }
    kept_samples_forget(kept);
    kept->most = kept_samples_most(memory_available(), bytes_held(kept), kept->bytes);
    fields_free(kept, kept->most + 1);
}

static int place_of(const struct kept_samples *kept, int sample)
{
    return kept_samples_keeps(kept, sample) ? sample - 1 : kept->most;
}

/* Makes the field of a sample that of all later ones: there is no memory for more. */
static void place_reuse(struct kept_samples *kept, int sample)
{
    kept->most = kept->whole = sample - 1;
    kept->later = 0;
}

enum status kept_samples_begin(struct kept_samples *kept, int sample, const struct field *like)
{
    size_t pixels = (size_t)like->width * (size_t)like->height;
    size_t bytes = pixels * planes_bytes(like->planes, like->count_bytes);
    if (sample == 1)
        picture_fit(kept, bytes);
    int place = place_of(kept, sample);
    if (place == kept->most)
        kept->later = 0;
    if (!kept->base[place])
        kept->base[place] = memory_large(kept->bytes);
    if (!kept->base[place] && sample > 1)
        place_reuse(kept, sample - 1);
    if (kept->base[place_of(kept, sample)])
        return STATUS_OK;
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for samples of %zu pixels", pixels);
}

struct field kept_samples_field(const struct kept_samples *kept, int sample,
                                const struct field *like)
{
    struct field field;
    field_over(&field, like->width, like->height, like->planes, like->count_bytes,
               kept->base[place_of(kept, sample)]);
    return field;
}

void kept_samples_end(struct kept_samples *kept, int sample)
{
    if (kept_samples_keeps(kept, sample))
        kept->whole = sample;
    else
        kept->later = sample;
}

bool kept_samples_keeps(const struct kept_samples *kept, int sample)
{
    return sample <= kept->most;
}

int kept_samples_last(const struct kept_samples *kept, int first)
{
    int last = kept->whole >= first ? kept->whole : first - 1;
    return kept->later == last + 1 ? kept->later : last;
}

void kept_samples_forget(struct kept_samples *kept)
{
    kept->whole = kept->later = 0;
}

void kept_samples_free(struct kept_samples *kept)
{
    if (!kept->bytes)
        return;
    fields_free(kept, 0);
    *kept = (struct kept_samples){.bytes = 0};
}
