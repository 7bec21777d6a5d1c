/* The coloured picture as WebP: without losses, or by a quality.
 *
 * The format has one stream for all pixels, so the samples of the whole picture wait until the last
 * row is there; while a file grows they are in a file beside it.
 *
 * RFC 9649 (WebP, 2024). */
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <webp/encode.h>

#include "render/colour/icc_srgb.h"
#include "render/file/pending_rows.h"
#include "render/file/sink.h"
#include "render/file/webp_text.h"

enum {
    PIXEL_BYTES = 3,
    RIFF_BYTES = 12,
    HEAD_BYTES = 1024 + ICC_SRGB_BYTES,
    /* memory of a pixel, measured with libwebp 1.2.4: samples, its copy, and what it works in */
    LOSSLESS_MEMORY_BYTES = 48,
    LOSSY_MEMORY_BYTES = 16,
    /* 9 is the slowest: 6 takes 1.4 times as long as 3 and saves 1 % */
    LOSSLESS_LEVEL = 3,
    HAS_PROFILE = 0x20,
    HAS_XMP = 0x04
};

struct webp {
    struct sink_request request; /* copy with 8 bits */
    struct atomic_file file;
    size_t row_bytes;
    int32_t y;
    uint8_t *samples; /* [height][row_bytes] */
    struct pending_rows saved;
};

struct webp_mark {
    uint64_t length;
    struct pending_mark saved;
};

/* ---- sizes ---- */

static uint64_t pixels_of(const struct sink_request *request)
{
    return (uint64_t)request->field->width * (uint64_t)request->field->height;
}

/* With the samples that wait beside it. */
static uint64_t webp_bytes_max(const struct sink_request *request)
{
    uint64_t text = request->view_text ? 5 * strlen(request->view_text) : 0;
    return pixels_of(request) * 2 * (PIXEL_BYTES + 1) + text + HEAD_BYTES;
}

static enum status webp_check(const struct sink_request *request)
{
    int32_t width = request->field->width, height = request->field->height;
    uint64_t each = request->quality ? LOSSY_MEMORY_BYTES : LOSSLESS_MEMORY_BYTES;
    uint64_t most = request->memory_most, bytes = pixels_of(request) * each;
    if (width > WEBP_MAX_DIMENSION || height > WEBP_MAX_DIMENSION)
        return status_fail(STATUS_TOO_LARGE,
                           "%s: %d x %d pixels; a WebP has at most %d on a side: choose a smaller "
                           "--size, or .png, .tif or .dzi",
                           request->path, width, height, WEBP_MAX_DIMENSION);
    if (!most || bytes <= most)
        return STATUS_OK;
    return status_fail(STATUS_TOO_LARGE,
                       "%s: a WebP is compressed at once, which takes %.3f GiB for %d x %d pixels, "
                       "and %.3f are left beside the picture; choose a smaller --size, more "
                       "--memory, or .png",
                       request->path, (double)bytes / 0x1p30, width, height, (double)most / 0x1p30);
}

/* ---- rows ---- */

static enum status memory_fail(const struct webp *webp)
{
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", webp->request.path);
}

static enum status webp_create(struct webp *webp, const struct sink_request *request)
{
    *webp = (struct webp){.request = *request,
                          .row_bytes = (size_t)request->field->width * PIXEL_BYTES};
    webp->request.bits = 8;
    TRY(webp_check(request));
    webp->samples = malloc((size_t)request->field->height * webp->row_bytes);
    return webp->samples ? STATUS_OK : memory_fail(webp);
}

static enum status webp_begin(void *state, const struct sink_request *request)
{
    struct webp *webp = state;
    TRY(webp_create(webp, request));
    return sink_file_open(&webp->file, request, request->path, NULL);
}

static enum status webp_rows(void *state, const struct sink_rows *rows)
{
    struct webp *webp = state;
    int threads = omp_in_parallel() ? 1 : omp_get_max_threads();
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
    for (int32_t row = 0; row < rows->height; row++)
        sink_colour_row(&webp->request, rows, row,
                        webp->samples + (size_t)(webp->y + row) * webp->row_bytes);
    webp->y += rows->height;
    return STATUS_OK;
}

/* ---- the stream of pixels ---- */

static int goes_on(int percent, const WebPPicture *picture)
{
    const struct webp *webp = picture->user_data;
    (void)percent;
    return sink_stopped(&webp->request) == STATUS_OK;
}

static bool config_make(const struct webp *webp, WebPConfig *config)
{
    int quality = webp->request.quality;
    bool good = quality
                    ? WebPConfigPreset(config, WEBP_PRESET_PICTURE, (float)quality)
                    : WebPConfigInit(config) && WebPConfigLosslessPreset(config, LOSSLESS_LEVEL);
    config->use_sharp_yuv = 1; /* thin lines keep their colours, which have half the resolution */
    return good;
}

