/* Whose limits on memory count? Of every control group around the process, of both versions, as
 * they look on a machine, in a container, and in a job of Slurm. */
#include <inttypes.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "render/disk/memory.h"
#include "render/picture/picture.h"
#include "render/picture/picture_plan.h"
#include "tests/app/scratch.h"
#include "tests/render/disk/folder.h"

#define MIB ((uint64_t)1 << 20)

/* Writes a file and the folders it lies in. */
__attribute__((format(printf, 3, 4))) static void write_file(void **state, const char *name,
                                                             const char *format, ...)
{
    char path[600];
    va_list values;
    snprintf(path, sizeof path, "%s", in_folder(state, name));
    for (char *at = strchr(path + strlen(in_folder(state, "")), '/'); at;
         at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    va_start(values, format);
    vfprintf(file, format, values);
    va_end(values);
    fclose(file);
}

static void group_v2(void **state, const char *folder, const char *limit, uint64_t used,
                     uint64_t cache)
{
    char name[300];
    snprintf(name, sizeof name, "%s/memory.max", folder);
    write_file(state, name, "%s\n", limit);
    snprintf(name, sizeof name, "%s/memory.current", folder);
    write_file(state, name, "%llu\n", (unsigned long long)used);
    snprintf(name, sizeof name, "%s/memory.stat", folder);
    write_file(state, name, "anon 1\ninactive_file %llu\n", (unsigned long long)cache);
}

static void group_v1(void **state, const char *folder, uint64_t limit, uint64_t used)
{
    char name[300];
    snprintf(name, sizeof name, "%s/memory.limit_in_bytes", folder);
    write_file(state, name, "%llu\n", (unsigned long long)limit);
    snprintf(name, sizeof name, "%s/memory.usage_in_bytes", folder);
    write_file(state, name, "%llu\n", (unsigned long long)used);
}

static void assert_available(void **state, uint64_t bytes)
{
    assert_int_equal(memory_available_in(in_folder(state, "")), bytes);
}

static int tree_teardown(void **state)
{
    scratch_remove(((struct folder *)*state)->path);
    free(*state);
    return 0;
}

TEST_WITH(a_machine_without_groups, folder_setup, tree_teardown)
{
    assert_available(state, UINT64_MAX);
    write_file(state, "proc/meminfo", "MemTotal: 4096 kB\nMemAvailable: 2048 kB\n");
    assert_available(state, 2 * MIB);
}

TEST_WITH(every_level_of_version_2, folder_setup, tree_teardown)
{
    write_file(state, "proc/meminfo", "MemAvailable: 1048576 kB\n");
    write_file(state, "proc/self/cgroup", "0::/slurm/job_1/step_0/user\n");
    write_file(state, "proc/self/mountinfo",
               "29 22 0:25 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    group_v2(state, "sys/fs/cgroup/slurm/job_1/step_0/user", "max", 0, 0);
    assert_available(state, 1024 * MIB);
    group_v2(state, "sys/fs/cgroup/slurm/job_1", "536870912", 100 * MIB, 0);
    assert_available(state, 412 * MIB);
    /* files that nobody has read lately make room */
    group_v2(state, "sys/fs/cgroup/slurm/job_1", "536870912", 500 * MIB, 490 * MIB);
    assert_available(state, 502 * MIB);
    group_v2(state, "sys/fs/cgroup/slurm", "104857600", 101 * MIB, 0);
    assert_available(state, 0);
    group_v2(state, "sys/fs/cgroup/slurm", "104857600", 50 * MIB, 0);
    assert_available(state, 50 * MIB);
    write_file(state, "sys/fs/cgroup/slurm/job_1/step_0/memory.high", "%" PRIu64 "\n", 20 * MIB);
    write_file(state, "sys/fs/cgroup/slurm/job_1/step_0/memory.current", "%" PRIu64 "\n", 5 * MIB);
    assert_available(state, 15 * MIB);
}

TEST_WITH(every_level_of_version_1, folder_setup, tree_teardown)
{
    write_file(state, "proc/meminfo", "MemAvailable: 1048576 kB\n");
    write_file(state, "proc/self/cgroup",
               "9:name=systemd:/\n5:cpu,memory:/slurm/uid_0/job_7/step_0\n1:cpuset:/slurm\n0::/\n");
    write_file(state, "proc/self/mountinfo",
               "30 22 0:26 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
               "31 22 0:27 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,cpu,memory\n"
               "32 22 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    group_v1(state, "sys/fs/cgroup/memory/slurm/uid_0/job_7/step_0", INT64_MAX, MIB);
    group_v1(state, "sys/fs/cgroup/memory/slurm/uid_0", 200 * MIB, 40 * MIB);
    assert_available(state, 160 * MIB);
    group_v1(state, "sys/fs/cgroup/memory/slurm/uid_0/job_7", 30 * MIB, 10 * MIB);
    assert_available(state, 20 * MIB);
}

/* The group's name is that outside of the container, and its folder is mounted as the top. */
TEST_WITH(a_container_sees_its_own_top, folder_setup, tree_teardown)
{
    write_file(state, "proc/meminfo", "MemAvailable: 1048576 kB\n");
    write_file(state, "proc/self/cgroup", "4:memory:/docker/abc/inner\n");
    write_file(state, "proc/self/mountinfo",
               "31 22 0:27 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
    group_v1(state, "sys/fs/cgroup/memory", 64 * MIB, 4 * MIB);
    assert_available(state, 60 * MIB);
    group_v1(state, "sys/fs/cgroup/memory/inner", 32 * MIB, 4 * MIB);
    assert_available(state, 28 * MIB);
    write_file(state, "proc/self/cgroup", "4:memory:/elsewhere\n");
    assert_available(state, 60 * MIB);
}

/* A node that has too little for its two ranks. */
TEST(each_machine_by_its_own_memory)
{
    struct plan plan = {.facts = {.computing_ranks = 5, .away_ranks = 4}, .bytes.away = 300 * MIB};
    plan.facts.memory_remote = (struct memory_remote){.host = "n2", .ranks = 2, .bytes = 800 * MIB};
    assert_int_equal(picture_admit(&plan), STATUS_OK);
    plan.facts.memory_remote.bytes = 700 * MIB;
    assert_int_equal(picture_admit(&plan), STATUS_TOO_LARGE);
    assert_non_null(strstr(status_text(), "needs 0.6 GiB on n2 for its 2 ranks"));
    /* those of other machines take nothing of rank 0's */
    plan = (struct plan){.facts = {.computing_ranks = 1 << 20, .away_ranks = 1 << 20},
                         .bytes.away = 1 << 30};
    assert_int_equal(picture_admit(&plan), STATUS_OK);
}
