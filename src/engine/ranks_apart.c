/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which ranks differ from the others.  One that differs is not a better or worse half of an
 * average: its host, its network or its clock is at fault, and the percentiles of the whole run
 * hide it.
 *
 * apart_note: a rank's 99th percentile (of start lags, then of latencies) is compared with the
 * median of those of the other ranks, not of all: of two ranks the median of all is one of them or
 * lies between them.  Of an even number of others it is the upper one of the two in the middle, so
 * a rank that differs is above more than half of them, and where most ranks are slow, none is
 * called an exception.
 *
 * A difference must matter (more than 25 % and 1 ms) and must not be chance: 1 % of n samples has a
 * standard error of sqrt(0.01 * 0.99 / n), so what the share of samples beyond a value may be by
 * chance gives, read backwards, a value that the true percentile is not below.  That one must be
 * above the others' median by so much.  It assumes nothing about the distribution.  With
 * fewer than 1,000 samples less than 10 are beyond the percentile, and the rank is neither compared
 * nor part of the median.
 *
 * Of 20,000 runs of equal ranks with 1,000 independent samples each, so many (in %) had a rank that
 * "differs" by one figure (ranks_apart_test 20000 prints this):
 *
 *     ranks                        2        3        4       16
 *     exponential latencies     0.000    0.000    0.000    0.000
 *     log-normal, sigma 1       0.135    0.020    0.035    0.015
 *     Pareto, alpha 2           0.395    0.035    0.175    0.095
 *
 * With 10,000 samples there was none.  Samples of a stall are not independent: one that hits many
 * transactions of one rank is a difference of this run, though perhaps not of the host.
 */
#include "engine/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

#define APART_FACTOR 1.25
#define APART_LEAST  NS_PER_MS
#define CPU_FULL_PCT 90 /* of the CPUs that a rank may use */

bool ranks_compares(uint64_t n)
{
    return n >= RANKS_LEAST_SAMPLES;
}

double ranks_least_pct(uint64_t n)
{
    return 100 * (0.99 - RANKS_ERRORS * sqrt(0.99 * 0.01 / (double)n));
}

/* One of the two figures that are compared. */
struct figure {
    const char *name;
    bool has; /* the rank can be compared */
    int64_t p99, least;
};

static struct figure lag_of(const struct snapshot_rank *v)
{
    return (struct figure){"start lag", !v->lost && ranks_compares(v->lag.n), v->lag.p99,
                           v->lag_least};
}

static struct figure response_of(const struct snapshot_rank *v)
{
    return (struct figure){"latency", !v->lost && ranks_compares(v->response.n), v->response.p99,
                           v->response_least};
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* p99: of all ranks that can be compared, in order.  Without one of them, whose value is `own`. */
static int64_t median_of_others(const int64_t *p99, size_t have, int64_t own)
{
    size_t at = (have - 1) / 2;

    return p99[at] >= own ? p99[at + 1] : p99[at];
}

static void compare(struct snapshot_rank *v, const struct figure *own, const int64_t *p99,
                    size_t have)
{
    int64_t median = median_of_others(p99, have, own->p99);

    if (own->least - median <= APART_LEAST || (double)own->least <= (double)median * APART_FACTOR)
        return;
    snprintf(v->apart, sizeof v->apart, "%s p99 %.3f ms, %s %.3f ms", own->name, dur_ms(own->p99),
             have == 2 ? "the other rank's" : "median of the others", dur_ms(median));
}

static void compare_all(struct snapshot_rank *row, size_t n,
                        struct figure (*of)(const struct snapshot_rank *v))
{
    int64_t *p99 = mem_array(n, sizeof *p99);
    size_t have = 0;

    for (size_t i = 0; i < n; i++)
        if (of(&row[i]).has)
            p99[have++] = of(&row[i]).p99;
    qsort(p99, have, sizeof *p99, by_value);
    for (size_t i = 0; i < n && have > 1; i++) {
        struct figure own = of(&row[i]);
        if (own.has && !*row[i].apart)
            compare(&row[i], &own, p99, have);
    }
    free(p99);
}

void ranks_mark_apart(struct snapshot_rank *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct snapshot_rank *v = &row[i];
        if (v->cpus && v->cpu_pct > CPU_FULL_PCT * v->cpus)
            snprintf(v->apart, sizeof v->apart, "its CPU is full: %.0f %% of %d CPU%s", v->cpu_pct,
                     v->cpus, v->cpus == 1 ? "" : "s");
    }
    compare_all(row, n, lag_of);
    compare_all(row, n, response_of);
}
