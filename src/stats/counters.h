/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What one client counts.  One struct per client on cache lines of its own; only the client's
 * thread writes (single writer, relaxed stores), any thread reads (relaxed loads) and sums.  All
 * figures only grow; a reader that wants an interval subtracts two readings.
 *
 * counters_note: `started` is stored before the event runs, `done`, `failed` or `withdrawn` after;
 * a reader that loads these first and started last (acquire) never sees more ends than starts.
 */
#ifndef SB_STATS_COUNTERS_H
#define SB_STATS_COUNTERS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* The first six are script ABI (sb_counter_inc): other 0, read 1, write 2, event 3, error 4,
 * reconnect 5, and 1.1's bytes 6 and 7. */
enum counter {
    CNT_OTHER,
    CNT_READ,
    CNT_WRITE,
    CNT_EVENT, /* events that scripts count themselves, besides CNT_DONE */
    CNT_ERROR, /* statements that failed (stock: "ignored errors") */
    CNT_RECONNECT,
    CNT_BYTES_READ,
    CNT_BYTES_WRITTEN,
    CNT_STARTED,   /* transactions begun */
    CNT_DONE,      /* transactions done; our figures count these, stock's reports CNT_EVENT too */
    CNT_FAILED,    /* transactions begun that ended in an error */
    CNT_LATE,      /* transactions that began more than LATE_NS after their planned start */
    CNT_LATE_IDLE, /* of these, those whose client had been idle in time */
    CNT_WITHDRAWN, /* transactions begun that their script withdrew: neither done nor failed */
    CNT_RETURNED,  /* offered tickets that a client took but could not begin before the run ended */
    CNT_COMMIT,    /* COMMIT and UNLOCK TABLES; counted for old generations only */
    CNT_MAX
};

struct counters {
    CACHE_ALIGNED _Atomic uint64_t v[CNT_MAX];
};

static inline void counters_add(struct counters *c, enum counter k, uint64_t n)
{
    uint64_t now = atomic_load_explicit(&c->v[k], memory_order_relaxed);
    atomic_store_explicit(&c->v[k], now + n, memory_order_release);
}

static inline uint64_t counters_get(const struct counters *c, enum counter k)
{
    return atomic_load_explicit(&((struct counters *)(uintptr_t)c)->v[k], memory_order_acquire);
}

/* Adds the counters of an array of n clients to sum[CNT_MAX], in the order of counters_note. */
static inline void counters_sum(const struct counters *c, size_t n, uint64_t sum[CNT_MAX])
{
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < CNT_MAX; k++)
            if (k != CNT_STARTED)
                sum[k] += counters_get(&c[i], (enum counter)k);
        sum[CNT_STARTED] += counters_get(&c[i], CNT_STARTED);
    }
}

#endif
