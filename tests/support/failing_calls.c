/* Loaded before the C library: one call of the program fails, as it does where memory, the disk or
 * the kernel's tables are full, or where a signal arrives.
 *
 * FAILING_CALL   the name of the call; without it none fails
 * FAILING_NTH    which of these calls, from 1
 * FAILING_ERRNO  the number of the error; without it the usual one of the call. Of "short" a read
 *                or write handles one byte and succeeds
 * FAILING_LOG    a file that gets "NAME COUNT" of all calls at the end, "first NAME NTH" for every
 *                place that makes some, and of the one that failed that place: "at OBJECT OFFSET"
 *
 * FAILING_EXCEPT a file of lines "FROM TO": code of the program that is left alone, in hexadecimal
 *                bytes from where it is loaded
 *
 * Calls count that are made by the program or by the libraries that write its files. MPI, OpenMP,
 * GMP and iniparser end the process by themselves where memory runs out, and so are left
 * alone; the CUDA runtime, which is linked into the program, dereferences NULL, and so does json-c
 * (0.16) where strdup fails for a key. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __clang__ /* glibc declares some of the calls that are replaced here as inline functions */
#pragma clang diagnostic ignored "-Wstatic-in-inline"
#endif

/* name, the usual error. */
#define CALLS(ROW)              \
    ROW(malloc, ENOMEM)         \
    ROW(calloc, ENOMEM)         \
    ROW(realloc, ENOMEM)        \
    ROW(aligned_alloc, ENOMEM)  \
    ROW(posix_memalign, ENOMEM) \
    ROW(strdup, ENOMEM)         \
    ROW(strndup, ENOMEM)        \
    ROW(open_memstream, ENOMEM) \
    ROW(fdopen, ENOMEM)         \
    ROW(fdopendir, ENOMEM)      \
    ROW(fopen, EMFILE)          \
    ROW(opendir, EMFILE)        \
    ROW(open, EMFILE)           \
    ROW(openat, EMFILE)         \
    ROW(read, EIO)              \
    ROW(pread, EIO)             \
    ROW(write, ENOSPC)          \
    ROW(pwrite, ENOSPC)         \
    ROW(fwrite, ENOSPC)         \
    ROW(fflush, ENOSPC)         \
    ROW(fclose, ENOSPC)         \
    ROW(close, EIO)             \
    ROW(fsync, EIO)             \
    ROW(fdatasync, EIO)         \
    ROW(ftruncate, EIO)         \
    ROW(fallocate, ENOSPC)      \
    ROW(lseek, EIO)             \
    ROW(fstat, EIO)             \
    ROW(fstatat, EIO)           \
    ROW(stat, EIO)              \
    ROW(rename, EIO)            \
    ROW(renameat, EIO)          \
    ROW(renameat2, EIO)         \
    ROW(linkat, EIO)            \
    ROW(unlink, EIO)            \
    ROW(unlinkat, EIO)          \
    ROW(mkdir, ENOSPC)          \
    ROW(mkdirat, ENOSPC)        \
    ROW(mmap, ENOMEM)           \
    ROW(memfd_create, EMFILE)   \
    ROW(pipe2, EMFILE)          \
    ROW(getentropy, EIO)        \
    ROW(realpath, EACCES)       \
    ROW(pthread_create, EAGAIN)

enum call {
#define CALL_ENUM(name, error) CALL_##name,
    CALLS(CALL_ENUM)
#undef CALL_ENUM
        CALL_KINDS
};

static const struct {
    const char *name;
    int error;
} calls[] = {
#define CALL_ROW(name, error) {#name, error},
    CALLS(CALL_ROW)
#undef CALL_ROW
};

#define JSON_C "/libjson-c."
static const char *const objects[] = {JSON_C,        "/libpng",       "/libz.",    "/libtiff.",
                                      "/libOpenEXR", "/libturbojpeg", "/libxxhash"};

enum { RANGES_MOST = 32 };
struct code_ranges {
    struct {
        uintptr_t from, to;
    } range[RANGES_MOST];
    int count;
};
static struct code_ranges ours;   /* without any nothing counts yet */
static struct code_ranges except; /* of the program, left alone */
static struct code_ranges keys;   /* of json-c */
static enum call failing = CALL_KINDS;
static long failing_nth;
static int failing_errno;
static bool failing_short;
static _Atomic long counts[CALL_KINDS];
static uintptr_t failed_at;

