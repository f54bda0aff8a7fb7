/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The figures of several ranks in reports that meet something: a reading that comes late, a rank
 * that ends before the others, the boundary of a stage.  No count is lost or told twice.
 */
#include "engine/run_ranks_test.h"

#include "base/test_timed.h"
#include "pace/rates.h"
#include "pace/ticket.h"

/* --- a rank whose loops end before those of the others --- */

static uint64_t done_of_1;
static int waited;

/* The leader's first transaction lasts until a report has all of the member, or 50 had not. */
static void await_member(struct load *l, const struct snapshot *s)
{
    if (s->kind != SNAPSHOT_INTERVAL)
        return;
    done_of_1 += s->rank[1].done;
    if (done_of_1 == 10 || ++waited == 50)
        atomic_store(&l->release, 1);
}

static void test_ends_first(void)
{
    struct play p = play_of(2, 2, 0);

    done_of_1 = 0;
    waited = 0;
    p.plan.max_events = 20;
    p.load.stall = true;
    p.load.watched = await_member;
    CHECK_INT(play(&p), 0);
    check_members(&p, 0);
    CHECK_INT(done_of_1, 10);
    CHECK_INT(res.final.total[CNT_DONE], 20);
}

/* --- checkpoints: the shortest and the longest latency of each client --- */

#define LONGEST (200 * NS_PER_MS)

static int periods; /* clients in a period with events, and without a shortest latency */
static int64_t longest_of_2;

/* The first transaction is the longest one; in the 300th the process stops. */
static int long_and_stops(struct load *l, struct client *c, struct err *err)
{
    for (int n = 1; client_next(c); n++) {
        client_begin(c);
        busy(n == 1 ? LONGEST : NS_PER_MS);
        if (n == 300)
            kill(getpid(), SIGSTOP);
        client_end(c);
    }
    return 0;
}

static void see_checkpoint(struct load *l, const struct snapshot *s)
{
    if (s->kind != SNAPSHOT_CHECKPOINT && s->kind != SNAPSHOT_FINAL)
        return;
    for (int i = 0; i < s->nclients; i++) {
        periods += s->clients[i].events > 0;
        CHECK(s->clients[i].events == 0 || s->clients[i].min_ns >= NS_PER_MS);
    }
    if (s->clients[2].max_ns > longest_of_2)
        longest_of_2 = s->clients[2].max_ns;
    kill(pids[2], SIGCONT);
}

/* Rank 2 stops before the first checkpoint, for which the leader waits; meanwhile rank 1 sends its
 * next reading, which has no clients.  On a slow machine it stops later, before another one. */
static void test_checkpoint_without_one(void)
{
    struct play p = play_of(RANKS, 3, 0);

    periods = 0;
    longest_of_2 = 0;
    p.plan.max_events = 6000;
    p.plan.report_interval = 0;
    for (p.plan.checkpoints = 0; p.plan.checkpoints < PLAN_MAX_CHECKPOINTS; p.plan.checkpoints++)
        p.plan.checkpoint[p.plan.checkpoints] = (dur_ns)(p.plan.checkpoints + 1) * NS_PER_SEC;
    p.load.service = NS_PER_MS;
    p.load.watched = see_checkpoint;
    p.changed = 2;
    p.change.runs = long_and_stops;
    CHECK_INT(play(&p), 0);
    check_members(&p, 0);
    CHECK_INT(res.final.total[CNT_DONE], 6000);
    CHECK(periods >= 3);
    CHECK(longest_of_2 >= LONGEST);
}

/* --- the rows of the ranks add up to the run --- */

static void add_rows(struct load *l, const struct snapshot *s)
{
    uint64_t done = 0, samples = 0;

    for (size_t i = 0; i < s->nranks; i++) {
        done += s->rank[i].done;
        samples += s->rank[i].response.n;
    }
    CHECK_INT(done, s->count[CNT_DONE]);
    CHECK_INT(samples, s->hists.response->total);
}

/* At full speed, where each second a member sends two readings one after the other: one of them may
 * come between the sum and the rows. */
static void test_rows(void)
{
    struct play p = play_of(RANKS, 6, 0);

    p.plan.time_limit = 4 * NS_PER_SEC;
    p.plan.report_interval = NS_PER_SEC / 10;
    p.load.service = NS_PER_MS / 10;
    p.load.watched = add_rows;
    CHECK_INT(play(&p), 0);
    check_members(&p, 0);
    CHECK(p.load.snapshots > 3);
}

/* --- the boundary of a stage --- */

#define STAGE  (500 * NS_PER_MS)
#define STAGES 2

static struct snapshot_rate stage[STAGES];
static uint64_t done_by_1;

