/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which ranks differ from the others, and whose CPU is nearest to its limit.
 */
#include "engine/ranks.h"

#include <math.h>

#include "base/test.h"

#define MS NS_PER_MS

static struct snapshot_rank row_of(int64_t lag, int64_t response, double cpu_pct)
{
    return (struct snapshot_rank){.lag = {.n = lag >= 0, .p99 = lag},
                                  .response = {.n = response >= 0, .p99 = response},
                                  .cpu_pct = cpu_pct,
                                  .cpus = 2};
}

/* Of two, the slower one, however much slower it is. */
static void two(void)
{
    struct snapshot_rank row[] = {row_of(MS, 10 * MS, 5), row_of(MS, 90 * MS, 5)};

    ranks_mark_apart(row, 2);
    CHECK_STR(row[0].apart, "");
    CHECK_STR(row[1].apart, "latency p99 90.000 ms, median of the ranks 10.000 ms");
}

/* A difference must be large in both ways: of itself, and beside the median. */
static void bounds(void)
{
    struct snapshot_rank near[] = {row_of(0, 100 * MS, 5), row_of(0, 100 * MS, 5),
                                   row_of(0, 125 * MS, 5)},
                         brief[] = {row_of(0, MS / 10, 5), row_of(0, MS / 10, 5), row_of(0, MS, 5)},
                         over[] = {row_of(0, 100 * MS, 5), row_of(0, 100 * MS, 5),
                                   row_of(0, 126 * MS, 5)};

    ranks_mark_apart(near, 3);
    ranks_mark_apart(brief, 3);
    ranks_mark_apart(over, 3);
    CHECK_STR(near[2].apart, "");
    CHECK_STR(brief[2].apart, "");
    CHECK_STR(over[2].apart, "latency p99 126.000 ms, median of the ranks 100.000 ms");
    CHECK_STR(over[0].apart, "");
}

/* The lag is nearer to the cause than the latency, and the CPU than both.  A rank that did nothing
 * is not compared. */
static void causes(void)
{
    struct snapshot_rank row[] = {row_of(MS, 10 * MS, 5),        row_of(50 * MS, 60 * MS, 5),
                                  row_of(50 * MS, 60 * MS, 181), row_of(MS, 10 * MS, 180),
                                  row_of(-1, -1, NAN),           row_of(MS, 11 * MS, 5)};

    ranks_mark_apart(row, 6);
    CHECK_STR(row[0].apart, "");
    CHECK_STR(row[1].apart, "start lag p99 50.000 ms, median of the ranks 1.000 ms");
    CHECK_STR(row[2].apart, "its CPU is full: 181 % of 2 CPUs");
    CHECK_STR(row[3].apart, "");
    CHECK_STR(row[4].apart, "");
}

/* Alone, nothing differs from others. */
static void one(void)
{
    struct snapshot_rank row[] = {row_of(MS, 10 * MS, 5), row_of(-1, -1, 5)};

    ranks_mark_apart(row, 2);
    CHECK_STR(row[0].apart, "");
    CHECK_STR(row[1].apart, "");
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

int main(void)
{
    two();
    bounds();
    causes();
    one();
    busiest();
    return test_done("ranks_show_test");
}
