/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See unwind.h.  Nearly every function's rule is "the frame's end is the stack or the frame pointer
 * plus a number; the return address and the caller's frame pointer were saved at the end plus a
 * number".  Such a rule is three numbers; it is learned once for each address (a profile has some
 * thousands) and takes a few nanoseconds after that: a quarter of the time that libdwfl takes,
 * which reads the rule anew for each frame.  A stack with any other rule (signals, procedure
 * linkage tables, aligned frames) is unwound by libdwfl, whole.
 *
 * The address of a caller is the one that a call returns to, which may belong to the next function
 * already; one byte before it is the call.
 */
#include "profile/unwind.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__aarch64__)
#include <asm/perf_regs.h>
#endif

#include "base/mem.h"
#include "profile/code.h"
#include "profile/tree.h"

/* The kernel's number of each of DWARF's registers, in DWARF's order.  LINK: where a function that
 * calls nobody has its return address; -1: nowhere. */
#if defined(__x86_64__)
enum { FP = 6, SP = 7, LINK = -1, PC = 16, REGISTERS = 17 };
static const uint8_t kernel_register[] = {
    PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,  PERF_REG_X86_SI,
    PERF_REG_X86_DI,  PERF_REG_X86_BP,  PERF_REG_X86_SP,  PERF_REG_X86_R8,  PERF_REG_X86_R9,
    PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
    PERF_REG_X86_R15, PERF_REG_X86_IP};
