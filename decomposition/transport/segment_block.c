#include "decomposition/transport/segment_block.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/number_text.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008u /* Linux 6.3 */
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif

static const size_t huge = (size_t)2 << 20;

/* --- how much there is ----------------------------------------------------------------------- */

/* The number behind `key` in a file of "key value" lines, or alone in it when key is "". */
static uint64_t number_in_file(const char *path, const char *key)
{
    char text[8192];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    if (length <= 0)
        return UINT64_MAX;
    text[length] = '\0';
    const char *at = strstr(text, key);
    int64_t number;
    if (!at)
        return UINT64_MAX;
    at += strlen(key);
    at += strspn(at, " ");
    return number_whole_take(&at, &number) ? (uint64_t)number : UINT64_MAX;
}

/* Room in the control group (version 2): its limit less its usage. Pages of files count as used but
 * are given up when needed, so they are not subtracted. */
static uint64_t group_room(void)
{
    uint64_t limit = number_in_file("/sys/fs/cgroup/memory.max", ""); /* "max": no number */
    uint64_t held = number_in_file("/sys/fs/cgroup/memory.current", "");
    uint64_t files = number_in_file("/sys/fs/cgroup/memory.stat", "\ninactive_file ");
    if (limit == UINT64_MAX || held == UINT64_MAX)
        return UINT64_MAX;
    if (files != UINT64_MAX)
        held -= files < held ? files : held;
    return limit > held ? limit - held : 0;
}

/* Must come first: the kernel would fill a memfd page by page until it has to kill a process. */
static enum status room_check(size_t bytes)
{
    uint64_t kib = number_in_file("/proc/meminfo", "MemAvailable:");
    uint64_t room = kib > UINT64_MAX / 1024 ? UINT64_MAX : kib * 1024, group = group_room();
    if (group < room)
        room = group;
    if (bytes <= room)
        return STATUS_OK;
    return status_fail(STATUS_OUT_OF_MEMORY,
                       "a picture of %zu bytes is to stand in memory, %llu bytes are available",
                       bytes, (unsigned long long)room);
}

/* Rounds up to whole pages, at least one, and checks that there is room for them. */
static enum status pages_of(size_t bytes, size_t *whole)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (bytes > SIZE_MAX / 2)
        return status_fail(STATUS_OUT_OF_MEMORY, "%zu bytes are more than any memory", bytes);
    *whole = bytes ? (bytes + page - 1) / page * page : page;
    return room_check(*whole);
}

/* --- mapping --------------------------------------------------------------------------------- */

/* A huge page can only be mapped where its address is aligned, which mmap does not do by itself:
 * reserve more, map over the aligned part, give back the rest. NULL and errno on failure. */
static char *map_aligned(size_t bytes, int file)
{
    size_t reserve = bytes + huge;
    char *start =
        mmap(NULL, reserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    size_t before = (huge - (uintptr_t)start % huge) % huge;
    int kind = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    char *memory = mmap(start + before, bytes, PROT_READ | PROT_WRITE, kind | MAP_FIXED, file, 0);
    if (memory == MAP_FAILED) {
        int reason = errno;
        munmap(start, reserve);
        errno = reason;
        return NULL;
    }
    if (before)
        munmap(start, before);
    munmap(memory + bytes, reserve - before - bytes);
    return memory;
}

static void refused(char why[SEGMENT_WHY_BYTES], const char *call, size_t bytes)
{
    snprintf(why, SEGMENT_WHY_BYTES, "%s of %zu bytes: %s", call, bytes, strerror(errno));
}

bool segment_block_map(struct segment_block *block, int file, size_t bytes,
                       char why[SEGMENT_WHY_BYTES])
{
    struct stat facts;
    if (fstat(file, &facts) == 0 && facts.st_size >= 0 && (size_t)facts.st_size == bytes) {
        block->memory = map_aligned(bytes, file);
        if (!block->memory)
            refused(why, "mmap", bytes);
    } else
        snprintf(why, SEGMENT_WHY_BYTES, "what was opened is not a file of %zu bytes", bytes);
    block->bytes = block->memory ? bytes : 0;
    block->file = -1;
    close(file);
    return block->memory != NULL;
}

/* --- shared memory --------------------------------------------------------------------------- */

void segment_block_name(char name[SEGMENT_NAME_BYTES])
{
    uint64_t random = 0;
    (void)!getentropy(&random, sizeof random); /* without it the name is as unique, but guessable */
    snprintf(name, SEGMENT_NAME_BYTES, "deepfield-%ld-%016llx", (long)getpid(),
             (unsigned long long)random);
}

/* With vm.memfd_noexec=2 only the newer flag is allowed; older kernels do not know it. */
static int memfd(const char *name)
{
    int file = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);
    return file < 0 && errno == EINVAL ? memfd_create(name, MFD_CLOEXEC) : file;
}

