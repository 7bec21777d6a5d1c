/* What --ranks looks at before it starts mpirun, what it removes, and what it tells its ranks. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/launch/agreement.h"
#include "app/launch/launch_check.h"
#include "app/launch/launcher_leave.h"
#include "app/launch/rank.h"
#include "decomposition/world/launcher.h"
#include "tests/app/scratch.h"

/* ---- room ---- */

static struct launch_room roomy(void)
{
    return (struct launch_room){.cores = 2,
                                .session_folder = "/tmp",
                                .session_free = UINT64_MAX,
                                .shared_free = UINT64_MAX,
                                .file_most = UINT64_MAX,
                                .files_most = UINT64_MAX};
}

static void assert_refused(long ranks, enum crowd crowd, struct launch_room room,
                           enum status status, const char *says)
{
    assert_int_equal(launch_room_check(ranks, crowd, &room), status);
    if (status != STATUS_OK && !strstr(status_text(), says))
        fail_msg("'%s' lacks '%s'", status_text(), says);
}

TEST(what_mpirun_lacks_is_told)
{
    struct launch_room room = roomy();
    assert_refused(16, CROWD_REFUSED, room, STATUS_OK, "");
    assert_refused(17, CROWD_REFUSED, room, STATUS_CONFIG, "more than 16 need --oversubscribe");
    assert_refused(65536, CROWD_WANTED, room, STATUS_OK, "");
    room.cores = 64;
    assert_refused(256, CROWD_REFUSED, room, STATUS_OK, "");
    assert_refused(257, CROWD_REFUSED, room, STATUS_CONFIG, "--ranks 257 on 64 cores");
    room = roomy();
    room.session_free = 5 << 20;
    assert_refused(2, CROWD_REFUSED, room, STATUS_TOO_LARGE, "/tmp has 5.0 MiB free");
    room = roomy();
    room.shared_free = 1 << 20;
    assert_refused(2, CROWD_REFUSED, room, STATUS_TOO_LARGE, "/dev/shm has 1.0 MiB free");
    room = roomy();
    room.file_most = 100 << 10;
    assert_refused(2, CROWD_REFUSED, room, STATUS_SYSTEM, "ulimit -f");
    room = roomy();
    room.files_most = 24;
    assert_refused(2, CROWD_REFUSED, room, STATUS_SYSTEM, "24 files may be open");
}

/* ---- ranks that were given something else ---- */

#define ITEMS(text) (text), sizeof(text) - 1 /* with the NUL of each item */

