/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See cfi.h.  Nearly every rule is "the frame's end is a register plus a number, the caller's
 * registers were saved at the end plus a number"; those are kept as numbers.  The few others
 * (procedure linkage tables, signal frames) are expressions of DWARF's little stack machine, of
 * which eval() knows what compilers use there.
 */
#include "profile/cfi.h"

#include <string.h>

bool cfi_read(const struct cfi_frame *f, uint64_t addr, uint64_t *out)
{
    uint64_t at = addr - f->stack_at;

    if (addr < f->stack_at || at > f->stack_bytes || f->stack_bytes - at < sizeof *out)
        return false;
    memcpy(out, f->stack + at, sizeof *out);
    return true;
}

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#if defined(HAVE_ELFUTILS) && (defined(__x86_64__) || defined(__aarch64__))

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/version.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

enum rule_kind { RULE_SAME, RULE_UNDEFINED, RULE_SAVED, RULE_VALUE, RULE_EXPRESSION };

struct expression {
    Dwarf_Op *op;
    size_t n;
};

struct rule {
    uint64_t addr; /* 0: an empty place of the table */
    bool none, outmost, signal;
    int16_t cfa_reg; /* -1: cfa is an expression */
    int32_t cfa_offset;
    struct expression cfa;
    uint8_t kind[CFI_REGS];
    int32_t offset[CFI_REGS];      /* from the frame's end */
    struct expression *expression; /* of CFI_REGS; NULL: no register has one */
};

struct cfi {
    Elf *elf;
    Dwarf_CFI *table;
    struct rule **rule; /* open addressing, by address */
    size_t rules, cap;
};

struct machine {
    uint64_t stack[32];
    int n;
};

static bool push(struct machine *m, uint64_t v)
{
    if (m->n == 32)
        return false;
    m->stack[m->n++] = v;
    return true;
}

static bool binary(struct machine *m, int atom)
{
    uint64_t b, *a;

    if (m->n < 2)
        return false;
    b = m->stack[--m->n];
    a = &m->stack[m->n - 1];
    switch (atom) {
    case DW_OP_plus: *a += b; return true;
    case DW_OP_minus: *a -= b; return true;
    case DW_OP_mul: *a *= b; return true;
    case DW_OP_and: *a &= b; return true;
    case DW_OP_or: *a |= b; return true;
    case DW_OP_xor: *a ^= b; return true;
    case DW_OP_shl: *a = b < 64 ? *a << b : 0; return true;
    case DW_OP_shr: *a = b < 64 ? *a >> b : 0; return true;
    case DW_OP_ge: *a = (int64_t)*a >= (int64_t)b; return true;
    case DW_OP_gt: *a = (int64_t)*a > (int64_t)b; return true;
    case DW_OP_le: *a = (int64_t)*a <= (int64_t)b; return true;
    case DW_OP_lt: *a = (int64_t)*a < (int64_t)b; return true;
    case DW_OP_eq: *a = *a == b; return true;
    case DW_OP_ne: *a = *a != b; return true;
    default: return false;
    }
}

static bool push_register(struct machine *m, const struct cfi_frame *f, unsigned reg, uint64_t plus)
{
    return reg < CFI_USED && (f->known >> reg & 1) && push(m, f->reg[reg] + plus);
}

static bool step(struct machine *m, const struct cfi_frame *f, const Dwarf_Op *o, uint64_t cfa)
{
    if (o->atom >= DW_OP_breg0 && o->atom <= DW_OP_breg31)
        return push_register(m, f, o->atom - DW_OP_breg0, o->number);
    if (o->atom >= DW_OP_lit0 && o->atom <= DW_OP_lit31)
        return push(m, o->atom - DW_OP_lit0);
    switch (o->atom) {
    case DW_OP_bregx: return push_register(m, f, (unsigned)o->number, o->number2);
    case DW_OP_call_frame_cfa: return push(m, cfa);
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts: return push(m, o->number);
    case DW_OP_dup: return m->n > 0 && push(m, m->stack[m->n - 1]);
    case DW_OP_drop: return m->n > 0 && m->n-- > 0;
    case DW_OP_plus_uconst:
        if (m->n == 0)
            return false;
        m->stack[m->n - 1] += o->number;
        return true;
    case DW_OP_deref: return m->n > 0 && cfi_read(f, m->stack[m->n - 1], &m->stack[m->n - 1]);
    case DW_OP_nop: return true;
    default: return binary(m, o->atom);
    }
}