enum { PLACES_MOST = 1 << 12 };
static struct {
    _Atomic uintptr_t at; /* 0: free */
    enum call call;
    long nth;
} places[PLACES_MOST]; /* those that make calls, each with its first */

/* Is found again by its address: open addressing. */
static void place_note(enum call call, uintptr_t at, long nth)
{
    size_t slot = (at * 0x9e3779b97f4a7c15u) >> 52;
    for (int i = 0; i < PLACES_MOST; i++, slot = (slot + 1) % PLACES_MOST) {
        uintptr_t free_ = 0;
        if (atomic_compare_exchange_strong(&places[slot].at, &free_, at)) {
            places[slot].call = call;
            places[slot].nth = nth;
            return;
        }
        if (free_ == at)
            return;
    }
}

static void range_add(struct code_ranges *ranges, uintptr_t from, uintptr_t to)
{
    if (ranges->count == RANGES_MOST)
        abort(); /* others' code would be taken for ours */
    ranges->range[ranges->count].from = from;
    ranges->range[ranges->count].to = to;
    ranges->count++;
}

static bool ranges_have(const struct code_ranges *ranges, uintptr_t at)
{
    for (int i = 0; i < ranges->count; i++)
        if (at >= ranges->range[i].from && at < ranges->range[i].to)
            return true;
    return false;
}

static bool fails(enum call call, void *from)
{
    if (!ranges_have(&ours, (uintptr_t)from) || ranges_have(&except, (uintptr_t)from) ||
        (call == CALL_strdup && ranges_have(&keys, (uintptr_t)from)))
        return false;
    long nth = atomic_fetch_add_explicit(&counts[call], 1, memory_order_relaxed) + 1;
    if (failing == CALL_KINDS)
        place_note(call, (uintptr_t)from, nth);
    if (call != failing || nth != failing_nth)
        return false;
    failed_at = (uintptr_t)from;
    errno = failing_errno;
    return true;
}

static bool object_counts(const char *name)
{
    bool counts_too = !*name; /* the program */
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        counts_too = counts_too || strstr(name, objects[i]);
    return counts_too;
}

static void except_read(uintptr_t loaded)
{
    const char *path = getenv("FAILING_EXCEPT");
    static char text[1 << 12];
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    (void)syscall(SYS_read, file, text, sizeof text - 1);
    (void)syscall(SYS_close, file);
    for (char *line = text, *end; *line; line = end + (*end == '\n')) {
        uintptr_t from = strtoull(line, &end, 16);
        range_add(&except, loaded + from, loaded + strtoull(end, &end, 16));
    }
}

static int object_take(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    if (!*info->dlpi_name)
        except_read(info->dlpi_addr);
    for (int i = 0; object_counts(info->dlpi_name) && i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            const uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
                            to = from + info->dlpi_phdr[i].p_memsz;
            range_add(&ours, from, to);
            if (strstr(info->dlpi_name, JSON_C))
                range_add(&keys, from, to);
        }
    return 0;
}

static void log_write(void)
{
    const char *path = getenv("FAILING_LOG");
    static char text[1 << 17];
    int used = 0, file = path ? (int)syscall(SYS_openat, AT_FDCWD, path,
                                             O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
                              : -1;
    Dl_info about;
    if (file < 0)
        return;
    for (int i = 0; i < CALL_KINDS; i++)
        if (counts[i])
            used += snprintf(text + used, sizeof text - (size_t)used, "%s %ld\n", calls[i].name,
                             counts[i]);
    for (int i = 0; i < PLACES_MOST; i++)
        if (places[i].nth)
            used += snprintf(text + used, sizeof text - (size_t)used, "first %s %ld\n",
                             calls[places[i].call].name, places[i].nth);
    if (failed_at && dladdr((void *)failed_at, &about)) /* NOLINT: an address of code */
        used += snprintf(text + used, sizeof text - (size_t)used, "at %s 0x%zx\n", about.dli_fname,
                         (size_t)(failed_at - (uintptr_t)about.dli_fbase));
    (void)syscall(SYS_write, file, text, used);
    (void)syscall(SYS_close, file);
}

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("FAILING_CALL"), *nth = getenv("FAILING_NTH");
    const char *error = getenv("FAILING_ERRNO");
    for (int i = 0; name && i < CALL_KINDS; i++)
        if (!strcmp(name, calls[i].name)) {
            failing = (enum call)i;
            failing_errno = calls[i].error;
        }
    failing_nth = nth ? strtol(nth, NULL, 10) : 0;
    failing_short = error && !strcmp(error, "short");
    if (error && !failing_short)
        failing_errno = (int)strtol(error, NULL, 10);
    dl_iterate_phdr(object_take, NULL);
}

