#include "render/screen_threads.h"

#include <omp.h>

enum { PAINTERS_MOST = 16, COPIERS_MOST = 8, PIXELS_LEAST = 1 << 17 };

static int threads(int64_t pixels, int wanted, int most)
{
    if (pixels < PIXELS_LEAST || wanted < 1)
        return 1;
    return wanted < most ? wanted : most;
}

int screen_painters(int64_t pixels)
{
    return threads(pixels, (3 * omp_get_num_procs() + 3) / 4, PAINTERS_MOST);
}

int screen_copiers(int64_t pixels)
{
    return threads(pixels, omp_get_num_procs() / 2, COPIERS_MOST);
}
