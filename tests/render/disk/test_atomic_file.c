#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <sys/wait.h>

#include "tests/render/disk/folder.h"
#include "render/disk/folder_clear.h"
#include "render/disk/temporary_file.h"
#include "render/disk/atomic_file_set.h"

static enum status text_write(const char *path, const char *text, enum overwrite overwrite)
{
    struct atomic_file file;
    TRY(atomic_file_open(&file, path, overwrite, NULL));
    fputs(text, file.stream);
    return atomic_file_commit(&file);
}

static void assert_holds(const char *path, const char *text)
{
    struct bytes bytes = bytes_of_file(path);
    assert_int_equal(bytes.length, strlen(text));
    assert_memory_equal(bytes.at, text, bytes.length);
    free(bytes.at);
}

IN_FOLDER(nothing_is_seen_before_the_commit)
{
    const char *path = in_folder(state, "a.txt");
    struct atomic_file file;
    assert_int_equal(atomic_file_open(&file, path, OVERWRITE_NO, NULL), STATUS_OK);
    fputs("new", file.stream);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(folder_count(state, "", 0), folder_count(state, ".part", 0));
    assert_int_equal(atomic_file_commit(&file), STATUS_OK);
    assert_holds(path, "new");
    assert_int_equal(folder_count(state, "", 0), 1);
    atomic_file_abandon(&file); /* of a committed one: nothing */
    assert_holds(path, "new");
}

IN_FOLDER(an_abandoned_file_leaves_no_trace)
{
    struct atomic_file file;
    assert_int_equal(atomic_file_open(&file, in_folder(state, "a"), OVERWRITE_NO, NULL), STATUS_OK);
    fputs("new", file.stream);
    atomic_file_abandon(&file);
    atomic_file_abandon(&file);
    assert_int_equal(folder_count(state, "", 0), 0);
}

IN_FOLDER(an_old_file_stays_without_force)
{
    const char *path = in_folder(state, "a");
    file_fill(path, "old");
    assert_int_equal(text_write(path, "new", OVERWRITE_NO), STATUS_CANNOT_CREATE);
    assert_non_null(strstr(status_text(), "--force"));
    assert_int_equal(atomic_file_check(path, OVERWRITE_NO), STATUS_CANNOT_CREATE);
    assert_holds(path, "old");
    assert_int_equal(atomic_file_check(path, OVERWRITE_YES), STATUS_OK);
    assert_holds(path, "old");
    assert_int_equal(text_write(path, "new", OVERWRITE_YES), STATUS_OK);
    assert_holds(path, "new");
    assert_int_equal(folder_count(state, "", 0), 1);
}

IN_FOLDER(a_file_that_appears_meanwhile_stays)
{
    const char *path = in_folder(state, "a");
    struct atomic_file file;
    assert_int_equal(atomic_file_open(&file, path, OVERWRITE_NO, NULL), STATUS_OK);
    fputs("mine", file.stream);
    file_fill(path, "theirs");
    assert_int_equal(atomic_file_commit(&file), STATUS_CANNOT_CREATE);
    assert_holds(path, "theirs");
    assert_int_equal(folder_count(state, "", 0), 1);
}

IN_FOLDER(a_replaced_file_keeps_its_permissions_and_its_link)
{
    const char *path = in_folder(state, "a"), *link = in_folder(state, "link");
    file_fill(path, "old");
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(text_write(link, "new", OVERWRITE_YES), STATUS_OK);
    struct stat about;
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    assert_holds(path, "new");
}

