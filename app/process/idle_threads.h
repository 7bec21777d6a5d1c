/* Idle threads of OpenMP sleep instead of polling. */
#ifndef APP_PROCESS_IDLE_THREADS_H
#define APP_PROCESS_IDLE_THREADS_H

/* Sets OMP_WAIT_POLICY=passive and starts the program again, in the same process: OpenMP has read
 * the variable before main is called. Returns where the user has chosen a policy, or where the
 * program cannot be started again, and then threads wait as OpenMP does by default.
 *
 * By default an idle thread of libgomp polls for milliseconds. On cores that others use as well it
 * takes their time, and the thread that it waits for may be one of theirs: a picture of the whole
 * set at 4K took 2.5 s of processor time instead of 0.2. Idle cores lose nothing measurable.
 *
 * For main alone, before anything is opened: a library does not change how its caller waits. */
void idle_threads_sleep(char **argv);

#endif
