#include "render/colour/distribution.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/number_text.h"

/* Ranks of the levels, finer at both ends: a few extreme pixels move only the outermost levels. */
const double distribution_ranks[DISTRIBUTION_LEVELS] = {
    0,         0.01,      0.03,      1.0 / 16,  2.0 / 16, 3.0 / 16,  4.0 / 16,
    5.0 / 16,  6.0 / 16,  7.0 / 16,  8.0 / 16,  9.0 / 16, 10.0 / 16, 11.0 / 16,
    12.0 / 16, 13.0 / 16, 14.0 / 16, 15.0 / 16, 0.97,     0.99,      1,
};
enum { LOW = 2, HIGH = DISTRIBUTION_LEVELS - 3 }; /* levels of 3 % and 97 % */

enum { SAMPLES = SUBGRID_WIDTH * SUBGRID_HEIGHT };

/* Limit of the change of the rank, in runs, from one subgrid sample to the next on average: more
 * would put unrelated colours beside each other. Fewer runs than the least would leave dust one
 * colour, and more than the most are rings. */
#define ROUGH 0.12
#define RUNS_LEAST 0.6
#define RUNS_MOST 2.5
/* Change of the rank from a sample to its neighbours up to which it has all its weight; with more
 * its weight falls as the square. */
#define CALM 0.08
#define WEIGHT_LEAST 0.1
enum { WEIGHINGS = 2 };   /* ranks follow from weights, and weights from ranks */
#define LIGHT_LEAST 0.62  /* least mean of the light that darkening by distance leaves */
#define LIGHT_DENSEST 0.5 /* least light of the cell that it darkens most */
/* Light taken away where distances are unknown: half of it is accepted. */
#define DARK_UNKNOWN 0.76

/* Cells of 8 x 6 samples: a centre full of structure would be black although the mean of the
 * picture is acceptable. */
enum { CELL_WIDTH = 8, CELL_HEIGHT = 6, CELLS_ACROSS = SUBGRID_WIDTH / CELL_WIDTH };
enum { CELLS = CELLS_ACROSS * SUBGRID_HEIGHT / CELL_HEIGHT };
enum { CELL_LEAST = CELL_WIDTH * CELL_HEIGHT / 2 }; /* escaped samples that make a mean */

/* ---- measuring ------------------------------------------------------------------------------- */

struct subgrid_samples {
    double nu[SAMPLES], weight[SAMPLES]; /* nu 0: not escaped */
    struct weighed {
        double nu, weight;
    } sorted[SAMPLES];
    double below[SAMPLES + 1]; /* weight of the first so many of these */
    int escaped;
    double dark; /* mean over the escaped samples of the light that darkening takes away, 0 ... 1 */
    double densest; /* largest of its means over cells */
};

/* Equal counts by their weights: no order that qsort is free to choose. */
static int compared(const void *a, const void *b)
{
    const struct weighed *x = a, *y = b;
    int by_nu = (x->nu > y->nu) - (x->nu < y->nu);
    return by_nu ? by_nu : (x->weight > y->weight) - (x->weight < y->weight);
}

static double darkness(const struct field *field, size_t at, int32_t height)
{
    const float *dx = field->plane[PLANE_DISTANCE_X], *dy = field->plane[PLANE_DISTANCE_Y];
    double unit = (double)SHADE_ROWS / height;
    double x = dx[at] * unit, y = dy[at] * unit, square = x * x + y * y;
    return square < 1e30 ? 1 - sqrt(square / (square + 1)) : 0;
}

void distribution_subgrid(int32_t width, int32_t height, int32_t x[SUBGRID_WIDTH],
                          int32_t y[SUBGRID_HEIGHT])
{
    for (int64_t i = 0; i < SUBGRID_WIDTH; i++)
        x[i] = (int32_t)((2 * i + 1) * width / (2 * SUBGRID_WIDTH));
    for (int64_t j = 0; j < SUBGRID_HEIGHT; j++)
        y[j] = (int32_t)((2 * j + 1) * height / (2 * SUBGRID_HEIGHT));
}

struct dark_cell {
    double sum;
    int escaped;
};

static void darkness_take(struct subgrid_samples *samples, const struct dark_cell cell[CELLS])
{
    double sum = 0;
    samples->densest = 0;
    for (int i = 0; i < CELLS; i++) {
        sum += cell[i].sum;
        if (cell[i].escaped >= CELL_LEAST)
            samples->densest = fmax(samples->densest, cell[i].sum / cell[i].escaped);
    }
    samples->dark = samples->escaped ? sum / samples->escaped : 0;
}

