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

_Thread_local void *fiber_local;

/* --- annotations for sanitizers and valgrind --- */

static void note_stack(struct fiber *f)
{
#ifdef SB_TSAN
    f->tsan = __tsan_create_fiber(0);
#endif
#ifdef HAVE_VALGRIND
    f->valgrind_id = (unsigned)VALGRIND_STACK_REGISTER(f->low, (char *)f->low + f->size);
#endif
    (void)f;
}

static void forget_stack(struct fiber *f)
{
#ifdef SB_TSAN
    __tsan_destroy_fiber(f->tsan);
#endif
#ifdef HAVE_VALGRIND
    VALGRIND_STACK_DEREGISTER(f->valgrind_id);
#endif
    (void)f;
}

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
    if (f->map == MAP_FAILED || mprotect(f->map, OVERFLOW_GUARD, PROT_NONE)) {
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
    note_stack(f);
    fiber_prepare(f, enter);
    return 0;
}

void fiber_close(struct fiber *f)
{
    if (!f->map)
        return;
    forget_stack(f);
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
    fiber_swap(from, to);
    after_swap(from);
    fiber_local = local;
    errno = saved;
}

_Noreturn void fiber_leave(struct fiber *from, struct fiber *to)
{
    before_swap(from, to, true);
    fiber_swap(from, to);
    __builtin_trap(); /* a fiber that has left is never switched to */
}
