/* The only main. Everything below app/ is a library that tests can link. */
#include "app/command/program.h"

int main(int argc, char **argv)
{
    return program_run(argc, argv);
}
