/* The hardware queues of a GPU, of which CUDA opens as many as the environment says. */
#ifndef APP_PROCESS_GPU_QUEUES_H
#define APP_PROCESS_GPU_QUEUES_H

/* Asks for two queues instead of the 8 that CUDA opens by itself, unless the user has chosen: for
 * commands that are soon over. One GPU opens and closes 0.13 s sooner, two 0.26 s; pieces of a
 * picture overlap less, and kernels of direct views take 1.2 times as long (H200). Before the first
 * device is looked for. */
void gpu_queues_few(void);

#endif
