/* From a command line to an exit code: the way through every command, the same on all ranks:
 * settings on rank 0, agreement, the command, agreement, one message, the end. */
#ifndef APP_COMMAND_PROGRAM_H
#define APP_COMMAND_PROGRAM_H

/* argv[1] names the command. Returns the exit code. */
int program_run(int argc, char **argv);

#endif
