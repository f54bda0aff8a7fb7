/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The script's report hooks as an observer: the state for each report, that it gets no report of a
 * warm-up, and the effect on random numbers.
 */
#include "session/result_files.h"

#include "base/test_capture.h"
#include "script/script_test.h"

static const char both[] = "function event() end\n"
                           "states = (states or 0) + 1\n"
                           "sysbench.hooks.report_intermediate = function(s)\n"
                           "  seen = (seen or 0) + 1\n"
                           "  print('interval ' .. s.events .. ' ' .. seen)\n"
                           "end\n"
                           "sysbench.hooks.report_cumulative = function(s)\n"
                           "  seen = (seen or 0) + 1\n"
                           "  print('cumulative ' .. s.events .. ' ' .. seen)\n"
                           "end\n";

static const char *shown(struct hooks *h, enum snapshot_kind kind, bool warmup, uint64_t events)
{
    struct snapshot s = {
        .kind = kind, .warmup = warmup, .events = events, .interval_ns = NS_PER_SEC};

    capture();
    hooks_observer.on(h, &(struct run_event){.kind = RUN_SNAPSHOT, .s = &s});
    return captured();
}

/* Intervals, checkpoints and the final report have a state each. */
static void states(void)
{
    struct session t;
    struct hooks h = {.intervals = true, .checkpoints = true};

    begin(&t, both, NULL, "run", "");
    CHECK_INT(t.rc, 0);
    h.script = t.script;
    h.seeder = &t.seeder;
    CHECK(hooks_has(&h, SCRIPT_HOOK_INTERMEDIATE) && hooks_has(&h, SCRIPT_HOOK_CUMULATIVE));
    hooks_observer.on(&h, &(struct run_event){.kind = RUN_TICKER_OPENS});
    CHECK(h.interval != NULL && h.checkpoint != NULL);
    CHECK_STR(shown(&h, SNAPSHOT_INTERVAL, true, 1), "");
    CHECK_STR(shown(&h, SNAPSHOT_INTERVAL, false, 2), "interval 2 1\n");
    CHECK_STR(shown(&h, SNAPSHOT_INTERVAL, false, 3), "interval 3 2\n");
    CHECK_STR(shown(&h, SNAPSHOT_CHECKPOINT, false, 4), "cumulative 4 1\n");
    hooks_observer.on(&h, &(struct run_event){.kind = RUN_TICKER_CLOSES});
    CHECK(h.interval == NULL && h.checkpoint == NULL);
    CHECK_STR(shown(&h, SNAPSHOT_FINAL, false, 5), "cumulative 5 1\n");
    end(&t);
}

/* Without hooks the states are opened nevertheless: the script's top level runs in each. */
static void without_hooks(void)
{
    struct session t;
    struct hooks h = {.intervals = true};

    capture();
    begin(&t, "print('top level') function event() end\n", NULL, "run", "");
    CHECK_STR(captured(), "top level\n");
    h.script = t.script;
    h.seeder = &t.seeder;
    CHECK(!hooks_has(&h, SCRIPT_HOOK_INTERMEDIATE) && !hooks_has(&h, SCRIPT_HOOK_CUMULATIVE));
    capture();
    hooks_observer.on(&h, &(struct run_event){.kind = RUN_TICKER_OPENS});
    CHECK_STR(captured(), "top level\n");
    CHECK(h.interval != NULL && h.checkpoint == NULL);
    CHECK_STR(shown(&h, SNAPSHOT_INTERVAL, false, 2), "");
    CHECK_STR(shown(&h, SNAPSHOT_FINAL, false, 2), "");
    hooks_observer.on(&h, &(struct run_event){.kind = RUN_TICKER_CLOSES});
    end(&t);
}

/* A built-in test has no script, but its clients have the same random streams as in stock, where
 * the reports' states come first. */
static void seeds(void)
{
    static const struct {
        bool intervals, checkpoints;
        int drawn;
    } t[] = {{false, false, 0}, {true, false, 1}, {true, true, 2}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct rng_seeder used, fresh;
        struct hooks h = {
            .seeder = &used, .intervals = t[i].intervals, .checkpoints = t[i].checkpoints};
        struct rng a, b;
        rng_seeder_init(&used, 7);
        rng_seeder_init(&fresh, 7);
        hooks_observer.on(&h, &(struct run_event){.kind = RUN_TICKER_OPENS});
        CHECK(h.interval == NULL && h.checkpoint == NULL);
        CHECK(!hooks_has(&h, SCRIPT_HOOK_CUMULATIVE));
        CHECK_STR(shown(&h, SNAPSHOT_FINAL, false, 1), "");
        hooks_observer.on(&h, &(struct run_event){.kind = RUN_TICKER_CLOSES});
        for (int k = 0; k <= t[i].drawn; k++)
            rng_seed(&b, &fresh);
        rng_seed(&a, &used);
        CHECK(memcmp(&a, &b, sizeof a) == 0);
    }
}

TEST_MAIN(hooks_test)
{
    states();
    without_hooks();
    seeds();
    return test_done("hooks");
}
