/* Is the memory that the ranks of a machine share there for all of them, and do all stay in step
 * when it is not? One program: without mpirun, and with it. The linker puts the __wrap_ functions
 * defined here before libc's (--wrap); they fail when asked to. */
#include "tests/support/check.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "decomposition/transport/segment.h"
#include "decomposition/world/world_comm.h"
#include "mpi_check.h"

static const size_t MIB = (size_t)1 << 20;

/* --- failures on request --------------------------------------------------------------------- */

static struct {
    bool memfd, proc, socket, collapse, room;
} no;                       /* until settle() */
static bool plays_collapse; /* likewise: it works, also before Linux 6.1 */

#define WRAP(type, name, ...)        \
    type __real_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__)

static int refuse(int reason)
{
    errno = reason;
    return -1;
}

WRAP(int, memfd_create, const char *name, unsigned flags)
{
    return no.memfd ? refuse(ENOSYS) : __real_memfd_create(name, flags);
}

WRAP(ssize_t, readlink, const char *path, char *text, size_t bytes)
{
    bool descriptor = !strncmp(path, "/proc/", 6) && strstr(path, "/fd/");
    return no.proc && descriptor ? refuse(EACCES) : __real_readlink(path, text, bytes);
}

WRAP(int, connect, int end, const struct sockaddr *address, socklen_t length)
{
    return no.socket ? refuse(ECONNREFUSED) : __real_connect(end, address, length);
}

WRAP(int, madvise, void *memory, size_t bytes, int advice)
{
    if (plays_collapse && advice == 25)
        return 0;
    /* as before Linux 6.1 */
    return no.collapse && advice == 25 ? refuse(EINVAL) : __real_madvise(memory, bytes, advice);
}

WRAP(int, fallocate, int file, int mode, off_t at, off_t bytes)
{
    return no.room && at >= (off_t)MIB ? refuse(ENOMEM) : __real_fallocate(file, mode, at, bytes);
}

void check_undo(void)
{
    memset(&no, 0, sizeof no);
    plays_collapse = false;
}

static bool alone(void)
{
    return world_size(world) == 1;
}

static bool last(void)
{
    return world_rank(world) == world_size(world) - 1;
}

/* Entries of a folder whose names contain `part`. */
static int entries(const char *folder, const char *part)
{
    int count = 0;
    DIR *list = opendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list));)
        count += strstr(entry->d_name, part) != NULL;
    if (list)
        closedir(list);
    return count;
}

/* Descriptors of our memory in this process. */
static int descriptors(void)
{
    char path[64], target[512];
    int count = 0;
    for (int file = 0; file < 1024; file++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        ssize_t length = __real_readlink(path, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        count += strstr(target, "/memfd:deepfield") != NULL;
    }
    return count;
}

/* Mappings of our memory in this process. */
static int mappings(void)
{
    char line[512];
    int count = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    while (file && fgets(line, sizeof line, file))
        count += strstr(line, "/memfd:deepfield") != NULL;
    if (file)
        fclose(file);
    return count;
}

static unsigned char value(int rank, size_t at, int round)
{
    return (unsigned char)(at * 7 + at / 4093 + (size_t)rank * 31 + (size_t)round + 1);
}

/* Every rank that has the memory writes its share, rank 0 reads all of them. */
static void write_and_read(const struct segment *segment, size_t bytes, int round)
{
    unsigned char *memory = segment_memory(segment);
    size_t size = (size_t)world_size(world), mine = (size_t)world_rank(world);
    for (size_t i = mine * bytes / size; memory && i < (mine + 1) * bytes / size; i++) {
        if (memory[i] != 0 && round == 0)
            EXPECT(!"new memory is not zero");
        memory[i] = value((int)mine, i, round);
    }
    EXPECT(world_agree(world, STATUS_OK) == STATUS_OK);
    for (size_t rank = 0; mine == 0 && memory && rank < size; rank++) {
        bool same = true, reached = segment_reaches(segment, (int)rank);
        for (size_t i = rank * bytes / size; reached && i < (rank + 1) * bytes / size; i++)
            same &= memory[i] == value((int)rank, i, round);
        EXPECT(same); /* rank 0 reads what was written */
    }
    EXPECT(world_agree(world, STATUS_OK) == STATUS_OK);
}

/* What holds of every segment: memory and reason exclude each other, and all know who has it. */
static struct segment *open_and_look(size_t bytes)
{
    struct segment *segment = NULL;
    EXPECT(segment_open(&segment, world, STATUS_OK, bytes) == STATUS_OK);
    if (!segment)
        return NULL;
    void *memory = segment_memory(segment);
    EXPECT((memory == NULL) == (segment_why(segment)[0] != '\0'));
    EXPECT((memory != NULL) == segment_reaches(segment, world_rank(world)));
    size_t alignment = bytes >= 2 * MIB ? 2 * MIB : 4096;
    EXPECT((uintptr_t)memory % alignment == 0);
    return segment;
}

static void all_have_it(const struct segment *segment)
{
    for (int rank = 0; segment && rank < world_size(world); rank++)
        EXPECT(segment_reaches(segment, rank));
}

static void nobody_has_it(const struct segment *segment)
{
    for (int rank = 0; segment && rank < world_size(world); rank++)
        EXPECT(!segment_reaches(segment, rank));
    EXPECT(segment && segment_memory(segment) == NULL);
    EXPECT(mappings() == 0);
}

/* --- tests ----------------------------------------------------------------------------------- */

TEST(what_one_writes_rank_0_reads)
{
    static const size_t sizes[] = {1, 4096, 4097, 999999, 2097152, 5 * 2097152 + 12345};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct segment *segment = open_and_look(sizes[i]);
        all_have_it(segment);
        for (int round = 0; segment && round < 3; round++)
            write_and_read(segment, sizes[i], round);
        segment_close(segment);
    }
    segment_close(NULL);
    settle();
}

