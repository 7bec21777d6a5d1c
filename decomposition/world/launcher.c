#include "decomposition/world/launcher.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/world/world.h"
#include "kernels/number_text.h"

extern char **environ;

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* ---- the server of PMIx ---------------------------------------------------------------------- */

/* A file of the kernel's; NULL if it cannot be read. */
static FILE *facts_open(const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;
    if (!file && descriptor >= 0)
        close(descriptor);
    return file;
}

/* Every rank is connected to a server on its own host by TCP, from MPI_Init to MPI_Finalize. */
struct server {
    unsigned port;
    struct server_socket {
        unsigned long inode;
        bool listens; /* else it is a rank's end of a connection */
    } * socket;
    size_t count;
};

/* "NAMESPACE.RANK;tcp4://127.0.0.1:PORT", in one variable for each version of the protocol. */
static unsigned server_port(void)
{
    for (size_t i = 0; environ && environ[i]; i++) {
        const char *colon = strrchr(environ[i], ':');
        if (begins(environ[i], "PMIX_SERVER_URI") && strstr(environ[i], ";tcp") && colon)
            return (unsigned)number_whole(colon + 1);
    }
    return 0;
}

/* A line of /proc/net/tcp: number, local and remote address:port in hexadecimal, state, five fields
 * and the inode (proc_net_tcp.rst). */
static bool socket_read(struct server *server, const char *line)
{
    enum { ESTABLISHED = 1, LISTENS = 10 };
    unsigned local, remote, state;
    unsigned long inode;
    if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%x %x %*s %*s %*s %*s %*s %lu", &local,
               &remote, &state, &inode) != 4)
        return true;
    bool listens = state == LISTENS && local == server->port;
    if (!listens && (state != ESTABLISHED || remote != server->port))
        return true;
    struct server_socket *grown =
        realloc(server->socket, (server->count + 1) * sizeof *server->socket);
    if (!grown)
        return false;
    server->socket = grown;
    server->socket[server->count++] = (struct server_socket){inode, listens};
    return true;
}

static void sockets_read(struct server *server, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = facts_open(path);
    while (file && getline(&line, &room, file) > 0 && socket_read(server, line))
        continue;
    free(line);
    if (file)
        fclose(file);
}

/* ---- ancestors ------------------------------------------------------------------------------- */

enum kin { KIN_OTHER, KIN_RANK, KIN_SERVER, KIN_STEP, KIN_UNKNOWN };

static enum kin kin_of_socket(const struct server *server, unsigned long inode)
{
    for (size_t i = 0; i < server->count; i++)
        if (server->socket[i].inode == inode)
            return server->socket[i].listens ? KIN_SERVER : KIN_RANK;
    return KIN_OTHER;
}

/* By its sockets, which cannot be seen of another user's process. */
static enum kin kin_of(const struct server *server, long process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd", process);
    DIR *folder = opendir(path);
    enum kin kin = folder ? KIN_OTHER : KIN_UNKNOWN;
    const struct dirent *entry;
    while (kin != KIN_SERVER && folder && (entry = readdir(folder))) {
        char target[64];
        unsigned long inode;
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        if (length <= 0)
            continue;
        target[length] = '\0';
        if (sscanf(target, "socket:[%lu]", &inode) != 1)
            continue;
        enum kin found = kin_of_socket(server, inode);
        kin = found != KIN_OTHER ? found : kin;
    }
    if (folder)
        closedir(folder);
    return kin;
}

/* The parent of a process, and the process's name (of at most 15 bytes); 0 when there is none. */
static long parent_of(long process, char name[16])
{
    char path[64], text[512] = "";
    long parent = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = facts_open(path);
    if (file && fgets(text, sizeof text, file)) {
        const char *begin = strchr(text, '('), *end = strrchr(text, ')');
        if (begin && end && sscanf(end, ") %*c %ld", &parent) == 1)
            snprintf(name, 16, "%.*s", (int)(end - begin - 1), begin + 1);
    }
    if (file)
        fclose(file);
    return parent;
}

/* "slurm.pmix.JOB.STEP": the step that Slurm's other variables are of. Jobs of several components
 * have several numbers for the job. */
static bool step_is_ours(const char *space)
{
    const char *step = getenv("SLURM_STEP_ID");
    return !step || strcmp(strrchr(space, '.') + 1, step) == 0;
}