static void keep_stages(const struct snapshot *s)
{
    if (s->kind != SNAPSHOT_FINAL)
        return;
    CHECK_INT(s->nstages, STAGES);
    done_by_1 = s->rank[1].done;
    for (size_t i = 0; i < s->nstages && i < STAGES; i++)
        stage[i] = s->stages[i].s->rate;
}

static struct play staged(const char *rates, uint64_t events)
{
    struct play p = play_of(2, 4, 0);
    struct err why;

    p.plan.rates = rates_parse(rates, &(struct rates_play){1, 1}, &why);
    p.plan.rate = 100;
    p.plan.max_events = events;
    return p;
}

/* Of the first stage: what it was asked for is somewhere, if the ticker came in time.  A reading
 * that is late has what was done in the next stage, too (stage_note in windows.c). */
static void check_first_stage(uint64_t offered)
{
    const struct snapshot_rate *q = &stage[0];

    CHECK_INT(q->offered, offered);
    CHECK_TIMED_INT(q->done + q->failed + q->dropped + rate_unfinished(q) + q->lost, offered);
}

static void go_on_after_stage(struct load *l, const struct snapshot *s)
{
    keep_stages(s);
    if (s->kind != SNAPSHOT_FINAL && s->elapsed_ns < STAGE + STAGE / 10)
        return;
    late_reports += s->kind != SNAPSHOT_FINAL && s->rank[1].late;
    kill(pids[1], SIGCONT);
}

/* The reading of one rank is missing where a stage ends. */
static void test_stage_without_one(void)
{
    struct play p = staged("100:500ms,400", 250);

    p.load.watched = go_on_after_stage;
    p.change.runs = stops;
    CHECK_INT(play(&p), 0);
    check_members(&p, 0);
    check_rate(250, 250, 0, 0);
    CHECK(late_reports > 0);
    check_first_stage(50);
    CHECK_TIMED(stage[0].waiting > 0); /* it stopped before the boundary */
    CHECK_INT(stage[0].done + stage[1].done, 250);
    rates_free(p.plan.rates);
}

static bool in_time; /* the report before it was */
static int without;  /* intervals that know of the loss */

/* The ticker comes to the boundary 100 ms late.  Two of four clients are left then. */
static void come_late(struct load *l, const struct snapshot *s)
{
    keep_stages(s);
    if (s->kind == SNAPSHOT_INTERVAL && s->rank[1].lost && without++)
        CHECK(s->threads_running <= 2);
    if (s->kind == SNAPSHOT_INTERVAL && !sent && s->elapsed_ns >= STAGE * 4 / 5) {
        sent = true;
        in_time = s->elapsed_ns < STAGE;
        busy(STAGE / 5 + NS_PER_SEC / 10);
    }
}

/* What is planned, and what is lost, is known at the boundary: what a lost rank would have done in
 * the second stage is lost there, and not in the first.  The other counts are of the reading. */
static void test_stage_after_loss(void)
{
    struct play p = staged("90:500ms,400", 245);

    p.load.watched = come_late;
    p.change.runs = dies;
    CHECK_INT(play(&p), -1);
    CHECK(WIFSIGNALED(p.status[1]));
    CHECK_INT(res.final.rate.total_offered, 245);
    CHECK_INT(stage[0].offered, 45);
    CHECK_INT(stage[0].lost, 22 - done_by_1);
    CHECK_INT(stage[0].lost + stage[1].lost, res.final.rate.total_lost);
    CHECK_INT(stage[0].done + stage[1].done, res.final.rate.total_done);
    rates_free(p.plan.rates);
}

/* Arrivals that must be walked are counted at the boundary before any other reading. */
static void test_stage_late(void)
{
    struct play p = staged("100:500ms,400", 250);
    struct ticket_spec spec = {.arrivals = {.shape = ARRIVAL_POISSON,
                                            .rate = 100,
                                            .rates = p.plan.rates,
                                            .clients = 4,
                                            .seed = 1},
                               .max_tickets = 250,
                               .horizon = MONO_NEVER};
    struct tickets *alone = tickets_new(&spec);

    p.plan.arrival = ARRIVAL_POISSON;
    p.load.watched = come_late;
    CHECK_INT(play(&p), 0);
    check_members(&p, 0);
    check_rate(250, 250, 0, 0);
    CHECK_TIMED(in_time);
    CHECK(!in_time || stage[0].offered == tickets_offered(alone, STAGE - 1));
    CHECK_INT(stage[0].offered + stage[1].offered, 250);
    tickets_free(alone);
    rates_free(p.plan.rates);
}

TEST_MAIN(run_ranks_figures_test)
{
    test_ends_first();
    test_checkpoint_without_one();
    test_rows();
    TIMED(test_stage_without_one);
    test_stage_after_loss();
    TIMED(test_stage_late);
    return timed_done("run_ranks_figures_test");
}
