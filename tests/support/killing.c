/* Loaded before the C library: the process is killed, or gets the signal KILLED_BY, as soon as it
 * has written so many records into the journal of its picture as KILLED_AT says, however fast the
 * machine is. */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Bool is_records(int file)
{
    static const char name[] = "/records";
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path);
    return length >= (ssize_t)strlen(name) &&
           !memcmp(path + length - strlen(name), name, strlen(name));
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t place)
{
    static atomic_int records;
    const char *killed_at = getenv("KILLED_AT");
    ssize_t written = syscall(SYS_pwrite64, file, bytes, length, place);
    const char *killed_by = getenv("KILLED_BY");
    if (killed_at && is_records(file) && atomic_fetch_add(&records, 1) + 1 == atoi(killed_at))
        kill(getpid(), killed_by ? atoi(killed_by) : SIGKILL);
    return written;
}
