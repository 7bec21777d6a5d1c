#include "app/process/gpu_queues.h"

#include <stdlib.h>

void gpu_queues_few(void)
{
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "2", 0);
}
