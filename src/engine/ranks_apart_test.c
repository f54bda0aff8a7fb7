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
#include "base/test_golden.h"

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

/* Those that differ, and why. */
static void marked(const char *what, struct snapshot_rank *row, size_t n)
{
    golden_line("%s:", what);
    ranks_mark_apart(row, n);
    for (size_t i = 0; i < n; i++)
        if (*row[i].apart)
            golden_line("  %zu: %s", i, row[i].apart);
}

static void slow(const char *what, size_t n, const int64_t *response_ms)
{
    struct snapshot_rank row[5];

    for (size_t i = 0; i < n; i++)
        row[i] = row_of(-1, response_ms[i] * MS, 5);
    marked(what, row, n);
}

/* Its own figure is in no median that it is compared with, and more than half of the others are
 * below it. */
static void others(void)
{
    slow("of two, the slower one, compared with the other", 2, (int64_t[]){10, 90});
    slow("the same", 2, (int64_t[]){90, 10});
    slow("two alike", 2, (int64_t[]){50, 50});
    slow("of three", 3, (int64_t[]){10, 14, 90});
    slow("most are slow", 3, (int64_t[]){10, 90, 90});
    slow("of four", 4, (int64_t[]){90, 10, 80, 12});
    slow("of five", 5, (int64_t[]){10, 11, 12, 90, 91});
    slow("most of five are slow", 5, (int64_t[]){10, 11, 90, 90, 91});
}

/* A difference must be large in both ways: of itself, and beside the median. */
static void bounds(void)
{
    for (int over = 125; over <= 126; over++) {
        struct snapshot_rank row[] = {row_of(0, 100 * MS, 5), row_of(0, 100 * MS, 5),
                                      row_of(0, over * MS, 5)};
        marked("beside 100 ms", row, 3);
    }
    struct snapshot_rank brief[] = {row_of(0, MS / 10, 5), row_of(0, MS / 10, 5), row_of(0, MS, 5)};
    marked("less than 1 ms", brief, 3);
}

/* It may be chance, or there are too few samples to say; those few are in no median either. */
static void samples(void)
{
    for (int more = 0; more < 2; more++) {
        struct snapshot_rank row[] = {row_of(-1, 10 * MS, 5), row_of(-1, 90 * MS, 5),
                                      row_of(-1, 70 * MS, 5)};
        row[1].response_least = more ? 12 * MS + MS / 2 + 1 : 12 * MS;
        row[2].response.n = ENOUGH - 1;
        row[2].response_least = -1;
        marked(more ? "no chance" : "it may be chance", row, 3);
    }
    CHECK(!ranks_compares(ENOUGH - 1) && ranks_compares(ENOUGH));
    CHECK_INT(round(ranks_least_pct(1000) * 1e6), 98056072);
    CHECK_INT(round(ranks_least_pct(1000000) * 1e6), 98970150);
}

static void causes(void)
{
    struct snapshot_rank lost[] = {row_of(-1, 10 * MS, 5), row_of(-1, 90 * MS, 5),
                                   row_of(-1, 20 * MS, 5)},
                         row[] = {row_of(MS, 10 * MS, 5),        row_of(50 * MS, 60 * MS, 5),
                                  row_of(50 * MS, 60 * MS, 181), row_of(MS, 10 * MS, 180),
                                  row_of(-1, -1, NAN),           row_of(MS, 11 * MS, 5)},
                         one[] = {row_of(MS, 10 * MS, 5), row_of(-1, -1, 5)};

    lost[1].lost = true; /* it ran in another part of the time */
    marked("one is lost", lost, 3);
    /* the lag is nearer to the cause than the latency, and the CPU than both; a rank that did
     * nothing is not compared */
    marked("lag and CPU", row, 6);
    marked("alone, nothing differs from others", one, 2);
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

TEST_MAIN(ranks_apart_test)
{
    if (argc > 1) {
        table(atoi(argv[1]), 1000);
        table(atoi(argv[1]), 10000);
        return 0;
    }
    others();
    bounds();
    samples();
    causes();
    equal_ranks();
    unequal_ranks();
    golden_done("ranks_apart_test");
    return test_done("ranks_apart_test");
}
