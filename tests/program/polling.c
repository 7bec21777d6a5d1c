/* The program of the user, which says after how much processor time of a thread its stop flag is
 * polled: the longest such time of the run and where it ended, as addresses for addr2line.
 *
 * The flag has a page of its own, which cannot be read: a poll traps, the time is taken, one
 * instruction is executed with the page open, and the page is closed. No clock of the wall, no
 * signal at a random moment: another load on the machine changes nothing. */
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "app/command/program.h"

enum { PAGE_BYTES = 4096, FRAMES = 24, TRAP_FLAG = 0x100 };

/* Takes the place of that of app/process/stop.c: the linker is told to take the first. */
struct {
    _Alignas(PAGE_BYTES) volatile int flag;
} flag_page __asm__("stop_requested");

static __thread double polled_s; /* processor time of this thread at its last poll; 0: none yet */
static pthread_mutex_t longest_lock = PTHREAD_MUTEX_INITIALIZER;
static double longest_s;
static void *longest_frames[FRAMES];
static int longest_depth;

static double thread_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void gap_note(double gap_s)
{
    pthread_mutex_lock(&longest_lock);
    if (gap_s > longest_s) {
        longest_s = gap_s;
        longest_depth = backtrace(longest_frames, FRAMES);
    }
    pthread_mutex_unlock(&longest_lock);
}

static void page_set(int protection)
{
    if (mprotect(&flag_page, PAGE_BYTES, protection) != 0)
        abort();
}

static void poll_trapped(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    const char *page = (const char *)&flag_page, *at = info->si_addr;
    if (at < page || at >= page + PAGE_BYTES)
        abort();
    if (polled_s > 0)
        gap_note(thread_s() - polled_s);
    page_set(PROT_READ | PROT_WRITE);
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void step_trapped(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number, (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    page_set(PROT_NONE);
    polled_s = thread_s();
}

int main(int argc, char **argv)
{
    void *first[1];
    backtrace(first, 1); /* loads what it needs */
    struct sigaction trap = {.sa_sigaction = poll_trapped, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &trap, NULL);
    trap.sa_sigaction = step_trapped;
    sigaction(SIGTRAP, &trap, NULL);
    page_set(PROT_NONE);
    polled_s = thread_s();
    int code = program_run(argc, argv);
    double last_s = thread_s() - polled_s;
    page_set(PROT_READ | PROT_WRITE);
    fprintf(stderr, "polled after %.1f ms, the last time %.1f ms before the end\n", 1e3 * longest_s,
            1e3 * last_s);
    backtrace_symbols_fd(longest_frames, longest_depth, STDERR_FILENO);
    return code;
}