TEST(the_first_thing_that_differs_is_told)
{
    static const struct {
        const char *mine;
        size_t bytes;
        const char *first;
        size_t first_bytes;
        const char *says; /* NULL: nothing differs */
    } rows[] = {
        {ITEMS("wrender\0wa\0"), ITEMS("wrender\0wa\0"), NULL},
        {ITEMS("wrender\0wb\0"), ITEMS("wrender\0wa\0"), "given 'b', and rank 0 'a';"},
        {ITEMS("wrender\0"), ITEMS("wrender\0w-f\0"), "given nothing, and rank 0 '-f';"},
        {ITEMS("wa\0vD=1\0"), ITEMS("wa\0"), "given 'D=1', and rank 0 nothing;"},
        {ITEMS("wa\0i1\0"), ITEMS("wa\0i2\0"), "another file on stdin than rank 0;"},
        {ITEMS("wa\0i1\0"), ITEMS("wa\0"), "given a file on stdin, and rank 0 nothing;"},
        {ITEMS("wa\0wbcd\0"), ITEMS("wa\0wb"), NULL}, /* cut off */
        {ITEMS("wa\nb\0"), ITEMS("wa\0"), "given 'a?b'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum status status =
            agreement_compare(rows[i].mine, rows[i].bytes, rows[i].first, rows[i].first_bytes);
        assert_int_equal(status, rows[i].says ? STATUS_USAGE : STATUS_OK);
        if (rows[i].says && !strstr(status_text(), rows[i].says))
            fail_msg("row %zu: %s", i, status_text());
    }
}

TEST(words_and_settings_are_what_ranks_are_given)
{
    char render[] = "render", spaced[] = "a b", *const words[] = {render, spaced, NULL};
    size_t bytes = 0;
    setenv("DEEPFIELD_PALETTE", "ocean", 1);
    setenv("DEEPFIELD_CASE", "7", 1); /* no setting */
    char *items = agreement_items(words, &bytes);
    unsetenv("DEEPFIELD_PALETTE");
    unsetenv("DEEPFIELD_CASE");
    static const char wanted[] = "wrender\0wa b\0vDEEPFIELD_PALETTE=ocean";
    assert_int_equal(bytes, sizeof wanted);
    assert_memory_equal(items, wanted, sizeof wanted);
    free(items);
}

/* ---- variables of another process ---- */

TEST(a_step_of_slurm_knows_its_own_variables)
{
    assert_false(launcher_inherited());
    setenv("PMIX_RANK", "0", 1);
    setenv("PMIX_NAMESPACE", "slurm.pmix.71.0", 1);
    assert_false(launcher_inherited());
    setenv("SLURM_STEP_ID", "0", 1);
    assert_false(launcher_inherited());
    setenv("SLURM_STEP_ID", "1", 1); /* srun --mpi=none inside srun --mpi=pmix */
    assert_true(launcher_inherited());
    launcher_leave();
    assert_null(getenv("PMIX_RANK"));
    assert_null(getenv("SLURM_STEP_ID"));
    assert_false(launcher_inherited());
}

TEST(a_descriptor_that_was_not_left_open_is_no_ranks)
{
    char number[16];
    int file = open("/dev/null", O_RDONLY);
    snprintf(number, sizeof number, "%d", file);
    setenv("PMI_RANK", "0", 1);
    setenv("PMI_FD", number, 1);
    assert_false(launcher_inherited());
    close(file);
    assert_true(launcher_inherited());
    unsetenv("PMI_RANK");
    unsetenv("PMI_FD");
}

TEST(gpus_are_counted_as_they_are_given)
{
    static const struct {
        const char *visible;
        int count;
    } rows[] = {{"0", 1}, {"0,1,2", 3}, {"GPU-8f,GPU-90", 2},
                {"", 0},  {"-1", 0},    {"NoDevFiles", 0}};
    setenv("SLURM_GPUS_ON_NODE", "4", 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    assert_int_equal(launcher_gpus(), 4);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("CUDA_VISIBLE_DEVICES", rows[i].visible, 1);
        assert_int_equal(launcher_gpus(), rows[i].count);
    }
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("SLURM_GPUS_ON_NODE");
}

/* ---- what killed jobs have left ---- */

static char folder[SCRATCH_BYTES], host[200];

static char *path_of(const char *name)
{
    static char paths[8][512];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%.320s", folder, name);
    return path;
}

static char *name_of(const char *format, long number)
{
    static char names[8][300];
    static int next;
    char text[64], *name = names[next++ % 8];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(format, "@"), format);
    snprintf(name, sizeof names[0], "%s%s.%ld%s", text, host, number, strchr(format, '@') + 1);
    return name;
}

static void age(const char *name, int seconds)
{
    struct timespec then = {.tv_sec = time(NULL) - seconds}, times[] = {then, then};
    assert_int_equal(utimensat(AT_FDCWD, path_of(name), times, AT_SYMLINK_NOFOLLOW), 0);
}

static void file_make(const char *name, int seconds)
{
    int file = open(path_of(name), O_CREAT | O_WRONLY, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, "x", 1), 1);
    close(file);
    age(name, seconds);
}

static bool is_there(const char *name)
{
    struct stat facts;
    return lstat(path_of(name), &facts) == 0;
}

static pid_t dead_process(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return child;
}

TEST(segments_of_dead_jobs_go)
{
    long user = (long)geteuid();
    const char *dead[] = {name_of("vader_segment.@.75c20001.0", user),
                          name_of("sm_segment.@.eeb50001.12", user)};
    const char *alive = name_of("vader_segment.@.75c20002.1", user);
    const char *young = name_of("vader_segment.@.75c20003.0", user);
    const char *kept[] = {name_of("vader_segment.@.75c20001.0", user + 1),
                          "vader_segment.other-host.0.75c20001.0", "something", alive, young};
    scratch_make(folder);
    for (size_t i = 0; i < sizeof dead / sizeof *dead; i++)
        file_make(dead[i], 3600);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        file_make(kept[i], kept[i] == young ? 0 : 3600);
    const char *link = name_of("sm_segment.@.eeb50001.13", user);
    assert_int_equal(symlink("something", path_of(link)), 0);
    age(link, 3600);
    int file = open(path_of(alive), O_RDONLY);
    void *mapped = mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0);
    assert_true(mapped != MAP_FAILED);
    close(file);
    launch_segments_remove(folder);
    munmap(mapped, 1);
    for (size_t i = 0; i < sizeof dead / sizeof *dead; i++)
        assert_false(is_there(dead[i]));
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        assert_true(is_there(kept[i]));
    assert_true(is_there(link));
    scratch_remove(folder);
}

