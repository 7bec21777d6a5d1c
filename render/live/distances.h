/* Are distances computed for a live picture, for relief and lines? */
#ifndef RENDER_LIVE_DISTANCES_H
#define RENDER_LIVE_DISTANCES_H

enum live_distances {
    LIVE_DISTANCES_NONE,
    LIVE_DISTANCES_FREE, /* only where perturbation computes the picture, which has derivatives */
    LIVE_DISTANCES_ALL
};

#endif
