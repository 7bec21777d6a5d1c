/* Findings about the machine of a rank: cores, memory, limits, the window, ffmpeg, libraries. */
#ifndef APP_DOCTOR_MACHINE_H
#define APP_DOCTOR_MACHINE_H

#include "app/doctor/diagnosis.h"

/* Looks only; starts nothing. ranks: of this job on this machine, which share its cores. */
void machine_examine(struct diagnoses *diagnoses, int ranks);

#endif
