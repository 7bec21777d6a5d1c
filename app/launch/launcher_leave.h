/* A process that leaves the job of its launcher (decomposition/world/launcher.h). */
#ifndef APP_LAUNCH_LAUNCHER_LEAVE_H
#define APP_LAUNCH_LAUNCHER_LEAVE_H

#include <stdbool.h>

/* Takes the launcher's variables out of this process's environment: it belongs to no job from then
 * on, and neither does what it starts. Before there are threads. */
void launcher_leave(void);

/* Does the variable, as "NAME=value", stay then? Settings do, signs of a job do not. */
bool launcher_passes(const char *variable);

#endif
