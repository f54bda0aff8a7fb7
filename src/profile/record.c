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

uint64_t record_sample_type(unsigned regs)
{
    return PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
           (regs ? PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER : 0);
}

/* The next n bytes, which are copied to `out` (NULL: they stay there); NULL: there are fewer. */
static const void *take(struct rest *r, size_t n, void *out)
{
    const void *p = r->at;

    if (n > r->bytes)
        return NULL;
    r->at += n;
    r->bytes -= n;
    return out ? memcpy(out, p, n) : p;
}

static bool read_sample(struct record *r, struct rest in, unsigned regs)
{
    struct {
        uint64_t id;
        int32_t pid, tid;
        uint64_t time, links;
    } head;
    uint64_t abi, size, used;

    r->kind = RECORD_SAMPLE;
    if (!take(&in, sizeof head, &head) || head.links > in.bytes / sizeof(uint64_t))
        return false;
    r->id = head.id;
    r->pid = head.pid;
    r->tid = head.tid;
    r->time = head.time;
    r->links = head.links;
    r->chain = take(&in, head.links * sizeof(uint64_t), NULL);
    if (!regs)
        return true;
    if (!take(&in, sizeof abi, &abi) ||
        (abi != PERF_SAMPLE_REGS_ABI_NONE &&
         !(r->regs = take(&in, regs * sizeof(uint64_t), NULL))) ||
        !take(&in, sizeof size, &size))
        return false;
    if (abi != PERF_SAMPLE_REGS_ABI_64)
        r->regs = NULL; /* a 32-bit program: frame pointers must do */
    if (size == 0)
        return true;
    r->stack = take(&in, size, NULL);
    if (!r->stack || !take(&in, sizeof used, &used))
        return false;
    r->stack_bytes = used < size ? used : size;
    return true;
}

/* What every other record ends with. */
static bool take_tail(struct rest *in, struct record *r)
{
    struct {
        int32_t pid, tid;
        uint64_t time, id;
    } tail;

    if (in->bytes < sizeof tail)
        return false;
    in->bytes -= sizeof tail;
    memcpy(&tail, in->at + in->bytes, sizeof tail);
    r->pid = tail.pid;
    r->tid = tail.tid;
    r->time = tail.time;
    r->id = tail.id;
    return true;
}

bool record_read(struct record *r, const struct perf_event_header *h, unsigned regs)
{
    struct rest in = {(const uint8_t *)(h + 1), h->size - sizeof *h};
    struct {
        int32_t pid, tid; /* as at the record's end */
        uint64_t addr, len, offset;
    } map;
    struct {
        int32_t pid, parent_pid, tid, parent_tid;
    } fork;
    uint64_t lost[2];

    *r = (struct record){.kind = RECORD_OTHER};
    if (h->type == PERF_RECORD_SAMPLE)
        return read_sample(r, in, regs);
    if (!take_tail(&in, r))
        return false;
    switch (h->type) {
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE:
        r->kind = RECORD_SWITCH;
        r->out = (h->misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
        r->preempted = (h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0;
        return true;
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        r->kind = RECORD_MMAP;
        if (!take(&in, sizeof map, &map))
            return false;
        r->addr = map.addr;
        r->len = map.len;
        r->offset = map.offset;
        /* mmap2 has device, inode, generation, protection and flags before the name */
        if (h->type == PERF_RECORD_MMAP2 && !take(&in, 32, NULL))
            return false;
        r->text = (const char *)in.at;
        break;
    case PERF_RECORD_COMM:
        r->kind = RECORD_COMM;
        r->exec = (h->misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
        if (!take(&in, 4, &r->pid) || !take(&in, 4, &r->tid))
            return false;
        r->text = (const char *)in.at;
        break;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        r->kind = h->type == PERF_RECORD_FORK ? RECORD_FORK : RECORD_EXIT;
        if (!take(&in, sizeof fork, &fork))
            return false;
        r->pid = fork.pid;
        r->parent_pid = fork.parent_pid;
        r->tid = fork.tid;
        r->parent_tid = fork.parent_tid;
        return true;
    case PERF_RECORD_LOST:
        r->kind = RECORD_LOST;
        if (!take(&in, sizeof lost, lost))
            return false;
        r->lost = lost[1];
        return true;
    default: return true;
    }
    return memchr(in.at, '\0', in.bytes) != NULL; /* a name that ends within the record */
}

uint64_t record_time(const struct perf_event_header *h)
{
    const uint8_t *at = h->type == PERF_RECORD_SAMPLE ? (const uint8_t *)(h + 1) + 16
                                                      : (const uint8_t *)h + h->size - 16;
    uint64_t time = 0;

    if (h->size >= sizeof *h + 24)
        memcpy(&time, at, sizeof time);
    return time;
}
