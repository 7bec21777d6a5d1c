#include <string.h>

#include "app/command.h"

const struct command commands[] = {
    {.name = "render",
     .operand = "VIEW",
     .takes = OPERAND_VIEW,
     .ranks = RANKS_ALL,
     .bit = COMMAND_RENDER,
     .summary = "compute a picture and write it to files",
     .help =
         "VIEW is an ini file, a plain location file, a .kfr file of Kalles Fraktaler, a picture\n"
         "made by deepfield, or the name of one of the views that come with it (seahorse).\n"
         "Without -o the picture goes to NAME.png in the current folder. The paths of the files\n"
         "are printed on stdout.\n\n"
         "A deep view begins with an orbit of its centre, which --orbit-cache keeps in a file. It\n"
         "serves the same centre with any --limit, and zooms with as many digits (mostly those\n"
         "within 2^64 of each other); not other centres, because of the last bits of pixels.\n",
     .run = command_render},
    {.name = "view",
     .operand = "[VIEW]",
     .takes = OPERAND_VIEW_OR_HOME,
     .ranks = RANKS_ALL,
     .bit = COMMAND_VIEW,
     .summary = "look around in a window",
     .help =
         "Zoom with the wheel, drag with the mouse or with fingers; F1 shows all keys. Without a\n"
         "VIEW it begins with the whole set. The number of iterations follows the picture, unless\n"
         "--limit says it. With --ranks, or under mpirun or srun, all ranks compute what rank 0\n"
         "shows; it needs the display.\n\n"
         "--script plays input from a file, for tests and measurements, and ends with status 70\n"
         "when an expectation in it is not met; under SDL_VIDEODRIVER=dummy it needs no display.\n"
         "Pictures (F12) and places (Ctrl+S) are written into the current folder, bookmarks and\n"
         "the history into $XDG_DATA_HOME/deepfield.\n",
     .run = command_view},
    {.name = "info",
     .operand = "VIEW",
     .takes = OPERAND_VIEW,
     .ranks = RANKS_ROOT,
     .bit = COMMAND_INFO,
     .summary = "say which view a file holds, and how it would be computed",
     .help = "FILE is a view, a location file, a .kfr file or a picture made by deepfield.\n",
     .run = command_info},
    {.name = "devices",
     .takes = OPERAND_NONE,
     .ranks = RANKS_ALL,
     .bit = COMMAND_DEVICES,
     .summary = "list what there is to compute with, and which rank drives it",
     .help = "One table for all ranks, also under mpirun and with --ranks: the devices that each\n"
             "would drive with the same options of `deepfield render`.\n",
     .run = command_devices},
    {.name = "bench",
     .operand = "[SUITE]",
     .takes = OPERAND_FREE,
     .ranks = RANKS_ALL,
     .bit = COMMAND_BENCH,
     .summary = "measure the speed of kernels, roads home and many devices",
     .help = "SUITE is one of\n"
             "  direct     (the default) kernels on one device, the first of --devices, against\n"
             "             what it can do at most\n"
             "  orbit      reference orbits of 256 to 65536 bits, beside MPFR's plain loop\n"
             "  deep       deep views on the processor: reference, table of blocks and pixels, of\n"
             "             which there are 512x288 unless --size says otherwise\n"
             "  transport  the roads of pixels from every device to rank 0, beside a plain copy\n"
             "  scaling    whole pictures on 1, 2, 4 ... devices: speed-up, efficiency, idle time\n"
             "  schedule   who computes which tile, for 1 to 4096 workers: what pixels cost is\n"
             "             measured here, the workers are played in virtual time\n"
             "transport and scaling take all devices of the process, or of all ranks of an mpirun "
             "or srun\n"
             "job; --tile is for scaling, --size and --accuracy are for deep.\n",
     .run = command_bench},
    {.name = "verify",
     .operand = "VIEW",
     .takes = OPERAND_VIEW,
     .ranks = RANKS_ALL,
     .bit = COMMAND_VERIFY,
     .summary = "prove the counts of sampled pixels of a view",
     .help =
         "Makes the picture as `deepfield render` would, at any depth, and proves the true counts\n"
         "of pixels of it in arithmetic of as many digits as that takes. Rounding moves every "
         "pixel\n"
         "a little, so a few counts close to the set differ from the truth; how many is known\n"
         "beforehand. The exit status is 70 when there are more, when one differs that rounding\n"
         "cannot explain, or when a pixel comes out otherwise when it is computed again, alone.\n",
     .run = command_verify},
    {.name = "views",
     .takes = OPERAND_NONE,
     .ranks = RANKS_ROOT,
     .bit = COMMAND_VIEWS,
     .summary = "list the views that can be given by name",
     .help = "A line for each: its name, its zoom and what it shows. They are the ini files of\n"
             "configs/views; --json has all that they say.\n",
     .run = command_views},
    {.name = "palettes",
     .takes = OPERAND_NONE,
     .ranks = RANKS_ROOT,
     .bit = COMMAND_PALETTES,
     .summary = "list the palettes that can be given by name, in colour on a terminal",
     .help = "A line for each: its name, its colours where the terminal has 256 or more (TERM and\n"
             "COLORTERM say so, NO_COLOR forbids it), and what they are. They are the files of\n"
             "assets/palettes; a .csv file of your own is given by its path.\n",
     .run = command_palettes},
    {.name = "help",
     .operand = "[COMMAND]",
     .takes = OPERAND_FREE,
     .ranks = RANKS_ROOT,
     .bit = COMMAND_HELP,
     .summary = "show what a command does and which options it takes",
     .help = "The same as deepfield COMMAND --help.\n"},
};

const int commands_count = sizeof commands / sizeof *commands;

const struct command *command_named(const char *name)
{
    for (int i = 0; i < commands_count; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}
