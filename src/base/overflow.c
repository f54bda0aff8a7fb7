/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See overflow.h.  What the handler reads of a Lua state may be in the middle of a change.  So a
 * second fault, while the place is looked for, only means that there is none (nested_note).
 *
 * The sanitizers have handlers of their own: with them, ours is not installed.
 */
#include "base/overflow.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#ifndef HAS_SANITIZER
#define HAS_SANITIZER 0
#endif

static bool (*_Atomic guarded)(const void *address);
static void (*_Atomic place)(char *out, size_t size);
static void (*_Atomic report)(const char *who);

static _Thread_local char *lowest; /* of this thread's own stack; NULL: not known */
static _Thread_local volatile sig_atomic_t looking;
static _Thread_local sigjmp_buf nested;

void overflow_set_guarded(bool (*f)(const void *address))
{
    atomic_store(&guarded, f);
}

void overflow_set_place(void (*f)(char *out, size_t size))
{
    atomic_store(&place, f);
}

void overflow_set_report(void (*f)(const char *who))
{
    atomic_store(&report, f);
}

/* --- the handler --- */

static bool is_overflow(const char *address)
{
    bool (*of_fiber)(const void *address) = atomic_load(&guarded);

    if (of_fiber && of_fiber(address))
        return true;
    return lowest && address < lowest && (size_t)(lowest - address) <= OVERFLOW_GUARD;
}

static const char *find_place(char *out, size_t size)
{
    void (*f)(char *out, size_t size) = atomic_load(&place);

    out[0] = '\0';
    if (f && sigsetjmp(nested, 1) == 0) {
        looking = 1;
        f(out, size);
    }
    looking = 0;
    out[size - 1] = '\0';
    return out;
}

static _Noreturn void end_at_once(const char *who)
{
    char text[256];
    int n =
        snprintf(text, sizeof text, "FATAL: the C stack is used up%s%s\n", *who ? ": " : "", who);

    if (write(STDOUT_FILENO, text, (size_t)n) < 0)
        _exit(1);
    _exit(1);
}

static _Noreturn void overflowed(void)
{
    void (*f)(const char *who) = atomic_load(&report);
    static _Atomic uint32_t never;
    mono_ns until = clock_mono() + OVERFLOW_WAIT * NS_PER_SEC;
    char who[160];

    find_place(who, sizeof who);
    if (f) {
        f(who);
        clock_sleep_until(until, &never, 0); /* nanosleep() would park a fiber */
    }
    end_at_once(who);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)context;
    if (looking)
        siglongjmp(nested, 1); /* nested_note */
    if (info->si_code > 0 && is_overflow(info->si_addr))
        overflowed();
    signal(sig, SIG_DFL); /* the instruction is repeated, and that is the end */
    if (info->si_code <= 0)
        raise(sig);
}

/* --- life --- */

static void note_lowest(void)
{
    pthread_attr_t attr;
    size_t size;
    void *low;

    if (pthread_getattr_np(pthread_self(), &attr))
        return;
    if (pthread_attr_getstack(&attr, &low, &size) == 0)
        lowest = low;
    pthread_attr_destroy(&attr);
}

void overflow_begin(struct overflow_stack *s)
{
    stack_t alternate = {.ss_sp = s->bytes, .ss_size = sizeof s->bytes};

    if (HAS_SANITIZER)
        return;
    note_lowest();
    sigaltstack(&alternate, NULL);
}

void overflow_end(void)
{
    stack_t none = {.ss_flags = SS_DISABLE};

    if (HAS_SANITIZER)
        return;
    sigaltstack(&none, NULL);
    lowest = NULL;
}

void overflow_install(void)
{
    static struct overflow_stack of_main;
    struct sigaction sa;

    if (HAS_SANITIZER)
        return;
    overflow_begin(&of_main);
    memset(&sa, 0, sizeof sa);
    sa.sa_sigaction = on_fault;
    sa.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &sa, NULL);
}