/* Commits one page, then all of its 2 MiB at once: MADV_COLLAPSE gives huge pages whatever
 * shmem_enabled says, which is "never" nearly everywhere. False where the kernel cannot. */
static bool commit_huge(struct segment_block *block, size_t at)
{
    return pwrite(block->file, "", 1, (off_t)at) == 1 &&
           madvise(block->memory + at, huge, MADV_COLLAPSE) == 0;
}

/* Commits one huge page's range at a time: a signal undoes a call, and so short a one gets through.
 */
static int commit_small(struct segment_block *block, size_t at, size_t bytes)
{
    return TEMP_FAILURE_RETRY(fallocate(block->file, 0, (off_t)at, (off_t)bytes));
}

/* Commits all pages now; a page that is missing later would be a SIGBUS. 133 MB (an 8K picture of
 * counts) until all of it has been written once by one core, memory warm, Linux 6.18 on a Xeon:
 * huge pages 6 ms here and 5 for the writer; pages of 4 KiB 27 ms here and 57 to 66 for the writer,
 * who zeroes them; 97 to 102 ms if nothing is committed; ordinary memory 15 ms with huge pages, 66
 * without. Registering it with CUDA (H200 host): 14 ms here and 2.1 for cudaHostRegister; with
 * pages of 4 KiB 10.5 and 28 to 34. */
static enum status commit(struct segment_block *block)
{
    bool can_huge = true;
    for (size_t at = 0; at < block->bytes; at += huge) {
        size_t range = block->bytes - at < huge ? block->bytes - at : huge;
        bool whole = range == huge;
        can_huge = can_huge && (!whole || commit_huge(block, at));
        if ((!can_huge || !whole) && commit_small(block, at, range) != 0)
            return status_fail(STATUS_OUT_OF_MEMORY,
                               "shared memory of %zu bytes: %s after %zu of them", block->bytes,
                               strerror(errno), at);
    }
    return STATUS_OK;
}

/* A file beyond the limit of the process would be a SIGXFSZ, not an error. */
static bool file_limit_allows(size_t bytes, char why[SEGMENT_WHY_BYTES])
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        bytes <= limit.rlim_cur)
        return true;
    snprintf(why, SEGMENT_WHY_BYTES,
             "it needs a file of %zu bytes, and this process may make %llu (ulimit -f)", bytes,
             (unsigned long long)limit.rlim_cur);
    return false;
}

enum status segment_block_create(struct segment_block *block, const char *name, size_t bytes,
                                 char why[SEGMENT_WHY_BYTES])
{
    *block = (struct segment_block){.file = -1};
    size_t whole;
    TRY(pages_of(bytes, &whole));
    if (!file_limit_allows(whole, why))
        return STATUS_OK;
    struct segment_block made = {.file = memfd(name), .bytes = whole};
    enum status status = STATUS_OK;
    if (made.file < 0)
        refused(why, "memfd_create", whole);
    else if (TEMP_FAILURE_RETRY(ftruncate(made.file, (off_t)whole)) != 0)
        refused(why, "ftruncate", whole);
    else if (!(made.memory = map_aligned(whole, made.file)))
        refused(why, "mmap", whole);
    else
        status = commit(&made);
    if (status == STATUS_OK && made.memory)
        *block = made;
    else
        segment_block_close(&made);
    return status;
}

enum status segment_block_private(struct segment_block *block, size_t bytes)
{
    *block = (struct segment_block){.file = -1};
    size_t whole;
    TRY(pages_of(bytes, &whole));
    block->memory = map_aligned(whole, -1);
    if (!block->memory)
        return status_fail(STATUS_OUT_OF_MEMORY, "mmap of %zu bytes: %s", whole, strerror(errno));
    block->bytes = whole;
    madvise(block->memory, whole, MADV_HUGEPAGE);
    return STATUS_OK;
}

void segment_block_close_file(struct segment_block *block)
{
    if (block->file >= 0)
        close(block->file);
    block->file = -1;
}

void segment_block_close(struct segment_block *block)
{
    segment_block_close_file(block);
    if (block->memory)
        munmap(block->memory, block->bytes);
    *block = (struct segment_block){.file = -1};
}