/* Encodes all samples to a file of the simple format, in memory. */
static enum status stream_encode(struct webp *webp, WebPMemoryWriter *writer)
{
    WebPConfig config;
    WebPPicture picture;
    if (!config_make(webp, &config) || !WebPPictureInit(&picture))
        return status_fail(STATUS_IO, "cannot write %s: libwebp is of another version",
                           webp->request.path);
    picture.use_argb = 1;
    picture.width = webp->request.field->width;
    picture.height = webp->request.field->height;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = writer;
    picture.progress_hook = goes_on;
    picture.user_data = webp;
    bool good = WebPPictureImportRGB(&picture, webp->samples, (int)webp->row_bytes) &&
                WebPEncode(&config, &picture);
    WebPEncodingError reason = picture.error_code;
    WebPPictureFree(&picture);
    if (good)
        return STATUS_OK;
    TRY(sink_stopped(&webp->request));
    if (reason == VP8_ENC_ERROR_OUT_OF_MEMORY || reason == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY ||
        reason == VP8_ENC_ERROR_BAD_WRITE)
        return memory_fail(webp);
    return status_fail(STATUS_IO, "cannot write %s: error %d of libwebp", webp->request.path,
                       (int)reason);
}

/* ---- the file ---- */

static size_t chunk_bytes(size_t length)
{
    return 8 + length + length % 2;
}

/* Writes the extended format: canvas, profile, view, and the chunk of the simple format. */
static bool file_write(const struct webp *webp, const WebPMemoryWriter *writer, const char *packet,
                       size_t packet_length)
{
    FILE *stream = webp->file.stream;
    uint32_t width = (uint32_t)webp->request.field->width - 1;
    uint32_t height = (uint32_t)webp->request.field->height - 1;
    uint8_t profile[ICC_SRGB_BYTES], canvas[10] = {HAS_PROFILE | (packet ? HAS_XMP : 0)};
    size_t pixels = writer->size - RIFF_BYTES;
    uint64_t length = 4 + chunk_bytes(sizeof canvas) + chunk_bytes(sizeof profile) + pixels +
                      (packet ? chunk_bytes(packet_length) : 0);
    icc_srgb_make(profile);
    for (int i = 0; i < 3; i++) {
        canvas[4 + i] = (uint8_t)(width >> (8 * i));
        canvas[7 + i] = (uint8_t)(height >> (8 * i));
    }
    const uint8_t size[4] = {(uint8_t)length, (uint8_t)(length >> 8), (uint8_t)(length >> 16),
                             (uint8_t)(length >> 24)};
    errno = 0;
    return fwrite("RIFF", 1, 4, stream) == 4 && fwrite(size, 1, 4, stream) == 4 &&
           fwrite("WEBP", 1, 4, stream) == 4 &&
           webp_chunk_write(stream, "VP8X", canvas, sizeof canvas) &&
           webp_chunk_write(stream, "ICCP", profile, sizeof profile) &&
           (!packet || webp_chunk_write(stream, "XMP ", packet, packet_length)) &&
           fwrite(writer->mem + RIFF_BYTES, 1, pixels, stream) == pixels;
}

static enum status stream_put(const struct webp *webp, const WebPMemoryWriter *writer)
{
    size_t length = 0;
    const char *text = webp->request.view_text;
    char *packet = text ? webp_text_packet(text, webp->request.dpi, &length) : NULL;
    if (text && !packet)
        return memory_fail(webp);
    bool good = file_write(webp, writer, packet, length);
    int reason = errno;
    free(packet);
    if (good)
        return STATUS_OK;
    TRY(sink_stopped(&webp->request));
    return status_fail(STATUS_IO, "cannot write %s: %s", webp->request.path, strerror(reason));
}

static enum status webp_end(void *state, struct atomic_file_set *set)
{
    struct webp *webp = state;
    WebPMemoryWriter writer;
    WebPMemoryWriterInit(&writer);
    enum status status = stream_encode(webp, &writer);
    if (status == STATUS_OK)
        status = stream_put(webp, &writer);
    WebPMemoryWriterClear(&writer);
    return status == STATUS_OK ? atomic_file_set_add(set, &webp->file) : status;
}

/* ---- going on ---- */

static enum status webp_checkpoint(void *state, void *marked)
{
    struct webp *webp = state;
    struct webp_mark *mark = marked;
    TRY(pending_rows_save(&webp->saved, &webp->request, 0, webp->samples, webp->row_bytes, webp->y,
                          &mark->saved));
    return atomic_file_checkpoint(&webp->file, &mark->length);
}

static enum status webp_resume(void *state, const struct sink_request *request, const void *marked,
                               int32_t y)
{
    struct webp *webp = state;
    const struct webp_mark *mark = marked;
    TRY(webp_create(webp, request));
    TRY(sink_file_open(&webp->file, request, request->path, &mark->length));
    webp->y = y;
    return pending_rows_load(&webp->saved, request, 0, webp->samples, webp->row_bytes, y,
                             &mark->saved);
}

static void webp_close(void *state)
{
    struct webp *webp = state;
    free(webp->samples);
    atomic_file_abandon(&webp->file);
}

extern const struct sink_kind sink_webp;
const struct sink_kind sink_webp = {
    .name = "webp",
    .suffix = ".webp",
    .summary = "the coloured picture as WebP, 8 bit, lossless or by --quality",
    .bits_least = 8,
    .bits_most = 8,
    .coloured = true,
    .quality = true,
    .whole = true,
    .file = sink_file_alone,
    .check = webp_check,
    .bytes_max = webp_bytes_max,
    .state_bytes = sizeof(struct webp),
    .mark_bytes = sizeof(struct webp_mark),
    .checkpoint = webp_checkpoint,
    .resume = webp_resume,
    .begin = webp_begin,
    .rows = webp_rows,
    .end = webp_end,
    .close = webp_close,
};
