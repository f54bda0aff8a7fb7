/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which ranks differ from the others, how often equal ranks seem to, and whose CPU is nearest to
 * its limit.
 *
 *     ranks_apart_test 20000     prints the table at the head of ranks_merge.c
 */
#include "engine/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/test.h"

#define MS     NS_PER_MS
#define ENOUGH RANKS_LEAST_SAMPLES

/* So many samples that the 99th percentile is all but exact; < 0: none. */
static struct snapshot_rank row_of(int64_t lag, int64_t response, double cpu_pct)
{
    return (struct snapshot_rank){.lag = {.n = lag >= 0 ? ENOUGH : 0, .p99 = lag},
                                  .lag_least = lag,
                                  .response = {.n = response >= 0 ? ENOUGH : 0, .p99 = response},
                                  .response_least = response,
                                  .cpu_pct = cpu_pct,
                                  .cpus = 2};
}

/* Those that differ, as "1: why; 3: why; ". */
static const char *marked(struct snapshot_rank *row, size_t n)
{
    static char text[400];
    size_t at = 0;

    *text = '\0';
    ranks_mark_apart(row, n);
    for (size_t i = 0; i < n; i++)
        if (*row[i].apart)
            at += (size_t)snprintf(text + at, sizeof text - at, "%zu: %s; ", i, row[i].apart);
    return text;
}

static const char *slow(size_t n, const int64_t *response_ms)
{
    struct snapshot_rank row[5];

    for (size_t i = 0; i < n; i++)
        row[i] = row_of(-1, response_ms[i] * MS, 5);
    return marked(row, n);
}

/* Of two, the slower one, compared with the other. */
static void two(void)
{
    CHECK_STR(slow(2, (int64_t[]){10, 90}),
              "1: latency p99 90.000 ms, the other rank's 10.000 ms; ");
    CHECK_STR(slow(2, (int64_t[]){90, 10}),
              "0: latency p99 90.000 ms, the other rank's 10.000 ms; ");
    CHECK_STR(slow(2, (int64_t[]){50, 50}), "");
}

/* Its own figure is in no median that it is compared with, and more than half of the others are
 * below it. */
static void others(void)
{
    CHECK_STR(slow(3, (int64_t[]){10, 14, 90}),
              "2: latency p99 90.000 ms, median of the others 14.000 ms; ");
    CHECK_STR(slow(3, (int64_t[]){10, 90, 90}), ""); /* most are slow */
    CHECK_STR(slow(4, (int64_t[]){90, 10, 80, 12}),
              "0: latency p99 90.000 ms, median of the others 12.000 ms; "
              "2: latency p99 80.000 ms, median of the others 12.000 ms; ");
    CHECK_STR(slow(5, (int64_t[]){10, 11, 12, 90, 91}),
              "3: latency p99 90.000 ms, median of the others 12.000 ms; "
              "4: latency p99 91.000 ms, median of the others 12.000 ms; ");
    CHECK_STR(slow(5, (int64_t[]){10, 11, 90, 90, 91}), "");
}

/* A difference must be large in both ways: of itself, and beside the median. */
static void bounds(void)
{
    struct snapshot_rank near[] = {row_of(0, 100 * MS, 5), row_of(0, 100 * MS, 5),
                                   row_of(0, 125 * MS, 5)},
                         brief[] = {row_of(0, MS / 10, 5), row_of(0, MS / 10, 5), row_of(0, MS, 5)},
                         over[] = {row_of(0, 100 * MS, 5), row_of(0, 100 * MS, 5),
                                   row_of(0, 126 * MS, 5)};

    CHECK_STR(marked(near, 3), "");
    CHECK_STR(marked(brief, 3), "");
    CHECK_STR(marked(over, 3), "2: latency p99 126.000 ms, median of the others 100.000 ms; ");
}

/* It may be chance, or there are too few samples to say; those few are in no median either. */
static void samples(void)
{
    struct snapshot_rank row[] = {row_of(-1, 10 * MS, 5), row_of(-1, 90 * MS, 5),
                                  row_of(-1, 70 * MS, 5)};

    row[1].response_least = 12 * MS;
    row[2].response.n = ENOUGH - 1;
    row[2].response_least = -1;
    CHECK_STR(marked(row, 3), "");
    row[1].response_least = 12 * MS + MS / 2 + 1;
    CHECK_STR(marked(row, 3), "1: latency p99 90.000 ms, the other rank's 10.000 ms; ");
    CHECK(!ranks_compares(ENOUGH - 1) && ranks_compares(ENOUGH));
    CHECK_INT(round(ranks_least_pct(1000) * 1e6), 98056072);
    CHECK_INT(round(ranks_least_pct(1000000) * 1e6), 98970150);
}

/* A lost rank ran in another part of the time. */
static void lost(void)
{
    struct snapshot_rank row[] = {row_of(-1, 10 * MS, 5), row_of(-1, 90 * MS, 5),
                                  row_of(-1, 20 * MS, 5)};

    row[1].lost = true;
    CHECK_STR(marked(row, 3), "2: latency p99 20.000 ms, the other rank's 10.000 ms; ");
}

/* The lag is nearer to the cause than the latency, and the CPU than both.  A rank that did nothing
 * is not compared. */