IN_FOLDER(what_cannot_be_created_says_why)
{
    static const struct {
        const char *name, *message;
    } cases[] = {
        {"no/such/folder/a", "No such file or directory; make its folder first"},
        {"file/a", "Not a directory"},
        {".", "it is a folder"},
        {"dangling", "a link that leads nowhere"},
        {"loop", "symbolic links"},
    };
    file_fill(in_folder(state, "file"), "");
    assert_int_equal(symlink("nowhere", in_folder(state, "dangling")), 0);
    assert_int_equal(symlink("loop", in_folder(state, "loop")), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *path = in_folder(state, cases[i].name);
        assert_int_equal(atomic_file_check(path, OVERWRITE_YES), STATUS_CANNOT_CREATE);
        assert_int_equal(text_write(path, "new", OVERWRITE_YES), STATUS_CANNOT_CREATE);
        if (!strstr(status_text(), cases[i].message))
            fail_msg("'%s' lacks '%s'", status_text(), cases[i].message);
    }
    /* Root may do anything in a read-only folder, except in /proc. */
    assert_int_equal(atomic_file_check("/proc/a", OVERWRITE_NO), STATUS_CANNOT_CREATE);
    assert_int_equal(text_write("/proc/a", "new", OVERWRITE_NO), STATUS_CANNOT_CREATE);
    if (getuid() != 0) {
        assert_int_equal(chmod(in_folder(state, "."), 0555), 0);
        assert_int_equal(atomic_file_check(in_folder(state, "a"), 0), STATUS_CANNOT_CREATE);
        assert_int_equal(chmod(in_folder(state, "."), 0755), 0);
    }
    char name[300]; /* longer than a name may be */
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(text_write(in_folder(state, name), "", OVERWRITE_NO), STATUS_CANNOT_CREATE);
    name[255] = '\0'; /* just fits, though its temporary name would not */
    assert_int_equal(text_write(in_folder(state, name), "", OVERWRITE_NO), STATUS_OK);
}

/* ---- races: what happens between two calls of the system ---- */

static const char *appearing; /* is there as soon as somebody has seen that it is not */

static int appear(int result)
{
    int reason = errno;
    if (result != 0 && reason == ENOENT && appearing) {
        file_fill(appearing, "theirs");
        appearing = NULL;
    }
    errno = reason;
    return result;
}

int __real_stat(const char *path, struct stat *about);
int __wrap_stat(const char *path, struct stat *about);
int __wrap_stat(const char *path, struct stat *about)
{
    return appear(__real_stat(path, about));
}

int __real_lstat(const char *path, struct stat *about);
int __wrap_lstat(const char *path, struct stat *about);
int __wrap_lstat(const char *path, struct stat *about)
{
    return appear(__real_lstat(path, about));
}

/* It is no link, wherever it leads. */
IN_FOLDER(a_file_that_appears_while_it_is_looked_at_is_a_file)
{
    const char *path = in_folder(state, "a");
    appearing = path;
    assert_int_equal(text_write(path, "new", OVERWRITE_YES), STATUS_OK);
    assert_null(appearing);
    assert_holds(path, "new");
}

/* ---- death at a call ---- */

static int calls_left = -1; /* until the process is killed; negative: it is not */
static void call_count(void)
{
    if (calls_left >= 0 && calls_left-- == 0)
        raise(SIGKILL);
}

static bool nameless = true, links = true;
static int renames_left = -1; /* until the process stops; or, if they fail, all of them */
static bool renames_fail;

static int rename_count(void)
{
    call_count();
    if (renames_left < 0 || (renames_left > 0 && renames_left--))
        return 0;
    if (!renames_fail) {
        renames_left = -1;
        raise(SIGSTOP);
        return 0;
    }
    errno = EIO;
    return -1;
}

int __real_linkat(int from, const char *path, int to, const char *name, int flags);
int __wrap_linkat(int from, const char *path, int to, const char *name, int flags);
int __wrap_linkat(int from, const char *path, int to, const char *name, int flags)
{
    call_count();
    if (!nameless && flags == AT_SYMLINK_FOLLOW) {
        errno = ENOSYS;
        return -1;
    }
    if (!links && flags == 0) {
        errno = EPERM;
        return -1;
    }
    return __real_linkat(from, path, to, name, flags);
}

int __real_renameat(int from, const char *path, int to, const char *name);
int __wrap_renameat(int from, const char *path, int to, const char *name);
int __wrap_renameat(int from, const char *path, int to, const char *name)
{
    return rename_count() == 0 ? __real_renameat(from, path, to, name) : -1;
}

int __real_renameat2(int from, const char *path, int to, const char *name, unsigned flags);
int __wrap_renameat2(int from, const char *path, int to, const char *name, unsigned flags);
int __wrap_renameat2(int from, const char *path, int to, const char *name, unsigned flags)
{
    if (!links) {
        errno = EINVAL;
        return -1;
    }
    return rename_count() == 0 ? __real_renameat2(from, path, to, name, flags) : -1;
}

int __real_unlinkat(int folder, const char *name, int flags);
int __wrap_unlinkat(int folder, const char *name, int flags);
int __wrap_unlinkat(int folder, const char *name, int flags)
{
    call_count();
    return __real_unlinkat(folder, name, flags);
}

