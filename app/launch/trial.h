/* A job that is started to see how it ends: nothing of it is heard, and it may crash or hang. */
#ifndef APP_LAUNCH_TRIAL_H
#define APP_LAUNCH_TRIAL_H

enum trial {
    TRIAL_ENDED,
    TRIAL_LATE,     /* it was ended after the time */
    TRIAL_NOT_BEGUN /* errno says why */
};

/* Runs a command without input, output and the variables by which a rank knows that it is one, for
 * at most `timeout_s` and a little. *result: as waitpid gives it, of TRIAL_ENDED; exit code 127
 * where there is no such program. To be called before MPI is started in this process. */
enum trial trial_run(char *const command[], unsigned timeout_s, int *result);

#endif