static void causes(void)
{
    struct snapshot_rank row[] = {row_of(MS, 10 * MS, 5),        row_of(50 * MS, 60 * MS, 5),
                                  row_of(50 * MS, 60 * MS, 181), row_of(MS, 10 * MS, 180),
                                  row_of(-1, -1, NAN),           row_of(MS, 11 * MS, 5)};

    CHECK_STR(marked(row, 6), "1: start lag p99 50.000 ms, median of the others 1.000 ms; "
                              "2: its CPU is full: 181 % of 2 CPUs; ");
}

/* Alone, nothing differs from others. */
static void one(void)
{
    struct snapshot_rank row[] = {row_of(MS, 10 * MS, 5), row_of(-1, -1, 5)};

    CHECK_STR(marked(row, 2), "");
}

/* --- equal ranks --- */

/* Latencies by the share of transactions that take longer, 10 ms being a typical one. */
static double exponential(double longer)
{
    return -10 * log(longer);
}

static double lognormal(double longer)
{
    double t = sqrt(-2 * log(longer)); /* Abramowitz and Stegun 26.2.23, error < 4.5e-4 */
    double z = t - (2.515517 + 0.802853 * t + 0.010328 * t * t) /
                       (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);

    return 10 * exp(z);
}

static double pareto(double longer) /* no variance */
{
    return 10 / sqrt(longer);
}

/* The slowest samples one after the other, from the slowest on: of n, then of n - 1 below it. */
static struct snapshot_rank draw(struct rng *rng, uint64_t n, double (*of)(double longer))
{
    size_t p99 = n - (size_t)ceil(0.99 * (double)n);
    size_t least = n - (size_t)ceil(ranks_least_pct(n) / 100 * (double)n);
    struct snapshot_rank v = row_of(-1, 0, 5);
    double shorter = 0; /* logarithm of the share that is shorter */

    v.response.n = n;
    for (size_t i = 0; i <= least; i++) {
        shorter += log(1 - rng_double(rng)) / (double)(n - i);
        if (i == p99)
            v.response.p99 = (int64_t)(1e6 * of(-expm1(shorter)));
        if (i == least)
            v.response_least = (int64_t)(1e6 * of(-expm1(shorter)));
    }
    return v;
}

/* How many of the runs have a rank that differs. */
static int alarms(uint64_t seed, int runs, size_t n, uint64_t samples, double (*of)(double longer))
{
    struct snapshot_rank *row = mem_array(n, sizeof *row);
    struct rng rng;
    int with = 0;

    rng_seed_pair(&rng, seed, n);
    for (int k = 0; k < runs; k++) {
        bool any = false;
        for (size_t i = 0; i < n; i++)
            row[i] = draw(&rng, samples, of);
        ranks_mark_apart(row, n);
        for (size_t i = 0; i < n; i++)
            any = any || *row[i].apart;
        with += any;
    }
    free(row);
    return with;
}

static const struct {
    const char *name;
    double (*of)(double longer);
    double most_pct; /* of the runs, with 1,000 samples */
} kinds[] = {
    {"exponential", exponential, 0}, {"log-normal", lognormal, 0.2}, {"Pareto", pareto, 0.6}};
static const size_t counts[] = {2, 3, 4, 16};

static void table(int runs, uint64_t samples)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        printf("%-12s %llu", kinds[i].name, (unsigned long long)samples);
        for (size_t j = 0; j < sizeof counts / sizeof *counts; j++)
            printf(" %7.3f", 100.0 * alarms(7, runs, counts[j], samples, kinds[i].of) / runs);
        printf("\n");
    }
}

/* The seed is fixed, so this is no test of chance. */
static void equal_ranks(void)
{
    const int runs = 2000;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t j = 0; j < sizeof counts / sizeof *counts; j++) {
            int most = (int)(kinds[i].most_pct / 100 * runs);
            CHECK(alarms(1, runs, counts[j], 1000, kinds[i].of) <= most);
            CHECK_INT(alarms(1, runs / 10, counts[j], 10000, kinds[i].of), 0);
        }
}

/* What is 1.5 times as slow is found, unless the tail is very long. */
static void unequal_ranks(void)
{
    struct rng rng;
    int found = 0;

    rng_seed_pair(&rng, 2, 0);
    for (int k = 0; k < 200; k++) {
        struct snapshot_rank row[] = {draw(&rng, 10000, exponential),
                                      draw(&rng, 10000, exponential)};
        row[1].response.p99 = row[1].response.p99 * 3 / 2;
        row[1].response_least = row[1].response_least * 3 / 2;
        ranks_mark_apart(row, 2);
        CHECK_STR(row[0].apart, "");
        found += *row[1].apart != 0;
    }
    CHECK(found >= 198);
}

static void busiest(void)
{
    struct snapshot_rank row[] = {row_of(0, 0, 150), row_of(0, 0, NAN), row_of(0, 0, 90)};
    struct snapshot s = {.rank = row, .nranks = 3};
    double pct = 0;
    int cpus = 0;

    row[2].cpus = 1;
    CHECK(ranks_busiest(&s, &pct, &cpus));
    CHECK_INT(pct, 90);
    CHECK_INT(cpus, 1);
    s.nranks = 0;
    CHECK(!ranks_busiest(&s, &pct, &cpus));
}

TEST_MAIN(ranks_apart_test)
{
    if (argc > 1) {
        table(atoi(argv[1]), 1000);
        table(atoi(argv[1]), 10000);
        return 0;
    }
    two();
    others();
    bounds();
    samples();
    lost();
    causes();
    one();
    equal_ranks();
    unequal_ranks();
    busiest();
    return test_done("ranks_apart_test");
}