TEST(a_large_picture_is_shared)
{
    size_t bytes = (size_t)7680 * 4320 * (check_long() ? 4 : 1);
    struct segment *segment = open_and_look(bytes);
    all_have_it(segment);
    if (segment)
        write_and_read(segment, bytes, 0);
    segment_close(segment);
    settle();
}

TEST(nothing_is_left_behind)
{
    int files = entries("/proc/self/fd", ""), shm = entries("/dev/shm", "deepfield");
    const int rounds = check_long() ? 200 : 20;
    for (int i = 0; i < rounds; i++) {
        no.proc = i % 2;
        struct segment *segment = open_and_look(3 * MIB);
        EXPECT(descriptors() == 0); /* memory needs none */
        EXPECT(mappings() == (alone() ? 0 : 1));
        segment_close(segment);
    }
    EXPECT(entries("/proc/self/fd", "") < files + rounds / 2); /* MPI opens some when it likes */
    EXPECT(entries("/dev/shm", "deepfield") == shm);
    EXPECT(mappings() == 0);
    settle();
}

TEST(closing_is_each_ranks_own)
{
    struct segment *segment = open_and_look(3 * MIB);
    if (segment && world_rank(world) == 0 && !alone())
        segment_close(segment);
    EXPECT(world_agree(world, STATUS_OK) == STATUS_OK);
    if (segment && (world_rank(world) != 0 || alone())) {
        memset(segment_memory(segment), 5, 3 * MIB);
        segment_close(segment);
    }
    settle();
}

TEST(a_socket_helps_where_proc_is_closed)
{
    for (int who = 0; who < 2; who++) { /* every rank; the last one */
        no.proc = who == 0 || last();
        no.socket = who == 1 && !last();
        struct segment *segment = open_and_look(5 * MIB);
        all_have_it(segment);
        if (segment)
            write_and_read(segment, 5 * MIB, 0);
        segment_close(segment);
    }
    settle();
}

TEST(where_neither_works_nobody_has_it)
{
    if (!alone()) {
        no.proc = no.socket = true;
        struct segment *segment = open_and_look(5 * MIB);
        nobody_has_it(segment);
        const char *why = segment ? segment_why(segment) : "";
        if (world_rank(world) != 0) {
            EXPECT(strstr(why, "/proc/") && strstr(why, strerror(EACCES)));
            EXPECT(strstr(why, "socket") && strstr(why, strerror(ECONNREFUSED)));
        } else
            EXPECT(strstr(why, "no other rank"));
        segment_close(segment);
    }
    settle();
}