/* "PREFIX.HOST.NUMBER.UID" for "PREFIX.@". */
static char *session_of(const char *prefix, long process, long user)
{
    char format[64];
    snprintf(format, sizeof format, "%s.%ld", prefix, user);
    return name_of(format, process);
}

static void folder_make(const char *name, int seconds)
{
    assert_int_equal(mkdir(path_of(name), 0700), 0);
    age(name, seconds);
}

TEST(sessions_of_dead_jobs_go)
{
    char inside[300], deeper[320], mine[300], file[340];
    const char *older = name_of("ompi.@", (long)geteuid());
    const char *newer = session_of("prterun.@", dead_process(), geteuid());
    const char *alive = session_of("prterun.@", getpid(), geteuid());
    scratch_make(folder);
    snprintf(inside, sizeof inside, "%s/pid.%d", older, dead_process());
    snprintf(deeper, sizeof deeper, "%s/1", inside);
    snprintf(file, sizeof file, "%s/segment", deeper);
    snprintf(mine, sizeof mine, "%s/pid.%d", older, getpid());
    const char *folders[] = {older, newer, alive, inside, deeper, mine};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        folder_make(folders[i], 0);
    file_make(file, 0);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        age(folders[i], 3600);
    assert_int_equal(launch_sessions_remove(folder, SESSION_OLD_S), 0); /* perhaps a container's */
    assert_int_equal(launch_sessions_remove(folder, 3600), 2);
    assert_false(is_there(inside));
    assert_false(is_there(newer));
    assert_true(is_there(mine));
    assert_true(is_there(alive));
    scratch_remove(folder);
}

/* Names that are not exactly a session's of this host and user, links, files, folders of others. */
TEST(other_names_and_owners_stay)
{
    long gone = dead_process(), user = (long)geteuid();
    char kept[12][300], in_older[12][320], link_path[512];
    char *session = session_of("prterun.@", gone, user);
    size_t names = 0, inside = 0;
    scratch_make(folder);
    snprintf(kept[names++], sizeof *kept, "%s", session_of("prterun.@", gone, user + 1));
    snprintf(kept[names++], sizeof *kept, "%s.1", session);
    snprintf(kept[names++], sizeof *kept, "%s0", session);
    snprintf(kept[names++], sizeof *kept, "x%s", session);
    snprintf(kept[names++], sizeof *kept, "%s", name_of("prterun.@", gone));
    snprintf(kept[names++], sizeof *kept, "prterun.%s.+%ld.%ld", host, gone, user);
    snprintf(kept[names++], sizeof *kept, "prterun.%s.-%ld.%ld", host, gone, user);
    snprintf(kept[names++], sizeof *kept, "prterun.%s.9999999999.%ld", host, user);
    snprintf(kept[names++], sizeof *kept, "prterun.%s..%ld", host, user);
    snprintf(kept[names++], sizeof *kept, "prterun.other-host.%ld.%ld", gone, user);
    snprintf(kept[names++], sizeof *kept, "ompi.%s.%ld", host, user + 1);
    snprintf(kept[names++], sizeof *kept, "ompi.%s.%ld", host, user);
    const char *older = kept[names - 1];
    snprintf(in_older[inside++], sizeof *in_older, "%.250s/pid.%ld", kept[names - 2], gone);
    snprintf(in_older[inside++], sizeof *in_older, "%.250s/pid.%ldx", older, gone);
    snprintf(in_older[inside++], sizeof *in_older, "%.250s/pid.-%ld", older, gone);
    snprintf(in_older[inside++], sizeof *in_older, "%.250s/jf.%ld", older, gone);
    for (size_t i = 0; i < names; i++)
        folder_make(kept[i], 0);
    for (size_t i = 0; i < inside; i++)
        folder_make(in_older[i], 0);
    const char *link = session_of("prterun.@", gone, user);
    snprintf(link_path, sizeof link_path, "%s", path_of(link));
    assert_int_equal(symlink(kept[0], link_path), 0);
    assert_int_equal(launch_sessions_remove(folder, 0), 0);
    assert_true(is_there(link));
    unlink(link_path);
    file_make(link, 0);
    assert_int_equal(launch_sessions_remove(folder, 0), 0);
    unlink(link_path);
    if (geteuid() == 0) {
        folder_make(link, 0);
        assert_int_equal(chown(link_path, 65534, 65534), 0);
        assert_int_equal(launch_sessions_remove(folder, 0), 0);
        assert_int_equal(chown(link_path, 0, 0), 0);
        assert_int_equal(launch_sessions_remove(folder, 0), 1);
    }
    for (size_t i = 0; i < names; i++)
        assert_true(is_there(kept[i]));
    for (size_t i = 0; i < inside; i++)
        assert_true(is_there(in_older[i]));
    scratch_remove(folder);
}