/* The value; *is_place: where the value is to be read instead. */
static bool eval(const struct expression *x, const struct cfi_frame *f, uint64_t cfa, uint64_t *out,
                 bool *is_place)
{
    struct machine m = {.n = 0};

    *is_place = true;
    for (size_t i = 0; i < x->n; i++) {
        if (x->op[i].atom >= DW_OP_reg0 && x->op[i].atom <= DW_OP_reg31) {
            unsigned reg = x->op[i].atom - DW_OP_reg0;
            *is_place = false;
            *out = f->reg[reg];
            return reg < CFI_USED && (f->known >> reg & 1);
        }
        if (x->op[i].atom == DW_OP_stack_value)
            *is_place = false;
        else if (!step(&m, f, &x->op[i], cfa))
            return false;
    }
    if (m.n == 0)
        return false;
    *out = m.stack[m.n - 1];
    return true;
}

static struct expression copy_expression(const Dwarf_Op *op, size_t n)
{
    struct expression x = {mem_array(n, sizeof *op), n};

    memcpy(x.op, op, n * sizeof *op);
    return x;
}

static void learn_cfa(struct rule *r, const Dwarf_Op *op, size_t n)
{
    bool plain = n == 1 &&
                 ((op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) || op->atom == DW_OP_bregx);

    r->cfa_reg = -1;
    if (plain && op->atom == DW_OP_bregx) {
        r->cfa_reg = (int16_t)op->number;
        r->cfa_offset = (int32_t)op->number2;
    } else if (plain) {
        r->cfa_reg = (int16_t)(op->atom - DW_OP_breg0);
        r->cfa_offset = (int32_t)op->number;
    } else {
        r->cfa = copy_expression(op, n);
    }
}

static void learn_register(struct rule *r, int reg, const Dwarf_Op *op, size_t n, bool undefined)
{
    bool value = n > 1 && op[n - 1].atom == DW_OP_stack_value;
    size_t plain = n - (value ? 1 : 0);

    if (n == 0) {
        r->kind[reg] = undefined ? RULE_UNDEFINED : RULE_SAME;
    } else if (op[0].atom == DW_OP_call_frame_cfa &&
               (plain == 1 || (plain == 2 && op[1].atom == DW_OP_plus_uconst))) {
        r->kind[reg] = value ? RULE_VALUE : RULE_SAVED;
        r->offset[reg] = plain == 2 ? (int32_t)op[1].number : 0;
    } else {
        if (!r->expression)
            r->expression = mem_array(CFI_REGS, sizeof *r->expression);
        r->expression[reg] = copy_expression(op, n);
        r->kind[reg] = RULE_EXPRESSION;
    }
}

static void read_rule(struct cfi *c, struct rule *r)
{
    Dwarf_Frame *frame = NULL;
    Dwarf_Op mem[3], *op;
    size_t n;
    bool signal = false;
    int ra;

    r->none = true;
    if (dwarf_cfi_addrframe(c->table, r->addr, &frame))
        return;
    ra = dwarf_frame_info(frame, NULL, NULL, &signal);
    r->signal = signal;
    if (ra >= 0 && ra < CFI_USED && dwarf_frame_cfa(frame, &op, &n) == 0 && n > 0) {
        r->none = false;
        learn_cfa(r, op, n);
        for (int reg = 0; reg < CFI_USED && !r->none; reg++) {
            /* on a machine with a link register, its content is the return address */
            int from = reg == CFI_PC ? ra : reg;
            if (dwarf_frame_register(frame, from, mem, &op, &n))
                r->none = true;
            else
                learn_register(r, reg, op, n, op == mem);
        }
        r->outmost = r->kind[CFI_PC] == RULE_UNDEFINED;
        if (r->kind[CFI_PC] == RULE_SAME && ra != CFI_PC) { /* still in the link register */
            struct expression link = {&(Dwarf_Op){.atom = (uint8_t)(DW_OP_reg0 + ra)}, 1};
            learn_register(r, CFI_PC, link.op, 1, false);
        }
    }
    free(frame);
}

static size_t place_of(const struct cfi *c, uint64_t addr)
{
    size_t at = (size_t)(addr * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (c->cap - 1);

    while (c->rule[at] && c->rule[at]->addr != addr)
        at = (at + 1) & (c->cap - 1);
    return at;
}

static const struct rule *rule_of(struct cfi *c, uint64_t addr)
{
    size_t at = place_of(c, addr);

    if (c->rule[at])
        return c->rule[at];
    if (2 * (c->rules + 1) > c->cap) {
        struct rule **old = c->rule;
        size_t n = c->cap;
        c->cap *= 2;
        c->rule = mem_array(c->cap, sizeof(*c->rule));
        for (size_t i = 0; i < n; i++)
            if (old[i])
                c->rule[place_of(c, old[i]->addr)] = old[i];
        free(old);
        at = place_of(c, addr);
    }
    c->rule[at] = mem_alloc(sizeof(struct rule));
    c->rule[at]->addr = addr;
    c->rules++;
    read_rule(c, c->rule[at]);
    return c->rule[at];
}

struct cfi *cfi_new(const uint8_t *data, size_t bytes)
{
    struct cfi *c = mem_alloc(sizeof *c);

    elf_version(EV_CURRENT);
    c->elf = elf_memory((char *)(uintptr_t)data, bytes); /* only read */
    c->table = c->elf ? dwarf_getcfi_elf(c->elf) : NULL;
    c->cap = 256;
    c->rule = mem_array(c->cap, sizeof(*c->rule));
    if (!c->table) {
        cfi_free(c);
        return NULL;
    }
    return c;
}

void cfi_free(struct cfi *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->cap; i++) {
        struct rule *r = c->rule[i];
        for (int reg = 0; r && r->expression && reg < CFI_REGS; reg++)
            free(r->expression[reg].op);
        if (r) {
            free(r->expression);
            free(r->cfa.op);
        }
        free(r);
    }
    free(c->rule);
    if (c->table)
        dwarf_cfi_end(c->table);
    if (c->elf)
        elf_end(c->elf);
    free(c);
}

