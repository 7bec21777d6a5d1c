#include "render/motion/screen_threads.h"

#include <omp.h>

enum { PAINTERS_MOST = 16, COPIERS_MOST = 12, PIXELS_LEAST = 1 << 17 };

static int threads(int64_t pixels, int wanted, int most)
{
    if (pixels < PIXELS_LEAST || wanted < 1)
        return 1;
    return wanted < most ? wanted : most;
}

/* Returns 1 on two cores: a team's threads poll for more work for some milliseconds after each
 * picture, and the window's thread would wait for them. */
int screen_painters(int64_t pixels)
{
    int cores = omp_get_num_procs();
    return threads(pixels, cores > 2 ? (3 * cores + 3) / 4 : 1, PAINTERS_MOST);
}

int screen_copiers(int64_t pixels)
{
    return threads(pixels, 3 * omp_get_num_procs() / 4, COPIERS_MOST);
}
