/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See unwind.h.  The address of a caller is the one that a call returns to, which may belong to the
 * next function already; one byte before it is the call.
 */
#include "profile/unwind.h"

#include <string.h>

#if defined(__x86_64__) || defined(__aarch64__)
#include <asm/perf_regs.h>
#endif

#include "profile/cfi.h"
#include "profile/tree.h"

/* The kernel's number of each of DWARF's registers, in DWARF's order. */
#if defined(__x86_64__)
static const uint8_t kernel_register[] = {
    PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,  PERF_REG_X86_SI,
    PERF_REG_X86_DI,  PERF_REG_X86_BP,  PERF_REG_X86_SP,  PERF_REG_X86_R8,  PERF_REG_X86_R9,
    PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
    PERF_REG_X86_R15, PERF_REG_X86_IP};
#elif defined(__aarch64__)
static const uint8_t kernel_register[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                          11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                          22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
#else
static const uint8_t kernel_register[] = {0};
#endif

uint64_t unwind_registers(void)
{
    uint64_t mask = 0;

    if (!cfi_available())
        return 0;
    for (size_t i = 0; i < sizeof kernel_register; i++)
        mask |= UINT64_C(1) << kernel_register[i];
    return mask;
}

/* A frame and what it came from. */
struct place {
    uint64_t frame;
    struct object *object; /* NULL: unknown code */
    uint64_t addr;         /* the object's */
};

static struct place place_of(uint64_t pc, const struct space *s, pid_t pid, struct objects *objects)
{
    const struct mapping *m = space_find(s, pc);
    struct object *b = m ? objects->object[m->object] : NULL;
    uint64_t addr;

    if (!b || m->object >= FRAME_FIRST)
        return (struct place){FRAME_MAKE(FRAME_UNKNOWN, 0), NULL, 0};
    object_open(b, pid, m->start, m->end);
    addr = b->data ? object_address(b, pc - m->start + m->offset) : 0;
    return (struct place){FRAME_MAKE(m->object, addr), b, addr};
}

static struct cfi *cfi_of(struct object *b)
{
    if (b && b->data && !b->cfi_tried) {
        b->cfi = cfi_new(b->data, b->bytes);
        b->cfi_tried = true;
    }
    return b && b->data ? b->cfi : NULL;
}

/* One way to get at the user's part. */
struct walk {
    uint64_t pc[UNWIND_MAX];
    struct place place[UNWIND_MAX];
    size_t n;
    bool whole; /* reached the start of the thread */
};

static void walk_add(struct walk *w, uint64_t pc, bool caller, const struct space *s, pid_t pid,
                     struct objects *o)
{
    w->pc[w->n] = pc;
    w->place[w->n++] = place_of(caller && pc ? pc - 1 : pc, s, pid, o);
}

static bool is_c_library(const struct object *b)
{
    return strncmp(b->name, "libc.", 5) == 0 || strncmp(b->name, "libc-", 5) == 0 ||
           strncmp(b->name, "libpthread", 10) == 0 || strncmp(b->name, "ld-", 3) == 0;
}

/* A thread begins in the C library; so when a chain from elsewhere ends there, it is whole. */
static bool is_start(const struct walk *w)
{
    const struct place *last = w->n ? &w->place[w->n - 1] : NULL;
    struct cfi *c = last ? cfi_of(last->object) : NULL;

    if (!last || !last->object)
        return false;
    if (c && cfi_is_outmost(c, last->addr))
        return true;
    for (size_t i = 0; is_c_library(last->object) && i + 1 < w->n; i++)
        if (w->place[i].object && w->place[i].object != last->object)
            return true;
    return false;
}

/* The copy of the stack ends before this frame, or there is no information: follows the frame
 * pointer. */
static bool by_pointer(struct cfi_frame *f)
{
    uint64_t fp = f->reg[CFI_FP], next, pc;

    if (!(f->known >> CFI_FP & 1) || fp < f->reg[CFI_SP] || !cfi_read(f, fp, &next) ||
        !cfi_read(f, fp + 8, &pc) || pc == 0)
        return false;
    f->reg[CFI_FP] = next;
    f->reg[CFI_PC] = pc;
    f->reg[CFI_SP] = fp + 16;
    f->known = UINT64_C(1) << CFI_FP | UINT64_C(1) << CFI_SP | UINT64_C(1) << CFI_PC;
    f->exact = false;
    return true;
}

static void walk_cfi(struct walk *w, const struct record *r, const struct space *s, pid_t pid,
                     struct objects *o)
{
    struct cfi_frame f = {.exact = true, .stack = r->stack, .stack_bytes = r->stack_bytes};
    uint64_t mask = unwind_registers();

    for (unsigned i = 0; i < sizeof kernel_register; i++) {
        uint64_t below = mask & ((UINT64_C(1) << kernel_register[i]) - 1);
        f.reg[i] = r->regs[__builtin_popcountll(below)];
        f.known |= UINT64_C(1) << i;
    }
    f.stack_at = f.reg[CFI_SP];
    w->n = 0;
    w->whole = false;
    while (w->n < UNWIND_MAX) {
        enum cfi_step step = CFI_NONE;
        const struct place *here;
        struct cfi *c;
        walk_add(w, f.reg[CFI_PC], !f.exact, s, pid, o);
        here = &w->place[w->n - 1];
        c = cfi_of(here->object);
        if (c)
            step = cfi_step(c, here->addr, &f);
        w->whole = step == CFI_OUTMOST;
        if (step != CFI_CALLER && (step != CFI_NONE || !by_pointer(&f)))
            break;
    }
}

static void walk_chain(struct walk *w, const uint64_t *chain, size_t n, const struct space *s,
                       pid_t pid, struct objects *o)
{
    w->n = 0;
    for (size_t i = 0; i < n && w->n < UNWIND_MAX; i++)
        walk_add(w, chain[i], i > 0, s, pid, o);
    w->whole = is_start(w);
}

/* Appends the kernel's frames beyond the last frame that both have. */
static void continue_with(struct walk *cfi, const struct walk *chain)
{
    for (size_t i = cfi->n; i-- > 0;) {
        for (size_t k = 0; k < chain->n; k++) {
            if (cfi->pc[i] != chain->pc[k] || chain->n - k <= cfi->n - i)
                continue;
            cfi->n = i + 1;
            while (++k < chain->n && cfi->n < UNWIND_MAX) {
                cfi->pc[cfi->n] = chain->pc[k];
                cfi->place[cfi->n++] = chain->place[k];
            }
            cfi->whole = chain->whole;
            return;
        }
    }
}

/* Below the library's first function of a thread (start_thread) lies the system call that made
 * it (clone3), to which frame pointers do not lead: without it all stacks begin alike. */
static void begin_alike(struct walk *w)
{
    const struct place *last = w->n >= 2 && w->whole ? &w->place[w->n - 1] : NULL;
    struct cfi *c = last ? cfi_of(last->object) : NULL;

    if (c && last->object == last[-1].object && is_c_library(last->object) &&
        cfi_is_outmost(c, last->addr))
        w->n--;
}

static void append_frame(struct unwound *out, uint64_t frame)
{
    if (out->n < UNWIND_MAX)
        out->frame[out->n++] = frame;
}

void unwind(struct unwound *out, const struct record *r, const struct space *s, pid_t pid,
            struct objects *objects, struct unwind_counts *counts)
{
    struct walk chain = {.n = 0}, cfi = {.n = 0}, *best = &chain;
    uint64_t context = 0;
    size_t user = r->links, end;

    out->n = 0;
    for (size_t i = 0; i < r->links; i++) {
        if (r->chain[i] >= PERF_CONTEXT_MAX) {
            context = r->chain[i];
            if (context == (uint64_t)PERF_CONTEXT_USER) {
                user = i + 1;
                break;
            }
        } else if (context == (uint64_t)PERF_CONTEXT_KERNEL) {
            append_frame(out, r->chain[i] - (out->n > 0));
        }
    }
    for (end = user; end < r->links && r->chain[end] < PERF_CONTEXT_MAX; end++)
        ;
    walk_chain(&chain, r->chain + user, user < end ? end - user : 0, s, pid, objects);
    if (r->regs) {
        walk_cfi(&cfi, r, s, pid, objects);
        if (!cfi.whole)
            continue_with(&cfi, &chain);
        if (cfi.whole || (!chain.whole && cfi.n >= chain.n))
            best = &cfi;
    }
    begin_alike(best);
    if (best->n) {
        counts->cfi += best == &cfi;
        counts->pointers += best == &chain;
        counts->cut += !best->whole;
    }
    for (size_t i = 0; i < best->n; i++)
        append_frame(out, best->place[i].frame);
}