static bool frame_end(const struct rule *r, const struct cfi_frame *f, uint64_t *cfa)
{
    bool place;

    if (r->cfa_reg < 0)
        return eval(&r->cfa, f, 0, cfa, &place);
    *cfa = f->reg[r->cfa_reg] + (uint64_t)(int64_t)r->cfa_offset;
    return r->cfa_reg < CFI_USED && (f->known >> r->cfa_reg & 1);
}

/* The caller's value of a register. */
static bool recover(const struct rule *r, int reg, const struct cfi_frame *f, uint64_t cfa,
                    uint64_t *out)
{
    bool place = false;

    switch (r->kind[reg]) {
    case RULE_SAME: *out = f->reg[reg]; return f->known >> reg & 1;
    case RULE_SAVED: return cfi_read(f, cfa + (uint64_t)(int64_t)r->offset[reg], out);
    case RULE_VALUE: *out = cfa + (uint64_t)(int64_t)r->offset[reg]; return true;
    case RULE_EXPRESSION:
        return eval(&r->expression[reg], f, cfa, out, &place) && (!place || cfi_read(f, *out, out));
    default: return false;
    }
}

enum cfi_step cfi_step(struct cfi *c, uint64_t addr, struct cfi_frame *f)
{
    const struct rule *r = rule_of(c, addr);
    struct cfi_frame caller = *f;
    uint64_t cfa;

    if (r->none)
        return CFI_NONE;
    if (r->outmost)
        return CFI_OUTMOST;
    if (!frame_end(r, f, &cfa))
        return CFI_NONE;
    for (int reg = 0; reg < CFI_USED; reg++) {
        uint64_t bit = UINT64_C(1) << reg;
        caller.known =
            recover(r, reg, f, cfa, &caller.reg[reg]) ? caller.known | bit : caller.known & ~bit;
    }
    /* no rule: the end of the frame */
    if (r->kind[CFI_SP] == RULE_SAME || r->kind[CFI_SP] == RULE_UNDEFINED) {
        caller.reg[CFI_SP] = cfa;
        caller.known |= UINT64_C(1) << CFI_SP;
    }
    if (!(caller.known >> CFI_PC & 1))
        return CFI_CUT;
#if defined(__aarch64__)
    /* a signature, where return addresses have one */
    caller.reg[CFI_PC] &= UINT64_C(0x0000ffffffffffff);
#endif
    if (caller.reg[CFI_PC] == 0)
        return CFI_OUTMOST;
    caller.exact = r->signal;
    /* a caller's frame lies above; otherwise a rule does not fit and unwinding would loop */
    if (caller.reg[CFI_SP] <= f->reg[CFI_SP] && caller.reg[CFI_PC] == f->reg[CFI_PC])
        return CFI_NONE;
    *f = caller;
    return CFI_CALLER;
}

bool cfi_is_outmost(struct cfi *c, uint64_t addr)
{
    return rule_of(c, addr)->outmost;
}

bool cfi_available(void)
{
    return true;
}

const char *cfi_library(void)
{
    static char text[32];

    snprintf(text, sizeof text, "%d.%d", _ELFUTILS_VERSION / 1000, _ELFUTILS_VERSION % 1000);
    return text;
}

#else

struct cfi *cfi_new(const uint8_t *data, size_t bytes)
{
    (void)data;
    (void)bytes;
    return NULL;
}

void cfi_free(struct cfi *c)
{
    (void)c;
}

enum cfi_step cfi_step(struct cfi *c, uint64_t addr, struct cfi_frame *f)
{
    (void)c;
    (void)addr;
    (void)f;
    return CFI_NONE;
}

bool cfi_is_outmost(struct cfi *c, uint64_t addr)
{
    (void)c;
    (void)addr;
    return false;
}

bool cfi_available(void)
{
    return false;
}

const char *cfi_library(void)
{
    return "no";
}

#endif
