/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See record.h.  The order of the parts is that of perf_event_open(2).  Records other than samples
 * end with pid, tid, time and id (sample_id_all).
 */
#include "profile/record.h"

#include <string.h>

#ifndef PERF_RECORD_MISC_SWITCH_OUT_PREEMPT /* headers before 4.17 */
#define PERF_RECORD_MISC_SWITCH_OUT_PREEMPT (1 << 14)
#endif

/* What is left of a record. */
struct rest {
    const uint8_t *at;
    size_t bytes;
};

uint64_t record_sample_type(const struct record_layout *l)
{
    return PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
           (l->user_stack ? PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER : 0);
}

static const void *next_bytes(struct rest *r, size_t n)
{
    const void *p = r->at;

    if (n > r->bytes)
        return NULL;
    r->at += n;
    r->bytes -= n;
    return p;
}

static bool take_u64(struct rest *r, uint64_t *out)
{
    const void *p = next_bytes(r, sizeof *out);

    if (p)
        memcpy(out, p, sizeof *out);
    return p != NULL;
}

static bool take_pair(struct rest *r, int32_t *a, int32_t *b)
{
    const uint8_t *p = next_bytes(r, 8);

    if (!p)
        return false;
    memcpy(a, p, 4);
    memcpy(b, p + 4, 4);
    return true;
}

static bool read_user_stack(struct record *r, struct rest *in, const struct record_layout *l)
{
    uint64_t abi, size, used;

    if (!take_u64(in, &abi))
        return false;
    if (abi != PERF_SAMPLE_REGS_ABI_NONE && !(r->regs = next_bytes(in, l->regs * sizeof(uint64_t))))
        return false;
    if (abi != PERF_SAMPLE_REGS_ABI_64)
        r->regs = NULL; /* a 32-bit program: frame pointers must do */
    if (!take_u64(in, &size))
        return false;
    if (size == 0)
        return true;
    r->stack = next_bytes(in, size);
    if (!r->stack || !take_u64(in, &used))
        return false;
    r->stack_bytes = used < size ? used : size;
    return true;
}

static bool read_sample(struct record *r, struct rest *in, const struct record_layout *l)
{
    uint64_t links;

    r->kind = RECORD_SAMPLE;
    if (!take_u64(in, &r->id) || !take_pair(in, &r->pid, &r->tid) || !take_u64(in, &r->time) ||
        !take_u64(in, &links) || links > in->bytes / sizeof(uint64_t))
        return false;
    r->links = links;
    r->chain = next_bytes(in, links * sizeof(uint64_t));
    return r->chain && (!l->user_stack || read_user_stack(r, in, l));
}

/* A name that ends within the record. */
static const char *take_text(struct rest *in)
{
    return memchr(in->at, '\0', in->bytes) ? (const char *)in->at : NULL;
}

static bool read_mmap(struct record *r, struct rest *in, bool second)
{
    r->kind = RECORD_MMAP;
    /* mmap2 has device, inode, generation, protection and flags before the name */
    return take_pair(in, &r->pid, &r->tid) && take_u64(in, &r->addr) && take_u64(in, &r->len) &&
           take_u64(in, &r->offset) && (!second || next_bytes(in, 32)) && (r->text = take_text(in));
}

static bool read_fork(struct record *r, struct rest *in)
{
    const uint8_t *p = next_bytes(in, 16);

    if (!p)
        return false;
    memcpy(&r->pid, p, 4);
    memcpy(&r->parent_pid, p + 4, 4);
    memcpy(&r->tid, p + 8, 4);
    memcpy(&r->parent_tid, p + 12, 4);
    return true;
}

static bool read_tail(struct record *r, struct rest *in)
{
    struct rest tail = {in->at + in->bytes - 24, 24};

    if (in->bytes < 24)
        return false;
    in->bytes -= 24;
    return take_pair(&tail, &r->pid, &r->tid) && take_u64(&tail, &r->time) &&
           take_u64(&tail, &r->id);
}

bool record_read(struct record *r, const struct perf_event_header *h, const struct record_layout *l)
{
    struct rest in = {(const uint8_t *)(h + 1), h->size - sizeof *h};
    uint64_t ignored;

    *r = (struct record){.kind = RECORD_OTHER};
    if (h->type == PERF_RECORD_SAMPLE)
        return read_sample(r, &in, l);
    if (!read_tail(r, &in))
        return false;
    switch (h->type) {
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE:
        r->kind = RECORD_SWITCH;
        r->out = (h->misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
        r->preempted = (h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
        return true;
    case PERF_RECORD_MMAP: return read_mmap(r, &in, false);
    case PERF_RECORD_MMAP2: return read_mmap(r, &in, true);
    case PERF_RECORD_COMM:
        r->kind = RECORD_COMM;
        r->exec = (h->misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
        return take_pair(&in, &r->pid, &r->tid) && (r->text = take_text(&in));
    case PERF_RECORD_FORK: r->kind = RECORD_FORK; return read_fork(r, &in);
    case PERF_RECORD_EXIT: r->kind = RECORD_EXIT; return read_fork(r, &in);
    case PERF_RECORD_LOST:
        r->kind = RECORD_LOST;
        return take_u64(&in, &ignored) && take_u64(&in, &r->lost);
    default: return true;
    }
}

uint64_t record_time(const struct perf_event_header *h)
{
    uint64_t time = 0;

    if (h->type == PERF_RECORD_SAMPLE && h->size >= sizeof *h + 24)
        memcpy(&time, (const uint8_t *)(h + 1) + 16, sizeof time);
    else if (h->type != PERF_RECORD_SAMPLE && h->size >= sizeof *h + 24)
        memcpy(&time, (const uint8_t *)h + h->size - 16, sizeof time);
    return time;
}
