#include "render/film/video/film_encoder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <stdio.h>
#include <unistd.h>

#include "kernels/number_text.h"
#include "render/disk/file_bytes.h"
#include "render/disk/folder.h"

enum { WORDS_MOST = 64 };
static const char list_name[] = "join.txt";

/* Kinds of films. At their quality gradients do not band at their own bits and noise stays:
 * constant rate factors below the encoders' defaults. */
const struct film_kind film_kinds[] = {
    {.suffix = ".mp4",
     .summary = "H.264 (libx264)",
     .container = "mp4",
     .codec = {[FILM_FASTEST] = {"-c:v", "libx264", "-preset", "ultrafast", "-crf", "18"},
               [FILM_NORMAL] = {"-c:v", "libx264", "-preset", "fast", "-crf", "17"},
               [FILM_BEST] = {"-c:v", "libx264", "-preset", "slow", "-crf", "15"}},
     .joining = {"-movflags", "+faststart"}},
    {.suffix = ".webm",
     .summary = "VP9 (libvpx)",
     .container = "webm",
     .codec = {[FILM_FASTEST] = {"-c:v", "libvpx-vp9", "-b:v", "0", "-crf", "28", "-row-mt", "1",
                                 "-deadline", "realtime", "-cpu-used", "8"},
               [FILM_NORMAL] = {"-c:v", "libvpx-vp9", "-b:v", "0", "-crf", "24", "-row-mt", "1",
                                "-deadline", "good", "-cpu-used", "5"},
               [FILM_BEST] = {"-c:v", "libvpx-vp9", "-b:v", "0", "-crf", "20", "-row-mt", "1",
                              "-deadline", "good", "-cpu-used", "2"}}},
    {.suffix = ".mkv",
     .summary = "FFV1, without loss",
     .container = "matroska",
     .codec = {[FILM_FASTEST] = {"-c:v", "ffv1", "-level", "3", "-g", "1", "-slices", "16",
                                 "-slicecrc", "1", "-coder", "0"},
               [FILM_NORMAL] = {"-c:v", "ffv1", "-level", "3", "-g", "1", "-slices", "16",
                                "-slicecrc", "1"},
               [FILM_BEST] = {"-c:v", "ffv1", "-level", "3", "-g", "1", "-slices", "16",
                              "-slicecrc", "1", "-coder", "1", "-context", "1"}}},
    {.suffix = ".y4m", .summary = "YUV4MPEG2, not compressed; needs no ffmpeg"},
    {.suffix = ".png", .summary = "numbered frames, as frames/%06d.png", .frames = true},
    {.suffix = ".exr",
     .summary = "the same with the numbers inside, each frame computed",
     .frames = true,
     .numbers = true},
};

const int film_kinds_count = sizeof film_kinds / sizeof *film_kinds;

const char *film_effort_name(enum film_effort effort)
{
    static const char *const names[FILM_EFFORTS] = {"fastest", "normal", "best"};
    return names[effort];
}

/* Does the text have one %d, as in %06d, and no other %? */
static bool pattern_is(const char *text)
{
    const char *percent = strchr(text, '%');
    if (!percent)
        return false;
    const char *end = percent + 1 + strspn(percent + 1, "0123456789");
    bool width = end == percent + 1 || (percent[1] == '0' && end - percent <= 3);
    return width && *end == 'd' && !strchr(end, '%');
}

enum status film_kind_for_path(const struct film_kind **kind, const char *path)
{
    const char *suffix = strrchr(path, '.');
    *kind = NULL;
    for (int i = 0; suffix && i < film_kinds_count; i++)
        if (!strcasecmp(suffix, film_kinds[i].suffix))
            *kind = &film_kinds[i];
    if (!*kind)
        return status_fail(STATUS_USAGE,
                           "-o %.200s: a film is an .mp4, .webm, .mkv or .y4m, or frames such as "
                           "frames/%%06d.png or .exr",
                           path);
    const char *name = strrchr(path, '/');
    if ((*kind)->frames && !pattern_is(name ? name : path))
        return status_fail(STATUS_USAGE,
                           "-o %.200s: frames need a place for their number in the name of the "
                           "file, as in frames/%%06d%s",
                           path, (*kind)->suffix);
    return STATUS_OK;
}

void film_frame_path(const char *pattern, int64_t frame, char path[FILM_NAME_BYTES])
{
    const char *slash = strrchr(pattern, '/'), *percent = strchr(slash ? slash : pattern, '%');
    int digits = (int)number_whole(percent + 1);
    snprintf(path, FILM_NAME_BYTES, "%.*s%0*lld%s", (int)(percent - pattern), pattern,
             digits > 0 ? digits : 1, (long long)frame, strchr(percent, 'd') + 1);
}

