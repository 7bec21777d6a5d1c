/* Discovery of GPUs: which ones this machine has and, if none can be used, why.
 *
 * Asks the driver each time and keeps nothing: the driver itself answers in microseconds once it
 * is loaded, and a process that never asks can fork. */
#ifndef KERNELS_CUDA_CUDA_DISCOVERY_H
#define KERNELS_CUDA_CUDA_DISCOVERY_H

#include "kernels/backend.h"

struct cuda_findings {            /* driver and GPUs of this machine; plain data */
    int runtime;                  /* CUDA version of this build, 1000 * major + 10 * minor */
    int driver;                   /* newest version that the driver knows; 0: there is no driver */
    int error;                    /* cudaError_t of counting the GPUs */
    int count;                    /* GPUs that the driver shows */
    int usable;                   /* GPUs with code in this build */
    char name[DEVICE_NAME_BYTES]; /* name of the first GPU without code */
    int major, minor;             /* compute capability of that GPU */
};

struct cuda_findings cuda_find(void);

/* Why none is usable, and what would help: a sentence without a full stop. Pure. */
void cuda_findings_explain(const struct cuda_findings *findings, char *text, size_t bytes);

/* Does a build for `architectures` ("75-real 80 90a-real": machine code, and PTX too where no -real
 * follows; "90-virtual" is PTX alone) run on compute capability major.minor? Pure. */
bool cuda_architecture_runs(const char *architectures, int major, int minor);

/* Multiply-add units of one multiprocessor; 0 = no figure. Pure. */
int cuda_units_per_sm(int major, int minor, enum number number);

/* The verbs of the row. GPUs are numbered as the driver numbers them; if one has no code in this
 * build, it is counted all the same if another has. */
bool cuda_likely(void); /* see struct backend_kind */
int cuda_devices(void);
void cuda_missing(char *text, size_t bytes);
enum status cuda_facts(int device, struct device_facts *facts);

/* STATUS_NO_DEVICE, saying what would help, if this build holds no code for the GPU. */
enum status cuda_device_runs(int device);

#endif
