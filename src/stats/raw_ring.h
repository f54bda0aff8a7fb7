/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A ring of one client's transactions, to be written to a file: one writer (the client) and one
 * reader (the thread that writes the file).  Recording is a few stores, without a lock, a system
 * call or an allocation; when the ring is full the record is dropped and counted, and the client
 * never waits.
 */
#ifndef SB_STATS_RAW_RING_H
#define SB_STATS_RAW_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/mem.h"

enum raw_outcome { RAW_DONE, RAW_FAILED, RAW_WITHDRAWN };

struct raw_record {
    mono_ns begun;
    dur_ns lag;     /* planned to actual start; 0 without a rate */
    dur_ns service; /* actual start to end */
    enum raw_outcome outcome;
};

struct raw_ring {
    CACHE_ALIGNED _Atomic uint64_t added; /* records ever added; the client writes it */
    _Atomic uint64_t lost; /* records dropped because the ring was full; the client writes it */
    /* the client's copy of `removed`: it reads the other cache line only when the ring seems full
     */
    uint64_t removed_seen;
    struct raw_record *record;
    uint64_t size;                          /* a power of two */
    CACHE_ALIGNED _Atomic uint64_t removed; /* records ever removed; the reader writes it */
};

static inline void raw_ring_add(struct raw_ring *r, const struct raw_record *record)
{
    uint64_t n = atomic_load_explicit(&r->added, memory_order_relaxed);

    if (n - r->removed_seen == r->size) {
        r->removed_seen = atomic_load_explicit(&r->removed, memory_order_acquire);
        if (n - r->removed_seen == r->size) {
            atomic_store_explicit(&r->lost,
                                  atomic_load_explicit(&r->lost, memory_order_relaxed) + 1,
                                  memory_order_relaxed);
            return;
        }
    }
    r->record[n & (r->size - 1)] = *record;
    atomic_store_explicit(&r->added, n + 1, memory_order_release);
}

/* For the reader: how many records there are, the k-th of them, and the removal of n. */
static inline size_t raw_ring_available(const struct raw_ring *r)
{
    struct raw_ring *w = (struct raw_ring *)(uintptr_t)r;

    return (size_t)(atomic_load_explicit(&w->added, memory_order_acquire) -
                    atomic_load_explicit(&w->removed, memory_order_relaxed));
}

static inline const struct raw_record *raw_ring_at(const struct raw_ring *r, size_t k)
{
    struct raw_ring *w = (struct raw_ring *)(uintptr_t)r;

    return &r->record[(atomic_load_explicit(&w->removed, memory_order_relaxed) + k) &
                      (r->size - 1)];
}

static inline void raw_ring_remove(struct raw_ring *r, size_t n)
{
    atomic_store_explicit(&r->removed, atomic_load_explicit(&r->removed, memory_order_relaxed) + n,
                          memory_order_release);
}

#endif
