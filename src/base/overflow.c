/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See overflow.h.  Memory around the stack pointer faults only where the stack ends: so a fault
 * near it is an overflow, on a thread's own stack as on a fiber's.
 *
 * The sanitizers have handlers of their own: with them, ours is not installed.
 */
#include "base/overflow.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/client_errors.h"

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

static void on_fault(int sig, siginfo_t *info, void *context)
{
    const ucontext_t *u = context;
    uintptr_t at = (uintptr_t)info->si_addr;
#if defined(__x86_64__)
    uintptr_t sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    uintptr_t sp = (uintptr_t)u->uc_mcontext.sp;
#else
    uintptr_t sp = 0; /* not known: an overflow is a SIGSEGV as any other */
    (void)u;
#endif
    char text[128], where[32] = "";
    int client, n;

    if (info->si_code > 0 && sp && at + OVERFLOW_GUARD > sp && at < sp + OVERFLOW_GUARD) {
        client = client_errors_here();
        if (client >= 0)
            snprintf(where, sizeof where, " in client %d", client);
        n = snprintf(text, sizeof text,
                     "FATAL: C stack overflow%s: calls of C functions and callbacks are nested too "
                     "deeply\n",
                     where);
        if (write(STDOUT_FILENO, text, (size_t)n) < 0)
            _exit(1);
        _exit(1);
    }
    signal(sig, SIG_DFL); /* the instruction is repeated, and that is the end */
    if (info->si_code <= 0)
        raise(sig);
}

void overflow_begin(struct overflow_stack *s)
{
    stack_t alternate = {.ss_sp = s->bytes, .ss_size = sizeof s->bytes};

    if (!HAS_SANITIZER)
        sigaltstack(&alternate, NULL);
}

void overflow_end(void)
{
    stack_t none = {.ss_flags = SS_DISABLE};

    if (!HAS_SANITIZER)
        sigaltstack(&none, NULL);
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
    sa.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &sa, NULL);
}
