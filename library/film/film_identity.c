#include "library/film/film_identity.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/spec.h"
#include "library/film/film_tour.h"

static void keyframes_write(const struct film *film, FILE *stream)
{
    for (size_t i = 0; i < film->path.count; i++) {
        const struct film_keyframe *key = &film->path.keyframe[i];
        char stretch[VIEW_STRETCH_BYTES];
        view_stretch_text(&key->stretch, stretch);
        fprintf(stream,
                "keyframe %zu = time %.17g, zoom %s, rotation %.17g, offset %.17g, relief %.17g, "
                "ease %.17g, re %s, im %s%s%s\n",
                i + 1, key->time_s, key->zoom, key->rotation_deg, key->offset, key->relief,
                key->ease_s, key->re, key->im, key->stretch.stretch != 0 ? ", stretch " : "",
                key->stretch.stretch == 1 ? "1" : stretch);
    }
}

char *film_identity(const struct config *config, const struct film *film, const struct tour *tour)
{
    char *text = NULL, rate[FILM_RATE_BYTES];
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    film_rate_text(film->rate, rate);
    if (!stream)
        return NULL;
    fprintf(stream, "deepfield = %s\nfps = %s\nframes = %lld\nmethod = %s\nsamples = %d\n",
            DEEPFIELD_VERSION, rate, (long long)film->frames, film_method_name(film->method),
            film->picture.samples);
    fprintf(stream, "kind = %s\nvideo = %d bits, chroma %s, %s\nflash_safe = %d\n",
            film->video.kind->suffix, film->video.kind->frames ? film->bits : film->video.yuv.bits,
            film_chroma_name(film->video.yuv.chroma), film_effort_name(film->video.effort),
            film->limits_flashes);
    fprintf(stream, "arithmetic = %d\nwhole_keys = %d\npalette = %016llx\n", ARITHMETIC_VERSION,
            FILM_KEYS_WHOLE, (unsigned long long)palette_checksum(film->palette));
    keyframes_write(film, stream);
    for (const struct film *scene = film->next; scene; scene = scene->next) {
        fprintf(stream, "scene = %lld, limit %lld, palette %016llx\n", (long long)scene->first,
                (long long)scene->picture.spec.limit,
                (unsigned long long)palette_checksum(scene->palette));
        keyframes_write(scene, stream);
    }
    bool whole = film_tour_write(tour, stream);
    config_write(config, CONFIG_OF_PICTURE, stream);
    if (fclose(stream) == 0 && whole)
        return text;
    free(text);
    return NULL;
}