/* Takes the samples of a picture that is `height` pixels high. */
static void samples_take(struct subgrid_samples *samples, const struct field *field, int stride,
                         int32_t height)
{
    struct dark_cell cell[CELLS] = {{0}};
    int32_t column[SUBGRID_WIDTH], row[SUBGRID_HEIGHT];
    const float *fraction = field->plane[PLANE_FRACTION];
    samples->escaped = 0;
    distribution_subgrid(field->width, field->height, column, row);
    for (int i = 0; i < SAMPLES; i++) {
        int32_t x = column[i % SUBGRID_WIDTH], y = row[i / SUBGRID_WIDTH];
        size_t at = (size_t)(y - y % stride) * (size_t)field->stride + (size_t)(x - x % stride);
        uint64_t count = field_count_at(field, at);
        samples->nu[i] = count ? (double)count + (fraction ? (double)fraction[at] : 0) : 0;
        if (!count)
            continue;
        samples->escaped++;
        struct dark_cell *own =
            &cell[i / SUBGRID_WIDTH / CELL_HEIGHT * CELLS_ACROSS + i % SUBGRID_WIDTH / CELL_WIDTH];
        own->escaped++;
        own->sum += field->plane[PLANE_DISTANCE_X] ? darkness(field, at, height) : DARK_UNKNOWN;
    }
    darkness_take(samples, cell);
}

/* Share of the weight below `nu`. */
static double rank_of(const struct subgrid_samples *samples, double nu)
{
    int low = 0, high = samples->escaped;
    while (low < high) {
        int middle = (low + high) / 2;
        if (samples->sorted[middle].nu < nu)
            low = middle + 1;
        else
            high = middle;
    }
    return samples->below[low] / samples->below[samples->escaped];
}

static void samples_sort(struct subgrid_samples *samples)
{
    int count = 0;
    for (int i = 0; i < SAMPLES; i++)
        if (samples->nu[i] > 0)
            samples->sorted[count++] = (struct weighed){samples->nu[i], samples->weight[i]};
    qsort(samples->sorted, (size_t)count, sizeof *samples->sorted, compared);
    samples->below[0] = 0;
    for (int i = 0; i < count; i++)
        samples->below[i + 1] = samples->below[i] + samples->sorted[i].weight;
}

/* Mean change of the rank from an escaped sample to those beside, above and below it. */
static double change_at(const struct subgrid_samples *samples, const double *rank, int i)
{
    const int x = i % SUBGRID_WIDTH, y = i / SUBGRID_WIDTH;
    const struct {
        bool inside;
        int to;
    } next[] = {{x > 0, -1},
                {x < SUBGRID_WIDTH - 1, 1},
                {y > 0, -SUBGRID_WIDTH},
                {y < SUBGRID_HEIGHT - 1, SUBGRID_WIDTH}};
    double sum = 0;
    int pairs = 0;
    for (int k = 0; k < 4; k++)
        if (next[k].inside && samples->nu[i + next[k].to] > 0) {
            sum += fabs(rank[i] - rank[i + next[k].to]);
            pairs++;
        }
    return pairs ? sum / pairs : 1;
}

static void changes_take(const struct subgrid_samples *samples, double change[SAMPLES])
{
    double rank[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        rank[i] = rank_of(samples, samples->nu[i]);
    for (int i = 0; i < SAMPLES; i++)
        change[i] = samples->nu[i] > 0 ? change_at(samples, rank, i) : 0;
}

/* Gives samples in dust, whose neighbours have any other counts, little weight: their counts get
 * few colours, which an eye cannot follow there, and calm ground gets the others. Returns the mean
 * change of the rank that is left. */
static double samples_weigh(struct subgrid_samples *samples)
{
    double change[SAMPLES], sum = 0;
    for (int i = 0; i < SAMPLES; i++)
        samples->weight[i] = 1;
    samples_sort(samples);
    changes_take(samples, change);
    for (int k = 0; k < WEIGHINGS; k++) {
        for (int i = 0; i < SAMPLES; i++) {
            double calm = fmin(1, CALM / fmax(change[i], 1e-9));
            samples->weight[i] = fmax(WEIGHT_LEAST, calm * calm);
        }
        samples_sort(samples);
        changes_take(samples, change);
    }
    for (int i = 0; i < SAMPLES; i++)
        sum += change[i];
    return sum / samples->escaped;
}

/* Weight below the middle of a sample of the order. */
static double middle_of(const struct subgrid_samples *samples, int i)
{
    return (samples->below[i] + samples->below[i + 1]) / 2;
}

/* The count at a rank: 0 is the middle of the first sample, 1 that of the last. */
static double level_of(const struct subgrid_samples *samples, double rank)
{
    const int last = samples->escaped - 1;
    double first = middle_of(samples, 0);
    double wanted = first + rank * (middle_of(samples, last) - first);
    int low = 0, high = last;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(middle_of(samples, middle) <= wanted ? &low : &high) = middle;
    }
    double from = middle_of(samples, low), to = middle_of(samples, high);
    double part = to > from ? fmin(fmax((wanted - from) / (to - from), 0), 1) : 0;
    double a = samples->sorted[low].nu, b = samples->sorted[high].nu;
    return a + part * (b - a);
}

