/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From how many clients on, and how many workers: every size of the table in docs/workers.md, and
 * the promise behind it, that a worker has at least four clients and at most three CPUs.
 */
#include "engine/plan.h"

#include <sched.h>

#include "base/test.h"

static void sizes(void)
{
    static const struct {
        int clients, cpus, workers;
    } t[] = {
        {1, 1, 1},   {8, 1, 1},    {10000, 1, 1}, {8, 2, 1},     {512, 2, 1},      {8, 3, 1},
        {8, 4, 2},   {7, 4, 1},    {16, 8, 3},    {8, 8, 2},     {512, 8, 3},      {16, 32, 4},
        {32, 32, 8}, {64, 32, 11}, {512, 32, 11}, {512, 64, 22}, {10000, 128, 43},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        CHECK_INT(carry_workers(t[i].clients, t[i].cpus), t[i].workers);
}

static void promise(void)
{
    for (int clients = 1; clients <= 1024; clients++)
        for (int cpus = 1; cpus <= 256; cpus++) {
            int n = carry_workers(clients, cpus);
            CHECK(n == 1 || (clients / n >= 4 && 3 * (n - 1) < cpus));
            CHECK(n <= carry_workers(clients + 1, cpus) && n <= carry_workers(clients, cpus + 1));
        }
}

static void drivers(void)
{
    CHECK_INT(carry_from("mysql"), 64);
    CHECK_INT(carry_from("pgsql"), 0);
    CHECK_INT(carry_from("other"), 0);
    CHECK_INT(carry_from(""), 0);
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
    drivers();
    cpus();
    return test_done("carry");
}
