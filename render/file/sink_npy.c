/* Planes as NumPy arrays, one file each (NPY format 1.0, numpy/lib/format.py), and a JSON file that
 * describes them: names, units, the map from pixels to c, the view.
 *
 * Not .npz: planes that are files of their own can be mapped into memory. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "kernels/formula_text.h"
#include "render/disk/folder.h"
#include "render/disk/json.h"
#include "render/view/description.h"
#include "render/plan/plan.h"
#include "render/file/plane_files.h"
#include "render/file/sink.h"

enum {
    ALIGNMENT = 64,
    HEADER_BYTES = 128,
    PART_BYTES = 4 << 20,
    ESCAPED_MOST = 6, /* most bytes of JSON for a byte of text */
    NUMBER_BYTES = 64 /* text of a step; its exponent is an int32_t */
};

static unsigned planes_written(const struct sink_request *request)
{
    return request->planes ? request->planes & request->field->planes : request->field->planes;
}

static int plane_of_file(const struct sink_request *request, int index)
{
    for (int p = 0; p < PLANES; p++)
        if (planes_written(request) & 1u << p && index-- == 0)
            return p;
    return -1;
}

/* "x.npy" -> "x.count.npy", and "x.planes.json" behind them: "x.json" is what people call the
 * report of --json. */
static bool npy_file(const struct sink_request *request, int index, char *path)
{
    int plane = plane_of_file(request, index);
    int stem = (int)(strlen(request->path) - strlen(".npy"));
    if (plane >= 0)
        snprintf(path, SINK_PATH_BYTES, "%.*s.%s%s", stem, request->path, plane_kinds[plane].name,
                 request->path + stem);
    else
        snprintf(path, SINK_PATH_BYTES, "%.*s.planes.json", stem, request->path);
    return plane >= 0 || index == __builtin_popcount(planes_written(request));
}

static size_t text_length(const char *text)
{
    return text ? strlen(text) : 0;
}

static uint64_t json_bytes_max(const struct sink_request *request)
{
    uint64_t text = text_length(request->view_text) + text_length(request->title) +
                    (uint64_t)(PLANES + 1) * text_length(request->path);
    if (request->picture)
        text += text_length(request->picture->view.re) + text_length(request->picture->view.im) +
                text_length(request->picture->view.zoom);
    return ESCAPED_MOST * text + 8192;
}

static uint64_t npy_bytes_max(const struct sink_request *request)
{
    size_t bytes;
    const struct field *field = request->field;
    if (field_bytes(field->width, field->height, planes_written(request), field->count_bytes,
                    &bytes) != STATUS_OK)
        return UINT64_MAX;
    return (uint64_t)bytes + PLANES * HEADER_BYTES + json_bytes_max(request);
}

static const char *type_of(const struct field *field, int plane)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    static const char *const types[] = {"<u4", "<u8", "<f4"};
#else
    static const char *const types[] = {">u4", ">u8", ">f4"};
#endif
    _Static_assert(ELEMENT_U32 == 0 && ELEMENT_U64 == 1 && ELEMENT_F32 == 2, "their order");
    return types[plane_element((enum plane)plane, field->count_bytes)];
}

/* Fills a header: magic, version, little-endian length, a Python dict, blanks, newline;
 * HEADER_BYTES in all, so that the data is aligned for mapping. */
static void header_fill(char header[HEADER_BYTES], const struct field *field, int plane)
{
    char dict[HEADER_BYTES];
    int length =
        snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }",
                 type_of(field, plane), field->height, field->width);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)(HEADER_BYTES - 10);
    header[9] = 0;
    memset(header + 10, ' ', HEADER_BYTES - 10);
    memcpy(header + 10, dict, (size_t)length);
    header[HEADER_BYTES - 1] = '\n';
}

_Static_assert(HEADER_BYTES % ALIGNMENT == 0, "NPY data starts at a multiple of 64");

struct npy {
    const struct sink_request *request;
    int planes;
    XXH3_state_t *sum[PLANES]; /* checksum of the numbers of a file so far; owned; NULL: other
                                  processes wrote some of them, so the file is read in the end */
    struct atomic_file file[PLANES + 1]; /* files in the order of the planes, then the JSON file */
};

static enum status bytes_write(const struct npy *npy, int index, const void *bytes, size_t length)
{
    const struct atomic_file *file = &npy->file[index];
    for (size_t at = 0, part; at < length; at += part) {
        part = length - at < PART_BYTES ? length - at : PART_BYTES;
        TRY(sink_stopped(npy->request));
        if (fwrite((const char *)bytes + at, 1, part, file->stream) != part) {
            int reason = errno;
            TRY(sink_stopped(npy->request)); /* a pipe that blocked */
            return status_fail(STATUS_IO, "cannot write %s: %s", file->path, strerror(reason));
        }
    }
    return STATUS_OK;
}

