/* deepfield clean: what killed runs have left. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command/command.h"
#include "app/launch/launch_check.h"
#include "render/disk/folder.h"
#include "render/disk/folder_clear.h"
#include "render/disk/run_status.h"
#include "render/disk/temporary_file.h"

static void mended_show(const char *text)
{
    printf("%s\n", text);
}

/* Unfinished files of this user in a folder. */
static int unfinished_count(int folder)
{
    struct stat about;
    int count = 0;
    DIR *stream = folder_list(folder);
    for (struct dirent *entry; stream && (entry = readdir(stream));)
        count += temporary_is(entry->d_name, ".part") &&
                 fstatat(folder, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
                 about.st_uid == geteuid();
    if (stream)
        closedir(stream);
    return count;
}

static int folder_mend(int folder)
{
    int before = unfinished_count(folder);
    folder_clear(folder);
    return before - unfinished_count(folder);
}

/* Removes unfinished files from the folders of films in `parent`, from which runs go on. */
static int films_mend(int parent, int *left)
{
    int removed = 0;
    DIR *stream = folder_list(parent);
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        const char *suffix = strrchr(entry->d_name, '.');
        if (!suffix || strcmp(suffix, RUN_STATUS_SUFFIX) != 0)
            continue;
        int folder = folder_open_in(parent, entry->d_name); /* owned by this user alone */
        if (folder < 0)
            continue;
        if (run_folder_is_of_film(folder)) {
            removed += folder_mend(folder);
            *left += unfinished_count(folder);
            printf("%s: what is done of a film; deepfield resume goes on, unless a run does\n",
                   entry->d_name);
        }
        close(folder);
    }
    if (stream)
        closedir(stream);
    return removed;
}

enum status command_clean(struct invocation *invocation)
{
    const char *path = invocation->arguments.operand ? invocation->arguments.operand : ".";
    int folder = folder_open(path);
    if (folder < 0)
        return status_fail(STATUS_NO_INPUT, "%.3000s: %s", path, strerror(errno));
    folder_clear_listen(mended_show);
    int files = folder_mend(folder);
    int left = unfinished_count(folder);
    files += films_mend(folder, &left);
    close(folder);
    int ranks = launch_orphans_end();
    int segments = launch_segments_remove("/dev/shm");
    int sessions = launch_sessions_remove(launch_session_folder(), 0);
    printf(
        "removed: %d unfinished files, %d ranks without an mpirun, %d segments of MPI, %d session "
        "folders of mpirun\n",
        files, ranks, segments, sessions);
    if (left > 0)
        printf("left: %d unfinished files of runs that are alive\n", left);
    return STATUS_OK;
}
