/* The channel between `--ranks N` and the ranks that mpirun starts for it: a local socket.
 *
 * A rank gets from it the words of the command line and the program's own stdout and stderr, so
 * that mpirun sees no word of the user and carries no output but MPI's. While a rank lives its end
 * stays open, so the launcher knows which ranks there are, by process and number; rank 0 says the
 * exit code before it ends. The name of the socket is the kernel's choice; only processes of this
 * user are talked to. */
#ifndef APP_LAUNCH_RANK_H
#define APP_LAUNCH_RANK_H

#include <stdint.h>
#include <sys/types.h>

#include "kernels/status.h"

/* The word before the socket's name, by which the program knows that it is such a rank; in no help
 * text. */
#define RANK_WORD "rank-of"

enum { RANK_NAME_BYTES = 16 };

enum rank_says {
    RANK_NUMBER, /* every rank, first: which one it is */
    RANK_READY,  /* rank 0: MPI has started; from now on it finds out itself who is lost */
    RANK_FINAL,  /* rank 0: results leave, so the work cannot be done a second time */
    RANK_CODE,   /* rank 0: the exit code, and why has been said */
    RANK_FAULT   /* the same, of a fault that other ranks may not have */
};

struct rank_word {
    int32_t says; /* enum rank_says */
    int32_t value;
};

/* ---- the launcher's end ---- */

/* A listening socket, and its name. Negative and errno on failure. */
int rank_listen(char name[RANK_NAME_BYTES]);

/* A file in memory with the number of ranks and the words of `argv`; negative and errno on failure.
 */
int rank_words_store(long ranks, char *const argv[]);

/* Takes in one rank: its socket, and its process in *pid. Negative when there is none (now). */
int rank_admit(int listener, int words, pid_t *pid);

/* What a rank said: 1 and a word, 0 for nothing now, -1 when it is gone. */
int rank_hear(int socket, struct rank_word *word);

/* ---- the rank's end ---- */

/* Replaces *argc and *argv by the words of the user, which live as long as the process, and stdout
 * and stderr by the launcher's. What MPI writes goes on to mpirun. Before MPI is started. */
enum status rank_join(const char *name, int *argc, char ***argv);

/* Number of ranks that the launcher of this process has started; 0: it has no launcher, and may
 * start ranks of its own. */
long rank_joined(void);

/* Rank 0 tells the launcher, if there is one. Safe in signal handlers. */
void rank_say(enum rank_says says, int value);

#endif
