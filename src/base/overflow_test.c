/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A fault that is no overflow of a stack keeps its signal; tests/t/run_overflow.t has the
 * overflows.
 */
#include "base/overflow.h"

#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/client_errors.h"
#include "base/test_capture.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

static int client_7(void)
{
    return 7;
}

static void ready(void)
{
    const struct rlimit none = {0};

    setrlimit(RLIMIT_CORE, &none);
    overflow_install();
    client_errors_begin(client_7);
}

static int wrong_pointer(void)
{
    static volatile uintptr_t nowhere = 8;

    ready();
    *(volatile int *)nowhere = 1;
    return 0;
}

static int sent(void)
{
    ready();
    return raise(SIGSEGV);
}

TEST_MAIN(overflow_test)
{
    if (HAS_SANITIZER) /* which have a handler of their own */
        return test_done("overflow_test");
    static int (*const what[])(void) = {wrong_pointer, sent};
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        int status;
        CHECK_STR(captured_child(&status, STDOUT_FILENO, what[i]), "");
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    }
    return test_done("overflow_test");
}
