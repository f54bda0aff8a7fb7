/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See mpi_program.h.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "cluster/mpi_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster/options.h"

#ifdef SB_MPI
#define BUILT SB_MPI
#else
#define BUILT "no"
#endif

const char *cluster_mpi_libraries(void)
{
    return BUILT;
}

/* In that folder, which is named from the one that this program lies in. */
static bool in(const char *folder, const char *name, char *path, size_t room)
{
    ssize_t n = readlink("/proc/self/exe", path, room - 1);
    char *slash;
    size_t left;

    if (n <= 0)
        return false;
    path[n] = '\0';
    slash = strrchr(path, '/');
    if (!slash)
        return false;
    left = room - (size_t)(slash + 1 - path);
    return (size_t)snprintf(slash + 1, left, "%s%s", folder, name) < left &&
           access(path, X_OK) == 0;
}

bool mpi_program_find(const char *library, char *path, size_t room)
{
    char name[64];

    if (strcmp(BUILT, "no") == 0)
        return false;
    snprintf(name, sizeof name, "sysbench-mpi-%s", library);
    if (in("", name, path, room) || in("../libexec/sysbench/", name, path, room))
        return true;
    return (size_t)snprintf(path, room, "%s/%s", SB_LIBEXECDIR, name) < room &&
           access(path, X_OK) == 0;
}

/* In the new process.  What MPI libraries print is no output of ours. */
static void become(const char *path, int fd, pid_t parent)
{
    char number[12];
    int null = open("/dev/null", O_RDONLY);

    snprintf(number, sizeof number, "%d", fd);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent && null >= 0 &&
        dup2(null, STDIN_FILENO) >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 &&
        fcntl(fd, F_SETFD, 0) == 0)
        execl(path, path, number, (char *)NULL);
    _exit(127);
}

int mpi_program_start(struct mpi_program *p, const char *path, dur_ns timeout, struct err *e)
{
    pid_t self = getpid();
    int fds[2];

    signal(SIGCHLD, SIG_DFL); /* some parents leave it ignored: then no status is ever reported */
    *p = (struct mpi_program){
        .path = path, .timeout = timeout, .until = clock_mono() + timeout, .fd = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
        return err_sys(e, errno, "cannot start %s", path);
    p->pid = fork();
    if (p->pid == 0)
        become(path, fds[1], self);
    close(fds[1]);
    p->fd = fds[0];
    if (p->pid > 0)
        return 0;
    err_sys(e, errno, "cannot start %s", path);
    close(fds[0]);
    return -1;
}

/* Its end of the socket is closed, so it is ending; one that does not is killed in time. */
static int reap(struct mpi_program *p)
{
    const struct timespec pause = {.tv_nsec = 2 * NS_PER_MS};
    int status = 0;

    close(p->fd);
    while (waitpid(p->pid, &status, WNOHANG) == 0) {
        if (clock_mono() >= p->until)
            kill(p->pid, SIGKILL);
        nanosleep(&pause, NULL);
    }
    return status;
}

void mpi_program_kill(struct mpi_program *p)
{
    kill(p->pid, SIGKILL);
    reap(p);
}

/* What it has to say about its end is on standard error already. */
static int ended(struct mpi_program *p, struct err *e)
{
    int status = reap(p);

    if (WIFSIGNALED(status))
        return err_set(e, ERR_FAILED, "%s was ended by signal %d (%s)", p->path, WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
    return err_set(e, ERR_FAILED, "MPI failed: %s ended with status %d", p->path,
                   WEXITSTATUS(status));
}

/* Until there is something to read, or the other end is closed. */
static int await(struct mpi_program *p, struct err *e)
{
    struct pollfd fd = {.fd = p->fd, .events = POLLIN};
    int n;

    do {
        dur_ns left = p->until - clock_mono();

        n = poll(&fd, 1, left <= 0 ? 0 : (int)((left + NS_PER_MS - 1) / NS_PER_MS));
        if (n == 0) {
            mpi_program_kill(p);
            return err_set(e, ERR_TIMEOUT,
                           "MPI did not bring all ranks together within %.0f s "
                           "(--cluster-timeout): one of them has not started, or cannot be "
                           "reached; with --cluster=off this one runs by itself",
                           dur_sec(p->timeout));
        }
    } while (n < 0 && errno == EINTR);
    return 0;
}

/* 1: something came; 0: it has closed its end. */
static int more(struct mpi_program *p, struct err *e)
{
    ssize_t n;

    if (await(p, e))
        return -1;
    do
        n = recv(p->fd, p->got + p->n, sizeof p->got - p->n, 0);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return 0;
    p->n += (size_t)n;
    return 1;
}

static int too_long(struct mpi_program *p, struct err *e)
{
    mpi_program_kill(p);
    return err_set(e, ERR_FAILED, "%s said too much", p->path);
}

int mpi_program_line(struct mpi_program *p, char *line, struct err *e)
{
    const char *end;
    size_t n;

    while (!(end = memchr(p->got, '\n', p->n))) {
        int rc = p->n < sizeof p->got ? more(p, e) : too_long(p, e);

        if (rc <= 0)
            return rc ? rc : ended(p, e);
    }
    n = (size_t)(end - p->got);
    snprintf(line, MPI_NOTE_MAX, "%.*s", (int)n, p->got);
    p->n -= n + 1;
    memmove(p->got, end + 1, p->n);
    return 0;
}

int mpi_program_say(struct mpi_program *p, const char *line, struct err *e)
{
    char text[MPI_NOTE_MAX];
    int n = snprintf(text, sizeof text, "%s\n", line);

    if (n < (int)sizeof text && send(p->fd, text, (size_t)n, MSG_NOSIGNAL) == n)
        return 0;
    return ended(p, e);
}

int mpi_program_end(struct mpi_program *p, struct err *e)
{
    int rc, status;

    do {
        p->n = 0;
        rc = more(p, e);
    } while (rc > 0);
    if (rc)
        return -1;
    status = reap(p);
    return status ? err_set(e, ERR_FAILED, "MPI failed: %s ended with status %d", p->path,
                            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status))
                  : 0;
}

void mpi_program_leave(struct mpi_program *p)
{
    shutdown(p->fd, SHUT_WR);
    mpi_program_end(p, NULL);
}
