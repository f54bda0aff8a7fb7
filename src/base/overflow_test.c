/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A fault that is no overflow of a stack keeps its signal; tests/t/run_overflow.t has the
 * overflows.
 */
#include "base/overflow.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/client_errors.h"
#include "base/test.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

static void wrong_pointer(void)
{
    static volatile uintptr_t nowhere = 8;

    *(volatile int *)nowhere = 1;
}

static void sent(void)
{
    raise(SIGSEGV);
}

static int client_7(void)
{
    return 7;
}

/* What the process printed, and how it ended. */
static int status_of(void (*f)(void), client_errors_who *who, char *out, size_t size)
{
    int fd[2], status = -1;
    ssize_t n;
    pid_t pid;

    if (pipe(fd))
        return -1;
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        struct rlimit none = {0};
        setrlimit(RLIMIT_CORE, &none);
        dup2(fd[1], STDOUT_FILENO);
        overflow_install();
        client_errors_begin(who);
        f();
        _exit(0);
    }
    close(fd[1]);
    n = read(fd[0], out, size - 1);
    out[n > 0 ? n : 0] = '\0';
    close(fd[0]);
    waitpid(pid, &status, 0);
    return status;
}

static void other_faults(void)
{
    static void (*const what[])(void) = {wrong_pointer, sent};
    char out[256];

    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        int status = status_of(what[i], client_7, out, sizeof out);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
        CHECK_STR(out, "");
    }
}

TEST_MAIN(overflow_test)
{
    if (HAS_SANITIZER) /* which have a handler of their own */
        return test_done("overflow_test");
    other_faults();
    return test_done("overflow_test");
}
