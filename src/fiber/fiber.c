/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stacks, and the switch with the state that is switched with it: errno, the user's pointer, and
 * the annotations for sanitizers and valgrind, which would otherwise report a jump to another stack
 * as an overflow or a race.
 */
#include "fiber/fiber.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Not every compiler brings the headers that declare these. */
#ifdef SB_ASAN
void __sanitizer_start_switch_fiber(void **fake_stack_save, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *fake_stack_save, const void **bottom_old,
                                     size_t *size_old);
#endif
#ifdef SB_TSAN
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
#endif
#ifdef HAVE_VALGRIND
#include <valgrind/valgrind.h>
#endif

#include "base/overflow.h"

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#endif

_Thread_local void *fiber_local;

/* --- annotations for sanitizers and valgrind --- */

/* `last`: `from` will not run again. */
static inline void before_swap(struct fiber *from, struct fiber *to, bool last)
{
#ifdef SB_ASAN
    __sanitizer_start_switch_fiber(last ? NULL : &from->fake_stack, to->low, to->size);
#endif
#ifdef SB_TSAN
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
    (void)from;
    (void)to;
    (void)last;
}

static inline void after_swap(struct fiber *now)
{
#ifdef SB_ASAN
    __sanitizer_finish_switch_fiber(now->fake_stack, NULL, NULL);
#endif
    (void)now;
}

/* --- the switch ---
 *
 * A call may change all registers except those that the platform's calling
 * convention preserves; so it suffices to save these on the old stack, to exchange the stack
 * pointers, and to load those of the other side:
 *
 *     x86-64   rbx rbp r12-r15            (the System V ABI also preserves the rounding modes:
 *     aarch64  x19-x30 d8-d15              all fibers of a program share them unchanged)
 *
 * A new stack is laid out as if it had been switched away from just before the entry function's
 * first instruction.  The return address above the entry is declared undefined, where unwinders (of
 * LuaJIT's errors, of debuggers and profilers) stop.
 *
 * Elsewhere ucontext(3) does the same with two system calls per switch, which save a signal mask
 * that is the same for all. */

#if SB_FIBER_ASM

void sb_fiber_swap(void **save, void *load);
void sb_fiber_start(void);

#if defined(__x86_64__)

__asm__(".text\n"
        ".p2align 4\n"
        ".globl sb_fiber_swap\n"
        ".hidden sb_fiber_swap\n"
        ".type sb_fiber_swap, @function\n"
        "sb_fiber_swap:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size sb_fiber_swap, .-sb_fiber_swap\n"
        ".p2align 4\n"
        ".globl sb_fiber_start\n"
        ".hidden sb_fiber_start\n"
        ".type sb_fiber_start, @function\n"
        "sb_fiber_start:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined rip\n"
        "    movq %r12, %rdi\n"
        "    call *%r13\n"
        "    ud2\n"
        "    .cfi_endproc\n"
        ".size sb_fiber_start, .-sb_fiber_start\n");

enum { SAVED = 7, SAVED_ARG = 3, SAVED_ENTRY = 2, SAVED_FRAME = 5, SAVED_RETURN = 6 };

#else /* aarch64 */

__asm__(".text\n"
        ".p2align 4\n"
        ".globl sb_fiber_swap\n"
        ".hidden sb_fiber_swap\n"
        ".type sb_fiber_swap, %function\n"
        "sb_fiber_swap:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size sb_fiber_swap, .-sb_fiber_swap\n"
        ".p2align 4\n"
        ".globl sb_fiber_start\n"
        ".hidden sb_fiber_start\n"
        ".type sb_fiber_start, %function\n"
        "sb_fiber_start:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined x30\n"
        "    mov x0, x19\n"
        "    blr x20\n"
        "    brk #1\n"
        "    .cfi_endproc\n"
        ".size sb_fiber_start, .-sb_fiber_start\n");

enum { SAVED = 20, SAVED_ARG = 0, SAVED_ENTRY = 1, SAVED_FRAME = 10, SAVED_RETURN = 11 };

#endif

