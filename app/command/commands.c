#include <string.h>

#include "app/bench/bench.h"
#include "app/command/command.h"

const struct command commands[] = {
    {.name = "view",
     .operand = "[VIEW]",
     .takes = OPERAND_VIEW_OR_HOME,
     .ranks = RANKS_ALL,
     .bit = COMMAND_VIEW,
     .summary = "explore in a window, or in a browser",
     .help =
         "Zoom with the wheel, drag with the mouse or with fingers, hold to fly; F1 shows all\n"
         "keys, F2 or the button at the top right the panel: places, tours, formulas, colours,\n"
         "and films of what is seen. Without a VIEW it begins with the whole set. The limit is\n"
         "that of the place, as for render; farther in it is chosen for each picture, unless\n"
         "--limit is given. With --ranks, or under mpirun or srun, all ranks compute what rank\n"
         "0 shows; only rank 0 needs the display.\n\n"
         "Pictures (F12), places (Ctrl+S) and films are written into the current folder, files\n"
         "of any kind and size under a name (Ctrl+Shift+S), bookmarks and the history into\n"
         "$XDG_DATA_HOME/deepfield. --script plays input from a file, for tests and\n"
         "measurements, and ends with status 70 when an expectation in it is not met; with\n"
         "SDL_VIDEODRIVER=dummy it needs no display.\n",
     .examples = "deepfield view\n"
                 "deepfield view seahorse --ranks 3\n"
                 "deepfield view --tour the-set\n"
                 "deepfield view --kiosk\n",
     .run = command_view},
    {.name = "render",
     .operand = "VIEW...",
     .takes = OPERAND_VIEWS,
     .ranks = RANKS_ALL,
     .bit = COMMAND_RENDER,
     .summary = "compute a picture and write it to files",
     .help =
         "Without -o the picture goes to NAME.png in the current folder. The paths of the\n"
         "files are printed on stdout. Files appear whole at the end. What a render that was\n"
         "stopped or killed has computed is in a folder beside the first file, FILE.deepfield,\n"
         "and the same command goes on from there, as does deepfield resume FILE; a picture of\n"
         "a second or two has none.\n\n"
         "A deep view begins with a reference orbit of its centre, which can take longer than\n"
         "the pixels. --orbit-cache keeps it in a file for the next pictures of the same\n"
         "centre: at any --limit, and of the Mandelbrot set at zooms within about 2^64 of each\n"
         "other, of other formulas at the same zoom. Beyond zooms of 1e7800 a GPU of compute\n"
         "capability 9.0 or later computes that of the Mandelbrot set; --explain says so.\n\n"
         "Several views, also those that --list FILE names, one a line, are rendered one after\n"
         "the other, without starting again: -o FOLDER/ writes FOLDER/NAME.png for each, and in\n"
         "any other -o {name}, {size} and {index} stand for those of each. Two pictures of one\n"
         "name are refused before anything is computed. A picture that is complete is left as\n"
         "it is when the same command is given again, and one that was interrupted goes on;\n"
         "a file that holds another picture is refused, and --force makes all of them anew. A\n"
         "picture that fails does not stop the others: the exit status is the highest of all,\n"
         "75 after a stop. --json prints a line for each picture, in their order. --part K/N\n"
         "makes every N-th picture of them, for arrays of jobs.\n\n"
         "--region X,Y,WxH renders these pixels of the picture alone, in the numbers and colours\n"
         "that they have in the whole one. Its files hold the region, and render it again.\n"
         "--part K/N of one picture computes the K-th share of its rows into a file beside its\n"
         "first, FILE.part-K-of-N.rows; the same command without --part makes the files of all\n"
         "parts, byte for byte as if one run had computed them, and removes the parts.\n",
     .examples = "deepfield render seahorse -o seahorse.png\n"
                 "deepfield render seahorse --size 4k --samples auto --palette ocean\n"
                 "deepfield render --re -0.74364 --im 0.13182 --zoom 2e5 -o place.png\n"
                 "deepfield render elephant --ranks 4 -o elephant.tif -o elephant.exr\n"
                 "deepfield render seahorse elephant needle --size 4k\n"
                 "deepfield render scepter --size 16k -o scepter.png --part 3/8\n"
                 "deepfield render scepter --size 16k --region 8000,4000,800x600 -o detail.png\n"
                 "deepfield render seahorse elephant -o '{index}-{name}-{size}.png'\n",
     .run = command_render},
    {.name = "film",
     .operand = "VIEW",
     .takes = OPERAND_VIEW,
     .ranks = RANKS_ALL,
     .bit = COMMAND_FILM,
     .summary = "zoom into a place as a video",
     .help =
         "The centre of VIEW stays in the middle while the zoom goes from --from to --to. With\n"
         "--path FILE an ini file has a section for each keyframe: time, zoom, and re, im,\n"
         "rotation, stretch, offset, relief, ease where they are not those of VIEW:\n\n"
         "  [begin]            [end]\n"
         "  time = 0           time = 20\n"
         "  zoom = 1           zoom = 1e20\n\n"
         "--tour FILE flies as the viewer does, from stop to stop, each with its formula, limit\n"
         "and colours; the texts are in FILM.srt beside the video, in the language of --language.\n"
         "It needs no VIEW. A film is the same bytes on any number of ranks, so stops that show\n"
         "ranks at work (tiles, workers, repeat) are left out; only the viewer has them.\n\n"
         "-o is an .mp4, .webm or .mkv, which need ffmpeg; a .y4m; or frames/%06d.png or .exr.\n"
         "Without -o it is NAME.mp4 in the current folder.\n\n"
         "A film that is stopped or killed goes on with the same command, or with deepfield\n"
         "resume FILE: what is done lies in FILE.deepfield until all of it is there. Of frames\n"
         "that is film.deepfield in their folder, which stays, so that frames that were removed\n"
         "are made again; each film needs a folder of its own. --force replaces another film, or\n"
         "a finished one. --part K/N makes every N-th piece of it, for arrays of jobs, each of\n"
         "which goes on with its own command; the same command without --part, or deepfield\n"
         "resume FILE, makes what is missing and joins them. At the end it reports flicker\n"
         "between frames and flashes per second: more than three are not safe for all viewers.\n",
     .examples = "deepfield film seahorse-deep --seconds 20 --fps 30 --size 720p -o seahorse.mp4\n"
                 "deepfield film seahorse-deep --autopilot 7 --seconds 60 -o flight.mp4\n"
                 "deepfield film --tour the-set -o tour.mp4\n",
     .run = command_film},
    {.name = "resume",
     .operand = "FILE",
     .takes = OPERAND_FREE,
     .ranks = RANKS_ALL,
     .bit = COMMAND_RENDER,
     .summary = "go on with an interrupted render or film",
     .help =
         "FILE is what the interrupted run was to write, the first -o, or frames/%06d.png. The\n"
         "settings of its command are taken again, in the same folder, with the options behind\n"
         "FILE; --force, --json, --log-json, --orbit-cache and --join-file are not: give them\n"
         "again.\n"
         "What was computed is in the folder FILE.deepfield, which must be yours; the file is\n"
         "byte for byte that of a run without interruptions, on any number of ranks and\n"
         "devices. For .mp4, .webm and .mkv the encoder is given the same frames, in other\n"
         "stretches.\n",
     .examples = "deepfield resume seahorse.png\n"
                 "deepfield resume seahorse.png --ranks 4\n"},
    {.name = "status",
     .operand = "NAME.deepfield",
     .takes = OPERAND_FREE,
     .ranks = RANKS_ROOT,
     .bit = COMMAND_STATUS,
     .summary = "show how far a run has come, from another shell",
     .help =
         "NAME.deepfield is the folder that a long render keeps beside its file NAME; NAME\n"
         "itself will do. A line for all, and one for each rank that computes: tiles, its\n"
         "share of the work that is done, its speed, and when rank 0 last heard of it.\n\n"
         "A run gives a sign every two seconds, and writes its exit code when it ends before\n"
         "its files are complete. Without a sign for 30 s that is told, not that it is running;\n"
         "on its own host a run that was killed is known at once. --json prints all as one\n"
         "line, with `state`: running, silent, gone or ended.\n",
     .examples = "deepfield status seahorse.png\n",
     .run = command_status},
    {.name = "join",
     .operand = "FILE",
     .takes = OPERAND_FREE,
     .ranks = RANKS_ALL,
     .bit = COMMAND_JOIN,
     .summary = "compute for a viewer, a picture or a film of another job",
     .help =
         "--join-file FILE of deepfield render, film or view writes the FILE: a machine, a port,\n"
         "and a token, for your eyes alone. A job that joins, with all of its ranks and GPUs, is\n"
         "one more worker of that run, takes tiles within two seconds, and may leave when it\n"
         "likes: others compute the tiles that it had. No pixel changes. It ends with that run,\n"
         "or by Ctrl-C.\n\n"
         "Both have to be the same version. By default that run listens on its own machine\n"
         "alone; --join-address 0.0.0.0 opens it to the network, without encryption.\n",
     .examples = "deepfield render elephant --samples 16 --join-file join.txt &\n"
                 "deepfield join join.txt --ranks 2\n",
     .run = command_join},
    {.name = "views",
     .takes = OPERAND_NONE,
     .ranks = RANKS_ROOT,
     .bit = COMMAND_VIEWS,
     .summary = "list the views that can be given by name",
     .help =
         "A line for each: its name, its zoom, its title; before them small pictures, where\n"
         "stdout is a terminal with UTF-8 and at least 256 colours (TERM and COLORTERM say so,\n"
         "NO_COLOR forbids it). Each is an ini file of configs/views; formulas:NAME are places\n"
         "of one file, formulas.places, with islands of all formulas. --json prints more of\n"
         "each.\n",
     .examples = "deepfield views\n",
     .run = command_views},
    {.name = "palettes",
     .operand = "[NAME|FILE]",
     .takes = OPERAND_FREE,
     .ranks = RANKS_ROOT,
     .bit = COMMAND_PALETTES,
     .summary = "list, show and convert what --palette takes",
     .help = "A line for each palette: its name, `safe` where colours that differ do so for\n"
             "colour-blind viewers too, its colours where stdout is a terminal of 256 or more\n"
             "(TERM and COLORTERM say so, NO_COLOR forbids it), its title. They are the files of\n"
             "assets/palettes; with NAME one of them is shown.\n\n"
             "FILE is a palette of another program, and can be given to --palette as well: .map\n"
             "(Fractint), .ugr (Ultra Fractal), .ggr and .gpl (GIMP), .kfp and .kfr (Kalles\n"
             "Fraktaler), or our own .csv; what is in it decides, whatever it is called. Of\n"
             "several gradients all are listed, and FILE.ugr:NAME is one of them.\n\n"
             "-o x.png writes a picture of all that would be listed, -o x.csv or x.ggr one\n"
             "palette, converted.\n",
     .examples = "deepfield palettes -o palettes.png\n"
                 "deepfield palettes ocean\n"
                 "deepfield palettes mine.ugr\n",
     .run = command_palettes},
    {.name = "info",
     .operand = "VIEW",
     .takes = OPERAND_VIEW,
     .ranks = RANKS_ROOT,
     .bit = COMMAND_INFO,
     .summary = "show the place that a file holds, and how it would be computed",
     .help =
         "With -o it writes the place into a file instead, in the format that the suffix says,\n"
         "for use in another program: deepfield info seahorse -o seahorse.kfr. The formats are\n"
         "those that `deepfield help formats` lists.\n",
     .examples = "deepfield info seahorse\n"
                 "deepfield info seahorse -o seahorse.kfr -o seahorse.toml\n",
     .run = command_info},
    {.name = "find",
     .operand = "VIEW",
     .takes = OPERAND_VIEW,
     .ranks = RANKS_ROOT,
     .bit = COMMAND_FIND,
     .summary = "find the nucleus of the lowest period in a view, or a Misiurewicz point",
     .help =
         "A nucleus is the middle of an island or a disc: from 0, its orbit returns to 0 after\n"
         "a number of steps, its period. The window of the view is searched, or a --box of it,\n"
         "for the lowest period. The result is the point, to as many places as a picture of it\n"
         "needs, the period, the size and the turn of its component, the zooms of the Julia\n"
         "sets that surround it, and if it is proven that there is one point and no smaller\n"
         "period. Of another formula than z^2 + c it is a nucleus, its period and its size,\n"
         "without proof. -o FILE.ini writes the view that shows it, of --size, for deepfield\n"
         "render and view.\n\n"
         "With --misiurewicz it is a point with an orbit that ends in a repelling cycle: the\n"
         "middle of a spiral, or the tip or the fork of a branch. The multiplier of the cycle\n"
         "says at which zooms the picture repeats itself.\n",
     .examples = "deepfield find seahorse -o island.ini\n"
                 "deepfield find triple-spiral --misiurewicz\n",
     .run = command_find},
    {.name = "colour",
     .operand = "FIELD...",
     .takes = OPERAND_FIELDS,
     .ranks = RANKS_ROOT,
     .bit = COMMAND_COLOUR,
     .summary = "colour stored fields anew, without computing them",
     .help =
         "FIELD is an .exr of deepfield, Kalles Fraktaler or Fraktaler-3 with its counts\n"
         "inside, or the .npy planes of a picture: x.npy, any of them, or x.png beside them\n"
         "stands for x.count.npy, x.fraction.npy and what else there is. The colours are those\n"
         "of its own view where it has one, with the options given here over them; the view\n"
         "goes into the new files.\n\n"
         "-o FILE writes one field; -o DIR/ writes DIR/NAME.png for each of many, and in any\n"
         "other -o the two characters {} stand for NAME, as in -o 'new/{}.exr'. Without -o it\n"
         "is NAME.png in the current folder. A field that cannot be read costs only its own\n"
         "files: the exit status is the highest of all.\n",
     .examples = "deepfield colour needle.exr --palette ocean -o new.png\n"
                 "deepfield colour *.exr -o coloured/\n",
     .run = command_colour},
    {.name = "verify",
     .operand = "VIEW",
     .takes = OPERAND_VIEW,
     .ranks = RANKS_ALL,
     .bit = COMMAND_VERIFY,
     .summary = "check sampled pixels of a picture against proven iteration counts",
     .help = "Computes the picture as `deepfield render` would, takes a sample of its pixels, and\n"
             "finds their true counts with as many digits as a proof needs. Rounding moves every\n"
             "pixel a little, so a few counts close to the set may differ from the true ones; how\n"
             "many is predicted. The exit status is 70 when more differ than that, when rounding\n"
             "cannot explain one, when a pixel that is computed again, alone, has another count,\n"
             "or when another plane of --planes is wrong where the count is right.\n",
     .examples = "deepfield verify seahorse\n"
                 "deepfield verify seahorse --pixels 1000 --exact\n"
                 "deepfield verify burning-ship --planes count,fraction,distance,phase\n",
     .run = command_verify},
    {.name = "devices",
     .takes = OPERAND_NONE,
     .ranks = RANKS_ALL,
     .bit = COMMAND_DEVICES,
     .summary = "list the GPUs and CPUs that would compute, and the rank that uses each",
     .help = "One table for all ranks, also under mpirun and with --ranks: the devices that each\n"
             "rank would use for `deepfield render` with the same options.\n",
     .examples = "deepfield devices\n"
                 "deepfield devices --ranks 3\n",
     .run = command_devices},
    {.name = "doctor",
     .takes = OPERAND_NONE,
     .ranks = RANKS_ALL,
     .bit = COMMAND_DOCTOR,
     .summary = "say what works on this machine or in this job, and what is wrong",
     .help = "A line for each finding: version, MPI and its launcher (two ranks are started for a\n"
             "trial), Slurm, cores that this process is bound to, memory, limits, folder of data,\n"
             "screen, ffmpeg, versions of libraries, GPUs, how fast the host copies to and from\n"
             "them, and those that the job is given and cannot use. Under mpirun or srun every\n"
             "rank looks at its own machine, lines that are equal are shown once, and one says\n"
             "what a killed rank costs. The exit status is 78 when something is wrong.\n",
     .examples = "deepfield doctor\n"
                 "mpirun -n 2 --bind-to none deepfield doctor\n"
                 "deepfield doctor --json\n",
     .run = command_doctor},
    {.name = "bench",
     .operand = "[SUITE]",
     .takes = OPERAND_FREE,
     .ranks = RANKS_ALL,
     .bit = COMMAND_BENCH,
     .summary = "measure the speed of kernels, deep views and transports",
     .help =
         "SUITE is one of\n"
         "  direct     (the default) kernels on one device, the first of --devices, against the\n"
         "             most that it can do\n"
         "  formula    the steps of all formulas, beside the most that a device can do, own\n"
         "             formulas of the same operations and, deep, z^2 + c\n"
         "  orbit      reference orbits of 256 to 131000 bits, on threads and a GPU, beside MPFR\n"
         "  deep       deep views on the processor: reference orbit, table of blocks, and pixels,\n"
         "             512x288 of them unless --size is given; with --forecast what four GPUs\n"
         "             would take for 3840x2160 by their published rates and the instructions\n"
         "             of a step, beside an H200 measured and the GPU of this machine\n"
         "  transport  every way to bring pixels from the devices to rank 0, beside plain copies,\n"
         "             or plain sends of MPI, of the same bytes in the same run\n"
         "  scaling    whole pictures on 1, 2, 4 ... devices: speed-up, efficiency, idle time;\n"
         "             with --report FILE.html also as a page with plots and a forecast\n"
         "transport and scaling take all devices of the process, or of all ranks of a job of\n"
         "mpirun or srun. --tile is for scaling, --size for deep, --accuracy and --precision\n"
         "for deep and formula, which --formula keeps to one row; what a suite does not use is\n"
         "refused.\n",
     .examples = "deepfield bench direct\n"
                 "deepfield bench deep --forecast\n"
                 "deepfield bench formula --formula lambda\n"
                 "deepfield bench formula --formula burning_ship --precision fp32\n"
                 "deepfield bench scaling --json\n"
                 "deepfield bench scaling --ranks 3 --report scaling.html\n",
     .run = command_bench},
    {.name = "clean",
     .operand = "[FOLDER]",
     .takes = OPERAND_FREE,
     .ranks = RANKS_ROOT,
     .bit = COMMAND_CLEAN,
     .summary = "remove what killed runs have left",
     .help =
         "Unfinished files in FOLDER, or in the current one, and in the folders of films\n"
         "there; shared memory of MPI; session folders of mpirun, as /tmp/prterun.HOST.PID.UID,\n"
         "for which mpirun of Open MPI 5 refuses to start once it has their number (Exists);\n"
         "ranks that have outlived their mpirun. Only what belongs to dead processes of this\n"
         "user and machine. What --ranks and -o find is removed by the next run, too, session\n"
         "folders from the day after. The folder NAME.deepfield, from which a run goes on,\n"
         "stays.\n",
     .examples = "deepfield clean\n",
     .run = command_clean},
    {.name = "help",
     .operand = "[COMMAND|PAGE]",
     .takes = OPERAND_FREE,
     .ranks = RANKS_ROOT,
     .bit = COMMAND_HELP,
     .summary = "show what a command does, or a page of the guide",
     .help =
         "The same as deepfield COMMAND --help, or a page that deepfield help lists. deepfield\n"
         "help formats lists the formats of places that are read and written, deepfield help\n"
         "formulas what can be iterated.\n",
     .examples = "deepfield help render\n"
                 "deepfield help films\n"
                 "deepfield help formulas\n"},
};

const int commands_count = sizeof commands / sizeof *commands;

const struct command *command_named(const char *name)
{
    for (int i = 0; i < commands_count; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}
