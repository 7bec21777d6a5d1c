/* Is a trip of device memory judged rightly, and does a process survive the trial? There is
 * no device here: its memory is pages that the processor may not touch, as a device's are for an
 * MPI that does not know them; or ordinary memory, for an MPI that does. */
#include "tests/support/check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mpi.h>

#include "app/launch/device_trial.h"
#include "app/launch/launcher_leave.h"
#include "decomposition/thread/clock.h"
#include "decomposition/thread/patience.h"

/* --- the ranks that may die ------------------------------------------------------------------ */

enum { PAGES = 4 << 20 };

static void *ordinary_allocate(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes);
}

static void *no_memory(void *context, size_t bytes)
{
    (void)context;
    (void)bytes;
    return NULL;
}

static bool ordinary_copy(void *context, void *to, const void *from, size_t bytes)
{
    (void)context;
    memcpy(to, from, bytes);
    return true;
}

static void ordinary_release(void *context, void *memory)
{
    (void)context;
    free(memory);
}

static void *closed_allocate(void *context, size_t bytes)
{
    (void)context;
    return mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static bool closed_fill(void *context, void *device, const void *host, size_t bytes)
{
    mprotect(device, PAGES, PROT_READ | PROT_WRITE);
    ordinary_copy(context, device, host, bytes);
    return mprotect(device, PAGES, PROT_NONE) == 0;
}

static void closed_release(void *context, void *device)
{
    (void)context;
    munmap(device, PAGES);
}

/* One byte of the 4 MiB is another. */
static bool wrong_fetch(void *context, void *host, const void *device, size_t bytes)
{
    ordinary_copy(context, host, device, bytes);
    if (bytes > 4096)
        ((unsigned char *)host)[bytes - 1] ^= 1;
    return true;
}

static bool hanging_fetch(void *context, void *host, const void *device, size_t bytes)
{
    (void)context, (void)host, (void)device, (void)bytes;
    for (;;)
        pause();
    return false;
}

/* Not even its alarm ends it. */
static bool deaf_fetch(void *context, void *host, const void *device, size_t bytes)
{
    signal(SIGALRM, SIG_IGN);
    return hanging_fetch(context, host, device, bytes);
}

/* A library that sends device memory to the same of another rank only; else elsewhere. */
static bool needs_devices;
static const unsigned char *device_at;

static void *known_allocate(void *context, size_t bytes)
{
    void *memory = ordinary_allocate(context, bytes);
    device_at = memory;
    return memory;
}

/* How long receives into host memory take, and into the device's, milliseconds. */
static long host_ms, device_ms;

int MPI_Irecv(void *bytes, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    static unsigned char elsewhere[PAGES];
    const unsigned char *at = bytes;
    bool to_device = at >= device_at && at < device_at + PAGES;
    if (count >= 4096)
        patience_nap(1000 * (unsigned)(to_device ? device_ms : host_ms));
    return PMPI_Irecv(needs_devices && count >= 4096 && !to_device ? elsewhere : bytes, count, type,
                      from, tag, comm, request);
}

static int rank_run(const char *kind)
{
    struct mpi_device_memory memory = {.allocate = ordinary_allocate,
                                       .fill = ordinary_copy,
                                       .fetch = ordinary_copy,
                                       .release = ordinary_release};
    if (!strcmp(kind, "closed"))
        memory = (struct mpi_device_memory){.allocate = closed_allocate,
                                            .fill = closed_fill,
                                            .fetch = ordinary_copy,
                                            .release = closed_release};
    else if (!strcmp(kind, "wrong"))
        memory.fetch = wrong_fetch;
    else if (!strcmp(kind, "hanging"))
        memory.fetch = hanging_fetch;
    else if (!strcmp(kind, "deaf"))
        memory.fetch = deaf_fetch;
    else if (!strcmp(kind, "devices")) {
        memory.allocate = known_allocate;
        needs_devices = true;
    } else if (!strcmp(kind, "quick")) {
        memory.allocate = known_allocate;
        host_ms = 20;
    } else if (!strcmp(kind, "slow")) {
        memory.allocate = known_allocate;
        device_ms = 20;
    } else if (!strcmp(kind, "none"))
        memory.allocate = no_memory;
    struct world *world;
    enum status status = world_open(&world, NULL);
    if (status != STATUS_OK)
        return status_exit_code(status);
    signal(SIGSEGV, SIG_DFL); /* sanitizers end with a code of their own */
    unsigned alarm_s = memory.fetch == hanging_fetch ? 1 : 120;
    bool faster;
    status = device_trial_trip(world, &memory, alarm_s, &faster);
    world_close(world);
    return device_trial_exit_code(status, faster);
}

/* --- their parent ---------------------------------------------------------------------------- */

static char why[256];

static enum mpi_device prove(const char *kind, unsigned timeout_s)
{
    char mpirun[] = "mpirun", number[] = "-n", two[] = "2", rank[] = "rank";
    char program[4096], word[16];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_true(length > 0);
    program[length] = '\0';
    snprintf(word, sizeof word, "%s", kind);
    char *command[] = {mpirun, number, two, program, rank, word, NULL};
    return device_trial_make(command, timeout_s, why, sizeof why);
}

/* MPICH's launcher passes the end by a signal on as 255 or as its bare number, that of Open MPI 5
 * may pass on the code of the rank that is left. */
static void assert_signalled(const char *words)
{
    const bool tells = !strncmp(world_library(), "Open MPI v4", 11);
    if (!strstr(why, words) && (tells || !strstr(why, "ended with code")))
        fail_msg("'%s' does not say '%s'", why, words);
}

TEST(a_whole_trip_is_a_proof)
{
    assert_int_equal(prove("slow", 300), MPI_DEVICE_PROVEN);
    assert_non_null(strstr(why, "4 MiB"));
}

TEST(the_faster_way_is_measured)
{
    assert_int_equal(prove("quick", 300), MPI_DEVICE_FASTER);
    assert_non_null(strstr(why, "faster than by way of the host"));
}

TEST(a_crash_stays_in_the_child)
{
    assert_int_equal(prove("closed", 300), MPI_DEVICE_CLAIMED);
    assert_signalled("signal 11");
}

TEST(one_wrong_byte_is_no_proof)
{
    assert_int_equal(prove("wrong", 300), MPI_DEVICE_CLAIMED);
    assert_non_null(strstr(why, "changed"));
}

TEST(host_memory_of_the_other_rank_is_tried_too)
{
    assert_int_equal(prove("devices", 300), MPI_DEVICE_CLAIMED);
    assert_non_null(strstr(why, "changed"));
}

TEST(a_hang_ends_by_its_alarm)
{
    assert_int_equal(prove("hanging", 300), MPI_DEVICE_CLAIMED);
    assert_signalled("does not end");
}

TEST(a_deaf_hang_ends_by_its_parent)
{
    double began = clock_s();
    assert_int_equal(prove("deaf", 2), MPI_DEVICE_CLAIMED);
    assert_non_null(strstr(why, "within 2 s"));
    assert_true(clock_s() - began < 120);
}

TEST(no_device_means_no)
{
    assert_int_equal(prove("none", 300), MPI_DEVICE_NO);
}

TEST(a_command_that_is_not_there_proves_nothing)
{
    char missing[] = "mpirun-that-nobody-has", good[] = "true";
    char *command[] = {missing, NULL}, *fine[] = {good, NULL};
    assert_int_equal(device_trial_make(command, 5, why, sizeof why), MPI_DEVICE_CLAIMED);
    assert_non_null(strstr(why, "127"));
    signal(SIGCHLD, SIG_IGN); /* then nobody learns how a child ended */
    assert_int_equal(device_trial_make(fine, 5, why, sizeof why), MPI_DEVICE_CLAIMED);
    signal(SIGCHLD, SIG_DFL);
}

TEST(a_rank_starts_a_job_of_its_own)
{
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE",
                                        "OMPI_COMM_WORLD_RANK",
                                        "OMPI_MCA_orte_hnp_uri",
                                        "OMPI_MCA_ess",
                                        "PMIX_RANK",
                                        "PMIX_NAMESPACE",
                                        "PMI_RANK",
                                        "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        setenv(signs[i], "7", 1);
    enum mpi_device level = prove("ordinary", 300);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        assert_false(launcher_passes(signs[i]));
        assert_non_null(getenv(signs[i])); /* ours is left alone */
        unsetenv(signs[i]);
    }
    assert_true(level >= MPI_DEVICE_PROVEN);
    static const char *const settings[] = {"PATH=/bin",
                                           "OMPI_MCA_pml=ob1",
                                           "OMPI_MCA_opal_cuda_support=true",
                                           "OMPI_ALLOW_RUN_AS_ROOT=1",
                                           "PRTE_MCA_rmaps_default_mapping_policy=x",
                                           "CUDA_VISIBLE_DEVICES=0",
                                           "UCX_TLS=all"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_true(launcher_passes(settings[i]));
}

TEST(a_claim_has_a_reason)
{
    enum mpi_device level = mpi_device_claim(why, sizeof why);
    assert_true(level == MPI_DEVICE_NO || level == MPI_DEVICE_CLAIMED);
    assert_true(strlen(why) > 10);
    assert_string_equal(mpi_device_name(MPI_DEVICE_NO), "no");
    assert_string_equal(mpi_device_name(MPI_DEVICE_PROVEN), "proven");
    assert_string_equal(mpi_device_name(MPI_DEVICE_FASTER), "faster");
}

TEST(ranks_believe_only_the_proof_of_their_own_mpi)
{
    char proof[256], faster[256], doubt[256], text[256] = "untouched";
    mpi_device_testify(MPI_DEVICE_PROVEN, "tried", "MPI 1", proof, sizeof proof);
    mpi_device_testify(MPI_DEVICE_FASTER, "tried", "MPI 1", faster, sizeof faster);
    mpi_device_testify(MPI_DEVICE_CLAIMED, "it crashed", "MPI 1", doubt, sizeof doubt);
    const struct {
        enum mpi_device claim;
        const char *testimony, *library;
        enum mpi_device level;
        const char *says;
    } rows[] = {
        {MPI_DEVICE_CLAIMED, proof, "MPI 1", MPI_DEVICE_PROVEN, "two ranks have tried"},
        {MPI_DEVICE_CLAIMED, faster, "MPI 1", MPI_DEVICE_FASTER, "faster"},
        {MPI_DEVICE_CLAIMED, faster, "MPI 2", MPI_DEVICE_CLAIMED, "another MPI"},
        {MPI_DEVICE_CLAIMED, proof, "MPI 1.1", MPI_DEVICE_CLAIMED, "another MPI"},
        {MPI_DEVICE_CLAIMED, doubt, "MPI 1", MPI_DEVICE_CLAIMED, "not proven: it crashed"},
        {MPI_DEVICE_CLAIMED, NULL, "MPI 1", MPI_DEVICE_CLAIMED, "inside a job"},
        {MPI_DEVICE_CLAIMED, "", "MPI 1", MPI_DEVICE_CLAIMED, ""},
        {MPI_DEVICE_CLAIMED, "1", "MPI 1", MPI_DEVICE_CLAIMED, "1"},
        {MPI_DEVICE_CLAIMED, "proven", "MPI 1", MPI_DEVICE_CLAIMED, ""},
        {MPI_DEVICE_CLAIMED, "proven with ", "MPI 1", MPI_DEVICE_CLAIMED, "another MPI"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(mpi_device_believe(rows[i].claim, rows[i].testimony, rows[i].library, text,
                                            sizeof text),
                         rows[i].level);
        assert_non_null(strstr(text, rows[i].says));
    }
    snprintf(text, sizeof text, "the headers say no"); /* whatever was proven elsewhere */
    assert_int_equal(mpi_device_believe(MPI_DEVICE_NO, proof, "MPI 1", text, sizeof text),
                     MPI_DEVICE_NO);
    assert_string_equal(text, "the headers say no");
}

int main(int argc, char **argv)
{
    if (argc > 2)
        return rank_run(argv[2]);
    return check_run(NULL, NULL);
}