#elif defined(__aarch64__)
enum { FP = 29, SP = 31, LINK = 30, PC = 32, REGISTERS = 33 };
static const uint8_t kernel_register[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                          11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                          22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
#else
enum { FP = 0, SP = 1, LINK = -1, PC = 2, REGISTERS = 0 };
static const uint8_t kernel_register[] = {0};
#endif

uint64_t unwind_registers(void)
{
    uint64_t mask = 0;

    for (size_t i = 0; i < REGISTERS; i++)
        mask |= UINT64_C(1) << kernel_register[i];
    return mask;
}

/* A frame and what it came from. */
struct place {
    uint64_t frame;
    struct object *object; /* NULL: unknown code */
    uint64_t addr;         /* of the session; 0: the file cannot be read */
};

/* One way to get at the user's part. */
struct walk {
    struct place place[UNWIND_MAX];
    size_t n;
    bool whole; /* reached the start of the thread */
};

struct rule {
    enum { NONE, PLAIN, OUTMOST, COMPLEX } kind;
    bool from_fp; /* the frame's end is the frame pointer + end; otherwise the stack pointer */
    bool fp_saved, pc_saved; /* at the frame's end + ...; fp: else it is unchanged, pc: in LINK */
    int32_t end, fp, pc;
};

struct unwinder {
    struct objects *objects;
    struct map64 rules; /* by session address */
    bool attached;      /* to the session; libdwfl reads the sample that is unwound just now: */
    const struct space *space;
    pid_t pid;
    uint64_t reg[REGISTERS + 1];
    const uint8_t *stack; /* copy of its memory from reg[SP] on */
    size_t stack_bytes;
    struct walk chain, cfi;
    struct walk *walk; /* one of the two */
};

struct unwinder *unwinder_new(struct objects *objects)
{
    struct unwinder *u = mem_alloc(sizeof *u);

    u->objects = objects;
    return u;
}

void unwinder_free(struct unwinder *u)
{
    if (!u)
        return;
    for (size_t i = 0; i < u->rules.cap; i++)
        free(u->rules.slot[i].value);
    map64_free(&u->rules);
    free(u);
}

static struct place place_of(struct unwinder *u, uint64_t pc)
{
    struct mapping *m = space_find(u->space, pc);

    if (!m || m->object >= FRAME_FIRST)
        return (struct place){FRAME_MAKE(FRAME_UNKNOWN, 0), NULL, 0};
    struct object *b = u->objects->object[m->object];
    if (!m->known) {
        object_open(u->objects, m->object, u->pid, m->start, m->end);
        m->shift = b->module ? object_address(b, m->offset + (pc - m->start)) - pc : 0;
        m->known = true;
    }
    if (!b->module)
        return (struct place){FRAME_MAKE(m->object, 0), b, 0};
    return (struct place){FRAME_MAKE(m->object, pc + m->shift - b->bias), b, pc + m->shift};
}

static void add_place(struct unwinder *u, uint64_t pc, bool caller)
{
    u->walk->place[u->walk->n++] = place_of(u, caller && pc ? pc - 1 : pc);
}

/* A word of the copied stack; false: not in it. */
static bool read_word(const struct unwinder *u, uint64_t addr, uint64_t *out)
{
    uint64_t at = addr - u->reg[SP];

    if (addr < u->reg[SP] || at > u->stack_bytes || u->stack_bytes - at < sizeof *out)
        return false;
    memcpy(out, u->stack + at, sizeof *out);
    return true;
}

/* --- rules ------------------------------------------------------------------------------- */

/* "Saved at the frame's end + *offset". */
static bool is_saved(const Dwarf_Op *op, size_t n, int32_t *offset)
{
    if (n == 0 || n > 2 || op[0].atom != DW_OP_call_frame_cfa ||
        (n == 2 && op[1].atom != DW_OP_plus_uconst))
        return false;
    *offset = n == 2 ? (int32_t)op[1].number : 0;
    return true;
}

static const struct rule *rule_of(struct unwinder *u, const struct place *p)
{
    static const struct rule none = {.kind = NONE};
    const struct object *b = p->object;
    Dwarf_Frame *frame = NULL;
    Dwarf_Addr bias = 0;
    Dwarf_CFI *cfi;
    Dwarf_Op mem[3], *op;
    bool signal = false;
    struct rule *r;
    size_t n;
    int reg, ra;

    if (!b || !b->module)
        return &none;
    r = map64_get(&u->rules, p->addr);
    if (r)
        return r;
    r = mem_alloc(sizeof *r);
    map64_set(&u->rules, p->addr, r);
    cfi = dw.dwfl_module_eh_cfi(b->module, &bias);
    if ((!cfi || dw.dwarf_cfi_addrframe(cfi, p->addr - bias, &frame)) &&
        (!(cfi = dw.dwfl_module_dwarf_cfi(b->module, &bias)) ||
         dw.dwarf_cfi_addrframe(cfi, p->addr - bias, &frame)))
        return r;
    r->kind = COMPLEX;
    ra = dw.dwarf_frame_info(frame, NULL, NULL, &signal);
    if (ra < 0 || dw.dwarf_frame_register(frame, ra, mem, &op, &n))
        goto out;
    if (n == 0 && op == mem) { /* undefined: this function has no caller */
        r->kind = OUTMOST;
        goto out;
    }
    r->pc_saved = is_saved(op, n, &r->pc);
    if (signal || (!r->pc_saved && (n || ra != LINK)) ||
        dw.dwarf_frame_register(frame, FP, mem, &op, &n))
        goto out;
    r->fp_saved = is_saved(op, n, &r->fp);
    if ((!r->fp_saved && (n || op == mem)) || dw.dwarf_frame_cfa(frame, &op, &n) || n != 1)
        goto out;
    reg = op->atom == DW_OP_bregx                               ? (int)op->number
          : op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31 ? op->atom - DW_OP_breg0
                                                                : -1;
    r->end = (int32_t)(op->atom == DW_OP_bregx ? op->number2 : op->number);
    r->from_fp = reg == FP;
    if (reg == FP || reg == SP)
        r->kind = PLAIN;
out:
    free(frame);
    return r;
}

/* --- the stack by libdwfl ---------------------------------------------------------------- */

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread)
{
    const struct unwinder *u = arg;

    (void)dwfl;
    if (*thread)
        return 0;
    *thread = arg;
    return u->pid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
    (void)dwfl;
    (void)tid;
    *thread = arg;
    return true;
}

/* The session's address for an address of code, as libdwfl finds files by that; others are left as
 * they are. */
