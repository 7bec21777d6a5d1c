/* What others may have put where a run opens files: links, pipes, hard links, files and folders of
 * other users. Root plays the other user too, by chown. */
#include "tests/render/disk/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/disk/atomic_file.h"
#include "render/disk/folder.h"
#include "render/disk/pipe.h"

enum { SOMEBODY = 12345 };

struct place {
    int folder;
    char victim[600]; /* a file that nobody may touch */
};

static struct place place_make(void **state)
{
    struct place place;
    snprintf(place.victim, sizeof place.victim, "%s", in_folder(state, "victim"));
    file_fill(place.victim, "precious");
    assert_int_equal(mkdir(in_folder(state, "own"), 0700), 0);
    place.folder = folder_open_own(in_folder(state, "own"));
    assert_true(place.folder >= 0);
    return place;
}

static void place_close(const struct place *place)
{
    struct bytes bytes = bytes_of_file(place->victim);
    assert_int_equal(bytes.length, 8);
    assert_memory_equal(bytes.at, "precious", 8);
    free(bytes.at);
    close(place->folder);
}

enum planted { LINK, DANGLING, PIPE, HARD_LINK, FOREIGN, SUBFOLDER, PLANTED };

static const int reasons[PLANTED] = {
    [LINK] = ELOOP,       [DANGLING] = ELOOP, [PIPE] = ENXIO,
    [HARD_LINK] = EMLINK, [FOREIGN] = EPERM,  [SUBFOLDER] = EISDIR};

/* False: only root can. */
static bool plant(const struct place *place, enum planted planted)
{
    int made = -1;
    (void)folder_remove(place->folder, "x");
    if (planted == FOREIGN) {
        made = openat(place->folder, "x", O_WRONLY | O_CREAT | O_EXCL, 0666);
        assert_true(made >= 0);
        close(made);
        return fchownat(place->folder, "x", SOMEBODY, (gid_t)-1, 0) == 0;
    }
    made = planted == LINK        ? symlinkat(place->victim, place->folder, "x")
           : planted == DANGLING  ? symlinkat("/nowhere/at/all", place->folder, "x")
           : planted == PIPE      ? mkfifoat(place->folder, "x", 0666)
           : planted == SUBFOLDER ? mkdirat(place->folder, "x", 0777)
                                  : linkat(AT_FDCWD, place->victim, place->folder, "x", 0);
    assert_int_equal(made, 0);
    return true;
}

static void refused(int file, enum planted planted)
{
    assert_int_equal(file, -1);
    if (planted == SUBFOLDER)
        assert_true(errno == EISDIR || errno == ENXIO);
    else
        assert_int_equal(errno, reasons[planted]);
}

IN_FOLDER(what_is_no_plain_file_of_its_owner_is_not_opened)
{
    struct place place = place_make(state);
    size_t length;
    for (enum planted planted = 0; planted < PLANTED; planted++) {
        if (!plant(&place, planted))
            continue;
        if (planted == HARD_LINK) { /* may be read */
            refused(folder_file_open(place.folder, "x", O_RDWR), planted);
            refused(folder_file_open(place.folder, "x", O_WRONLY), planted);
            refused(folder_file_take(place.folder, "x"), planted);
            continue;
        }
        refused(folder_file_open(place.folder, "x", O_RDONLY), planted);
        refused(folder_file_open(place.folder, "x", O_RDWR), planted);
        refused(folder_file_take(place.folder, "x"), planted);
        assert_null(folder_file_read(place.folder, "x", 100, &length));
    }
    place_close(&place);
}

IN_FOLDER(what_is_written_anew_replaces_what_is_there)
{
    struct place place = place_make(state);
    const struct folder_bytes pieces[] = {{"ab", 2}, {"cde", 3}};
    size_t length;
    for (enum planted planted = 0; planted < PLANTED; planted++) {
        for (int way = 0; way < 2 && planted != SUBFOLDER; way++) {
            plant(&place, planted);
            int file = way ? folder_file_create(place.folder, "x", 0600) : -1;
            if (way)
                assert_int_equal(write(file, "abcde", 5), 5);
            else
                assert_true(folder_file_put(place.folder, "x", pieces, 2, FOLDER_SYNCED));
            if (way)
                close(file);
            char *bytes = folder_file_read(place.folder, "x", 5, &length);
            assert_non_null(bytes);
            assert_string_equal(bytes, "abcde");
            free(bytes);
        }
    }
    assert_null(folder_file_read(place.folder, "x", 4, &length));
    assert_int_equal(errno, EFBIG);
    place_close(&place);
}