/* The processor's memory outlives a process, so nothing needs to reach the disk here. */
int __wrap_fsync(int file);
int __wrap_fsync(int file)
{
    call_count();
    return fcntl(file, F_GETFD) < 0 ? -1 : 0;
}

static int waits_to = -1; /* hears of every wait */

int __real_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    if (waits_to >= 0)
        (void)!write(waits_to, "", 1);
    return __real_nanosleep(time, left);
}

enum { SET = 3 };
static const char *const one_folder[SET] = {"x.png", "x.count.npy", "x.fraction.npy"};
static const char *const two_folders[SET] = {"x.png", "sub/x.count.npy", "sub/x.fraction.npy"};
static const char *const *set_names = one_folder;

static enum status set_write(void **state, const char *text, enum overwrite overwrite)
{
    struct atomic_file_set set = {.count = 0};
    for (int i = 0; i < SET; i++) {
        struct atomic_file file;
        enum status status =
            atomic_file_open(&file, in_folder(state, set_names[i]), overwrite, NULL);
        if (status == STATUS_OK) {
            fprintf(file.stream, "%s %d", text, i);
            status = atomic_file_set_add(&set, &file);
        }
        if (status != STATUS_OK) {
            atomic_file_set_abandon(&set);
            return status;
        }
    }
    return atomic_file_set_commit(&set);
}

/* In a process that is killed at its call number `call`; true: it came to its end before. */
static bool set_write_killed(void **state, const char *text, enum overwrite overwrite, int call)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        calls_left = call;
        _exit(set_write(state, text, overwrite) != STATUS_OK);
    }
    int ended = 0;
    assert_int_equal(waitpid(child, &ended, 0), child);
    if (WIFEXITED(ended))
        assert_int_equal(WEXITSTATUS(ended), 0);
    return WIFEXITED(ended);
}

/* How many files hold this text? Each that is there is whole. */
static int set_count(void **state, const char *text)
{
    int count = 0;
    for (int i = 0; i < SET; i++) {
        char whole[16];
        struct bytes bytes = bytes_of_file(in_folder(state, set_names[i]));
        snprintf(whole, sizeof whole, "%s %d", text, i);
        count +=
            bytes.at && bytes.length == strlen(whole) && !memcmp(bytes.at, whole, bytes.length);
        free(bytes.at);
    }
    return count;
}

static int set_there(void **state)
{
    int count = 0;
    for (int i = 0; i < SET; i++)
        count += access(in_folder(state, set_names[i]), F_OK) == 0;
    return count;
}

static int hidden_count(void **state)
{
    glob_t found;
    int none = glob(in_folder(state, ".[!.]*"), 0, NULL, &found);
    int count = none ? 0 : (int)found.gl_pathc;
    if (!none)
        globfree(&found);
    return count;
}

/* By a process that is killed at its call number `call`, if that is not negative. */
static void mend(void **state, const char *another, int call)
{
    fflush(NULL);
    if (fork() == 0) {
        calls_left = call;
        atomic_file_check(in_folder(state, another), OVERWRITE_NO);
        _exit(0);
    }
    wait(NULL);
}

/* Other inodes, the same names. */
static void folder_copy(void **state)
{
    char command[2048];
    const char *path = ((struct folder *)*state)->path;
    snprintf(command, sizeof command, "cp -a %s %s.copy && rm -r %s && mv %s.copy %s", path, path,
             path, path, path);
    assert_int_equal(system(command), 0);
}

enum { FORCED = 1, NAMELESS = 2, COPIED = 4, KINDS = 8 };

/* Old and new files are never there together, not even when the process that mends it is killed,
 * too; then the set is the old or the new one, and nothing else lies there. In a copy of the folder
 * the files are not known for sure, so old ones stay where they can be seen. */
