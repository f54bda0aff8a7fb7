/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The switch itself.  A call may change all registers except those that the platform's calling
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
 * that is the same for all.
 */
#include "fiber/fiber.h"

#include <stdint.h>

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

void fiber_prepare(struct fiber *f, void (*entry)(struct fiber *f))
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

void fiber_swap(struct fiber *from, struct fiber *to)
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

void fiber_prepare(struct fiber *f, void (*entry)(struct fiber *f))
{
    uint64_t p = (uintptr_t)f;

    f->entry = entry;
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->low;
    f->context.uc_stack.ss_size = f->size;
    f->context.uc_link = NULL; /* a fiber never returns */
    makecontext(&f->context, (void (*)(void))(uintptr_t)start, 2, (unsigned)(p >> 32), (unsigned)p);
}

void fiber_swap(struct fiber *from, struct fiber *to)
{
    swapcontext(&from->context, &to->context);
}

#endif