static uint64_t to_session(struct unwinder *u, uint64_t v)
{
    struct place p = space_find(u->space, v) ? place_of(u, v) : (struct place){0};

    return p.addr ? p.addr : v;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *result, void *arg)
{
    (void)dwfl;
    if (!read_word(arg, addr, result))
        return false;
    *result = to_session(arg, *result);
    return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
    struct unwinder *u = arg;
    Dwarf_Word reg[REGISTERS + 1];

    for (int i = 0; i < REGISTERS; i++)
        reg[i] = i == PC || i == LINK ? to_session(u, u->reg[i]) : u->reg[i];
    dw.dwfl_thread_state_register_pc(thread, reg[PC]);
    return dw.dwfl_thread_state_registers(thread, 0, PC == 16 ? 17 : 32, reg);
}

static int add_frame(Dwfl_Frame *state, void *arg)
{
    struct unwinder *u = arg;
    struct walk *w = u->walk;
    Dwarf_Addr pc;
    bool exact;
    void **object = NULL;
    size_t i = 0;

    if (w->n == UNWIND_MAX || !dw.dwfl_frame_pc(state, &pc, &exact))
        return DWARF_CB_ABORT;
    pc -= !exact;
    Dwfl_Module *module = dw.dwfl_addrmodule(u->objects->dwfl, pc);
    if (module)
        dw.dwfl_module_info(module, &object, NULL, NULL, NULL, NULL, NULL, NULL);
    while (module && i < u->objects->n && u->objects->object[i]->module != module)
        i++;
    if (!module || i >= u->objects->n) {
        add_place(u, pc, false);
    } else {
        struct object *b = u->objects->object[i];
        w->place[w->n++] = (struct place){FRAME_MAKE(i, pc - b->bias), b, pc};
    }
    return DWARF_CB_OK;
}

/* --- the stack by plain rules ------------------------------------------------------------ */

static void walk_rules(struct unwinder *u)
{
    static const Dwfl_Thread_Callbacks callbacks = {.next_thread = next_thread,
                                                    .get_thread = get_thread,
                                                    .memory_read = memory_read,
                                                    .set_initial_registers = set_registers};
    uint64_t pc = u->reg[PC], sp = u->reg[SP], fp = u->reg[FP];
    bool caller = false, has_fp = true;

    while (u->walk->n < UNWIND_MAX) {
        const struct rule *r;
        uint64_t end, next_pc = 0, next_fp = fp;
        add_place(u, pc, caller);
        r = rule_of(u, &u->walk->place[u->walk->n - 1]);
        if (r->kind == COMPLEX || (r->kind == PLAIN && !r->pc_saved && caller)) {
            u->walk->n = 0; /* the whole stack by libdwfl */
            u->attached =
                u->attached || dw.dwfl_attach_state(u->objects->dwfl, NULL, u->pid, &callbacks, u);
            u->walk->whole = u->attached &&
                             dw.dwfl_getthread_frames(u->objects->dwfl, u->pid, add_frame, u) == 0;
            return;
        }
        u->walk->whole = r->kind == OUTMOST;
        if (r->kind == OUTMOST || (r->kind == PLAIN && r->from_fp && !has_fp))
            return;
        if (r->kind == NONE) { /* no information: follows the frame pointer */
            if (!has_fp || fp < sp || !read_word(u, fp, &next_fp) ||
                !read_word(u, fp + 8, &next_pc) || next_pc == 0)
                return;
            end = fp + 16;
        } else {
            end = (r->from_fp ? fp : sp) + (uint64_t)(int64_t)r->end;
            if (r->fp_saved)
                has_fp = read_word(u, end + (uint64_t)(int64_t)r->fp, &next_fp);
            if (!r->pc_saved)
                next_pc = u->reg[LINK > 0 ? LINK : 0];
            else if (!read_word(u, end + (uint64_t)(int64_t)r->pc, &next_pc))
                return; /* the copied stack ends before */
        }
#if defined(__aarch64__)
        next_pc &= UINT64_C(0x0000ffffffffffff); /* a signature, where return addresses have one */
#endif
        u->walk->whole = next_pc == 0;
        /* a caller's frame lies above; otherwise a rule does not fit and unwinding would loop */
        if (next_pc == 0 || (end <= sp && next_pc == pc))
            return;
        pc = next_pc;
        sp = end;
        fp = next_fp;
        caller = true;
    }
}