/* ---- the words of ffmpeg --------------------------------------------------------------------- */

struct ffmpeg_arguments {
    const char *word[WORDS_MOST];
    int count;
};

static void words_add(struct ffmpeg_arguments *words, const char *const *more)
{
    while (*more && words->count < WORDS_MOST - 1)
        words->word[words->count++] = *more++;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char *pixel_format(const struct film_yuv *yuv)
{
    static const char *const names[FILM_CHROMAS][2] = {{"yuv420p", "yuv420p10le"},
                                                       {"yuv444p", "yuv444p10le"}};
    return names[yuv->chroma][yuv->bits > 8];
}

struct numbers { /* numbers as texts */
    char size[32], rate[FILM_RATE_BYTES];
};

static void encoding_words(struct ffmpeg_arguments *words, const struct film_video *video,
                           struct numbers *numbers)
{
    const struct film_yuv *yuv = &video->yuv;
    snprintf(numbers->size, sizeof numbers->size, "%dx%d", yuv->width, yuv->height);
    film_rate_text(video->rate, numbers->rate);
    words_add(words, WORDS("ffmpeg", "-nostdin", "-hide_banner", "-v", "error", "-y"));
    words_add(words, WORDS("-f", "rawvideo", "-pix_fmt", pixel_format(yuv), "-s", numbers->size,
                           "-r", numbers->rate, "-i", "pipe:0", "-an"));
    words_add(words, WORDS("-vf", "setparams=range=tv:color_primaries=bt709:"
                                  "color_trc=iec61966-2-1:colorspace=bt709"));
    words_add(words, video->kind->codec[video->effort]);
    words_add(words, WORDS("-pix_fmt", pixel_format(yuv), "-flags", "+cgop", "-color_range", "tv",
                           "-color_primaries", "bt709", "-color_trc", "iec61966-2-1", "-colorspace",
                           "bt709", "-chroma_sample_location", "left"));
}

static enum status start(struct film_process *process, const struct ffmpeg_arguments *words,
                         int folder, const struct film_video *video)
{
    enum status status = film_process_start(process, words->word, folder, video->stop);
    if (status != STATUS_NO_DEVICE)
        return status;
    return status_fail(STATUS_NO_DEVICE,
                       "%s is encoded by ffmpeg, which is not on PATH: install it (on Debian and "
                       "Ubuntu: apt-get install ffmpeg), or write a .y4m or frames, as "
                       "frames/%%06d.png",
                       video->kind->suffix);
}

/* ---- encoding -------------------------------------------------------------------------------- */

enum status film_video_check(const struct film_video *video)
{
    const struct film_yuv *yuv = &video->yuv;
    if (video->kind->frames)
        return STATUS_OK;
    if (yuv->chroma == FILM_CHROMA_420 && (yuv->width % 2 || yuv->height % 2))
        return status_fail(STATUS_CONFIG,
                           "%dx%d: with --chroma 420 both sides must be even; use --size %dx%d, or "
                           "--chroma 444",
                           yuv->width, yuv->height, yuv->width + yuv->width % 2,
                           yuv->height + yuv->height % 2);
    if (!video->kind->container)
        return STATUS_OK;
    struct film_video small = *video;
    small.yuv.width = small.yuv.height = 64;
    size_t bytes = film_yuv_bytes(&small.yuv);
    uint8_t *frame = calloc(1, bytes);
    struct ffmpeg_arguments words = {.count = 0};
    struct film_process process = {.pid = 0};
    struct numbers numbers;
    encoding_words(&words, &small, &numbers);
    words_add(&words, WORDS("-f", "null", "-"));
    enum status status = frame ? start(&process, &words, -1, video)
                               : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a frame");
    if (status == STATUS_OK)
        status = film_process_write(&process, frame, bytes);
    if (status == STATUS_OK)
        status = film_process_finish(&process);
    free(frame);
    return status;
}

struct film_offsets film_video_offsets(const struct film_video *video)
{
    if (video->kind->frames || video->kind->container)
        return (struct film_offsets){.frame_bytes = 0};
    return film_y4m_offsets(&video->yuv, video->rate);
}

enum status film_encoder_open(struct film_encoder *encoder, const struct film_video *video,
                              const struct film_file *of, int64_t first)
{
    *encoder = (struct film_encoder){
        .video = *video, .of = *of, .offsets = film_video_offsets(video), .next = first};
    encoder->frame = malloc(film_yuv_bytes(&video->yuv));
    if (!encoder->frame)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a frame of video");
    if (encoder->offsets.frame_bytes)
        return film_y4m_open(&encoder->file, &encoder->of, &video->yuv, video->rate);
    struct ffmpeg_arguments words = {.count = 0};
    struct numbers numbers;
    char file[sizeof of->name + 8]; /* prefix, so that a name with a colon is a file */
    snprintf(file, sizeof file, "file:%s", of->name);
    encoding_words(&words, video, &numbers);
    words_add(&words, WORDS("-f", video->kind->container, file));
    return start(&encoder->process, &words, of->folder, video);
}

enum status film_encoder_add(struct film_encoder *encoder, const float (*light)[3], int threads)
{
    size_t bytes = film_yuv_bytes(&encoder->video.yuv);
    TRY(film_yuv_make(&encoder->video.yuv, light, encoder->frame, threads));
    if (encoder->offsets.frame_bytes)
        return film_y4m_put(encoder->file, &encoder->of, &encoder->offsets, encoder->next++,
                            encoder->frame);
    return film_process_write(&encoder->process, encoder->frame, bytes);
}

static enum status file_failed(const struct film_file *of)
{
    return status_fail(STATUS_IO, "%s/%s: %s", of->where, of->name, folder_reason(errno));
}

/* Syncs the file that a process has written. */
static enum status written_sync(const struct film_file *of)
{
    int file = folder_file_open(of->folder, of->name, O_RDONLY);
    return file_bytes_close(file, file >= 0 && TEMP_FAILURE_RETRY(fsync(file)) == 0)
               ? STATUS_OK
               : file_failed(of);
}

/* Ends the file, synced unless it is given up. */
static enum status file_end(struct film_encoder *encoder, bool good)
{
    int file = encoder->file > 0 ? encoder->file : -1;
    encoder->file = 0;
    if (file_bytes_close(file, !good || TEMP_FAILURE_RETRY(fsync(file)) == 0))
        return STATUS_OK;
    return file_failed(&encoder->of);
}

enum status film_encoder_finish(struct film_encoder *encoder)
{
    bool placed = encoder->offsets.frame_bytes > 0;
    enum status status = placed ? file_end(encoder, true) : film_process_finish(&encoder->process);
    free(encoder->frame);
    encoder->frame = NULL;
    return status == STATUS_OK && !placed ? written_sync(&encoder->of) : status;
}

void film_encoder_abandon(struct film_encoder *encoder)
{
    file_end(encoder, false);
    film_process_kill(&encoder->process);
    free(encoder->frame);
    encoder->frame = NULL;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* Writes the list that ffmpeg's demuxer `concat` reads; its names are our own, in the same
 * folder. */
static enum status list_write(const struct film_file *of, const char *const *list,
                              const double *seconds, size_t count)
{
    char *text = NULL;
    struct folder_bytes content = {.length = 0};
    FILE *stream = open_memstream(&text, &content.length);
    if (stream) {
        fputs("ffconcat version 1.0\n", stream);
        for (size_t i = 0; i < count; i++)
            fprintf(stream, "file '%s'\nduration %.6f\n", list[i], seconds[i]);
    }
    bool good = stream && fclose(stream) == 0;
    content.bytes = text;
    good = good && folder_file_put(of->folder, list_name, &content, 1, FOLDER_UNSYNCED);
    enum status status = good
                             ? STATUS_OK
                             : status_fail(errno == ENOMEM ? STATUS_OUT_OF_MEMORY : STATUS_IO,
                                           "%s/%s: %s", of->where, list_name, folder_reason(errno));
    free(text);
    return status;
}

enum status film_join(const struct film_video *video, const char *const *list,
                      const double *seconds, size_t count, const struct film_file *of)
{
    struct ffmpeg_arguments words = {.count = 0};
    struct film_process process = {.pid = 0};
    char file[sizeof of->name + 8], from[sizeof list_name + 8];
    snprintf(file, sizeof file, "file:%s", of->name);
    snprintf(from, sizeof from, "file:%s", list_name);
    TRY(list_write(of, list, seconds, count));
    words_add(&words, WORDS("ffmpeg", "-nostdin", "-hide_banner", "-v", "error", "-y"));
    words_add(&words, WORDS("-f", "concat", "-safe", "0", "-i", from, "-c", "copy"));
    words_add(&words, video->kind->joining);
    /* without it Matroska's identifiers are random */
    words_add(&words, WORDS("-fflags", "+bitexact"));
    words_add(&words, WORDS("-f", video->kind->container, file));
    TRY(start(&process, &words, of->folder, video));
    TRY(film_process_finish(&process));
    return written_sync(of);
}
