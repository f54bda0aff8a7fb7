/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See child.h.  Between vfork and exec the new process uses our memory: it only makes system calls
 * there, and none of our signal handlers can run in it, because every signal is blocked until our
 * handlers are reset to the default.
 *
 * Why it could not become the command goes through a pipe that exec closes.  A variable would do
 * where vfork shares memory, but under emulators and ThreadSanitizer it is a fork.
 */
#include "session/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void close_others(int from)
{
    struct rlimit r;

#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)from, ~0U, 0U) == 0)
        return;
#endif
    if (getrlimit(RLIMIT_NOFILE, &r)) /* a kernel before 5.9 */
        r.rlim_cur = 65536;
    for (int fd = from; (rlim_t)fd < r.rlim_cur; fd++)
        close(fd);
}

static void signals_of_the_system(void)
{
    static const int ours[] = {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM};
    struct sigaction hup;
    sigset_t none;

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        signal(ours[i], SIG_DFL);
    if (sigaction(SIGHUP, NULL, &hup) == 0 && hup.sa_handler != SIG_IGN) /* nohup's stays */
        signal(SIGHUP, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The descriptor of the report once all others are closed. */
#define REPORT (STDERR_FILENO + 1)

/* Returns only when it cannot; *report is then where to say why. */
static void exec_command(int out, int *report, pid_t parent, char *const *argv, char *const *env)
{
    int null;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    errno = ECHILD;
    if (getppid() != parent) /* which has ended before that */
        return;
    null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(out, STDERR_FILENO) < 0)
        return;
    if (*report != REPORT && dup3(*report, REPORT, O_CLOEXEC) < 0)
        return;
    *report = REPORT;
    close_others(REPORT + 1);
    signals_of_the_system();
    execve("/bin/sh", argv, env);
}

static _Noreturn void be_child(int out, int report, pid_t parent, char *const *argv,
                               char *const *env)
{
    int why;

    exec_command(out, &report, parent, argv, env);
    why = errno;
    _exit(write(report, &why, sizeof why) == sizeof why ? 127 : 126);
}

/* The process; -1 with *errnum set when there is none, or it could not become the command. */
static pid_t spawn(int out, char *const *argv, char *const *env, int *errnum)
{
    int report[2];
    pid_t parent = getpid(), pid;

    if (pipe2(report, O_CLOEXEC)) {
        *errnum = errno;
        return -1;
    }
    pid = vfork();
    if (pid == 0)
        be_child(out, report[1], parent, argv, env);
    *errnum = pid < 0 ? errno : 0;
    close(report[1]);
    if (pid > 0 && read(report[0], errnum, sizeof *errnum) > 0) {
        waitpid(pid, NULL, 0);
        pid = -1;
    }
    close(report[0]);
    return pid;
}

static int open_pidfd(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0U);
#else
    (void)pid;
    return -1;
#endif
}

int child_start(struct child *c, const char *command, char *const *env)
{
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(size_t)command, NULL};
    int out[2], errnum;

    if (pipe2(out, O_CLOEXEC))
        return errno;
    c->pid = spawn(out[1], argv, env, &errnum);
    close(out[1]);
    if (errnum) {
        close(out[0]);
        return errnum;
    }
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    c->out = out[0];
    c->pidfd = open_pidfd(c->pid);
    return 0;
}

bool child_ended(const struct child *c, int *exit_status, int *sig)
{
    siginfo_t i = {.si_pid = 0};

    if (waitid(P_PID, (id_t)c->pid, &i, WEXITED | WNOHANG | WNOWAIT) || i.si_pid == 0)
        return false;
    *exit_status = i.si_code == CLD_EXITED ? i.si_status : -1;
    *sig = i.si_code == CLD_EXITED ? 0 : i.si_status;
    return true;
}

void child_signal(const struct child *c, int sig)
{
    kill(-c->pid, sig);
}

bool child_reap(struct child *c)
{
    if (c->pidfd >= 0)
        close(c->pidfd);
    if (c->out >= 0)
        close(c->out);
    c->pidfd = c->out = -1;
    waitpid(c->pid, NULL, 0);
    return kill(-c->pid, SIGTERM) == 0;
}
