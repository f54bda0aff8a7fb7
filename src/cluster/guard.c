/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See guard.h.  The rank gets a process group of its own: launchers send signals to the group of
 * the process that they have started, and a second SIGTERM would end the rank without a report.
 */
#include "cluster/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

/* Open MPI's mpirun ends its ranks by SIGTERM, and a second later by SIGKILL; but when the first of
 * them has gone, it kills the others at once, and it reads nothing more of what they wrote.  So
 * members stay until rank 0 has gone, and rank 0 until its last report has been read. */
#define LEADER_STAYS (NS_PER_SEC / 2)
#define MEMBER_STAYS (2 * NS_PER_SEC)

/* "." and ".." are links, too, each thread is one more. */
static bool one_thread(void)
{
    struct stat st;

    return stat("/proc/self/task", &st) == 0 && st.st_nlink == 3;
}

static int status_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void stay(dur_ns d)
{
    const struct timespec t = {.tv_sec = d / NS_PER_SEC, .tv_nsec = d % NS_PER_SEC};

    nanosleep(&t, NULL);
}

/* The end of the guard.  What a rank had to say about a failure it has said itself; `asked` is the
 * signal that the launcher has sent. */
static _Noreturn void follow(const struct guard *g, int status, int asked)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) != asked)
        log_stderr("sysbench was ended by signal %d (%s)", WTERMSIG(status),
                   strsignal(WTERMSIG(status)));
    if (asked && g->linger)
        stay(g->rank ? MEMBER_STAYS : LEADER_STAYS);
    _exit(atomic_load(g->met) && g->rank > 0 ? 0 : status_of(status));
}

static _Noreturn void guard(const struct guard *g, pid_t child, const sigset_t *all)
{
    int status, asked = 0;

    prctl(PR_SET_NAME, "sysbench-guard");
    for (;;) {
        siginfo_t info;
        int sig = sigwaitinfo(all, &info);

        if (sig > 0 && sig != SIGCHLD)
            kill(child, sig);
        if (sig == SIGTERM || sig == SIGINT)
            asked = sig;
        if (waitpid(child, &status, WNOHANG) == child)
            follow(g, status, asked);
    }
}

/* The rank: as if it had been started by the launcher itself. */
static void go_on(pid_t parent, const sigset_t *before)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    setpgid(0, 0);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static int split(struct guard *g, struct err *e)
{
    pid_t self = getpid(), child;
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    child = fork();
    if (child > 0)
        guard(g, child, &all);
    if (child == 0) {
        go_on(self, &before);
        return 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err_sys(e, errno, "cannot start a process");
}

int guard_start(struct guard *g, struct err *e)
{
    void *shared;

    g->met = NULL;
    if (!one_thread())
        return 0;
    shared = mmap(NULL, sizeof *g->met, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return err_sys(e, errno, "cannot start a process");
    g->met = shared;
    signal(SIGCHLD, SIG_DFL); /* some parents leave it ignored: then no end is ever reported */
    return split(g, e);
}

void guard_met(struct guard *g)
{
    if (g->met)
        atomic_store(g->met, 1);
}