IN_FOLDER(a_file_that_cannot_be_put_leaves_no_other)
{
    struct place place = place_make(state);
    const struct folder_bytes piece = {"ab", 2};
    plant(&place, SUBFOLDER);
    assert_false(folder_file_put(place.folder, "x", &piece, 1, FOLDER_UNSYNCED));
    DIR *stream = folder_list(place.folder);
    int count = 0;
    while (readdir(stream))
        count++;
    closedir(stream);
    assert_int_equal(count, 3); /* ., .., x */
    place_close(&place);
}

IN_FOLDER(a_folder_that_is_a_link_or_of_another_user_is_not_ours)
{
    struct place place = place_make(state);
    const char *link = in_folder(state, "link"), *foreign = in_folder(state, "foreign");
    assert_int_equal(symlink(in_folder(state, "own"), link), 0);
    assert_int_equal(folder_open_own(link), -1);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(folder_open_own(place.victim), -1);
    assert_int_equal(errno, ENOTDIR);
    assert_int_equal(folder_open_own(in_folder(state, "missing")), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(mkdir(foreign, 0777), 0);
    if (chown(foreign, SOMEBODY, (gid_t)-1) == 0) {
        assert_int_equal(folder_open_own(foreign), -1);
        assert_int_equal(errno, EPERM);
    }
    place_close(&place);
}

IN_FOLDER(a_folder_of_ours_is_closed_to_others)
{
    const char *path = in_folder(state, "group");
    struct stat about;
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(chmod(path, 0777), 0);
    close(folder_open_own(path));
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    int lock, folder = folder_make_locked(in_folder(state, "made"), "lock", &lock);
    assert_true(folder >= 0);
    assert_int_equal(fstat(folder, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    close(folder);
    close(lock);
}

/* Somebody has renamed ours away and put another folder of ours in its place. */
IN_FOLDER(a_folder_that_took_the_place_of_ours_is_not_discarded)
{
    struct place place = place_make(state);
    char own[600];
    snprintf(own, sizeof own, "%s", in_folder(state, "own"));
    assert_int_equal(rename(own, in_folder(state, "away")), 0);
    assert_int_equal(mkdir(own, 0700), 0);
    file_fill(in_folder(state, "own/precious"), "x");
    assert_int_equal(folder_discard(own, place.folder), -1);
    assert_int_equal(errno, ESTALE);
    assert_int_equal(access(in_folder(state, "own/precious"), F_OK), 0);
    assert_int_equal(folder_discard(in_folder(state, "away"), place.folder), 0);
    assert_int_equal(access(in_folder(state, "away"), F_OK), -1);
    place_close(&place);
}

IN_FOLDER(a_folder_that_is_named_is_reached_through_no_link_of_another_user)
{
    struct place place = place_make(state);
    const char *link = in_folder(state, "link"), *slash = in_folder(state, "link/");
    assert_int_equal(symlink(in_folder(state, "own"), link), 0);
    int folder = folder_open_chosen(slash);
    assert_true(folder >= 0 && close(folder) == 0);
    folder = folder_open_of_user(in_folder(state, "own/"));
    assert_true(folder >= 0 && close(folder) == 0);
    assert_int_equal(folder_open_chosen(place.victim), -1);
    assert_int_equal(errno, ENOTDIR);
    if (lchown(link, SOMEBODY, (gid_t)-1) == 0) { /* root */
        assert_int_equal(folder_open_chosen(link), -1);
        assert_int_equal(errno, ELOOP);
        assert_int_equal(folder_open_of_user(slash), -1);
        assert_int_equal(errno, ELOOP);
    }
    place_close(&place);
}

/* What a user names in a folder of many: a link of somebody else leads to what they want changed.
 */
IN_FOLDER(a_named_file_is_no_link_of_another_user)
{
    struct place place = place_make(state);
    struct atomic_file file;
    const char *link = in_folder(state, "own/x");
    assert_true(plant(&place, LINK));
    assert_false(folder_link_of_others(link));
    if (lchown(link, SOMEBODY, (gid_t)-1) == 0) { /* root */
        assert_true(folder_link_of_others(link));
        assert_true(folder_link_of_others(in_folder(state, "own/x//")));
        assert_int_equal(pipe_open(link, O_APPEND | O_CREAT, NULL), -1);
        assert_int_equal(errno, ELOOP);
        assert_int_equal(atomic_file_open(&file, link, OVERWRITE_YES, NULL), STATUS_CANNOT_CREATE);
        atomic_file_abandon(&file);
        assert_int_equal(lchown(in_folder(state, "own"), SOMEBODY, (gid_t)-1), 0);
        assert_false(folder_link_of_others(link)); /* the folder is theirs, too */
    }
    place_close(&place);
}