/* The last rank may not take as many addresses as the memory needs. */
TEST(one_that_cannot_map_takes_another_transport)
{
    unsigned long pages = 0;
    struct rlimit before, few;
    FILE *file = fopen("/proc/self/statm", "r");
    EXPECT(file && fscanf(file, "%lu", &pages) == 1);
    if (file)
        fclose(file);
    getrlimit(RLIMIT_AS, &before);
    few = before;
    few.rlim_cur = pages * (size_t)sysconf(_SC_PAGESIZE) + 64 * MIB;
    if (!alone()) {
        if (last())
            setrlimit(RLIMIT_AS, &few);
        struct segment *segment = open_and_look(128 * MIB);
        setrlimit(RLIMIT_AS, &before);
        for (int rank = 0; segment && rank < world_size(world); rank++)
            EXPECT(segment_reaches(segment, rank) ==
                   (world_size(world) > 2 && rank != world_size(world) - 1));
        if (segment && last())
            EXPECT(strstr(segment_why(segment), "mmap of 134217728 bytes"));
        segment_close(segment);
    }
    settle();
}

TEST(a_system_without_it_is_no_error)
{
    no.memfd = true;
    struct segment *segment = open_and_look(5 * MIB);
    if (!alone()) {
        nobody_has_it(segment);
        EXPECT(segment && strstr(segment_why(segment), "memfd_create of 5242880 bytes"));
    }
    segment_close(segment);
    settle();
}

TEST(a_limit_of_file_sizes_kills_nobody)
{
    struct rlimit before, few;
    getrlimit(RLIMIT_FSIZE, &before);
    few = before;
    few.rlim_cur = MIB;
    setrlimit(RLIMIT_FSIZE, &few);
    struct segment *segment = open_and_look(5 * MIB);
    setrlimit(RLIMIT_FSIZE, &before);
    if (!alone()) {
        nobody_has_it(segment);
        EXPECT(segment && strstr(segment_why(segment), "ulimit -f"));
    }
    segment_close(segment);
    settle();
}

TEST(without_huge_pages_it_is_the_same)
{
    no.collapse = true;
    struct segment *segment = open_and_look(7 * MIB);
    all_have_it(segment);
    if (segment)
        write_and_read(segment, 7 * MIB, 0);
    segment_close(segment);
    settle();
}

TEST(every_size_has_huge_pages_and_a_rest)
{
    static const size_t sizes[] = {MIB, 2 * MIB, 7 * MIB};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        plays_collapse = true;
        struct segment *segment = open_and_look(sizes[i]);
        if (segment)
            write_and_read(segment, sizes[i], 0);
        segment_close(segment);
    }
    settle();
}

TEST(too_little_memory_is_an_error_everywhere)
{
    struct segment *segment = NULL;
    if (!alone()) {
        no.collapse = no.room = true;
        EXPECT(segment_open(&segment, world, STATUS_OK, 5 * MIB) == STATUS_OUT_OF_MEMORY);
        EXPECT(strstr(status_text(), "5242880") && strstr(status_text(), "2097152"));
        EXPECT(segment == NULL && mappings() == 0);
    }
    static const size_t absurd[] = {(size_t)1 << 50, SIZE_MAX / 2, SIZE_MAX};
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        EXPECT(segment_open(&segment, world, STATUS_OK, absurd[i]) == STATUS_OUT_OF_MEMORY);
        EXPECT(segment == NULL);
        EXPECT(strstr(status_text(), "bytes"));
    }
    settle();
}

TEST(no_bytes_are_a_page)
{
    struct segment *segment = open_and_look(0);
    all_have_it(segment);
    EXPECT(segment && segment_memory(segment));
    segment_close(segment);
    settle();
}

/* As if rank 0, or the other ranks, were on another machine. */
TEST(other_machines_do_not_reach_it)
{
    if (world_size(world) > 2) {
        bool beside = world->beside_root;
        world->beside_root = !last();
        struct segment *segment = open_and_look(3 * MIB);
        world->beside_root = beside;
        EXPECT(segment && segment_reaches(segment, 0) && segment_reaches(segment, 1));
        if (segment && last())
            EXPECT(strstr(segment_why(segment), "another machine"));
        segment_close(segment);
    }
    if (!alone()) {
        int size = world->root_node_size;
        world->root_node_size = 1;
        struct segment *segment = open_and_look(3 * MIB);
        world->root_node_size = size;
        nobody_has_it(segment);
        segment_close(segment);
    }
    settle();
}

/* --- main ------------------------------------------------------------------------------------ */

/* `killed N`: rank N dies with the memory open; the others wait to be ended. */
static void be_killed(int rank)
{
    struct segment *segment = open_and_look(16 * MIB);
    if (segment && world_rank(world) == rank)
        kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    if (!check_begin())
        return 1;
    if (argc > 2 && !strcmp(argv[1], "killed"))
        be_killed((int)strtol(argv[2], NULL, 10));
    int failed = check_run(NULL, NULL);
    world_close(world);
    return failed != 0;
}