__attribute__((destructor)) static void end(void)
{
    log_write();
}

/* The C library's own. Without the first ones, which dlsym calls. */
#define NEXT(result, name, ...)         \
    static result (*next)(__VA_ARGS__); \
    if (!next)                          \
    *(void **)&next = dlsym(RTLD_NEXT, #name)
#define FAILS(name) fails(CALL_##name, __builtin_return_address(0))

void _exit(int code) /* NOLINT: the C library's name */
{
    log_write();
    syscall(SYS_exit_group, code);
    __builtin_unreachable();
}

/* ---- memory ---------------------------------------------------------------------------------- */

void *__libc_malloc(size_t bytes);                   /* NOLINT */
void *__libc_calloc(size_t count, size_t bytes);     /* NOLINT */
void *__libc_realloc(void *memory, size_t bytes);    /* NOLINT */
void *__libc_memalign(size_t aligned, size_t bytes); /* NOLINT */

void *malloc(size_t bytes)
{
    return FAILS(malloc) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return FAILS(calloc) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return FAILS(realloc) ? NULL : __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t aligned, size_t bytes)
{
    return FAILS(aligned_alloc) ? NULL : __libc_memalign(aligned, bytes);
}

int posix_memalign(void **memory, size_t aligned, size_t bytes)
{
    if (FAILS(posix_memalign))
        return failing_errno;
    *memory = __libc_memalign(aligned, bytes);
    return *memory ? 0 : ENOMEM;
}

char *strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = FAILS(strdup) ? NULL : __libc_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

char *strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = FAILS(strndup) ? NULL : __libc_malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t place)
{
    if (FAILS(mmap))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, place); /* NOLINT */
}

/* ---- streams and folders --------------------------------------------------------------------- */

enum { ERROR_SEEN = 0x20 }; /* what ferror() looks at in the GNU C library */

FILE *open_memstream(char **text, size_t *length)
{
    NEXT(FILE *, open_memstream, char **, size_t *);
    return FAILS(open_memstream) ? NULL : next(text, length);
}

FILE *fopen(const char *path, const char *mode)
{
    NEXT(FILE *, fopen, const char *, const char *);
    return FAILS(fopen) ? NULL : next(path, mode);
}

FILE *fdopen(int file, const char *mode)
{
    NEXT(FILE *, fdopen, int, const char *);
    return FAILS(fdopen) ? NULL : next(file, mode);
}

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *stream)
{
    NEXT(size_t, fwrite, const void *, size_t, size_t, FILE *);
    if (!FAILS(fwrite))
        return next(bytes, size, count, stream);
    stream->_flags |= ERROR_SEEN;
    return 0;
}

int fflush(FILE *stream)
{
    NEXT(int, fflush, FILE *);
    int result = next(stream);
    if (!FAILS(fflush))
        return result;
    stream->_flags |= ERROR_SEEN;
    return EOF;
}

int fclose(FILE *stream)
{
    NEXT(int, fclose, FILE *);
    int result = next(stream);
    return FAILS(fclose) ? EOF : result;
}

DIR *opendir(const char *path)
{
    NEXT(DIR *, opendir, const char *);
    return FAILS(opendir) ? NULL : next(path);
}

DIR *fdopendir(int file)
{
    NEXT(DIR *, fdopendir, int);
    return FAILS(fdopendir) ? NULL : next(file);
}

