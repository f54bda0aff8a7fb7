/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Runs on several ranks: what they add up to is what one host counts.
 */
#include "engine/run_ranks_test.h"

#include "engine/client_state.h"
#include "pace/rates.h"

static uint64_t rows_done;

static void add_rows(struct load *l, const struct snapshot *s)
{
    if (s->kind != SNAPSHOT_FINAL)
        return;
    rows_done = 0;
    for (size_t i = 0; i < s->nranks; i++)
        rows_done += s->rank[i].done;
    CHECK_INT(s->nranks, RANKS);
    CHECK_INT(snapshot_sampled_by(s, &s->self), s->rank[0].done);
    CHECK_INT(snapshot_sampled_by(s, &s->server), 300);
    CHECK_INT(s->rank[0].clients, 3);
    CHECK_INT(s->rank[1].clients, 3);
    CHECK_INT(s->rank[2].clients, 2);
    CHECK_INT(s->nclients, 8);
    CHECK_INT(s->hists.response->total, 300);
    CHECK_INT(s->stock_hist->total, 300);
    for (int i = 0; i < s->nclients; i++)
        CHECK(s->clients[i].events > 0 && s->clients[i].min_ns >= NS_PER_MS);
}

static void test_sums(void)
{
    struct play p = play_of(RANKS, 8, 300);

    p.plan.max_events = 300;
    p.plan.arrival = ARRIVAL_POISSON;
    p.load.service = NS_PER_MS;
    p.load.reads = 3;
    p.load.watched = add_rows;
    CHECK_INT(play(&p), 0);
    check_members(&p, 0);
    check_rate(300, 300, 0, 0);
    CHECK_INT(rows_done, 300);
    CHECK_INT(res.final.total[CNT_READ], 900);
    CHECK_INT(res.final.rate.response.n, 300);
    CHECK_INT(res.final.rate.lag.n, 300);
    CHECK_INT(res.final.rate.total_lost, 0);
    CHECK_INT(res.final.threads, 8);
    CHECK(res.final.rate.shared && res.sustained + 1 > 0);
    CHECK(p.load.snapshots > 3);
}

/* At full speed, with a warm-up, and with checkpoints that carry each client. */
static void test_full_speed(void)
{
    struct play p = play_of(2, 5, 0);

    p.plan.max_events = 101;
    p.plan.warmup = NS_PER_SEC / 5;
    p.plan.warmup_reports = true;
    p.plan.checkpoint[0] = NS_PER_SEC / 10;
    p.plan.checkpoints = 1;
    p.load.service = 5 * NS_PER_MS;
    CHECK_INT(play(&p), 0);
    check_members(&p, 0);
    CHECK_INT(res.final.total[CNT_DONE], 101);
    CHECK_INT(res.final.nclients, 5);
}

static void at_time_limit(void)
{
    struct play p = play_of(2, 4, 500);

    p.plan.time_limit = NS_PER_SEC / 2;
    CHECK_INT(play(&p), 0);
    check_members(&p, 0);
    CHECK_INT(res.final.rate.total_offered, 250);
    CHECK_INT(res.final.rate.total_done + rate_unfinished(&res.final.rate), 250);
}

static uint64_t stage_offered[2];
static unsigned stage_clients;

static void see_stages(struct load *l, const struct snapshot *s)
{
    if (s->nstages)
        stage_clients = s->stages[0].s->threads_running;
    for (size_t i = 0; i < s->nstages && i < 2; i++)
        stage_offered[i] = s->stages[i].s->rate.offered;
}

static int64_t offset_of_1, least_lag;
static bool clock_is_same;

static void see_clock(struct load *l, const struct snapshot *s)
{
    if (s->kind != SNAPSHOT_FINAL)
        return;
    CHECK(s->rank[1].has_clock && !s->rank[0].has_clock);
    clock_is_same = s->rank[1].same_clock;
    offset_of_1 = s->rank[1].clock_offset;
    least_lag = hist_min(s->hists.lag);
}

/* The leader's clock is 1000 s ahead and fast: members follow it, so their starts are neither early
 * nor 1000 s late. */
static void test_clocks(void)
{
    struct play p = play_of(2, 4, 200);
    uint64_t bound = 100 * NS_PER_SEC;

    p.ahead = 1000 * NS_PER_SEC;
    p.drift = 100e-6;
    p.plan.max_events = 200;
    p.load.watched = see_clock;
    CHECK_INT(play(&p), 0);
    check_members(&p, 0);
    check_rate(200, 200, 0, 0);
    CHECK(!clock_is_same);
    CHECK_NEAR(offset_of_1, p.ahead, NS_PER_SEC);
    CHECK(least_lag >= 0 && res.final.rate.lag.max < (int64_t)bound);
}

/* The planned starts of each stage are those of one host. */
static void test_stages(void)
{
    struct play p = play_of(2, 4, 0);
    struct err why;

    p.plan.rates = rates_parse("100:500ms,400", &(struct rates_play){1, 1}, &why);
    p.plan.rate = 100;
    p.plan.max_events = 250;
    p.load.watched = see_stages;
    CHECK_INT(play(&p), 0);
    check_members(&p, 0);
    check_rate(250, 250, 0, 0);
    CHECK_INT(stage_offered[0], 50);
    CHECK_INT(stage_offered[1], 200);
    CHECK_INT(stage_clients, 4);
    rates_free(p.plan.rates);
}

static void change_rate(struct load *l, const struct snapshot *s)
{
    struct err why = {0};

    if (!sent && s->kind == SNAPSHOT_INTERVAL)
        CHECK_INT(run_set_rate_here(1000, NULL, &why), 0);
    sent = true;
}

static void test_rate_by_hand(void)
{
    struct play p = play_of(2, 4, 20);

    p.plan.max_events = 200; /* 10 s at the first rate */
    p.plan.rate_changes = true;
    p.load.watched = change_rate;
    CHECK_INT(play(&p), 0);
    check_members(&p, 0);
    check_rate(200, 200, 0, 0);
    CHECK(res.final.rate.target_changed);
}

TEST_MAIN(run_ranks_test)
{
    test_sums();
    test_full_speed();
    at_time_limit();
    test_clocks();
    test_stages();
    test_rate_by_hand();
    return test_done("run_ranks_test");
}
