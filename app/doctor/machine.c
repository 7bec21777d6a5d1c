#include "app/doctor/machine.h"

#include <link.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "app/launch/launch_check.h"
#include "app/process/environment.h"
#include "app/process/executable.h"
#include "render/disk/memory.h"

#define GIB 0x1p30
#define MEMORY_LEAST 0x1p29

static void host_examine(struct diagnoses *diagnoses)
{
    struct utsname system;
    if (uname(&system) == 0)
        diagnosis_add(diagnoses, VERDICT_FINE, "host", NULL, "%s, %s %s on %s", system.nodename,
                      system.sysname, system.release, system.machine);
}

/* Ranks that have a core each of a machine with no more cores leave none idle. */
static void cores_examine(struct diagnoses *diagnoses, int ranks)
{
    cpu_set_t set;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int usable = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)cores;
    static const char remedy[] = "mpirun --bind-to none (Open MPI), -bind-to none (MPICH), "
                                 "srun --cpus-per-task=N: a rank has threads of its own";
    if (usable == 1 && cores > ranks)
        diagnosis_add(diagnoses, VERDICT_WRONG, "cores", remedy,
                      "this process is bound to 1 of the %ld cores of its machine", cores);
    else
        diagnosis_add(diagnoses, usable < cores ? VERDICT_NOTE : VERDICT_FINE, "cores", NULL,
                      "%d of %ld may be used", usable, cores);
}

static void memory_examine(struct diagnoses *diagnoses)
{
    double available = (double)memory_available();
    double all = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    bool little = available < MEMORY_LEAST;
    if (little)
        diagnosis_add(diagnoses, VERDICT_WRONG, "memory", "end what has it, or give the job more",
                      "%.1f GiB, of which %.1f are free", all / GIB, available / GIB);
    else
        diagnosis_add(diagnoses, VERDICT_FINE, "memory", NULL, "%.1f GiB", all / GIB);
}

/* What two ranks would need here, as --ranks sees it. */
static void room_examine(struct diagnoses *diagnoses)
{
    struct launch_room room;
    launch_room_read(2, &room);
    if (launch_room_check(2, CROWD_WANTED, &room) != STATUS_OK)
        diagnosis_add(diagnoses, VERDICT_WRONG, "ranks here", NULL, "%s", status_text());
    else
        diagnosis_add(diagnoses, VERDICT_FINE, "ranks here", NULL,
                      "shared memory, %s and limits of files leave room for two",
                      launch_session_folder());
}

/* Networks of clusters register memory with the card. */
static void locked_examine(struct diagnoses *diagnoses)
{
    struct rlimit limit;
    if (access("/dev/infiniband", F_OK) != 0 || getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        return;
    if (limit.rlim_cur != RLIM_INFINITY)
        diagnosis_add(diagnoses, VERDICT_NOTE, "locked memory",
                      "ulimit -l unlimited, if MPI complains of registered memory",
                      "%.0f MiB at most, and there is an InfiniBand card",
                      (double)limit.rlim_cur / 0x1p20);
}

static void screen_examine(struct diagnoses *diagnoses)
{
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    const char *screen = wayland && *wayland ? wayland : x;
    if (screen && *screen)
        diagnosis_add(diagnoses, VERDICT_FINE, "screen", NULL, "%s", screen);
    else
        diagnosis_add(diagnoses, VERDICT_NOTE, "screen",
                      "deepfield view needs one (ssh -X); deepfield render does not", "none");
}

static void data_examine(struct diagnoses *diagnoses)
{
    char folder[PATH_MAX / 2], font[PATH_MAX];
    if (environment_data_folder(folder, sizeof folder) != STATUS_OK) {
        diagnosis_add(diagnoses, VERDICT_WRONG, "data",
                      "install it again, or set DEEPFIELD_DATA to its share/deepfield", "%s",
                      status_text());
        return;
    }
    snprintf(font, sizeof font, "%s/assets/fonts/DejaVuSans.ttf", folder);
    if (access(font, R_OK) == 0)
        diagnosis_add(diagnoses, VERDICT_FINE, "data", NULL, "%s", folder);
    else
        diagnosis_add(diagnoses, VERDICT_WRONG, "data", "install it again, or set DEEPFIELD_DATA",
                      "%s cannot be read", font);
}

static void ffmpeg_examine(struct diagnoses *diagnoses)
{
    char file[PATH_MAX];
    static const char *const names[] = {"ffmpeg"};
    if (executable_find(names, 1, file, sizeof file) >= 0)
        diagnosis_add(diagnoses, VERDICT_FINE, "ffmpeg", NULL, "%s", file);
    else
        diagnosis_add(diagnoses, VERDICT_NOTE, "ffmpeg",
                      "install it; films in .y4m and in numbered frames need none",
                      "not on PATH: no films in .mp4, .webm and .mkv");
}

/* Adds the name with its version, as the file that the link leads to has it. */
static int library_add(struct dl_phdr_info *library, size_t size, void *context)
{
    struct diagnosis *row = context;
    char path[PATH_MAX];
    (void)size;
    const char *slash = strrchr(library->dlpi_name, '/');
    if (!slash || !realpath(library->dlpi_name, path))
        return 0;
    static const char *const told[] = {
        "libmpi",    "libgmp",  "libmpfr",        "libpng",        "libtiff",
        "libz.",     "libisal", "libOpenEXRCore", "libturbojpeg",  "libwebp.",
        "libjson-c", "libgomp", "libzstd",        "libwebsockets", "libqrencode"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (!strncmp(slash + 1, told[i], strlen(told[i]))) {
            size_t length = strlen(row->text);
            snprintf(row->text + length, sizeof row->text - length, "%s%s", length ? " " : "",
                     strrchr(path, '/') + 1);
            break;
        }
    return 0;
}

static void libraries_examine(struct diagnoses *diagnoses)
{
    diagnosis_add(diagnoses, VERDICT_FINE, "libraries", NULL, "%s", "");
    dl_iterate_phdr(library_add, &diagnoses->row[diagnoses->count - 1]);
}

void machine_examine(struct diagnoses *diagnoses, int ranks)
{
    host_examine(diagnoses);
    cores_examine(diagnoses, ranks);
    memory_examine(diagnoses);
    room_examine(diagnoses);
    locked_examine(diagnoses);
    data_examine(diagnoses);
    screen_examine(diagnoses);
    ffmpeg_examine(diagnoses);
    libraries_examine(diagnoses);
}
