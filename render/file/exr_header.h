/* The header of an OpenEXR file, walked in memory: its size, channels and texts. Nothing is
 * decoded, and hostile input is normal.
 *
 * Own code before OpenEXRCore, so that the library sees only files that are read with it: not deep,
 * tiled or multi-part files, which its past security fixes concerned, nor unreasonable sizes.
 *
 * Technical introduction to OpenEXR, section "OpenEXR File Layout", 2022. */
#ifndef RENDER_FILE_EXR_HEADER_H
#define RENDER_FILE_EXR_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

/* String attributes that hold a location: our ini text, the .kfr text of Kalles Fraktaler, the TOML
 * of Fraktaler-3. */
enum exr_text { EXR_TEXT_INI, EXR_TEXT_KFR, EXR_TEXT_TOML, EXR_TEXTS };

/* Channels that are read or written, in the order of their names, as in the file. B, G and R are
 * linear light. N is the count, or N0 and N1 its low and high half: all bits are set where the
 * pixel did not escape. NF is the fraction, T the phase in turns; DEX and DEY are the distance as a
 * vector that points away from the set, y up, with half the length of ours. All
 * others, which other programs do not have, are our planes unchanged. */
enum exr_channel {
    EXR_B,
    EXR_DEX,
    EXR_DEY,
    EXR_G,
    EXR_INSIDE,
    EXR_N,
    EXR_N0,
    EXR_N1,
    EXR_NF,
    EXR_PERIOD,
    EXR_R,
    EXR_STRIPE,
    EXR_T,
    EXR_TRAP_CIRCLE,
    EXR_TRAP_CROSS,
    EXR_TRAP_POINT,
    EXR_TRIANGLE,
    EXR_CHANNELS
};

enum exr_type { EXR_UINT, EXR_HALF, EXR_FLOAT, EXR_TYPES }; /* values as in files */

enum { EXR_TEXT_BYTES_MAX = 4 << 20, EXR_CHANNELS_MAX = 256, EXR_VERSION_BYTES = 8 };

extern const char *const exr_text_names[EXR_TEXTS];
extern const char *const exr_channel_names[EXR_CHANNELS];

struct exr_header {
    int32_t x, y;          /* position of the first pixel */
    int32_t width, height; /* size in pixels (dataWindow) */
    unsigned channels;     /* mask, 1u << enum exr_channel */
    enum exr_type type[EXR_CHANNELS];
    int channel_count; /* number of channels of any name */
    int compression;
    /* reason why its pixels cannot be read: "is tiled"; NULL: they can be */
    const char *unreadable;
    int64_t limit;         /* attribute Iterations; 0: not there */
    int64_t bias;          /* attribute IterationsBias: N is the count plus this; 0 if not there */
    char *text[EXR_TEXTS]; /* NUL-ended; NULL: not there; owned */
};

/* Channel of this name; EXR_CHANNELS for any other. */
enum exr_channel exr_channel_named(const char *name);

/* Does it start like an OpenEXR file? */
bool exr_is_one(const uint8_t *bytes, size_t length);

/* Reads the first header of the file. The pixels may be missing. STATUS_BAD_DATA with `name` in the
 * sentence, STATUS_OUT_OF_MEMORY; then nothing is owned. */
enum status exr_header_read(const uint8_t *bytes, size_t length, const char *name,
                            struct exr_header *header);

void exr_header_destroy(struct exr_header *header); /* accepts a zeroed one */

#endif
