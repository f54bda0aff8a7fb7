/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which workers of a run were near their limit, and what is said of them.
 */
#include "engine/busy.h"
#include "engine/executor.h"

#include "base/log.h"
#include "base/test.h"
#include "fiber/fiber.h"

#define MS NS_PER_MS

static void whole_run(void)
{
    static const int64_t before[] = {700 * MS, 5 * MS, 0}, now[] = {1510 * MS, 795 * MS, 900 * MS};
    double most;

    CHECK_INT(busy_workers(3, 1000 * MS, before, now, &most), 2);
    CHECK_NEAR(most, 90, 1e-9);
    CHECK_INT(busy_workers(3, 2000 * MS, before, now, &most), 0);
    CHECK_NEAR(most, 45, 1e-9);
    CHECK_INT(busy_workers(3, 0, before, now, &most), 0);
    CHECK(most == 0);
}

static void unknown(void)
{
    static const int64_t before[] = {-1, 5}, now[] = {1000 * MS, -1};
    double most = 7;

    CHECK_INT(busy_workers(2, 1000 * MS, before, now, &most), 0);
    CHECK(most == 0);
}

static void advice(void)
{
    CHECK_INT(busy_advice(1, 1), 0);
    CHECK_INT(busy_advice(1, 2), 2);
    CHECK_INT(busy_advice(1, 8), 2);
    CHECK_INT(busy_advice(3, 8), 6);
    CHECK_INT(busy_advice(6, 8), 8);
    CHECK_INT(busy_advice(8, 8), 0);
    CHECK_INT(busy_advice(9, 8), 0);
}

static void sentence(void)
{
    char text[BUSY_TEXT] = "";

    CHECK(busy_describe(text, 1, 2, false, 1, 97.4));
    CHECK_STR(text,
              "1 of 1 workers were nearly saturated (97 % of a CPU at most): raise --workers.");
    CHECK(busy_describe(text, 2, 2, false, 1, 97.4));
    CHECK_STR(text,
              "1 of 2 workers were nearly saturated (97 % of a CPU at most): each CPU that this "
              "process may use has a worker already.");
    CHECK(busy_describe(text, 6, 8, true, 6, 100));
    CHECK_STR(text,
              "6 of 6 workers were nearly saturated (100 % of a CPU at most): try --workers=8");
    CHECK(!busy_describe(text, 1, 1, true, 1, 99));
}

static void ends(void *arg, size_t i)
{
    (void)arg, (void)i;
}

/* The workers' account of answers that were held back becomes that of the run, if any were. */
static void batches(void)
{
    static struct plan p = {.workers = 1};
    static struct run r = {.plan = &p, .batches = {.n = 7}};
    struct sched_spec spec = {.workers = 1, .tasks = 1, .stack = FIBER_STACK_MIN, .live = ends};
    struct snapshot_batches b;
    struct err e = {0};

    CHECK_INT(sched_start(&r.sched, &spec, &e), 0);
    executor_end_batches(&r);
    CHECK_INT(r.batches.n, 7);
    p.worker_batch = MS;
    executor_end_batches(&r);
    CHECK_INT(r.batches.n, 0);
    for (dur_ns batch = 0; batch < 2; batch++) {
        p.worker_batch = batch;
        executor_fill_batches(
            &p, &(struct sched_batches){.n = 4, .answers = 8, .sum = 16, .most = 5}, &b);
        CHECK_INT(b.asked, batch > 0);
        CHECK_INT(b.batches, 4);
        CHECK_INT(b.answers, 8);
        CHECK_NEAR(b.held_mean_s, 2e-9, 1e-18);
        CHECK_NEAR(b.held_max_s, 5e-9, 1e-18);
    }
    sched_join(r.sched);
}

TEST_MAIN(busy_test)
{
    log_set_verbosity(-1);
    batches();
    whole_run();
    unknown();
    advice();
    sentence();
    return test_done("busy");
}