IN_FOLDER(a_set_is_old_or_new_wherever_it_is_killed)
{
    for (int kind = 0; kind < KINDS; kind++) {
        enum overwrite overwrite = kind & FORCED ? OVERWRITE_YES : OVERWRITE_NO;
        bool ended = false, began = false, finished = false;
        nameless = kind & NAMELESS;
        for (int call = 0; !ended; call++) {
            folder_count(state, "", 1);
            if (overwrite)
                assert_int_equal(set_write(state, "old", OVERWRITE_NO), STATUS_OK);
            ended = set_write_killed(state, "new", overwrite, call);
            if (kind & COPIED)
                folder_copy(state);
            for (int time = 0; time < 4; time++) { /* the last one is not killed */
                int old = set_count(state, "old"), new = set_count(state, "new");
                if (old + new != set_there(state) || (old && new))
                    fail_msg("killed at call %d: %d old, %d new of %d", call, old, new,
                             set_there(state));
                began = began || (old + new > 0 && old + new < SET);
                mend(state, "another", time < 3 ? time : -1);
            }
            int old = set_count(state, "old"), new = set_count(state, "new");
            int shown = kind & COPIED ? folder_count(state, ".old", 0) : 0;
            finished = finished || new == SET;
            if (!(new == SET || old == (overwrite ? SET : 0)) || hidden_count(state) ||
                folder_count(state, "", 0) != old + new + shown)
                fail_msg("kind %d, killed at call %d, mended: %d old, %d new, %d files", kind, call,
                         old, new, folder_count(state, "", 0));
            if (ended)
                assert_int_equal(new, SET);
        }
        assert_true(finished && began); /* it was killed in between, too */
    }
    nameless = true;
}

/* ---- what has grown ---- */

enum { GROWN = 3, INSIDE = 2 };
static const char *const grown_names[GROWN] = {"x_files/0", "x.html", "x.dzi"};

/* A folder and two files in `out`; they grow in a folder of that, or elsewhere, where only files
 * can. */
static enum status grown_write(void **state, const char *text, int kind, int call)
{
    struct atomic_file_set set = {.count = 0};
    struct atomic_file file[GROWN];
    char path[GROWN][600], inside[600], below[640];
    uint64_t length;
    const bool folder = kind & INSIDE;
    snprintf(inside, sizeof inside, "%s", in_folder(state, folder ? "out/grow" : "elsewhere"));
    const enum overwrite overwrite = kind & FORCED ? OVERWRITE_YES : OVERWRITE_NO;
    const struct growth growth = {.folder = inside};
    for (int i = 0; i < GROWN; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", in_folder(state, "out"),
                 i ? grown_names[i] : "x_files");
    (void)mkdir(inside, 0777);
    if (folder) {
        int grown;
        TRY(atomic_folder_grow(&file[0], path[0], overwrite, &growth, &grown));
        close(grown);
    }
    snprintf(below, sizeof below, "%s/x_files/0", inside);
    file_fill(below, text);
    for (int i = 1; i < GROWN; i++) {
        TRY(atomic_file_grow(&file[i], path[i], overwrite, NULL, &growth));
        fputs(text, file[i].stream);
        TRY(atomic_file_checkpoint(&file[i], &length));
    }
    calls_left = call;
    if (folder)
        TRY(atomic_file_set_add_folder(&set, &file[0]));
    for (int i = 1; i < GROWN; i++)
        TRY(atomic_file_set_add(&set, &file[i]));
    return atomic_file_set_commit(&set);
}

static bool grown_write_killed(void **state, const char *text, int kind, int call)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(grown_write(state, text, kind, call) != STATUS_OK);
    int ended = 0;
    assert_int_equal(waitpid(child, &ended, 0), child);
    if (WIFEXITED(ended))
        assert_int_equal(WEXITSTATUS(ended), 0);
    return WIFEXITED(ended);
}

/* How many hold the text, in that folder? */
static int grown_count(void **state, const char *folder, const char *text, int kind)
{
    int count = 0;
    for (int i = kind & INSIDE ? 0 : 1; i < GROWN; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s/%s", folder, grown_names[i]);
        struct bytes bytes = bytes_of_file(in_folder(state, name));
        count += bytes.at && bytes.length == strlen(text) && !memcmp(bytes.at, text, bytes.length);
        free(bytes.at);
    }
    return count;
}

static void all_remove(void **state)
{
    folder_count(state, "", 1);
    assert_int_equal(mkdir(in_folder(state, "out"), 0777), 0);
}

/* All have their names, or all are still where they have grown, and the old ones are back. */
IN_FOLDER(what_has_grown_is_lost_nowhere)
{
    for (int kind = 0; kind < (FORCED | INSIDE) + 1; kind++) {
        const char *growing = kind & INSIDE ? "out/grow" : "elsewhere";
        const int whole = kind & INSIDE ? GROWN : GROWN - 1;
        bool ended = false, named = false, kept = false;
        for (int call = 0; !ended; call++) {
            all_remove(state);
            if (kind & FORCED)
                assert_true(grown_write_killed(state, "old", kind, -1));
            ended = grown_write_killed(state, "new", kind, call);
            mend(state, "out/another", call % 3);
            mend(state, "out/another", -1);
            int new = grown_count(state, "out", "new", kind);
            int old = grown_count(state, "out", "old", kind);
            int there = grown_count(state, growing, "new", kind);
            if (new != whole && (there != whole || old != (kind & FORCED ? whole : 0)))
                fail_msg("kind %d, killed at call %d: %d new, %d old, %d where they grow", kind,
                         call, new, old, there);
            assert_true(new == 0 || new == whole);
            named = named || (new == whole && !ended);
            kept = kept || new == 0;
            assert_int_equal(ended && new != whole, 0);
        }
        assert_true(named && kept);
    }
    folder_count(state, "", 1);
}

