/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two log-bucket histograms of durations.
 *
 * struct hist: ours.  The bucket layout of HdrHistogram with 3 significant digits, unit 1 ns,
 * range 0 .. 3.6e12 ns (1 h; larger values are counted in the last bucket and in `clamped`):
 * the first 2048 buckets are 1 ns wide, every further 1024 double in width, so a value is
 * known to better than 1/1024.  Percentiles follow HdrHistogram: the highest value equivalent to
 * the bucket in which the running count reaches ceil(p/100*n), never above the recorded maximum
 * bucket.
 *
 * struct hist_stock: the 1024 buckets between 0.001 and 100000 ms that sysbench 1.0 prints
 * (bucket = floor((ln v_ms - ln 0.001)*m + 0.5), m = 1023/(ln 1e5 - ln 1e-3); value of bucket i =
 * exp(i/m + ln 0.001)).  Recording takes no logarithm: bucket limits in ns are tabulated once.
 *
 * No threads inside: hist_record is for the owner; hist_record_shared may be called by several
 * threads at once (one histogram takes one of the two, not both); readers copy with hist_counts_add
 * (relaxed loads, counts only grow) and subtract.
 *
 * Recording is inline because a no-op event takes some 50 ns and this happens up to four times in
 * it.  A struct hist is 270 KiB and a run touches a few pages of it: allocate it with mem_alloc or
 * mem_array (calloc leaves the rest unmapped), not with mem_array_aligned, which writes to all of
 * it.
 */
#ifndef SB_STATS_HIST_H
#define SB_STATS_HIST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HIST_SUB_BITS   11                     /* 2048 sub-buckets: 3 significant digits */
#define HIST_MAX_NS     INT64_C(3600000000000) /* one hour */
#define HIST_OVER_NS    (HIST_MAX_NS + 1)      /* as a percentile or maximum: longer than that */
#define HIST_BUCKETS    33792                  /* (32 + 1) * 1024: covers 2^42 ns > 1 h */
#define HIST_STOCK_SIZE 1024

#define HIST_GROUP_BITS (HIST_SUB_BITS - 1)
#define HIST_GROUP_SIZE (1 << HIST_GROUP_BITS)

struct hist {
    /* bit g: one of the HIST_GROUP_SIZE buckets from g * HIST_GROUP_SIZE on was used, so readers
     * skip (and never page in) what no sample touched */
    _Atomic uint64_t groups;
    _Atomic uint64_t clamped; /* samples over HIST_MAX_NS; they are in count[] too */
    _Atomic uint64_t count[HIST_BUCKETS];
};

struct hist_stock {
    _Atomic uint64_t count[HIST_STOCK_SIZE];
};

int64_t hist_bucket_low(size_t index);  /* lowest value of the bucket, ns */
int64_t hist_bucket_high(size_t index); /* highest value of the bucket, ns; never over HIST_MAX_NS
                                           in the bucket that holds it */

double hist_stock_value_ms(size_t index);
/* Must run once before the first hist_stock_index (fills the table); idempotent, main thread. */
void hist_stock_setup(void);

/* Index of a value in ns; negative values count as 0, values over HIST_MAX_NS as HIST_MAX_NS. */
static inline size_t hist_index(int64_t ns)
{
    uint64_t v = ns < 0 ? 0 : ns > HIST_MAX_NS ? (uint64_t)HIST_MAX_NS : (uint64_t)ns;
    /* how far v reaches beyond the 2048 exact values, in bits */
    unsigned shift =
        (63u ^ (unsigned)__builtin_clzll(v | (HIST_GROUP_SIZE - 1) << 1 | 1)) - HIST_GROUP_BITS;

    return ((size_t)shift << HIST_GROUP_BITS) + (size_t)(v >> shift);
}

/*
 * stock_cells_note: the range 2^9 .. 2^37 ns is cut into 64 equal cells per power of two.  A cell
 * is at most 1/64 = 1.56 % wide, stock's buckets are 1.82 % wide, so a cell holds at most one
 * bucket limit: its word is (limit in ns << 10 | bucket of the cell's first value), and the bucket
 * of any value is one load and one compare away.  Filled by hist_stock_setup (which asserts all
 * this), constant afterwards; file-scope because the grid is one fact for the whole process and
 * recorders must not chase a pointer.
 */
#define HIST_STOCK_CELL_BITS 6
#define HIST_STOCK_LOW_EXP   9
#define HIST_STOCK_HIGH_EXP  37
#define HIST_STOCK_CELLS     ((HIST_STOCK_HIGH_EXP - HIST_STOCK_LOW_EXP) << HIST_STOCK_CELL_BITS)
extern uint64_t hist_stock_cells[HIST_STOCK_CELLS];

/* Cell of a value that has been forced into 2^9 .. 2^37 - 1. */
static inline size_t hist_stock_cell(uint64_t v)
{
    unsigned e = 63u ^ (unsigned)__builtin_clzll(v); /* 63 - clz, in one instruction of x86 */

    /* less one power of two, for the leading bit, which the shift leaves in place */
    return ((size_t)e << HIST_STOCK_CELL_BITS) + (v >> (e - HIST_STOCK_CELL_BITS)) -
           ((HIST_STOCK_LOW_EXP + 1) << HIST_STOCK_CELL_BITS);
}