/* --- a sample ---------------------------------------------------------------------------- */

/* By the rules of the functions, from the stack that was copied; the kernel's frames beyond the
 * last frame that both have continue it. */
static void walk_stack(struct unwinder *u, const struct record *r)
{
    struct walk *chain = &u->chain, *cfi = &u->cfi;
    const uint64_t mask = unwind_registers();

    for (unsigned i = 0; i < REGISTERS; i++)
        u->reg[i] = r->regs[__builtin_popcountll(mask & ((UINT64_C(1) << kernel_register[i]) - 1))];
    u->stack = r->stack;
    u->stack_bytes = r->stack_bytes;
    u->walk = cfi;
    cfi->whole = false;
    walk_rules(u);
    for (size_t i = cfi->whole ? 0 : cfi->n; i-- > 0;) {
        size_t k = 0;
        while (k < chain->n && (!cfi->place[i].addr || cfi->place[i].addr != chain->place[k].addr ||
                                chain->n - k <= cfi->n - i))
            k++;
        if (k == chain->n)
            continue;
        cfi->n = i + 1;
        while (++k < chain->n && cfi->n < UNWIND_MAX)
            cfi->place[cfi->n++] = chain->place[k];
        cfi->whole = chain->whole;
        break;
    }
}

void unwind(struct unwinder *u, struct unwound *out, const struct record *r, const struct space *s,
            pid_t pid, struct unwind_counts *counts)
{
    struct walk *chain = &u->chain, *cfi = &u->cfi, *best = chain;
    uint64_t context = 0;
    size_t user = r->links;

    out->n = chain->n = cfi->n = 0;
    for (size_t i = 0; i < r->links; i++) {
        if (r->chain[i] >= PERF_CONTEXT_MAX) {
            context = r->chain[i];
            if (context == (uint64_t)PERF_CONTEXT_USER) {
                user = i + 1;
                break;
            }
        } else if (context == (uint64_t)PERF_CONTEXT_KERNEL && out->n < UNWIND_MAX) {
            out->frame[out->n] = r->chain[i] - (out->n > 0);
            out->n++;
        }
    }
    u->space = s;
    u->pid = pid;
    u->walk = chain;
    for (size_t i = user; i < r->links && r->chain[i] < PERF_CONTEXT_MAX && chain->n < UNWIND_MAX;
         i++)
        add_place(u, r->chain[i], i > user);
    /* a thread begins in the C library; so when a chain from elsewhere ends there, it is whole */
    const struct place *last = chain->n ? &chain->place[chain->n - 1] : NULL;
    chain->whole = last && last->object && rule_of(u, last)->kind == OUTMOST;
    for (size_t i = 0; last && last->object && last->object->c_library && i + 1 < chain->n; i++)
        chain->whole |= chain->place[i].object && chain->place[i].object != last->object;
    if (r->regs) {
        walk_stack(u, r);
        if (cfi->whole || (!chain->whole && cfi->n >= chain->n))
            best = cfi;
    }
    /* Below the library's first function of a thread (start_thread) lies the system call that made
     * it (clone3), to which frame pointers do not lead: without it all stacks begin alike. */
    last = best->n >= 2 && best->whole ? &best->place[best->n - 1] : NULL;
    if (last && last->object && last->object == last[-1].object && last->object->c_library &&
        rule_of(u, last)->kind == OUTMOST)
        best->n--;
    if (best->n) {
        counts->cfi += best == cfi;
        counts->pointers += best == chain;
        counts->cut += !best->whole;
    }
    for (size_t i = 0; i < best->n && out->n < UNWIND_MAX; i++)
        out->frame[out->n++] = best->place[i].frame;
}