static void measure(struct distribution *distribution, const struct field *field, int stride,
                    int32_t height)
{
    struct subgrid_samples samples; /* 100 kB on the stack: cannot fail */
    *distribution = (struct distribution){.runs = 0};
    samples_take(&samples, field, stride, height);
    if (samples.escaped) {
        double runs = ROUGH / fmax(samples_weigh(&samples), 1e-6);
        distribution->runs = fmin(fmax(runs, RUNS_LEAST), RUNS_MOST);
        distribution->shade = fmin(1, (1 - LIGHT_LEAST) / fmax(samples.dark, 1e-6));
        distribution->shade =
            fmin(distribution->shade, (1 - LIGHT_DENSEST) / fmax(samples.densest, 1e-6));
        for (int i = 0; i < DISTRIBUTION_LEVELS; i++)
            distribution->level[i] = level_of(&samples, distribution_ranks[i]);
        char text[DISTRIBUTION_TEXT_BYTES];
        distribution_text(distribution, text);
        distribution_parse(distribution, text); /* text of our own: cannot fail */
    }
}

void distribution_measure(struct distribution *distribution, const struct field *field)
{
    measure(distribution, field, 1, field->height);
}

void distribution_measure_coarse(struct distribution *distribution, const struct field *field,
                                 int stride)
{
    measure(distribution, field, stride, field->height);
}

void distribution_measure_subgrid(struct distribution *distribution, const struct field *subgrid,
                                  int32_t height)
{
    measure(distribution, subgrid, 1, height);
}

/* ---- text ------------------------------------------------------------------------------------ */

void distribution_text(const struct distribution *distribution, char text[DISTRIBUTION_TEXT_BYTES])
{
    if (!(distribution->runs > 0)) {
        snprintf(text, DISTRIBUTION_TEXT_BYTES, "auto");
        return;
    }
    int used = snprintf(text, DISTRIBUTION_TEXT_BYTES, "%.4g, %.4g", distribution->runs,
                        distribution->shade);
    for (int i = 0; i < DISTRIBUTION_LEVELS; i++)
        used += snprintf(text + used, DISTRIBUTION_TEXT_BYTES - (size_t)used, ", %.14g",
                         distribution->level[i]);
}

/* The next number of a list: *text moves behind it and a comma. */
static bool number_take(const char **text, double low, double high, double *value)
{
    const char *from = *text + strspn(*text, " ");
    if (*from == '+' || *from == '-' || !number_real_take(&from, value))
        return false;
    from += strspn(from, " ");
    if ((*from != ',' && *from) || !(*value >= low && *value <= high))
        return false;
    *text = from + (*from == ',');
    return true;
}

enum status distribution_parse(struct distribution *distribution, const char *text)
{
    const char *at = text;
    *distribution = (struct distribution){.runs = 0};
    bool good = number_take(&at, 1e-3, 1e3, &distribution->runs) &&
                number_take(&at, 0, 1, &distribution->shade);
    for (int i = 0; i < DISTRIBUTION_LEVELS && good; i++)
        good =
            number_take(&at, i ? distribution->level[i - 1] : 0, 0x1p64, &distribution->level[i]);
    size_t length = strlen(text);
    if (good && !*at && (!length || text[length - 1] != ','))
        return STATUS_OK;
    return status_fail(STATUS_CONFIG,
                       "not a distribution at '%.24s'; it is what a picture of deepfield says: the "
                       "number of palette runs, the strength of darkening and %d rising counts",
                       at, DISTRIBUTION_LEVELS);
}

bool distribution_same(const struct distribution *a, const struct distribution *b)
{
    bool same = a->runs == b->runs && a->shade == b->shade;
    for (int i = 0; i < DISTRIBUTION_LEVELS && same; i++)
        same = a->level[i] == b->level[i];
    return same;
}

static double between(double from, double to, double part)
{
    return from + (to - from) * part;
}

struct distribution distribution_between(const struct distribution *from,
                                         const struct distribution *to, double part)
{
    struct distribution now = *to;
    if (!(from->runs > 0) || !(to->runs > 0) || part >= 1)
        return now;
    now.runs = between(from->runs, to->runs, part);
    now.shade = between(from->shade, to->shade, part);
    for (int i = 0; i < DISTRIBUTION_LEVELS; i++)
        now.level[i] = between(from->level[i], to->level[i], part);
    return now;
}

