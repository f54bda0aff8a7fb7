/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What happens to a process whose stack is used up, on the main thread and on another one, of a
 * client and of nobody; and that any other fault keeps its signal.  Each in a process of its own.
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

static volatile int depth, limit = 1 << 30;

/* Not a tail call, and nothing that a compiler could take out of the loop. */
__attribute__((noinline)) static int deep(volatile char *above)
{
    volatile char frame[1024];

    frame[0] = above ? (char)(above[0] + 1) : 0;
    depth++;
    return depth < limit ? deep(frame) + frame[0] : frame[0];
}

static void *deep_thread(void *arg)
{
    struct overflow_stack alternate;

    (void)arg;
    overflow_begin(&alternate);
    deep(NULL);
    overflow_end();
    return NULL;
}

static void on_thread(void)
{
    pthread_attr_t attr;
    pthread_t t;

    pthread_attr_init(&attr);
    pthread_attr_setguardsize(&attr, OVERFLOW_GUARD);
    if (pthread_create(&t, &attr, deep_thread, NULL) == 0)
        pthread_join(t, NULL);
}

static void on_main(void)
{
    deep(NULL);
}

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

static void overflows(void)
{
    static void (*const where[])(void) = {on_main, on_thread};
    char out[256];
    int status;

    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        status = status_of(where[i], NULL, out, sizeof out);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
        CHECK_STR(out, "FATAL: C stack overflow: calls of C functions and callbacks are nested "
                       "too deeply\n");
        status = status_of(where[i], client_7, out, sizeof out);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
        CHECK_STR(out, "FATAL: C stack overflow in client 7: calls of C functions and callbacks "
                       "are nested too deeply\n");
    }
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
    overflows();
    other_faults();
    return test_done("overflow_test");
}