/* A link in a session folder is removed, and what it names stays. */
TEST(links_in_sessions_are_not_followed)
{
    const char *session = session_of("prterun.@", dead_process(), geteuid());
    char link[320];
    scratch_make(folder);
    folder_make("outside", 0);
    file_make("outside/file", 0);
    folder_make(session, 0);
    snprintf(link, sizeof link, "%s/1", session);
    assert_int_equal(symlink("../outside", path_of(link)), 0);
    assert_int_equal(launch_sessions_remove(folder, 0), 1);
    assert_false(is_there(session));
    assert_true(is_there("outside/file"));
    scratch_remove(folder);
}

/* mpirun of Open MPI 5 ends with "Exists" where a killed one had its number. */
TEST(launcher_begins_without_session)
{
    scratch_make(folder);
    const char *ours = session_of("prterun.@", getpid(), geteuid());
    const char *others = session_of("prterun.@", dead_process(), geteuid());
    folder_make(ours, 0);
    folder_make(others, 0);
    launch_own_session_remove(folder);
    assert_false(is_there(ours));
    assert_true(is_there(others));
    scratch_remove(folder);
}

/* ---- the channel ---- */

static _Noreturn void rank_play(const char *name, size_t length)
{
    int argc = 0;
    char **argv = NULL;
    bool right = rank_join(name, &argc, &argv) == STATUS_OK && rank_joined() == 5 && argc == 4 &&
                 !strcmp(argv[1], ":") && !*argv[2] && strlen(argv[3]) == length && !argv[4];
    printf("from the rank"); /* to the launcher's stdout, which is a file here */
    fflush(stdout);
    rank_say(RANK_CODE, right ? 76 : 1);
    _exit(0);
}

TEST(a_rank_gets_words_and_streams_and_tells_its_code)
{
    enum { LONG = 200000 };
    char name[RANK_NAME_BYTES], text[32] = "";
    char *words = calloc(LONG + 1, 1), deepfield[] = "deepfield", colon[] = ":", empty[] = "";
    assert_non_null(words);
    memset(words, '7', LONG);
    char *argv[] = {deepfield, colon, empty, words, NULL};
    int listener = rank_listen(name), stored = rank_words_store(5, argv), rank, heard;
    struct rank_word word;
    int file = memfd_create("stdout", 0), saved = dup(STDOUT_FILENO);
    pid_t process, child = fork();
    if (child == 0)
        rank_play(name, LONG);
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    while ((rank = rank_admit(listener, stored, &process)) < 0)
        usleep(1000);
    dup2(saved, STDOUT_FILENO);
    assert_int_equal(process, child);
    static const struct rank_word expected[] = {{RANK_NUMBER, 0}, {RANK_CODE, 76}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        while ((heard = rank_hear(rank, &word)) == 0)
            usleep(1000);
        assert_int_equal(heard, 1);
        assert_memory_equal(&word, &expected[i], sizeof word);
    }
    waitpid(child, NULL, 0);
    assert_int_equal(rank_hear(rank, &word), -1);
    assert_int_equal(pread(file, text, sizeof text - 1, 0), strlen("from the rank"));
    assert_string_equal(text, "from the rank");
    const int files[] = {listener, stored, rank, file, saved};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        close(files[i]);
    free(words);
}

TEST(a_rank_of_nobody_is_told)
{
    int argc = 0;
    char **argv = NULL;
    assert_int_equal(rank_join("nobody", &argc, &argv), STATUS_SYSTEM);
    assert_int_equal(rank_join("a name of more than 16 bytes", &argc, &argv), STATUS_SYSTEM);
}

int main(void)
{
    gethostname(host, sizeof host - 1);
    return check_run(NULL, NULL);
}