/* Each folder has its old or its new files. */
IN_FOLDER(a_set_in_two_folders_loses_nothing_wherever_it_is_killed)
{
    bool ended = false;
    struct folder sub;
    void *below = &sub;
    snprintf(sub.path, sizeof sub.path, "%s", in_folder(state, "sub"));
    set_names = two_folders;
    for (int call = 0; !ended; call++) {
        folder_count(state, "", 1);
        assert_int_equal(mkdir(in_folder(state, "sub"), 0700), 0);
        assert_int_equal(set_write(state, "old", OVERWRITE_NO), STATUS_OK);
        ended = set_write_killed(state, "new", OVERWRITE_YES, call);
        mend(state, "another", -1);
        mend(state, "sub/another", -1);
        int old = set_count(state, "old"), new = set_count(state, "new");
        struct bytes picture = bytes_of_file(in_folder(state, "x.png"));
        bool above = picture.at && *picture.at == 'n';
        free(picture.at);
        if (old + new != SET || (new != above &&new != above + 2) ||
            folder_count(state, "", 0) != 2 || folder_count(&below, "", 0) != 2)
            fail_msg("killed at call %d, mended: %d old, %d new", call, old, new);
    }
    folder_count(&below, "", 1);
    assert_int_equal(rmdir(in_folder(state, "sub")), 0);
    set_names = one_folder;
}

/* A file that somebody has put there since then, in place of the old one or over it, is not what
 * the set was to replace: it stays, and so does what is not replaced by a whole set. */
IN_FOLDER(a_newer_file_stays_wherever_the_set_was_killed)
{
    for (int which = 0; which < 2 * SET; which++) {
        const char *name = set_names[which / 2];
        bool ended = false;
        for (int call = 0; !ended; call++) {
            folder_count(state, "", 1);
            assert_int_equal(set_write(state, "old", OVERWRITE_NO), STATUS_OK);
            ended = set_write_killed(state, "new", OVERWRITE_YES, call);
            file_fill(in_folder(state, which % 2 ? "theirs" : name), "theirs");
            if (which % 2)
                assert_int_equal(rename(in_folder(state, "theirs"), in_folder(state, name)), 0);
            mend(state, "another", -1);
            assert_holds(in_folder(state, name), "theirs");
            int old = set_count(state, "old"), new = set_count(state, "new");
            if (old + new != SET - 1 || (old && new) || hidden_count(state) ||
                folder_count(state, "", 0) - SET != folder_count(state, ".old", 0))
                fail_msg("%s, killed at call %d, mended: %d old, %d new", name, call, old, new);
        }
    }
}

/* From some rename on the disk fails all of them, also those that would undo the others. */
IN_FOLDER(old_files_come_back_when_the_disk_does)
{
    enum status status = STATUS_IO;
    assert_int_equal(set_write(state, "old", OVERWRITE_NO), STATUS_OK);
    for (int call = 0; status != STATUS_OK; call++) {
        renames_left = call;
        renames_fail = true;
        status = set_write(state, "new", OVERWRITE_YES);
        renames_left = -1;
        renames_fail = false;
        mend(state, "another", -1);
        assert_int_equal(set_count(state, status == STATUS_OK ? "new" : "old"), SET);
        assert_int_equal(folder_count(state, "", 0), SET);
    }
}