/* Where bucket 1 begins, ns.  A shorter value, such as that of a no-op event, needs no lookup. */
#define HIST_STOCK_FIRST_NS 1010

/* Stock's bucket of a latency in ns; values under 1 us and over 100 s fall into the end buckets. */
static inline size_t hist_stock_index(int64_t ns)
{
    const int64_t high = (INT64_C(1) << HIST_STOCK_HIGH_EXP) - 1;
    uint64_t v = (uint64_t)(ns > high ? high : ns), word;

    if (ns < HIST_STOCK_FIRST_NS)
        return 0;
    word = hist_stock_cells[hist_stock_cell(v)];
    return (size_t)(word & (HIST_STOCK_SIZE - 1)) + (v >= word >> 10);
}

/* Adds one; only one thread writes.  It takes no bus lock, and readers never see half a number. */
static inline void hist_bump(_Atomic uint64_t *n)
{
    atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

static inline void hist_record(struct hist *h, int64_t ns)
{
    size_t i = hist_index(ns);
    uint64_t groups = atomic_load_explicit(&h->groups, memory_order_relaxed);
    uint64_t group = UINT64_C(1) << (i >> HIST_GROUP_BITS);

    if (__builtin_expect(!(groups & group), 0))
        atomic_store_explicit(&h->groups, groups | group, memory_order_relaxed);
    if (__builtin_expect(ns > HIST_MAX_NS, 0))
        hist_bump(&h->clamped);
    hist_bump(&h->count[i]);
}

static inline void hist_record_shared(struct hist *h, int64_t ns)
{
    size_t i = hist_index(ns);
    uint64_t group = UINT64_C(1) << (i >> HIST_GROUP_BITS);

    if (__builtin_expect(!(atomic_load_explicit(&h->groups, memory_order_relaxed) & group), 0))
        atomic_fetch_or_explicit(&h->groups, group, memory_order_relaxed);
    if (__builtin_expect(ns > HIST_MAX_NS, 0))
        atomic_fetch_add_explicit(&h->clamped, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&h->count[i], 1, memory_order_relaxed);
}

static inline void hist_stock_record(struct hist_stock *h, int64_t ns)
{
    hist_bump(&h->count[hist_stock_index(ns)]);
}

static inline void hist_stock_record_shared(struct hist_stock *h, int64_t ns)
{
    atomic_fetch_add_explicit(&h->count[hist_stock_index(ns)], 1, memory_order_relaxed);
}

/* Plain counts that a reader owns, to merge, subtract and compute percentiles.  Functions with two
 * of them need both of one size.  Like struct hist they record which groups of buckets were used,
 * so that a report only visits what its samples touched; write single counts with
 * hist_counts_put. */
struct hist_counts {
    uint64_t total;
    uint64_t clamped; /* how many of them were over HIST_MAX_NS (HIST_BUCKETS only) */
    uint64_t groups;  /* bit g: buckets from g * HIST_GROUP_SIZE on; all others are 0 */
    size_t size;      /* HIST_BUCKETS or HIST_STOCK_SIZE */
    uint64_t *count;  /* owned */
};

void hist_counts_init(struct hist_counts *c, size_t size);
void hist_counts_fini(struct hist_counts *c);
void hist_counts_clear(struct hist_counts *c);
void hist_counts_put(struct hist_counts *c, size_t index, uint64_t n); /* adds n to that bucket */
void hist_counts_copy(struct hist_counts *to, const struct hist_counts *from);
void hist_counts_add(struct hist_counts *to, const struct hist *h);
void hist_counts_add_stock(struct hist_counts *to, const struct hist_stock *h);
/* Adds counts to a live histogram, which other threads may read and record into. */
void hist_add_counts(struct hist *to, const struct hist_counts *from);
void hist_counts_merge(struct hist_counts *to, const struct hist_counts *from);
/* to = now - before, element by element; both only grew, so no difference is negative.  `to` may be
 * either of the two. */
void hist_counts_diff(struct hist_counts *to, const struct hist_counts *now,
                      const struct hist_counts *before);

/* Percentile p (0 < p <= 100) in ns; -1 when there are no samples (never 0, which would be a
 * value).  HIST_OVER_NS where the last bucket holds samples that are longer than it. */
int64_t hist_percentile(const struct hist_counts *c, double p);
/* highest bucket with a sample, its upper end; -1; or as above */
int64_t hist_max(const struct hist_counts *c);
int64_t hist_min(const struct hist_counts *c); /* lowest bucket with a sample, its lower end; -1 */
/* Mean in ns of the values that percentiles and the maximum report, so it never lies beside them:
 * up to 1/1024 above the samples' own; NaN when empty. */
double hist_mean(const struct hist_counts *c);

/* Stock's percentile in ms: first bucket where the running count >= floor(n*p/100 + 0.5);
 * 0.0 when n = 0 or the target is 0, as stock prints it. */
double hist_stock_percentile_ms(const struct hist_counts *c, double p);

#endif