char *realpath(const char *path, char *real)
{
    NEXT(char *, realpath, const char *, char *);
    return FAILS(realpath) ? NULL : next(path, real);
}

/* ---- system calls ---------------------------------------------------------------------------- */

#define MODE_TAKE(flags, mode)                                 \
    int mode = 0;                                              \
    if ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE) { \
        va_list more;                                          \
        va_start(more, flags);                                 \
        mode = va_arg(more, int);                              \
        va_end(more);                                          \
    }

int open(const char *path, int flags, ...)
{
    MODE_TAKE(flags, mode)
    return FAILS(open) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    MODE_TAKE(flags, mode)
    return FAILS(openat) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

/* Fails, or handles one byte. */
#define FEW(name, bytes)           \
    if (FAILS(name)) {             \
        if (!failing_short)        \
            return -1;             \
        (bytes) = (bytes) ? 1 : 0; \
    }

ssize_t read(int file, void *to, size_t bytes)
{
    FEW(read, bytes)
    return syscall(SYS_read, file, to, bytes);
}

ssize_t pread(int file, void *to, size_t bytes, off_t place)
{
    FEW(pread, bytes)
    return syscall(SYS_pread64, file, to, bytes, place);
}

ssize_t write(int file, const void *from, size_t bytes)
{
    FEW(write, bytes)
    return syscall(SYS_write, file, from, bytes);
}

ssize_t pwrite(int file, const void *from, size_t bytes, off_t place)
{
    FEW(pwrite, bytes)
    return syscall(SYS_pwrite64, file, from, bytes, place);
}

#define SYSTEM(name, takes, ...)                             \
    int name takes                                           \
    {                                                        \
        return FAILS(name) ? -1 : (int)syscall(__VA_ARGS__); \
    }

SYSTEM(fsync, (int file), SYS_fsync, file)
SYSTEM(fdatasync, (int file), SYS_fdatasync, file)
SYSTEM(ftruncate, (int file, off_t bytes), SYS_ftruncate, file, bytes)
SYSTEM(fallocate, (int file, int mode, off_t place, off_t bytes), SYS_fallocate, file, mode, place,
       bytes)
SYSTEM(rename, (const char *from, const char *to), SYS_rename, from, to)
SYSTEM(renameat, (int folder, const char *from, int other, const char *to), SYS_renameat, folder,
       from, other, to)
SYSTEM(renameat2, (int folder, const char *from, int other, const char *to, unsigned flags),
       SYS_renameat2, folder, from, other, to, flags)
SYSTEM(linkat, (int folder, const char *from, int other, const char *to, int flags), SYS_linkat,
       folder, from, other, to, flags)
SYSTEM(unlink, (const char *path), SYS_unlink, path)
SYSTEM(unlinkat, (int folder, const char *path, int flags), SYS_unlinkat, folder, path, flags)
SYSTEM(mkdir, (const char *path, mode_t mode), SYS_mkdir, path, mode)
SYSTEM(mkdirat, (int folder, const char *path, mode_t mode), SYS_mkdirat, folder, path, mode)
SYSTEM(memfd_create, (const char *name, unsigned flags), SYS_memfd_create, name, flags)
SYSTEM(pipe2, (int ends[2], int flags), SYS_pipe2, ends, flags)
SYSTEM(fstat, (int file, struct stat *about), SYS_fstat, file, about)
SYSTEM(stat, (const char *path, struct stat *about), SYS_stat, path, about)
SYSTEM(fstatat, (int folder, const char *path, struct stat *about, int flags), SYS_newfstatat,
       folder, path, about, flags)

/* Linux closes it in any case. */
int close(int file)
{
    int result = (int)syscall(SYS_close, file);
    return FAILS(close) ? -1 : result;
}

off_t lseek(int file, off_t place, int whence)
{
    return FAILS(lseek) ? -1 : syscall(SYS_lseek, file, place, whence);
}

int getentropy(void *bytes, size_t count)
{
    NEXT(int, getentropy, void *, size_t);
    return FAILS(getentropy) ? -1 : next(bytes, count);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *context)
{
    NEXT(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    return FAILS(pthread_create) ? failing_errno : next(thread, attributes, run, context);
}
