/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Parses one record of the kernel's ring buffers.  Pointers point into the record and are valid as
 * long as it is.  No state; any thread may call.
 *
 * All events of a profile have the same sample_type, so one function reads them all.
 */
#ifndef SB_PROFILE_RECORD_H
#define SB_PROFILE_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum record_kind {
    RECORD_OTHER,
    RECORD_SAMPLE, /* a stack */
    RECORD_SWITCH, /* a thread was switched in or out */
    RECORD_MMAP,   /* a mapping that can hold code */
    RECORD_COMM,   /* a thread has a new name */
    RECORD_FORK,   /* a new thread or process */
    RECORD_EXIT,
    RECORD_LOST, /* records were dropped */
};

struct record {
    enum record_kind kind;
    uint64_t id; /* of the event it belongs to */
    uint64_t time;
    int32_t pid, tid;
    /* sample */
    uint64_t stands_for;   /* of a switch: how many (rings.h); 0: the clock's */
    const uint64_t *chain; /* addresses with PERF_CONTEXT_* marks between them, innermost first */
    size_t links;
    const uint64_t *regs; /* the user's, in the kernel's order; NULL: none */
    const uint8_t *stack; /* the user's memory from the stack pointer up */
    size_t stack_bytes;
    /* switch */
    bool out, preempted;
    /* mmap */
    uint64_t addr, len, offset;
    const char *text; /* mmap: path; comm: name */
    bool exec;        /* comm: because of an exec */
    /* fork */
    int32_t parent_pid, parent_tid;
    /* lost */
    uint64_t lost;
};

/* sample_type of events whose samples have so many of the user's registers, and with them a piece
 * of its stack; 0: neither.  sample_id_all must be set too. */
uint64_t record_sample_type(unsigned regs);

/* False for a truncated or malformed record. */
bool record_read(struct record *r, const struct perf_event_header *h, unsigned regs);

/* Only the time, for sorting; 0 when it has none. */
uint64_t record_time(const struct perf_event_header *h);

#endif