static void prepare(struct fiber *f, void (*entry)(struct fiber *f))
{
    uintptr_t top = ((uintptr_t)f->low + f->size) & ~(uintptr_t)15;
    /* sb_fiber_start begins with the stack pointer at `top - 16`, aligned as before a call */
    uintptr_t *saved = (uintptr_t *)(top - 16) - SAVED;

    for (int i = 0; i < SAVED; i++)
        saved[i] = 0;
    saved[SAVED_ARG] = (uintptr_t)f;
    saved[SAVED_ENTRY] = (uintptr_t)entry;
    saved[SAVED_FRAME] = 0;
    saved[SAVED_RETURN] = (uintptr_t)sb_fiber_start;
    f->sp = saved;
}

static void swap(struct fiber *from, struct fiber *to)
{
    sb_fiber_swap(&from->sp, to->sp);
}

#else /* ucontext */

/* makecontext() passes int arguments only: a pointer goes in two halves. */
static void start(unsigned high, unsigned low)
{
    struct fiber *f = (struct fiber *)(uintptr_t)((uint64_t)high << 32 | low);

    f->entry(f);
}

static void prepare(struct fiber *f, void (*entry)(struct fiber *f))
{
    uint64_t p = (uintptr_t)f;

    f->entry = entry;
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->low;
    f->context.uc_stack.ss_size = f->size;
    f->context.uc_link = NULL; /* a fiber never returns */
    makecontext(&f->context, (void (*)(void))(uintptr_t)start, 2, (unsigned)(p >> 32), (unsigned)p);
}

static void swap(struct fiber *from, struct fiber *to)
{
    swapcontext(&from->context, &to->context);
}

#endif

/* --- life --- */

static void enter(struct fiber *f)
{
    after_swap(f);
    fiber_local = NULL;
    f->run(f->arg);
    __builtin_trap(); /* run() must not return */
}

int fiber_open(struct fiber *f, size_t stack_bytes, void (*run)(void *arg), void *arg,
               struct err *e)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size =
        ((stack_bytes < FIBER_STACK_MIN ? FIBER_STACK_MIN : stack_bytes) + page - 1) & ~(page - 1);

    memset(f, 0, sizeof *f);
    f->map_size = size + OVERFLOW_GUARD;
    f->map = mmap(NULL, f->map_size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (f->map == MAP_FAILED || (madvise(f->map, OVERFLOW_GUARD, MADV_GUARD_INSTALL) &&
                                 mprotect(f->map, OVERFLOW_GUARD, PROT_NONE))) {
        int errnum = errno;
        if (f->map != MAP_FAILED)
            munmap(f->map, f->map_size);
        f->map = NULL;
        return err_sys(e, errnum, "cannot map a stack of %zu KiB", size / 1024);
    }
    f->run = run;
    f->arg = arg;
    f->low = (char *)f->map + OVERFLOW_GUARD;
    f->size = size;
#ifdef SB_TSAN
    f->tsan = __tsan_create_fiber(0);
#endif
#ifdef HAVE_VALGRIND
    f->valgrind_id = (unsigned)VALGRIND_STACK_REGISTER(f->low, (char *)f->low + f->size);
#endif
    prepare(f, enter);
    return 0;
}

void fiber_close(struct fiber *f)
{
    if (!f->map)
        return;
#ifdef SB_TSAN
    __tsan_destroy_fiber(f->tsan);
#endif
#ifdef HAVE_VALGRIND
    VALGRIND_STACK_DEREGISTER(f->valgrind_id);
#endif
    munmap(f->map, f->map_size);
    f->map = NULL;
}

void fiber_adopt_thread(struct fiber *f)
{
    pthread_attr_t attr;

    memset(f, 0, sizeof *f);
    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        pthread_attr_getstack(&attr, &f->low, &f->size);
        pthread_attr_destroy(&attr);
    }
#ifdef SB_TSAN
    f->tsan = __tsan_get_current_fiber();
#endif
}

void fiber_switch(struct fiber *from, struct fiber *to)
{
    void *local = fiber_local;
    int saved = errno;

    before_swap(from, to, false);
    swap(from, to);
    after_swap(from);
    fiber_local = local;
    errno = saved;
}

_Noreturn void fiber_leave(struct fiber *from, struct fiber *to)
{
    before_swap(from, to, true);
    swap(from, to);
    __builtin_trap(); /* a fiber that has left is never switched to */
}