/* The nearest of the rank, its server and a step of Slurm decides: in a step the variables of
 * another launcher have come with the environment of srun or sbatch. */
static enum kin ancestors_tell(const struct server *server, long *process)
{
    char name[16] = "";
    for (*process = parent_of(getpid(), name); *process > 1;) {
        long parent = parent_of(*process, name);
        if (!strcmp(name, "slurmstepd"))
            return KIN_STEP;
        enum kin kin = kin_of(server, *process);
        if (kin != KIN_OTHER)
            return kin;
        *process = parent;
    }
    return KIN_OTHER;
}

static enum kin nearest_find(long *process)
{
    struct server server = {.port = server_port()};
    sockets_read(&server, "/proc/net/tcp");
    sockets_read(&server, "/proc/net/tcp6");
    enum kin kin = ancestors_tell(&server, process);
    free(server.socket);
    return kin;
}

/* Has the process a library of MPI in its memory? False where that cannot be seen. */
static bool is_of_mpi(long process)
{
    char path[64], *line = NULL;
    size_t room = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%ld/maps", process);
    FILE *file = facts_open(path);
    while (file && !found && getline(&line, &room, file) > 0)
        found = strstr(line, "/libmpi");
    free(line);
    if (file)
        fclose(file);
    return found;
}

/* Hydra's ranks have an open descriptor from the start, as what they start may have: a program of
 * MPI between this process and Hydra's proxy is the rank, a shell is none. */
static bool is_below_rank(void)
{
    char name[16] = "";
    for (long process = parent_of(getpid(), name); process > 1;) {
        const long parent = parent_of(process, name);
        if (begins(name, "hydra_pmi_prox"))
            return false;
        if (is_of_mpi(process))
            return true;
        process = parent;
    }
    return false;
}

bool launcher_inherited(void)
{
    const char *space = getenv("PMIX_NAMESPACE"), *file = getenv("PMI_FD");
    if (!world_launched())
        return false;
    if (file && fcntl((int)number_whole(file), F_GETFD) < 0) /* it was not left open for us */
        return true;
    if (!space)
        return file && is_below_rank();
    bool slurm = begins(space, "slurm.pmix.");
    if (slurm && !step_is_ours(space))
        return true;
    long process;
    enum kin kin = server_port() ? nearest_find(&process) : KIN_OTHER;
    return kin == KIN_RANK || (kin == KIN_STEP && !slurm);
}

/* ---- what there is for it -------------------------------------------------------------------- */

int launcher_cores(void)
{
    long process;
    cpu_set_t set;
    if (!world_launched())
        return 0;
    enum kin kin = nearest_find(&process);
    if ((kin != KIN_SERVER && kin != KIN_STEP) ||
        sched_getaffinity((pid_t)process, sizeof set, &set) != 0)
        return 0;
    const char *slurm = getenv("SLURM_CPUS_ON_NODE"); /* where nothing keeps it to them */
    int cores = CPU_COUNT(&set), given = slurm ? (int)number_whole(slurm) : 0;
    return given > 0 && given < cores ? given : cores;
}

/* "0,2,GPU-8f..." */
static int listed(const char *text)
{
    int count = *text && *text != '-' && !begins(text, "NoDevFiles");
    for (; count && *text; text++)
        count += *text == ',';
    return count;
}

int launcher_gpus(void)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES"), *slurm = getenv("SLURM_GPUS_ON_NODE");
    glob_t files;
    if (visible)
        return listed(visible);
    if (slurm)
        return (int)number_whole(slurm);
    if (glob("/dev/nvidia[0-9]*", GLOB_NOSORT, NULL, &files) != 0)
        return 0;
    int count = (int)files.gl_pathc;
    globfree(&files);
    return count;
}

void launcher_unbound_text(int cores, char text[LAUNCHER_REMEDY_BYTES])
{
    if (getenv("OMPI_COMM_WORLD_SIZE"))
        snprintf(text, LAUNCHER_REMEDY_BYTES, "with mpirun --bind-to none all do");
    else if (getenv("SLURM_STEP_ID"))
        snprintf(text, LAUNCHER_REMEDY_BYTES, "with srun --cpus-per-task=%d all do", cores);
    else
        snprintf(text, LAUNCHER_REMEDY_BYTES, "let it bind them to more");
}