/* ---- the JSON file ---- */

/* Text of value * 2^exponent in decimal, to the last bit of the double. */
static void scaled_text(char text[NUMBER_BYTES], double value, int32_t exponent)
{
    mpfr_t number;
    mpfr_init2(number, 53);
    mpfr_set_d(number, value, MPFR_RNDN);
    mpfr_mul_2si(number, number, exponent, MPFR_RNDN);
    mpfr_snprintf(text, NUMBER_BYTES, "%.16RNe", number);
    mpfr_clear(number);
}

static void json_pair(struct json *json, const char *key, const char *first, const char *second)
{
    json_open(json, key, '[');
    json_text(json, NULL, first);
    json_text(json, NULL, second);
    json_close(json);
}

static void json_step(struct json *json, const char *key, double re, double im, int32_t exponent)
{
    char text[2][NUMBER_BYTES];
    scaled_text(text[0], re, exponent);
    scaled_text(text[1], im, exponent);
    json_pair(json, key, text[0], text[1]);
}

/* Describes the map from pixels to c: pixel (x, y) is centre + (x - centre_pixel[0]) * per_x + (y -
 * centre_pixel[1]) * per_y. */
static enum status place_describe(struct json *json, const struct picture *picture)
{
    struct view_numbers numbers;
    char formula[FORMULA_TEXT_BYTES];
    const struct view *view = &picture->view;
    TRY(view_numbers(view, &numbers));
    json_open(json, "pixel_to_point", '{');
    json_text(json, "rule",
              "point = centre + (x - centre_pixel[0]) * per_x + (y - centre_pixel[1]) * per_y");
    json_text(json, "point", picture->spec.formula.plane == DYNAMIC_PLANE ? "z_0" : "c");
    json_open(json, "centre_pixel", '[');
    json_real(json, NULL, (view->width - 1) * 0.5 - picture->region.x);
    json_real(json, NULL, (view->height - 1) * 0.5 - picture->region.y);
    json_close(json);
    json_pair(json, "centre", view->re, view->im);
    json_step(json, "per_x", numbers.step_re, numbers.step_im, numbers.exponent);
    double x = numbers.down_x, y = numbers.down_y;
    json_step(json, "per_y", fma(x, numbers.step_re, y * numbers.step_im),
              fma(x, numbers.step_im, -(y * numbers.step_re)), numbers.exponent);
    json_text(json, "zoom", view->zoom);
    json_real(json, "rotation_deg", view->rotation_deg);
    json_boolean(json, "mirrored", view->shape.mirrored);
    json_real(json, "stretch", view_stretch(&view->shape));
    json_real(json, "stretch_deg", view->shape.stretch_deg);
    json_close(json);
    json_text(json, "formula", formula_text(&picture->spec.formula, formula));
    bool julia = formula_julia(&picture->spec.formula);
    json_real(json, "c_re", julia ? picture->spec.formula.c_re : NAN);
    json_real(json, "c_im", julia ? picture->spec.formula.c_im : NAN);
    json_integer(json, "limit", picture->spec.limit);
    json_real(json, "bailout", picture->spec.bailout);
    return STATUS_OK;
}

static void plan_describe(struct json *json, const struct plan *plan)
{
    json_open(json, "plan", '{');
    json_text(json, "method", plan_method_name(plan->method));
    json_text(json, "number", plan_number_name(plan->number));
    json_real(json, "accuracy_px", plan->accuracy_px);
    json_real(json, "error_px", plan->error_px[plan->number]);
    json_boolean(json, "falls_short", plan->falls_short);
    json_integer(json, "orbit_bits", plan->orbit_bits);
    json_close(json);
}

/* Describes the planes, each with the XXH3, 64 bits, of its numbers in the file. */
static void planes_describe(struct json *json, const struct sink_request *request,
                            const uint64_t checksum[PLANES])
{
    char path[SINK_PATH_BYTES];
    json_open(json, "planes", '[');
    for (int i = 0, plane; (plane = plane_of_file(request, i)) >= 0; i++) {
        npy_file(request, i, path);
        const char *slash = strrchr(path, '/');
        json_open(json, NULL, '{');
        json_text(json, "name", plane_kinds[plane].name);
        json_text(json, "file", slash ? slash + 1 : path);
        json_text(json, "dtype", type_of(request->field, plane));
        json_text(json, "unit", plane_kinds[plane].unit);
        json_text(json, "meaning", plane_kinds[plane].summary);
        json_text(json, "outside", plane_values[plane].outside);
        json_text(json, "interior", plane_values[plane].interior);
        json_hex(json, "checksum", checksum[i]);
        json_close(json);
    }
    json_close(json);
}

