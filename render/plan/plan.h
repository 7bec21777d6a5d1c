/* The plan of a picture: how it is computed. A pure decision that can explain itself.
 *
 * The measure is the backward error in pixels: by how many pixels the point that was really
 * computed lies beside the one that was asked for. */
#ifndef RENDER_PLAN_PLAN_H
#define RENDER_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "decomposition/schedule/tile.h"
#include "kernels/deep/block.h"
#include "kernels/spec.h"
#include "kernels/status.h"
#include "render/device/renderer_facts.h"
#include "render/plan/plan_error.h"
#include "render/view/description.h"
#include "render/view/view.h"

enum method { METHOD_DIRECT, METHOD_PERTURBATION };

/* Facts that follow from a picture's view alone, and take some milliseconds to find. */
struct picture_known {
    struct plan_amplification error_amplification; /* direct 0: not known */
    int64_t nucleus; /* step at which the orbit of the hooks ends for a nucleus (orbit_nucleus);
                        0: there is none; -1: not known */
};

/* Bytes that a picture takes, of one strip where it has several. */
struct plan_bytes {
    uint64_t frame;     /* rank 0: the frame */
    uint64_t light;     /* rank 0: the mean of the samples; 0 without */
    uint64_t transport; /* rank 0: buffers of the transport */
    uint64_t worker;    /* every computing rank of rank 0's machine */
    uint64_t away;      /* every computing rank of other machines; 0 where none computes there */
    uint64_t device;    /* rank 0's GPU, beside its kernels' buffers: the frame under `device` */
};

/* Reasons of a plan, parts of sentences; static texts of this process. */
struct plan_reasons {
    const char *forecast, *transport, *lights;
    const char *away; /* reason of away_transport; NULL without one */
};

struct plan { /* plain data but for the reasons: rank 0 sends it to all ranks */
    enum method method;
    enum number number;
    double error_px[NUMBERS]; /* predicted backward error of direct iteration, and of the plan's;
                                 INFINITY: not known */
    double roundings_px;      /* part of it: roundings of perturbation; 0 until plan_reached */
    long orbit_bits;          /* precision of the reference orbit; 0 without one */
    double accuracy_px;       /* accuracy that was asked for */
    bool falls_short; /* the plan is less exact than accuracy_px: a more exact method, if there is
                         any, is not worth its time */
    double log10_zoom_end; /* direct fp64 iteration ends at this zoom for this image height and
                              accuracy; a Julia set's at ERROR_MAX_PX */
    int count_bytes;
    int32_t tile_px;
    uint32_t tiles;
    uint32_t interleaved; /* > 0: the tiles are so many interleaved ones, all alike; tile_px is the
                             band then */
    enum tile_order order;
    int32_t cells_px;   /* side of tiles of further samples of parts (render/colour/cells.h) */
    bool predicts_cost; /* the tiles are cut by a coarse pass: tile_px is the most, `tiles` a guess
                         */
    char schedule[16];  /* name of the schedule */
    char transport[16]; /* name of the transport of ranks on rank 0's machine; a rank that cannot
                           take it falls back, and the report says so */
    char away_transport[16]; /* transport of other machines' ranks; "" if none computes there */
    int32_t strip_rows; /* rows of the picture computed at a time: all, or some whole squares */
    int writers;        /* so many ranks compute strips of their own, and write them
                           (render/picture/writers.h); 0: rank 0 writes alone */
    int32_t halo_rows;  /* rows computed in addition above and below, since samples reach there */
    int at_once;        /* samples of the whole picture that a job computes */
    int fields;         /* fields in the frame: the centres', and room for further samples */
    bool turns;         /* pictures in turn have each a half of them: one is averaged while the
                           next is computed */
    bool lights;        /* the frame lies on rank 0's device, which averages its samples */
    struct renderer_facts facts; /* devices that it was made for */
    struct plan_bytes bytes;
    struct plan_reasons why;
};

/* Completes the plan of perturbation once its reference is there, whose roundings move pixels by so
 * much. */
void plan_reached(struct plan *plan, double roundings_px);

/* Bytes that the picture takes on rank 0's machine: the frame, the mean of the samples, buffers of
 * the transport and of the ranks that compute there. */
uint64_t plan_memory(const struct plan *plan);

/* Can the view be computed at all, whatever the settings? STATUS_UNREACHABLE beyond the depth of
 * perturbation. */
enum status plan_reach(const struct view_numbers *view);

/* Side of the tiles for so many CPU devices, in pixels: halved until there are enough. */
int32_t plan_tile_narrow(int32_t width, int32_t height, int devices);

/* "auto", "on", "off" */
const char *plan_forecast_name(enum plan_forecast forecast);

/* "auto", "one", "all"; NULL behind them. */
const char *plan_writers_name(int writers);

/* Why rank 0 writes alone though all ranks were asked to, as a sentence; false: it does not. */
bool plan_writers_refusal(const struct plan *plan, const struct picture *picture,
                          const struct view_numbers *view, char *text, size_t bytes);

/* "none", "linear", "quadratic", "quartic" */
const char *plan_blocks_name(enum blocks blocks);

/* "direct", "perturbation"; "fp32", "fp64", "ds" */
const char *plan_method_name(enum method method);
const char *plan_number_name(enum number number);

/* Plans the picture, whose view has these numbers, on these devices; stop: non-zero gives up, may
 * be NULL. STATUS_STOPPED then; STATUS_UNREACHABLE for a view beyond the depth of perturbation, or
 * one that needs it of a formula on devices that have it for z^2 + c alone; or where fp32, if that
 * was asked for, would be wrong by more than ERROR_MAX_PX, or perturbation has none;
 * STATUS_CONFIG for an unknown schedule or transport or a pair that cannot work, for distances or
 * phases in fp32, for periods and distances inside with perturbation, and for the latter in a Julia
 * set; STATUS_UNREACHABLE where double-single, if that was asked for, misses the accuracy. */
enum status plan_choose(struct plan *plan, const struct picture *picture,
                        const struct view_numbers *view, const struct renderer_facts *facts,
                        const volatile int *stop);

/* Why nothing is more exact than a plan that falls short, as part of a sentence. */
const char *plan_short_reason(const struct plan *plan, const struct formula *formula);

/* "3.1e-06 px", "not known" */
enum { PLAN_ERROR_TEXT_BYTES = 32 };
void plan_error_text(double error_px, char text[PLAN_ERROR_TEXT_BYTES]);

/* The plan of that picture in plain words, several lines. */
void plan_explain(const struct plan *plan, const struct picture *picture,
                  const struct view_numbers *view, FILE *stream);

#endif
