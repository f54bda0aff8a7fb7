/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All that is off the recording path: the limits of stock's buckets, and the reader's side (sums,
 * differences, percentiles).
 *
 * Stock's grid is a formula with a logarithm in it.  Here it is inverted once: for each bucket the
 * smallest whole nanosecond that the formula puts into it, searched with the formula itself, so
 * that table and formula agree on every integer.  hist.h (stock_cells_note) explains the lookup.
 */
#include "stats/hist.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define STOCK_MIN_MS 0.001
#define STOCK_MAX_MS 100000.0

/* Above every value that was limited to less than 2^HIST_STOCK_HIGH_EXP. */
#define STOCK_NO_LIMIT (UINT64_C(1) << (HIST_STOCK_HIGH_EXP + 1))

uint64_t hist_stock_cells[HIST_STOCK_CELLS];

static double stock_scale(void)
{
    return (HIST_STOCK_SIZE - 1) / (log(STOCK_MAX_MS) - log(STOCK_MIN_MS));
}

double hist_stock_value_ms(size_t index)
{
    return exp((double)index / stock_scale() + log(STOCK_MIN_MS));
}

/* The formula of the header, for ns > 0. */
static int stock_formula(uint64_t ns)
{
    double i = floor((log((double)ns / 1e6) - log(STOCK_MIN_MS)) * stock_scale() + 0.5);

    return i < 0 ? 0 : (int)i;
}

/* Smallest ns whose bucket is `index` or higher. */
static uint64_t stock_limit_ns(int index)
{
    if (index >= HIST_STOCK_SIZE)
        return STOCK_NO_LIMIT;
    uint64_t ns = (uint64_t)(exp((index - 0.5) / stock_scale() + log(STOCK_MIN_MS)) * 1e6);
    while (stock_formula(ns) >= index)
        ns--;
    while (stock_formula(ns) < index)
        ns++;
    return ns;
}

void hist_stock_setup(void)
{
    uint64_t limit = 0; /* where bucket `base` + 1 begins */
    int base = -1;

    if (hist_stock_cells[0])
        return;
    assert(stock_limit_ns(1) == HIST_STOCK_FIRST_NS);
    for (int e = HIST_STOCK_LOW_EXP; e < HIST_STOCK_HIGH_EXP; e++) {
        uint64_t width = UINT64_C(1) << (e - HIST_STOCK_CELL_BITS);
        for (uint64_t low = UINT64_C(1) << e; low < UINT64_C(2) << e; low += width) {
            if (low >= limit) {
                base = stock_formula(low);
                limit = stock_limit_ns(base + 1);
                assert(base == HIST_STOCK_SIZE - 1 || stock_limit_ns(base + 2) >= low + width);
            }
            hist_stock_cells[hist_stock_cell(low)] = limit << 10 | (uint64_t)base;
        }
    }
}

static unsigned bucket_shift(size_t index)
{
    return index < 2 * HIST_GROUP_SIZE ? 0 : (unsigned)(index >> HIST_GROUP_BITS) - 1;
}

int64_t hist_bucket_low(size_t index)
{
    unsigned shift = bucket_shift(index);

    return (int64_t)(index - ((size_t)shift << HIST_GROUP_BITS)) << shift;
}

int64_t hist_bucket_high(size_t index)
{
    if (index == hist_index(HIST_MAX_NS))
        return HIST_MAX_NS;
    return hist_bucket_low(index) + (INT64_C(1) << bucket_shift(index)) - 1;
}

void hist_counts_init(struct hist_counts *c, size_t size)
{
    assert(size == HIST_BUCKETS || size == HIST_STOCK_SIZE);
    *c = (struct hist_counts){.size = size, .count = mem_array(size, sizeof *c->count)};
}

void hist_counts_fini(struct hist_counts *c)
{
    free(c->count);
    *c = (struct hist_counts){0};
}

/* Walks through the groups of a mask, in ascending order: `first` is the first bucket of each. */
static bool next_group(uint64_t *groups, size_t *first)
{
    if (!*groups)
        return false;
    *first = (size_t)__builtin_ctzll(*groups) << HIST_GROUP_BITS;
    *groups &= *groups - 1;
    return true;
}

/* Empties the buckets of these groups of *c. */
static void clear_groups(struct hist_counts *c, uint64_t groups)
{
    for (size_t first; next_group(&groups, &first);)
        memset(c->count + first, 0, HIST_GROUP_SIZE * sizeof *c->count);
}

void hist_counts_clear(struct hist_counts *c)
{
    c->total = c->clamped = 0;
    clear_groups(c, c->groups);
    c->groups = 0;
}

void hist_counts_put(struct hist_counts *c, size_t index, uint64_t n)
{
    c->count[index] += n;
    c->total += n;
    c->groups |= UINT64_C(1) << (index >> HIST_GROUP_BITS);
}

void hist_counts_copy(struct hist_counts *to, const struct hist_counts *from)
{
    hist_counts_clear(to);
    hist_counts_merge(to, from);
}

/* Adds n live counters; the total is the sum of the counts read, so it always matches the
 * buckets. */
static void add_live(struct hist_counts *to, size_t first, const _Atomic uint64_t *count, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t v = atomic_load_explicit(&count[i], memory_order_relaxed);
        to->count[first + i] += v;
        to->total += v;
    }
}

