/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shared by the unit tests.  A check that fails prints file, line and both values, and the test
 * goes on; test_done() prints the count and returns the exit status.  Any thread may check.  Only
 * *_test.c files include this.
 *
 *     TEST_MAIN(clock_test)            in clock_test.c, in place of main(int argc, char **argv)
 *     {
 *         CHECK_INT(1 + 1, 2);
 *         return test_done("clock_test");
 *     }
 */
#ifndef SB_BASE_TEST_H
#define SB_BASE_TEST_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct test_entry {
    const char *name;
    int (*run)(int argc, char **argv);
    struct test_entry *next;
};
/* test_main.c */
void test_add(struct test_entry *e);
/* Set by a test whose threads are still at work when it ends: what they hold is no leak. */
extern bool test_leaves_memory;

#define TEST_MAIN(test)                                                                            \
    static int test_run(int argc, char **argv);                                                    \
    __attribute__((constructor)) static void test_register(void)                                   \
    {                                                                                              \
        static struct test_entry test_entry = {.name = #test, .run = test_run};                    \
        test_add(&test_entry);                                                                     \
    }                                                                                              \
    static int test_run(__attribute__((unused)) int argc, __attribute__((unused)) char **argv)

static _Atomic int test_checks, test_failures;

#define TEST_REPORT(ok, ...)                                                                       \
    do {                                                                                           \
        test_checks++;                                                                             \
        if (!(ok)) {                                                                               \
            if (++test_failures <= 20) { /* a failing loop would fill the log */                   \
                printf("%s:%d: ", __FILE__, __LINE__);                                             \
                printf(__VA_ARGS__);                                                               \
                printf("\n");                                                                      \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#define CHECK(cond) TEST_REPORT((cond), "not true: %s", #cond)

#define CHECK_INT(got, want)                                                                       \
    do {                                                                                           \
        long long got_ = (long long)(got), want_ = (long long)(want);                              \
        TEST_REPORT(got_ == want_, "%s: got %lld, want %lld", #got, got_, want_);                  \
    } while (0)

#define CHECK_STR(got, want)                                                                       \
    do {                                                                                           \
        const char *got_ = (got), *want_ = (want);                                                 \
        TEST_REPORT(got_ &&want_ &&strcmp(got_, want_) == 0, "%s: got \"%s\", want \"%s\"", #got,  \
                    got_ ? got_ : "(null)", want_ ? want_ : "(null)");                             \
    } while (0)

#define CHECK_NEAR(got, want, tol)                                                                 \
    do {                                                                                           \
        double got_ = (double)(got), want_ = (double)(want);                                       \
        TEST_REPORT(fabs(got_ - want_) <= (tol), "%s: got %g, want %g +- %g", #got, got_, want_,   \
                    (double)(tol));                                                                \
    } while (0)

static inline int test_done(const char *name)
{
    printf("%s: %d checks, %d failed\n", name, test_checks, test_failures);
    return test_failures ? 1 : 0;
}

#endif
