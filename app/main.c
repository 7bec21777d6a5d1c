/* The only main. Everything below app/ is a library that tests can link. */
#include "app/command/program.h"
#include "app/process/idle_threads.h"

int main(int argc, char **argv)
{
    idle_threads_sleep(argv);
    return program_run(argc, argv);
}