static enum status json_describe(const struct sink_request *request,
                                 const uint64_t checksum[PLANES], FILE *stream)
{
    struct json json = {.stream = stream};
    json_begin(&json, "planes/2");
    json_text(&json, "program", "deepfield");
    json_text(&json, "version", request->version);
    json_text(&json, "revision", request->revision);
    json_text(&json, "title", request->title);
    json_open(&json, "shape", '[');
    json_integer(&json, NULL, request->field->height);
    json_integer(&json, NULL, request->field->width);
    json_close(&json);
    json_pair(&json, "axes", "y", "x");
    json_pair(&json, "directions", "down", "right");
    planes_describe(&json, request, checksum);
    if (request->plan)
        plan_describe(&json, request->plan);
    else
        json_text(&json, "plan", NULL);
    enum status status = request->picture ? place_describe(&json, request->picture) : STATUS_OK;
    json_text(&json, "view", request->view_text);
    enum status ended = json_end(&json);
    fputc('\n', stream);
    return status == STATUS_OK ? ended : status;
}

/* ---- rows ---- */

/* Opens a file; length NULL: from its beginning. */
static enum status file_open(struct npy *npy, int index, const uint64_t *length)
{
    const struct sink_request *request = npy->request;
    char path[SINK_PATH_BYTES];
    npy_file(request, index, path);
    return sink_file_open(&npy->file[index], request, path, length);
}

/* Computes the checksum of a file, read through the descriptor that it is written by. */
static enum status file_sum(const struct npy *npy, int index, uint64_t *sum)
{
    enum { BLOCK_BYTES = 1 << 20 };
    char *block = malloc(BLOCK_BYTES), name[64];
    XXH3_state_t *state = XXH3_createState();
    enum status status = STATUS_OK;
    ssize_t length = -1;
    snprintf(name, sizeof name, "/proc/self/fd/%d", npy->file[index].file);
    int file = folder_input(name);
    if (!block || !state || XXH3_64bits_reset(state) != XXH_OK)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for a checksum of %s",
                             npy->file[index].path);
    else if (fflush(npy->file[index].stream) != 0 || file < 0)
        status = status_fail(STATUS_IO, "cannot read %s back: %s", npy->file[index].path,
                             strerror(errno));
    for (off_t at = HEADER_BYTES; status == STATUS_OK; at += length) {
        length = TEMP_FAILURE_RETRY(pread(file, block, BLOCK_BYTES, at));
        if (length <= 0)
            break;
        XXH3_64bits_update(state, block, (size_t)length);
        status = sink_stopped(npy->request);
    }
    if (status == STATUS_OK && length < 0)
        status = status_fail(STATUS_IO, "cannot read %s back: %s", npy->file[index].path,
                             strerror(errno));
    if (status == STATUS_OK)
        *sum = XXH3_64bits_digest(state);
    if (file >= 0)
        close(file);
    XXH3_freeState(state);
    free(block);
    return status;
}

static enum status description_write(struct npy *npy)
{
    uint64_t checksum[PLANES];
    for (int i = 0; i < npy->planes; i++)
        if (npy->sum[i])
            checksum[i] = XXH3_64bits_digest(npy->sum[i]);
        else
            TRY(file_sum(npy, i, &checksum[i]));
    return json_describe(npy->request, checksum, npy->file[npy->planes].stream);
}

static enum status npy_begin(void *state, const struct sink_request *request)
{
    struct npy *npy = state;
    char header[HEADER_BYTES];
    npy->request = request;
    for (int i = 0, plane; (plane = plane_of_file(request, i)) >= 0; i++) {
        TRY(file_open(npy, i, NULL));
        npy->planes = i + 1;
        npy->sum[i] = XXH3_createState();
        if (!npy->sum[i] || XXH3_64bits_reset(npy->sum[i]) != XXH_OK)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a checksum of %s",
                               npy->file[i].path);
        header_fill(header, request->field, plane);
        TRY(bytes_write(npy, i, header, sizeof header));
    }
    return file_open(npy, npy->planes, NULL);
}

static size_t row_bytes_of(const struct field *field, int plane)
{
    return (size_t)field->width *
           element_bytes(plane_element((enum plane)plane, field->count_bytes));
}

