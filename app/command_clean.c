/* deepfield clean: what killed runs have left. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"
#include "app/launch_check.h"
#include "render/folder_clear.h"
#include "render/temporary_file.h"

static void mended_show(const char *text)
{
    printf("%s\n", text);
}

static int unfinished_count(int folder)
{
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), count = 0;
    DIR *stream = again >= 0 ? fdopendir(again) : NULL;
    for (struct dirent *entry; stream && (entry = readdir(stream));)
        count += temporary_is(entry->d_name, ".part");
    if (stream)
        closedir(stream);
    else if (again >= 0)
        close(again);
    return count;
}

enum status command_clean(struct invocation *invocation)
{
    const char *path = invocation->arguments.operand ? invocation->arguments.operand : ".";
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return status_fail(STATUS_NO_INPUT, "%.3000s: %s", path, strerror(errno));
    int before = unfinished_count(folder);
    folder_clear_listen(mended_show);
    folder_clear(folder);
    int left = unfinished_count(folder);
    close(folder);
    int ranks = launch_orphans_end();
    int memory = launch_leftovers_remove("/dev/shm", launch_session_folder());
    printf("removed: %d unfinished files, %d ranks without an mpirun, %d segments and sessions of "
           "MPI\n",
           before - left, ranks, memory);
    if (left > 0)
        printf("left: %d unfinished files of runs that are alive\n", left);
    return STATUS_OK;
}
