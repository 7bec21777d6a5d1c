/* The channel between `--ranks N` and the ranks that mpirun starts for it: a local socket.
 *
 * A rank gets from it the words of the command line and the program's own stdout and stderr, so
 * that mpirun sees no word of the user and carries no output but MPI's. While a rank lives its end
 * stays open, so the launcher knows which ranks there are, by process; rank 0 says the exit code
 * before it ends. The name of the socket is the kernel's choice; only processes of this user are
 * talked to. */
#ifndef APP_RANK_H
#define APP_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "kernels/status.h"

/* The word before the socket's name, by which the program knows that it is such a rank; in no help
 * text. */
#define RANK_WORD "rank-of"

enum { RANK_NAME_BYTES = 16 };

/* ---- the launcher's end ---- */

/* A listening socket, and its name. Negative and errno on failure. */
int rank_listen(char name[RANK_NAME_BYTES]);

/* A file in memory with the words of `argv`; negative and errno on failure. */
int rank_words_store(char *const argv[]);

/* Takes in one rank: its socket, and its process in *pid. Negative when there is none (now). */
int rank_admit(int listener, int words, pid_t *pid);

/* What a rank said: 1 and the exit code, 0 for nothing now, -1 when it is gone. */
int rank_hear(int socket, int *code);

/* ---- the rank's end ---- */

/* Replaces *argc and *argv by the words of the user, which live as long as the process, and stdout
 * and stderr by the launcher's. What MPI writes goes on to mpirun. Before MPI is started. */
enum status rank_join(const char *name, int *argc, char ***argv);

/* Has this process joined a launcher? It starts no ranks of its own then. */
bool rank_joined(void);

/* Tells the launcher, if there is one, that rank 0 ends with this code and has said why. Safe in
 * signal handlers. */
void rank_report(int code);

#endif