static enum status npy_checkpoint(void *state, void *mark)
{
    struct npy *npy = state;
    uint64_t length; /* follows from the rows */
    (void)mark;
    for (int i = 0; i <= npy->planes; i++)
        TRY(atomic_file_checkpoint(&npy->file[i], &length));
    return STATUS_OK;
}

static enum status npy_resume(void *state, const struct sink_request *request, const void *mark,
                              int32_t y)
{
    struct npy *npy = state;
    (void)mark;
    npy->request = request;
    for (int i = 0, plane; (plane = plane_of_file(request, i)) >= 0; i++) {
        uint64_t length = HEADER_BYTES + (uint64_t)y * row_bytes_of(request->field, plane);
        TRY(file_open(npy, i, &length));
        npy->planes = i + 1;
    }
    return file_open(npy, npy->planes, &(uint64_t){0});
}

/* Writes rows; rows without gaps between them in one call. */
static enum status npy_rows(void *state, const struct sink_rows *rows)
{
    const struct npy *npy = state;
    const struct field *field = &rows->field;
    int32_t together = field->stride == field->width && !field->band ? rows->height : 1;
    for (int i = 0; i < npy->planes; i++) {
        enum plane plane = (enum plane)plane_of_file(npy->request, i);
        size_t row_bytes = row_bytes_of(field, plane);
        for (int32_t row = 0; row < rows->height; row += together) {
            const void *bytes = field_row(field, plane, row);
            TRY(bytes_write(npy, i, bytes, row_bytes * (size_t)together));
            if (npy->sum[i])
                XXH3_64bits_update(npy->sum[i], bytes, row_bytes * (size_t)together);
        }
    }
    return STATUS_OK;
}

static int32_t npy_part_rows(const struct sink_request *request)
{
    (void)request;
    return 1;
}

static enum status npy_part(const struct sink_request *request, const struct sink_rows *rows,
                            struct sink_part *part)
{
    const struct field *field = &rows->field;
    assert(field->stride == field->width && !field->band);
    for (int i = 0, plane; (plane = plane_of_file(request, i)) >= 0; i++) {
        size_t row_bytes = row_bytes_of(field, plane);
        part->range[part->ranges++] =
            (struct byte_range){.file = i,
                                .offset = HEADER_BYTES + (uint64_t)rows->y * row_bytes,
                                .bytes = field_row(field, (enum plane)plane, 0),
                                .length = (size_t)rows->height * row_bytes};
    }
    return STATUS_OK;
}

static enum status npy_part_begin(void *state, uint64_t *offset)
{
    struct npy *npy = state;
    for (int i = 0; i < npy->planes; i++) {
        TRY(atomic_file_checkpoint(&npy->file[i], offset));
        XXH3_freeState(npy->sum[i]);
        npy->sum[i] = NULL;
    }
    *offset = 0; /* offsets follow from the rows */
    return STATUS_OK;
}

static enum status npy_part_add(void *state, int32_t rows, uint64_t length, uint32_t sum)
{
    struct npy *npy = state;
    (void)length;
    (void)sum;
    for (int i = 0; i < npy->planes; i++) {
        int plane = plane_of_file(npy->request, i);
        size_t bytes = (size_t)rows * row_bytes_of(npy->request->field, plane);
        if (fseeko(npy->file[i].stream, (off_t)bytes, SEEK_CUR) != 0)
            return status_fail(STATUS_IO, "cannot write %s: %s", npy->file[i].path,
                               strerror(errno));
    }
    return STATUS_OK;
}

static enum status npy_end(void *state, struct atomic_file_set *set)
{
    struct npy *npy = state;
    TRY(description_write(npy));
    for (int i = 0; i <= npy->planes; i++)
        TRY(atomic_file_set_add(set, &npy->file[i]));
    return STATUS_OK;
}

static void npy_close(void *state)
{
    struct npy *npy = state;
    for (int i = 0; i <= PLANES; i++)
        atomic_file_abandon(&npy->file[i]);
    for (int i = 0; i < PLANES; i++)
        XXH3_freeState(npy->sum[i]);
}

extern const struct sink_kind sink_npy;
const struct sink_kind sink_npy = {
    .name = "npy",
    .suffix = ".npy",
    .summary = "the numbers: NAME.PLANE.npy for each plane, and NAME.planes.json",
    .file = npy_file,
    .bytes_max = npy_bytes_max,
    .state_bytes = sizeof(struct npy),
    .checkpoint = npy_checkpoint,
    .resume = npy_resume,
    .begin = npy_begin,
    .rows = npy_rows,
    .part_rows = npy_part_rows,
    .part_make = npy_part,
    .part_begin = npy_part_begin,
    .part_add = npy_part_add,
    .end = npy_end,
    .close = npy_close,
};
