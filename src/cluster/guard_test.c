/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A launcher's view of a rank behind its guard: what the exit status is, which signals arrive, and
 * that neither outlives the other.
 */
#include "cluster/cluster_state.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test.h"

static int pipe_fds[2]; /* from the rank to the test */

static void say(int value)
{
    if (write(pipe_fds[1], &value, sizeof value) != sizeof value)
        abort();
}

/* What the rank has said; -1: all of its processes have ended. */
static int hear(void)
{
    int value;

    return read(pipe_fds[0], &value, sizeof value) == sizeof value ? value : -1;
}

/* Zero in the process that the launcher starts. */
static pid_t launch(void)
{
    fflush(stdout);
    if (pipe(pipe_fds))
        abort();
    return fork();
}

/* In the process that the launcher starts. */
static void become_rank(int rank, bool met)
{
    struct guard g = {.rank = rank};
    struct err e = {0};

    close(pipe_fds[0]);
    if (guard_start(&g, &e) || !g.met)
        abort();
    if (met)
        guard_met(&g);
}

static int end(pid_t launched)
{
    int status = 0;

    close(pipe_fds[1]);
    CHECK(waitpid(launched, &status, 0) == launched);
    CHECK_INT(hear(), -1);
    close(pipe_fds[0]);
    return status;
}

/* The rank ends with that status, or by that signal; the launcher sees what? */
static int seen(int rank, bool met, int status, int sig)
{
    const pid_t launched = launch();

    if (launched == 0) {
        become_rank(rank, met);
        if (sig)
            raise(sig);
        _exit(status);
    }
    return end(launched);
}

static void test_status(void)
{
    CHECK_INT(seen(0, true, 0, 0), 0);
    CHECK_INT(WEXITSTATUS(seen(0, true, 3, 0)), 3);
    CHECK_INT(WEXITSTATUS(seen(0, true, 0, SIGKILL)), 137);
    CHECK_INT(seen(1, true, 0, 0), 0);
    CHECK_INT(seen(1, true, 1, 0), 0);
    CHECK_INT(seen(1, true, 0, SIGKILL), 0);
    CHECK_INT(WEXITSTATUS(seen(1, false, 1, 0)), 1);
    CHECK_INT(WEXITSTATUS(seen(1, false, 0, SIGKILL)), 137);
}

/* A launcher that ignores SIGCHLD: a process that it starts does so, too. */
static void test_ignored_children(void)
{
    const pid_t launched = launch();

    if (launched == 0) {
        signal(SIGCHLD, SIG_IGN);
        become_rank(0, true);
        _exit(4);
    }
    CHECK_INT(WEXITSTATUS(end(launched)), 4);
}

static void on_signal(int sig)
{
    say(sig);
}

/* Each signal arrives once, whether the launcher sends it to the process or to its group. */
static void test_signals(void)
{
    const pid_t launched = launch();

    if (launched == 0) {
        setpgid(0, 0);
        signal(SIGINT, SIG_DFL); /* a shell's background job ignores it */
        signal(SIGTERM, on_signal);
        signal(SIGUSR1, on_signal);
        become_rank(0, true);
        say((int)getpid());
        for (;;)
            pause();
    }
    CHECK(hear() != launched);
    kill(launched, SIGUSR1);
    CHECK_INT(hear(), SIGUSR1);
    kill(-launched, SIGTERM);
    CHECK_INT(hear(), SIGTERM);
    kill(launched, SIGUSR1);
    CHECK_INT(hear(), SIGUSR1); /* and no second SIGTERM before it */
    kill(launched, SIGINT);
    CHECK_INT(WEXITSTATUS(end(launched)), 128 + SIGINT);
}

/* What is killed is the guard. */
static void test_killed_guard(void)
{
    const pid_t launched = launch();

    if (launched == 0) {
        become_rank(1, true);
        say(1);
        for (;;)
            pause();
    }
    CHECK_INT(hear(), 1);
    kill(launched, SIGKILL);
    CHECK_INT(WTERMSIG(end(launched)), SIGKILL);
}

static void *wait_for_end(void *arg)
{
    pause();
    return arg;
}

static void test_threads(void)
{
    pid_t pid;
    int status = 0;

    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        struct guard g = {.rank = 1};
        pthread_t t;

        pthread_create(&t, NULL, wait_for_end, NULL);
        _exit(guard_start(&g, NULL) || g.met ? 1 : 7);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK_INT(WEXITSTATUS(status), 7);
}

/* ThreadSanitizer has a thread of its own, and with two threads there is no guard. */
#ifdef __SANITIZE_THREAD__
#define ONE_THREAD false
#else
#define ONE_THREAD true
#endif

TEST_MAIN(guard_test)
{
    if (ONE_THREAD) {
        test_status();
        test_ignored_children();
        test_signals();
        test_killed_guard();
    }
    test_threads();
    return test_done("guard_test");
}