/* One stops at each of its renames; the other goes on as far as it can. */
IN_FOLDER(two_runs_do_not_mix_their_sets)
{
    bool stopped = true;
    for (int call = 0; stopped; call++) {
        int waits[2], ended;
        char byte;
        assert_int_equal(set_write(state, "old", OVERWRITE_YES), STATUS_OK);
        assert_int_equal(pipe(waits), 0);
        fflush(NULL);
        pid_t one = fork();
        if (one == 0) {
            renames_left = call;
            _exit(set_write(state, "one", OVERWRITE_YES) != STATUS_OK);
        }
        assert_int_equal(waitpid(one, &ended, WUNTRACED), one);
        stopped = WIFSTOPPED(ended);
        pid_t two = fork();
        if (two == 0) {
            waits_to = waits[1];
            close(waits[0]);
            _exit(set_write(state, "two", OVERWRITE_YES) != STATUS_OK);
        }
        close(waits[1]);
        (void)!read(waits[0], &byte, 1); /* it waits, or has come to its end */
        if (stopped) {
            kill(one, SIGCONT);
            assert_int_equal(waitpid(one, &ended, 0), one);
        }
        assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
        assert_int_equal(waitpid(two, &ended, 0), two);
        assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
        close(waits[0]);
        if (set_count(state, "two") != SET || folder_count(state, "", 0) != SET)
            fail_msg("stopped at rename %d: %d of one, %d of two", call, set_count(state, "one"),
                     set_count(state, "two"));
    }
}

static char told[1024];

static void tell(const char *text)
{
    snprintf(told, sizeof told, "%s", text);
}

IN_FOLDER(what_is_mended_is_told)
{
    folder_clear_listen(tell);
    for (int call = 0; !folder_count(state, ".set", 0); call++)
        assert_false(set_write_killed(state, "new", OVERWRITE_NO, call));
    assert_int_equal(atomic_file_check(in_folder(state, "another"), OVERWRITE_NO), STATUS_OK);
    assert_non_null(strstr(told, "are complete: x.png"));
    file_fill(in_folder(state, ".deepfield.no-such-host-.1.17.set"), "");
    assert_int_equal(atomic_file_check(in_folder(state, "another"), OVERWRITE_NO), STATUS_OK);
    assert_non_null(strstr(told, "no-such-host"));
    folder_clear_listen(NULL);
}

/* It is the disk that lacks both ways not to replace; FAT is one. */
IN_FOLDER(a_disk_without_links_gets_its_files)
{
    links = nameless = false;
    assert_int_equal(set_write(state, "new", OVERWRITE_NO), STATUS_OK);
    assert_int_equal(set_count(state, "new"), SET);
    assert_int_equal(text_write(in_folder(state, "a"), "new", OVERWRITE_NO), STATUS_OK);
    folder_count(state, "", 1);
    a_file_that_appears_meanwhile_stays(state);
    links = nameless = true;
}

/* In a folder as /tmp, and known before anything is computed. */
IN_FOLDER(another_user_s_file_is_refused_at_once)
{
    if (geteuid() != 0)
        skip();
    file_fill(in_folder(state, "a"), "old");
    assert_int_equal(chmod(in_folder(state, "."), 01777), 0);
    fflush(NULL);
    if (fork() == 0)
        _exit(seteuid(65534) == 0 && atomic_file_check(in_folder(state, "a"), OVERWRITE_YES) ==
                                         STATUS_CANNOT_CREATE
                  ? 0
                  : 1);
    int ended;
    wait(&ended);
    assert_int_equal(ended, 0);
}

/* One of the names cannot be had: none is taken, and the old files are there again. */
IN_FOLDER(a_set_that_cannot_be_placed_leaves_the_old_one)
{
    struct atomic_file_set set = {.count = 0};
    assert_int_equal(set_write(state, "old", OVERWRITE_NO), STATUS_OK);
    assert_int_equal(unlink(in_folder(state, set_names[2])), 0);
    for (int i = 0; i < SET; i++) {
        struct atomic_file file;
        assert_int_equal(atomic_file_open(&file, in_folder(state, set_names[i]),
                                          i < 2 ? OVERWRITE_YES : OVERWRITE_NO, NULL),
                         STATUS_OK);
        fprintf(file.stream, "new %d", i);
        assert_int_equal(atomic_file_set_add(&set, &file), STATUS_OK);
    }
    file_fill(in_folder(state, set_names[2]), "old 2");
    assert_int_equal(atomic_file_set_commit(&set), STATUS_CANNOT_CREATE);
    assert_non_null(strstr(status_text(), "has appeared meanwhile"));
    assert_int_equal(set_count(state, "old"), SET);
    assert_int_equal(folder_count(state, "", 0), SET);
}

