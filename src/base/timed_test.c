/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Timed checks (test_timed.h), each case in a child: what it prints and how it exits, on a machine
 * that is quiet and on one that stalls.  Nothing is measured here; the test sets the stall.
 */
#include "base/test_timed.h"

#include <stdlib.h>
#include <sys/wait.h>

static void nothing_fails(void)
{
    CHECK(true);
    CHECK_TIMED(true);
    CHECK_TIMED_INT(3, 3);
    CHECK_TIMED_NEAR(1.0, 1.1, 0.2);
}

static void condition_fails(void)
{
    CHECK_TIMED(1 > 2);
}

static void number_fails(void)
{
    CHECK_TIMED_INT(3, 4);
}

static void distance_fails(void)
{
    CHECK_TIMED_NEAR(1.0, 1.3, 0.2);
}

static void exact_fails(void)
{
    CHECK(1 > 2);
}

static void both_fail(void)
{
    CHECK_TIMED(1 > 2);
    CHECK(1 > 2);
}

static const struct {
    void (*fn)(void);
    int quiet, stalled; /* exit status */
} cases[] = {
    {nothing_fails, 0, 0},   {condition_fails, 1, 75}, {number_fails, 1, 75},
    {distance_fails, 1, 75}, {exact_fails, 1, 1},      {both_fail, 1, 1},
};

static int status_of(void (*fn)(void), bool stalled, char *out, size_t size)
{
    int status = 0, fd[2];
    size_t n = 0;
    ssize_t got;
    pid_t pid;

    if (pipe(fd) != 0)
        return -1;
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        test_checks = test_failures = 0;
        dup2(fd[1], STDOUT_FILENO);
        atomic_store(&timed_worst, stalled ? TIMED_STALL_NS : TIMED_STALL_NS - 1);
        fn();
        status = timed_done("child");
        fflush(stdout);
        _exit(status);
    }
    close(fd[1]);
    while ((got = read(fd[0], out + n, size - 1 - n)) > 0)
        n += (size_t)got;
    out[n] = '\0';
    close(fd[0]);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_MAIN(timed_test)
{
    char out[2048];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_INT(status_of(cases[i].fn, false, out, sizeof out), cases[i].quiet);
        CHECK(strstr(out, "INCONCLUSIVE") == NULL);
        CHECK_INT(status_of(cases[i].fn, true, out, sizeof out), cases[i].stalled);
        CHECK_INT(strstr(out, "\nINCONCLUSIVE: child: ") != NULL, cases[i].stalled == 75);
        CHECK(cases[i].stalled != 75 || strstr(out, "stood still for 100 ms") != NULL);
    }
    return test_done("timed_test");
}
