/* Findings about the GPUs that this process can use. */
#ifndef APP_DOCTOR_GPUS_H
#define APP_DOCTOR_GPUS_H

#include "app/doctor/diagnosis.h"

/* Opens them all, which takes up to half a second, and closes them. */
void gpus_examine(struct diagnoses *diagnoses);

#endif