/* Whatever may be replaced, a folder is not. */
IN_FOLDER(a_folder_that_appears_under_a_name_stays)
{
    struct atomic_file_set set = {.count = 0};
    for (int i = 0; i < SET; i++) {
        struct atomic_file file;
        assert_int_equal(
            atomic_file_open(&file, in_folder(state, set_names[i]), OVERWRITE_YES, NULL),
            STATUS_OK);
        assert_int_equal(atomic_file_set_add(&set, &file), STATUS_OK);
    }
    assert_int_equal(mkdir(in_folder(state, set_names[1]), 0700), 0);
    assert_int_equal(atomic_file_set_commit(&set), STATUS_CANNOT_CREATE);
    assert_non_null(strstr(status_text(), "it is a folder"));
    assert_int_equal(folder_count(state, "", 0), 1);
    assert_int_equal(rmdir(in_folder(state, set_names[1])), 0);
}

/* ---- leftovers ---- */

static pid_t writer_start(const char *path)
{
    int ready[2];
    char byte = 0;
    struct atomic_file file;
    assert_int_equal(pipe(ready), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (atomic_file_open(&file, path, OVERWRITE_NO, NULL) == STATUS_OK)
            (void)!write(ready[1], &byte, 1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

IN_FOLDER(a_dead_process_s_temporary_goes_and_a_living_one_s_stays)
{
    nameless = false;
    char *path = strdup(in_folder(state, "a"));
    pid_t living = writer_start(path), dead = writer_start(path);
    char other_host[TEMPORARY_NAME_BYTES], name[TEMPORARY_NAME_BYTES];
    snprintf(other_host, sizeof other_host, ".a.no-such-host-.%ld.17.part", (long)dead);
    file_fill(in_folder(state, other_host), "of another host");
    file_fill(in_folder(state, ".a.part"), "of another program");
    temporary_name(name, "deepfield", ".set"); /* of another user */
    file_fill(in_folder(state, name), "");
    if (geteuid() == 0)
        assert_int_equal(chown(in_folder(state, name), 65534, 65534), 0);
    else
        assert_int_equal(unlink(in_folder(state, name)), 0);
    int others = geteuid() == 0 ? 5 : 4;
    temporary_name(name, "a", ".part");
    assert_int_equal(symlink("/dev/null", in_folder(state, name)), 0);
    kill(dead, SIGKILL);
    assert_int_equal(waitpid(dead, NULL, 0), dead);
    assert_int_equal(folder_count(state, "", 0), others + 1);
    assert_int_equal(text_write(path, "new", OVERWRITE_NO), STATUS_OK);
    assert_int_equal(folder_count(state, "", 0), others + 1); /* the dead one's, and the new file */
    assert_int_equal(access(in_folder(state, other_host), F_OK), 0);
    kill(living, SIGKILL);
    assert_int_equal(waitpid(living, NULL, 0), living);
    assert_int_equal(text_write(path, "newer", OVERWRITE_YES), STATUS_OK);
    assert_int_equal(folder_count(state, "", 0), others);
    nameless = true;
    free(path);
}

IN_FOLDER(a_killed_process_leaves_nothing_where_files_need_no_name)
{
    pid_t writer = writer_start(in_folder(state, "a"));
    int before = folder_count(state, "", 0);
    kill(writer, SIGKILL);
    assert_int_equal(waitpid(writer, NULL, 0), writer);
    if (before) {
        folder_count(state, "", 1);
        skip(); /* a disk that cannot do that */
    }
    assert_int_equal(folder_count(state, "", 0), 0);
}

IN_FOLDER(a_full_device_is_reported)
{
    assert_int_equal(atomic_file_check("/dev/full", OVERWRITE_NO), STATUS_OK);
    assert_int_equal(text_write("/dev/full", "x", OVERWRITE_NO), STATUS_IO);
    assert_non_null(strstr(status_text(), "No space left on device"));
    assert_int_equal(text_write("/dev/null", "x", OVERWRITE_NO), STATUS_OK);
    struct stat about;
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
}

static void *pipe_read(void *path)
{
    FILE *stream = fopen(path, "rb");
    static char text[16];
    text[stream ? fread(text, 1, sizeof text - 1, stream) : 0] = '\0';
    if (stream)
        fclose(stream);
    return text;
}

IN_FOLDER(a_pipe_is_written_through)
{
    char *path = strdup(in_folder(state, "pipe"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(atomic_file_check(path, OVERWRITE_NO), STATUS_OK); /* does not block */
    pthread_t reader;
    void *text;
    assert_int_equal(pthread_create(&reader, NULL, pipe_read, path), 0);
    assert_int_equal(text_write(path, "through", OVERWRITE_NO), STATUS_OK);
    assert_int_equal(pthread_join(reader, &text), 0);
    assert_string_equal(text, "through");
    free(path);
}

static void *stop_set(void *stop)
{
    usleep(50000);
    __atomic_store_n((volatile int *)stop, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* Nobody opens it, or who has opened it does not read. */
IN_FOLDER(a_pipe_that_blocks_ends_by_a_stop_request)
{
    char *path = strdup(in_folder(state, "pipe"));
    assert_int_equal(mkfifo(path, 0600), 0);
    for (int reader = 0; reader < 2; reader++) {
        int stop = 0, end = reader ? open(path, O_RDONLY | O_NONBLOCK) : -1;
        static char much[1 << 20];
        struct atomic_file file;
        pthread_t stopper;
        assert_int_equal(pthread_create(&stopper, NULL, stop_set, &stop), 0);
        enum status status = atomic_file_open(&file, path, OVERWRITE_NO, &stop);
        assert_int_equal(status, reader ? STATUS_OK : STATUS_STOPPED);
        if (reader) {
            (void)!fwrite(much, 1, sizeof much, file.stream);
            assert_int_equal(atomic_file_commit(&file), STATUS_STOPPED);
            close(end);
        }
        assert_int_equal(pthread_join(stopper, NULL), 0);
    }
    free(path);
}

/* A caller that has not ignored SIGPIPE goes on. */
IN_FOLDER(a_pipe_whose_reader_has_left_sends_no_signal)
{
    char *path = strdup(in_folder(state, "pipe"));
    struct atomic_file file;
    sigset_t waiting;
    void (*before)(int) = signal(SIGPIPE, SIG_DFL);
    assert_int_equal(mkfifo(path, 0600), 0);
    int end = open(path, O_RDONLY | O_NONBLOCK);
    assert_int_equal(atomic_file_open(&file, path, OVERWRITE_NO, NULL), STATUS_OK);
    close(end);
    fputs("bytes", file.stream);
    assert_int_equal(atomic_file_commit(&file), STATUS_IO);
    assert_int_equal(sigpending(&waiting), 0);
    assert_int_equal(sigismember(&waiting, SIGPIPE), 0);
    signal(SIGPIPE, before);
    free(path);
}

IN_FOLDER(the_same_file_by_two_names_is_seen)
{
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {{"z.png", "./z.png", true},      {"z.png", "sub/../z.png", true},
                 {"z.png", "link.png", true},     {"z.png", "also/z.png", true},
                 {"z.png", "y.png", false},       {"z.png", "sub/z.png", false},
                 {"new.png", "./new.png", true},  {"new.png", "also/new.png", true},
                 {"new.png", "newer.png", false}, {"no/z.png", "no/z.png", false}};
    file_fill(in_folder(state, "z.png"), "");
    file_fill(in_folder(state, "y.png"), "");
    assert_int_equal(mkdir(in_folder(state, "sub"), 0700), 0);
    assert_int_equal(symlink("z.png", in_folder(state, "link.png")), 0);
    assert_int_equal(symlink(".", in_folder(state, "also")), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (atomic_file_same(in_folder(state, cases[i].a), in_folder(state, cases[i].b)) !=
            cases[i].same)
            fail_msg("%s, %s", cases[i].a, cases[i].b);
    assert_int_equal(rmdir(in_folder(state, "sub")), 0);
    assert_false(atomic_file_same("/dev/null", "/dev/null"));
}

/* The limit on file size fails the write at that byte, as a full disk would. */
IN_FOLDER(a_write_that_fails_anywhere_leaves_the_old_file)
{
    enum { BYTES = 1500000 };
    const char *path = in_folder(state, "a");
    file_fill(path, "old");
    char *text = malloc(BYTES + 1);
    memset(text, 'x', BYTES);
    text[BYTES] = '\0';
    struct rlimit whole, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &whole), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t most = 0; most < BYTES; most += 49999) {
        limit = (struct rlimit){.rlim_cur = most, .rlim_max = whole.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        enum status status = text_write(path, text, OVERWRITE_YES);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &whole), 0);
        assert_int_equal(status, STATUS_IO);
        assert_holds(path, "old");
        assert_int_equal(folder_count(state, "", 0), 1);
    }
    assert_int_equal(text_write(path, text, OVERWRITE_YES), STATUS_OK);
    assert_holds(path, text);
    free(text);
}
