/* Order statistics of a few measurements. */
#ifndef RENDER_PLAN_SORTED_H
#define RENDER_PLAN_SORTED_H

#include <stdlib.h>

static inline int sorted_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Puts them in rising order. */
static inline void sort_values(double *values, size_t count)
{
    qsort(values, count, sizeof *values, sorted_order);
}

/* Median of at least one value; puts them in order. */
static inline double median(double *values, int count)
{
    sort_values(values, (size_t)count);
    return values[count / 2];
}

#endif
