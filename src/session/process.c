/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See process.h.  Between vfork and exec the new process uses our memory: it only makes system
 * calls there, and none of our signal handlers can run in it, because every signal is blocked until
 * our handlers are reset to the default.
 *
 * Why it could not become the command goes through a pipe that exec closes.  A variable would do
 * where vfork shares memory, but under emulators and ThreadSanitizer it is a fork.
 */
#include "session/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text_file.h"

void process_raise_descriptor_limit(void)
{
    struct rlimit r;

    if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
        r.rlim_cur = r.rlim_max;
        setrlimit(RLIMIT_NOFILE, &r);
    }
}

#define THREAD_STACK ((size_t)256 * 1024)
#define MAIN_STACK   ((rlim_t)64 * 1024)

int process_provide_stacks(struct err *e)
{
    pthread_attr_t attr;
    struct rlimit r;
    size_t size;

    if (pthread_getattr_default_np(&attr) == 0) {
        if (pthread_attr_getstacksize(&attr, &size) == 0 && size < THREAD_STACK &&
            pthread_attr_setstacksize(&attr, THREAD_STACK) == 0)
            pthread_setattr_default_np(&attr);
        pthread_attr_destroy(&attr);
    }
    if (getrlimit(RLIMIT_STACK, &r) || r.rlim_cur >= MAIN_STACK)
        return 0;
    return err_set(e, ERR_FAILED, "this process needs a stack of %llu KiB, and ulimit -s is %llu",
                   (ull)MAIN_STACK / 1024, (ull)r.rlim_cur / 1024);
}

void process_occupy_standard_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    fd_close(fd);
}

void process_silence_stdout(void)
{
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0)
        close(fd);
}

/* --- the clock --- */

enum { BATCHES = 5, READINGS = 100, SLOW_NS = 200 };

/* The least of a few batches: a batch may lose its CPU. */
dur_ns slow_clock_cost(void)
{
    dur_ns least = INT64_MAX;

    for (int i = 0; i < BATCHES; i++) {
        mono_ns begin = clock_mono(), end = begin;
        for (int k = 0; k < READINGS; k++)
            end = clock_mono();
        least = end - begin < least ? end - begin : least;
    }
    return least / READINGS;
}

void slow_clock_warning(struct str *out, dur_ns cost, const char *sys_root)
{
    struct text_file f = {0};

    if (cost <= SLOW_NS)
        return;
    char *path =
        mem_printf("%s/devices/system/clocksource/clocksource0/current_clocksource", sys_root);
    const char *source = text_file_read(&f, path, 0, NULL) ? NULL : text_file_line(&f);
    free(path);
    str_printf(out, "Reading the clock takes %lld ns", (long long)cost);
    if (source && *source)
        str_printf(out, " (clock source %s)", source);
    str_adds(out, ": short transactions look longer than they are, and the load generator needs "
                  "more CPU; the clock source tsc or kvm-clock is faster");
    text_file_free(&f);
}

/* --- commands --- */

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

/* Everybody can read a command line, but not an environment, and what the command starts needs
 * neither. */
#define EVAL "eval \"unset " CHILD_COMMAND "; $" CHILD_COMMAND "\""

/* The descriptor of the report once all others are closed. */
#define REPORT (STDERR_FILENO + 1)

/* Returns only when it cannot; *report is then where to say why. */
static void exec_command(int out, int *report, pid_t parent, char *const *argv, char *const *env)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    errno = ECHILD;
    if (getppid() != parent) /* which has ended before that */
        return;
    int null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(out, STDERR_FILENO) < 0)
        return;
    if (*report != REPORT && dup3(*report, REPORT, O_CLOEXEC) < 0)
        return;
    *report = REPORT;
    close_others(REPORT + 1);
    static const int ours[] = {SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2, SIGALRM};
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction was;
    sigset_t none;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        signal(ours[i], SIG_DFL);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) /* ignored by our parent: by all */
        if (sigaction(ends[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            signal(ends[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve("/bin/sh", argv, env);
}

/* The process; -1 with *errnum set when there is none, or it could not become the command. */
static pid_t spawn(int out, char *const *argv, char *const *env, int *errnum)
{
    int report[2];
    pid_t parent = getpid();

    if (pipe2(report, O_CLOEXEC)) {
        *errnum = errno;
        return -1;
    }
    pid_t pid = vfork();
    if (pid == 0) {
        int to = report[1]; /* a copy: our memory is the parent's */
        exec_command(out, &to, parent, argv, env);
        int why = errno;
        _exit(write(to, &why, sizeof why) == sizeof why ? 127 : 126);
    }
    *errnum = pid < 0 ? errno : 0;
    close(report[1]);
    if (pid > 0 && read(report[0], errnum, sizeof *errnum) > 0) {
        waitpid(pid, NULL, 0);
        pid = -1;
    }
    close(report[0]);
    return pid;
}

int child_start(struct child *c, char *const *env)
{
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){EVAL}, NULL};
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
#ifdef SYS_pidfd_open
    c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0U);
#else
    c->pidfd = -1;
#endif
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
    fd_close(c->pidfd);
    fd_close(c->out);
    c->pidfd = c->out = -1;
    waitpid(c->pid, NULL, 0);
    return kill(-c->pid, SIGTERM) == 0;
}