/* ---- curve ----------------------------------------------------------------------------------- */

struct curve_knots {
    int count;
    double at[DISTRIBUTION_LEVELS], value[DISTRIBUTION_LEVELS], slope[DISTRIBUTION_LEVELS];
};

static double fourth_root(double nu)
{
    return sqrt(sqrt(nu));
}

/* Merges levels that coincide into one knot, with their mean rank. */
static void knots_take(struct curve_knots *knots, const struct distribution *distribution)
{
    for (int i = 0, next; i < DISTRIBUTION_LEVELS; i = next) {
        double at = fourth_root(distribution->level[i]);
        for (next = i + 1; next < DISTRIBUTION_LEVELS; next++)
            if (fourth_root(distribution->level[next]) > at)
                break;
        knots->at[knots->count] = at;
        knots->value[knots->count++] = (distribution_ranks[i] + distribution_ranks[next - 1]) / 2;
    }
}

/* Steepness of the fourth root, in palette runs per run: 0.94 from the level of 3 % to that of 97
 * %, or over all levels where those coincide. */
struct law {
    double begin, slope;
};

static struct law law_of(const struct distribution *distribution)
{
    double low = fourth_root(distribution->level[LOW]);
    double wide = fourth_root(distribution->level[HIGH]) - low;
    if (!(wide > 0)) {
        low = fourth_root(distribution->level[0]);
        wide = fourth_root(distribution->level[DISTRIBUTION_LEVELS - 1]) - low;
    }
    double share = distribution_ranks[HIGH] - distribution_ranks[LOW];
    return (struct law){low, wide > 0 ? share / wide : 1};
}

/* Tangents of a monotone cubic (Fritsch and Butland 1984, the harmonic mean); at both ends that of
 * the straight line beyond. */
static void slopes_make(struct curve_knots *knots, double end)
{
    double secant[DISTRIBUTION_LEVELS];
    int last = knots->count - 1;
    for (int i = 0; i < last; i++)
        secant[i] = (knots->value[i + 1] - knots->value[i]) / (knots->at[i + 1] - knots->at[i]);
    for (int i = 1; i < last; i++) {
        double sum = secant[i - 1] + secant[i];
        knots->slope[i] = sum > 0 ? 2 * secant[i - 1] * secant[i] / sum : 0;
    }
    knots->slope[0] = last ? fmin(end, 3 * secant[0]) : end;
    knots->slope[last] = last ? fmin(end, 3 * secant[last - 1]) : end;
}

static void segment_make(struct curve *curve, int i, const struct curve_knots *knots)
{
    int from = i ? i - 1 : 0;
    curve->origin[i] = knots->at[from];
    curve->c[0][i] = knots->value[from];
    curve->c[1][i] = knots->slope[from];
    if (i == 0 || i == knots->count) /* straight line beyond the ends */
        return;
    double h = knots->at[from + 1] - knots->at[from];
    double secant = (knots->value[from + 1] - knots->value[from]) / h;
    curve->c[2][i] = (3 * secant - 2 * knots->slope[from] - knots->slope[from + 1]) / h;
    curve->c[3][i] = (knots->slope[from] + knots->slope[from + 1] - 2 * secant) / (h * h);
}

static void tree_make(struct curve *curve)
{
    for (int k = 1, level = 1; k < CURVE_SEGMENTS; k++) {
        level = k < 2 * level ? level : k;
        int knot = (2 * (k - level) + 1) * (CURVE_SEGMENTS / 2 / level) - 1;
        curve->tree[k] = knot < curve->knots ? curve->knot[knot] : DBL_MAX;
    }
}

void curve_make(struct curve *curve, const struct distribution *distribution, double runs,
                double contrast)
{
    struct curve_knots knots = {.count = 0};
    struct law law = law_of(distribution);
    double first = distribution_ranks[LOW];
    knots_take(&knots, distribution);
    for (int i = 0; i < knots.count; i++) {
        double plain = first + law.slope * (knots.at[i] - law.begin);
        knots.value[i] = runs * (contrast * knots.value[i] + (1 - contrast) * plain);
    }
    slopes_make(&knots, runs * (1 - contrast) * law.slope);
    *curve = (struct curve){.knots = knots.count};
    memcpy(curve->knot, knots.at, (size_t)knots.count * sizeof *knots.at);
    for (int i = 0; i <= knots.count; i++)
        segment_make(curve, i, &knots);
    tree_make(curve);
}
