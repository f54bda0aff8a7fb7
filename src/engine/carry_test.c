/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How many workers: sizes of machines and loads, and the promises behind them: a worker has at
 * least four clients, there are two where there are two CPUs, and more only for each further three.
 */
#include "engine/plan.h"

#include <sched.h>

#include "base/test.h"

static void sizes(void)
{
    static const struct {
        int clients, cpus, workers;
    } t[] = {
        {1, 1, 1},   {8, 1, 1},   {10000, 1, 1}, {8, 2, 2},     {512, 2, 2},   {8, 3, 2},
        {8, 4, 2},   {7, 4, 1},   {7, 2, 1},     {16, 8, 3},    {8, 8, 2},     {512, 8, 3},
        {16, 32, 4}, {32, 32, 8}, {64, 32, 11},  {512, 32, 11}, {512, 64, 22}, {10000, 128, 43},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        CHECK_INT(carry_workers(t[i].clients, t[i].cpus), t[i].workers);
}

static void promise(void)
{
    for (int clients = 1; clients <= 1024; clients++)
        for (int cpus = 1; cpus <= 256; cpus++) {
            int n = carry_workers(clients, cpus);
            CHECK(n == 1 || (clients / n >= 4 && n <= cpus && (n == 2 || 3 * (n - 1) < cpus)));
            CHECK(n >= 2 || clients < 8 || cpus < 2);
            CHECK(n <= carry_workers(clients + 1, cpus) && n <= carry_workers(clients, cpus + 1));
        }
}

/* taskset limits the CPUs. */
static void cpus(void)
{
    cpu_set_t all, one;
    int first = 0;

    CHECK(carry_cpus() >= 1);
    CHECK_INT(sched_getaffinity(0, sizeof all, &all), 0);
    CHECK_INT(carry_cpus(), CPU_COUNT(&all));
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    CHECK_INT(sched_setaffinity(0, sizeof one, &one), 0);
    CHECK_INT(carry_cpus(), 1);
    CHECK_INT(sched_setaffinity(0, sizeof all, &all), 0);
}

TEST_MAIN(carry_test)
{
    sizes();
    promise();
    cpus();
    return test_done("carry");
}
