/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The program's own poll(), sleeping calls, send() and recv() behave like the C library's, on a
 * thread and on a task.
 */
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/prefetch.h"
#include "base/test.h"
#include "fiber/fiber.h"
#include "fiber/sched.h"
#include "interpose/interpose.h"

int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t size);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
                size_t size);

static const struct timespec none = {0}, shortly = {.tv_nsec = 2 * NS_PER_MS};

static void polls(int fd, int peer)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    mono_ns begin = clock_mono();
    char c;

    CHECK_INT(poll(&p, 1, 0), 0);
    CHECK_INT(ppoll(&p, 1, &none, NULL), 0);
    CHECK_INT(poll(&p, 1, 2), 0);
    CHECK_INT(ppoll(&p, 1, &shortly, NULL), 0);
    CHECK(clock_mono() - begin >= 4 * NS_PER_MS);
    CHECK_INT(send(peer, "x", 1, MSG_NOSIGNAL), 1);
    CHECK_INT(poll(&p, 1, -1), 1);
    CHECK_INT(p.revents, POLLIN);
    CHECK_INT(ppoll(&p, 1, NULL, NULL), 1);
    CHECK_INT(__poll_chk(&p, 1, -1, sizeof p), 1);
    CHECK_INT(__ppoll_chk(&p, 1, NULL, NULL, sizeof p), 1);
    CHECK_INT(recv(fd, &c, 1, MSG_PEEK), 1);
    CHECK_INT(recv(fd, &c, 1, 0), 1);
    CHECK_INT(recv(fd, &c, 1, MSG_DONTWAIT), -1);
    CHECK_INT(errno, EAGAIN);
    p.fd = -1;
    CHECK_INT(poll(&p, 1, 1), 0); /* nothing to wait for but the time */
}

static void sleeps(void)
{
    static const struct timespec odd = {.tv_nsec = NS_PER_SEC}, past = {.tv_sec = 1};
    struct timespec left = {0};
    mono_ns begin = clock_mono();

    CHECK_INT(usleep(2000), 0);
    CHECK_INT(nanosleep(&shortly, &left), 0);
    CHECK_INT(clock_nanosleep(CLOCK_REALTIME, 0, &shortly, NULL), 0);
    CHECK(clock_mono() - begin >= 6 * NS_PER_MS);
    CHECK_INT(sleep(0), 0);
    CHECK_INT(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &past, NULL), 0);
    CHECK_INT(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL), 0);
    CHECK_INT(nanosleep(&odd, NULL), -1);
    CHECK_INT(errno, EINVAL);
    errno = 0;
    CHECK_INT(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &shortly, NULL), EINVAL);
    CHECK_INT(clock_nanosleep(CLOCK_MONOTONIC, 0, &odd, NULL), EINVAL);
    CHECK_INT(errno, 0); /* this one returns its error */
}

/* Reads that need not wait meet the limit, too, and from then on each does. */
static void reads_over(int fd, int peer)
{
    static char bytes[1000];
    int n = 0;

    CHECK_INT(send(peer, bytes, sizeof bytes, MSG_NOSIGNAL), (int)sizeof bytes);
    sched_limit_waits(clock_mono() - 1);
    while (n < (int)sizeof bytes / 2 && recv(fd, bytes, 1, 0) == 1)
        n++;
    CHECK(n > 0 && n < 100);
    for (int k = 0; k < 2; k++) {
        errno = 0;
        CHECK_INT(recv(fd, bytes, 1, 0), -1);
        CHECK_INT(errno, ETIMEDOUT);
    }
    sched_limit_waits(0);
    CHECK(recv(fd, bytes, sizeof bytes, 0) > 0);
}

static void all_calls(void *arg, size_t i)
{
    int fd[2];

    (void)arg;
    (void)i;
    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    polls(fd[0], fd[1]);
    reads_over(fd[0], fd[1]);
    sleeps();
    CHECK_INT(close(fd[0]), 0);
    CHECK_INT(close(fd[1]), 0);
    CHECK_INT(close(fd[1]), -1);
    CHECK_INT(errno, EBADF);
}

static void on_a_task(void)
{
    struct sched_spec spec = {
        .workers = 1, .tasks = 1, .stack = FIBER_STACK_MIN, .live = all_calls};
    struct err e = {0};
    struct sched *s;

    CHECK_INT(sched_start(&s, &spec, &e), 0);
    CHECK(sched_worker_cpu(s, 0) >= 0);
    sched_join(s);
}

/* A signal ends a sleep early, and the remaining time is returned. */
static void ignore(int sig)
{
    (void)sig;
}

static void interrupted(void)
{
    static const struct timespec long_time = {.tv_sec = 1000};
    struct sigaction act = {.sa_handler = ignore}, before;
    struct timespec left = {0};
    timer_t timer;
    struct itimerspec soon = {.it_value = shortly, .it_interval = shortly};

    sigaction(SIGALRM, &act, &before);
    CHECK_INT(timer_create(CLOCK_MONOTONIC, NULL, &timer), 0);
    timer_settime(timer, 0, &soon, NULL);
    CHECK_INT(nanosleep(&long_time, &left), -1);
    CHECK_INT(errno, EINTR);
    CHECK(left.tv_sec > 0 && left.tv_sec < 1000);
    CHECK(sleep(1000) != 0);
    CHECK_INT(poll(NULL, 0, -1), -1);
    CHECK_INT(errno, EINTR);
    timer_delete(timer);
    sigaction(SIGALRM, &before, NULL);
}

/* A table that is smaller than the call claims ends the program, as in the C library. */
static void overflow(void)
{
    struct pollfd p[2] = {{.fd = -1}, {.fd = -1}};

    for (int i = 0; i < 2; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            signal(SIGABRT, SIG_DFL);
            if (i)
                __ppoll_chk(p, 2, &none, NULL, sizeof *p);
            else
                __poll_chk(p, 2, 0, sizeof *p);
            _exit(0);
        }
        CHECK_INT(waitpid(child, &status, 0), child);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
}

static void no_room(void)
{
    struct sched_spec spec = {
        .workers = 2, .tasks = 3, .stack = (size_t)1 << 60, .live = all_calls};
    struct err e = {0};
    struct sched *s;

    CHECK_INT(sched_start(&s, &spec, &e), -1);
    CHECK(!s);
    CHECK(strstr(e.msg, "only 0 of 3 clients fit") == e.msg);
    CHECK(strstr(e.msg, "cannot map a stack of 1125899906842624 KiB: ") != NULL);
    sched_poke(NULL);
}

/* --- which libraries wait in poll() --- */

/* libc defines poll() and does not import it. */
static bool is_in_program(const void *function)
{
    Dl_info f, me;

    return dladdr(function, &f) && dladdr((const void *)polls, &me) && f.dli_fbase == me.dli_fbase;
}

static void libraries(void)
{
    struct err e = {0};

    CHECK_INT(library_check((const void *)libraries, &e), 0); /* this program itself */
    CHECK_INT(library_check((const void *)pthread_create, &e),
              0 - !is_in_program((const void *)pthread_create));
    CHECK(!*e.msg || strstr(e.msg, "does not wait in poll()") != NULL);
}

TEST_MAIN(waits_test)
{
    struct prefetch memory = {0};
    struct err e = {0};

    fflush(stdout);
    CHECK_INT(interpose_check(&e), 0);
    all_calls(NULL, 0);
    prefetch_here = &memory;
    all_calls(NULL, 0);
    prefetch_here = NULL;
    on_a_task();
    interrupted();
    overflow();
    no_room();
    libraries();
    return test_done("waits");
}
