/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Fibers: values survive switches, a fiber's own state is switched with it, deep stacks and longjmp
 * work, and many fibers exist at once.
 */
#include "fiber/fiber.h"

#include <errno.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/overflow.h"
#include "base/test.h"

struct player {
    struct fiber fiber;
    struct fiber *back;
    int id, turns;
    uint64_t sum;
    double real;
};

static struct fiber thread;

/* Keeps enough values across the switch that callee-saved registers of both kinds are in use. */
static void play(void *arg)
{
    struct player *p = arg;
    uint64_t a = (uint64_t)p->id, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5;
    double x = p->id, y = 0.5;

    fiber_local = p;
    errno = p->id;
    for (int i = 0; i < 100; i++) {
        fiber_switch(&p->fiber, p->back);
        p->turns++;
        a += b ^ c;
        b += c ^ d;
        c += d ^ e;
        d += e ^ f;
        e += f ^ a;
        f += a ^ b;
        x = x * y + 1;
        CHECK(fiber_local == p);
        CHECK_INT(errno, p->id);
    }
    p->sum = a + b + c + d + e + f;
    p->real = x;
    fiber_leave(&p->fiber, p->back);
}

/* The same computation without a switch. */
static void expect(int id, uint64_t *sum, double *real)
{
    uint64_t a = (uint64_t)id, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5;
    double x = id;

    for (int i = 0; i < 100; i++) {
        a += b ^ c;
        b += c ^ d;
        c += d ^ e;
        d += e ^ f;
        e += f ^ a;
        f += a ^ b;
        x = x * 0.5 + 1;
    }
    *sum = a + b + c + d + e + f;
    *real = x;
}

static void values_survive(void)
{
    enum { N = 300 };
    struct player *p = calloc(N, sizeof *p);
    struct err e = {0};

    fiber_local = &thread;
    for (int i = 0; i < N; i++) {
        p[i].id = i;
        p[i].back = &thread;
        CHECK_INT(fiber_open(&p[i].fiber, FIBER_STACK_MIN, play, &p[i], &e), 0);
    }
    errno = 77;
    for (int turn = 0; turn <= 100; turn++)
        for (int i = 0; i < N; i++) {
            fiber_switch(&thread, &p[i].fiber);
            CHECK(fiber_local == &thread);
        }
    CHECK_INT(errno, 77);
    for (int i = 0; i < N; i++) {
        uint64_t sum;
        double real;
        expect(i, &sum, &real);
        CHECK_INT(p[i].turns, 100);
        CHECK(p[i].sum == sum);
        CHECK(p[i].real == real);
        fiber_close(&p[i].fiber);
    }
    free(p);
}

static int mappings(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    int c, n = 0;

    while (f && (c = getc(f)) != EOF)
        n += c == '\n';
    if (f)
        fclose(f);
    return n;
}

static int depth(int n)
{
    volatile char frame[1024];

    memset((char *)(uintptr_t)frame, n, sizeof frame);
    return n == 0 ? 0 : depth(n - 1) + (frame[512] == (char)n);
}

static void use_deeply(void *arg)
{
    struct player *p = arg;
    jmp_buf there;

    p->sum = (uint64_t)depth(100); /* some 100 KiB and more */
    if (setjmp(there) == 0)
        longjmp(there, 1);
    p->turns = 1;
    fiber_switch(&p->fiber, p->back);
    p->turns = 2;
    fiber_leave(&p->fiber, p->back);
}

static void deep(void)
{
    struct player p = {.back = &thread};
    struct err e = {0};

    CHECK_INT(fiber_open(&p.fiber, 1024 * 1024, use_deeply, &p, &e), 0);
    fiber_switch(&thread, &p.fiber);
    CHECK_INT(p.sum, 100);
    CHECK_INT(p.turns, 1);
    fiber_switch(&thread, &p.fiber);
    CHECK_INT(p.turns, 2);
    fiber_close(&p.fiber);
    fiber_close(&p.fiber); /* harmless */
}

/* What lies below a stack cannot be read; and many stacks are one mapping, where the kernel can. */
static void guarded(void)
{
    enum { MANY = 500 };
    static struct fiber f[MANY];
    int before = mappings(), more, each, end[2];
    struct err e = {0};

    for (int i = 0; i < MANY; i++)
        CHECK_INT(fiber_open(&f[i], FIBER_STACK_MIN, use_deeply, NULL, &e), 0);
    more = mappings() - before;
    each = madvise(f[0].map, OVERFLOW_GUARD, 102 /* MADV_GUARD_INSTALL */) == 0 ? 0 : 2;
#ifdef __SANITIZE_THREAD__ /* which maps memory of its own for each fiber */
    more = each ? MANY : 0;
#endif
    CHECK(each ? more >= MANY : more < MANY / 10);
    CHECK_INT(pipe(end), 0);
    for (int i = 0; i < MANY; i++) {
        char *low = f[i].low;
        CHECK_INT(write(end[1], low - 1, 1), -1);
        CHECK_INT(write(end[1], low - OVERFLOW_GUARD, 1), -1);
        CHECK_INT(write(end[1], low, 1), 1);
    }
    close(end[0]);
    close(end[1]);
    for (int i = 0; i < MANY; i++)
        fiber_close(&f[i]);
}

#ifndef __SANITIZE_THREAD__ /* where memory is refused, that runtime says so and ends the program  \
                             */
static void refused(void)
{
    struct player p = {.back = &thread};
    struct err e = {0};

    CHECK_INT(fiber_open(&p.fiber, (size_t)1 << 60, use_deeply, &p, &e), -1);
    CHECK(strstr(e.msg, "cannot map a stack of") != NULL);
    fiber_close(&p.fiber);
}
#endif

TEST_MAIN(fiber_test)
{
    fiber_adopt_thread(&thread);
    guarded();
    values_survive();
    deep();
#ifndef __SANITIZE_THREAD__
    refused();
#endif
    return test_done("fiber");
}
