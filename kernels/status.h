/* What went wrong: one word for the program, one sentence for the person.
 *
 * A function that can fail returns an enum status; results leave through pointers. The function
 * that detects an error calls status_fail() with one sentence that names the values; its callers
 * pass the status on with TRY. The sentence belongs to the thread that failed. Asserts are for our
 * mistakes, statuses for the world's. */
#ifndef KERNELS_STATUS_H
#define KERNELS_STATUS_H

/* name, exit code of the program (sysexits; see README) */
#define STATUS_LIST(ROW)                                                               \
    ROW(STATUS_OK, 0)             /* done */                                           \
    ROW(STATUS_USAGE, 64)         /* wrong usage */                                    \
    ROW(STATUS_BAD_DATA, 65)      /* bad data in an input file */                      \
    ROW(STATUS_NO_INPUT, 66)      /* input file missing */                             \
    ROW(STATUS_NO_DEVICE, 69)     /* no usable device */                               \
    ROW(STATUS_INTERNAL, 70)      /* internal error */                                 \
    ROW(STATUS_SYSTEM, 71)        /* the operating system or MPI failed */             \
    ROW(STATUS_OUT_OF_MEMORY, 71) /* out of memory */                                  \
    ROW(STATUS_CANNOT_CREATE, 73) /* cannot create an output file */                   \
    ROW(STATUS_IO, 74)            /* input or output failed */                         \
    ROW(STATUS_STOPPED, 75)       /* stopped on request */                             \
    ROW(STATUS_UNREACHABLE, 65)   /* the view is beyond the precision of the method */ \
    ROW(STATUS_DEVICE_LOST, 76)   /* a device failed while computing */                \
    ROW(STATUS_TOO_LARGE, 77)     /* would exceed the memory or disk that there is */  \
    ROW(STATUS_CONFIG, 78)        /* wrong configuration */

enum status {
#define STATUS_ENUM(name, code) name,
    STATUS_LIST(STATUS_ENUM)
#undef STATUS_ENUM
        STATUS_KINDS
};

enum { STATUS_TEXT_BYTES = 1024 }; /* longer sentences are cut */

/* The exit code of the program for a status; 70 for a value outside the list. */
int status_exit_code(enum status status);

/* Records the sentence of this thread and returns `status`, so that a failing function can end with
 * `return status_fail(STATUS_X, "...", values)`. No trailing newline. `status` must not be
 * STATUS_OK. One of the values may be status_text(): what went wrong before. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
enum status
status_fail(enum status status, const char *format, ...);

/* The last sentence of this thread; "" if none. Borrowed until the next status_fail. */
const char *status_text(void);

/* Passes a failure on to the caller. */
#define TRY(call)                         \
    do {                                  \
        enum status try_status_ = (call); \
        if (try_status_ != STATUS_OK)     \
            return try_status_;           \
    } while (0)

#endif