void hist_counts_add(struct hist_counts *to, const struct hist *h)
{
    uint64_t groups = atomic_load_explicit(&h->groups, memory_order_relaxed);

    assert(to->size == HIST_BUCKETS);
    to->clamped += atomic_load_explicit(&h->clamped, memory_order_relaxed);
    to->groups |= groups;
    for (size_t first; next_group(&groups, &first);)
        add_live(to, first, h->count + first, HIST_GROUP_SIZE);
}

void hist_counts_add_stock(struct hist_counts *to, const struct hist_stock *h)
{
    assert(to->size == HIST_STOCK_SIZE);
    to->groups = 1;
    add_live(to, 0, h->count, HIST_STOCK_SIZE);
}

void hist_add_counts(struct hist *to, const struct hist_counts *from)
{
    uint64_t groups = from->groups;

    assert(from->size == HIST_BUCKETS);
    atomic_fetch_or_explicit(&to->groups, groups, memory_order_relaxed);
    atomic_fetch_add_explicit(&to->clamped, from->clamped, memory_order_relaxed);
    for (size_t first; next_group(&groups, &first);)
        for (size_t i = first; i < first + HIST_GROUP_SIZE; i++)
            if (from->count[i])
                atomic_fetch_add_explicit(&to->count[i], from->count[i], memory_order_relaxed);
}

void hist_counts_merge(struct hist_counts *to, const struct hist_counts *from)
{
    uint64_t groups = from->groups;

    assert(to->size == from->size);
    to->total += from->total;
    to->clamped += from->clamped;
    to->groups |= groups;
    for (size_t first; next_group(&groups, &first);)
        for (size_t i = first; i < first + HIST_GROUP_SIZE; i++)
            to->count[i] += from->count[i];
}

void hist_counts_diff(struct hist_counts *to, const struct hist_counts *now,
                      const struct hist_counts *before)
{
    uint64_t groups = now->groups;

    assert(to->size == now->size && now->size == before->size);
    assert(now->total >= before->total && now->clamped >= before->clamped);
    assert(!(before->groups & ~now->groups));
    to->total = now->total - before->total;
    to->clamped = now->clamped - before->clamped;
    clear_groups(to, to->groups & ~groups);
    to->groups = groups;
    for (size_t first; next_group(&groups, &first);) {
        for (size_t i = first; i < first + HIST_GROUP_SIZE; i++) {
            assert(now->count[i] >= before->count[i]);
            to->count[i] = now->count[i] - before->count[i];
        }
    }
}

/* First bucket at which the running count reaches the target (1 <= target <= total). */
static size_t bucket_reaching(const struct hist_counts *c, uint64_t target)
{
    uint64_t seen = 0, groups = c->groups;

    for (size_t first; next_group(&groups, &first);) {
        for (size_t i = first; i < first + HIST_GROUP_SIZE; i++) {
            seen += c->count[i];
            if (seen >= target)
                return i;
        }
    }
    assert(!"the total is more than the buckets hold");
    return c->size - 1;
}

/* The value reported for samples in that bucket. */
static int64_t value_of(const struct hist_counts *c, size_t index)
{
    bool over = c->clamped > 0 && index == hist_index(HIST_MAX_NS);

    return over ? HIST_OVER_NS : hist_bucket_high(index);
}

int64_t hist_percentile(const struct hist_counts *c, double p)
{
    assert(c->size == HIST_BUCKETS && p > 0 && p <= 100);
    if (!c->total)
        return -1;
    /* 99.9 is not a binary fraction: without the allowance for its last bit (and that of the
     * product), 99.9 % of 1000 samples would be the 1000th instead of the 999th */
    double rank = ceil((double)c->total * p / 100 * (1 - 0x1.0p-51));
    uint64_t target = rank < 1 ? 1 : rank >= (double)c->total ? c->total : (uint64_t)rank;
    return value_of(c, bucket_reaching(c, target));
}

int64_t hist_max(const struct hist_counts *c)
{
    assert(c->size == HIST_BUCKETS);
    if (!c->groups)
        return -1;
    for (size_t i = (size_t)(64 - __builtin_clzll(c->groups)) << HIST_GROUP_BITS; i-- > 0;) {
        if (c->count[i])
            return value_of(c, i);
    }
    return -1;
}

int64_t hist_min(const struct hist_counts *c)
{
    assert(c->size == HIST_BUCKETS);
    return c->total ? hist_bucket_low(bucket_reaching(c, 1)) : -1;
}

double hist_mean(const struct hist_counts *c)
{
    uint64_t groups = c->groups;
    double sum = 0;

    assert(c->size == HIST_BUCKETS);
    for (size_t first; next_group(&groups, &first);) {
        for (size_t i = first; i < first + HIST_GROUP_SIZE; i++) {
            if (c->count[i])
                sum += (double)c->count[i] * (double)value_of(c, i);
        }
    }
    return c->total ? sum / (double)c->total : (double)NAN;
}

double hist_stock_percentile_ms(const struct hist_counts *c, double p)
{
    uint64_t target = (uint64_t)floor((double)c->total * p / 100 + 0.5);

    assert(c->size == HIST_STOCK_SIZE);
    if (!target)
        return 0.0;
    return hist_stock_value_ms(bucket_reaching(c, target < c->total ? target : c->total));
}
