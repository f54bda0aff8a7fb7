/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A fiber: a C stack of its own on which a function runs until it hands the CPU to another fiber of
 * the same OS thread.  Blocking client libraries, LuaJIT and its compiled traces run on it as they
 * do on a thread.  No scheduler here (worker.h), just stacks and the switch between them: some
 * fifteen instructions (fiber.c), or ucontext(3) where no assembly is written.
 *
 * A fiber has its own errno and fiber_local, which are switched with it.  Everything else
 * that is thread-local is shared by the fibers of a thread.  A fiber never changes its thread, so
 * addresses of thread-local variables stay valid across a switch.
 *
 * Stacks are mapped without reservation, a guard below each: pages that are not touched cost
 * no memory, and an overflow is a fault, not a corruption.  Where the kernel has guards that are no
 * mappings of their own, it makes one mapping of all stacks; otherwise each takes two, as none is
 * ever without a guard.  AddressSanitizer, ThreadSanitizer and
 * valgrind get annotations for stacks and switches.
 */
#ifndef SB_FIBER_FIBER_H
#define SB_FIBER_FIBER_H

#include <stdbool.h>
#include <stddef.h>

#include "config.h"

#include "base/err.h"

#if !defined(SB_FIBER_UCONTEXT) && (defined(__x86_64__) || defined(__aarch64__))
#define SB_FIBER_ASM 1
#else
#define SB_FIBER_ASM 0
#include <ucontext.h>
#endif

/* Sanitizers that get annotations. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SB_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define SB_TSAN 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define SB_ASAN 1
#endif
#ifdef __SANITIZE_THREAD__
#define SB_TSAN 1
#endif

struct fiber {
#if SB_FIBER_ASM
    void *sp; /* of a fiber that does not run: where its registers are saved */
#else
    ucontext_t context;
    void (*entry)(struct fiber *f);
#endif
    void (*run)(void *arg);
    void *arg;
    void *map; /* guard and stack; NULL: a thread's own */
    size_t map_size;
    void *low; /* lowest address of the usable stack, and its size */
    size_t size;
    void *fake_stack; /* AddressSanitizer's */
    void *tsan;       /* ThreadSanitizer's */
    unsigned valgrind_id;
};

/* A pointer for the user of the running fiber: each has its own, NULL at first. */
extern _Thread_local void *fiber_local;

/* The smallest stack on which a client can run: a TLS handshake and the JIT compiler take 20
 * KiB. */
#define FIBER_STACK_MIN ((size_t)64 * 1024)

/*
 * A fiber that will call run(arg) when it is switched to for the first time.  `run` never returns:
 * it ends with fiber_leave().  -1: the system refuses the memory (ENOMEM also means
 * vm.max_map_count: before Linux 6.13, a stack takes two mappings).
 */
int fiber_open(struct fiber *f, size_t stack_bytes, void (*run)(void *arg), void *arg,
               struct err *e);

/* Releases the stack of a fiber that is not running. */
void fiber_close(struct fiber *f);

/* The calling thread's own stack as a fiber, so that it can be switched from and back to. */
void fiber_adopt_thread(struct fiber *f);

/* Switches from the running fiber to another of this thread; returns when a fiber switches back. */
void fiber_switch(struct fiber *from, struct fiber *to);

/* The last switch of a fiber. */
_Noreturn void fiber_leave(struct fiber *from, struct fiber *to);

/* How far down the stack of a fiber that does not run is used; NULL: unknown (ucontext(3)). */
static inline const void *fiber_stack_pointer(const struct fiber *f)
{
#if SB_FIBER_ASM
    return f->sp;
#else
    (void)f;
    return NULL;
#endif
}

#endif
