/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whole runs on several ranks: a process each, on this host, with real connections between them.
 * What is checked are counts, which do not depend on how fast the machine is; what happens to a
 * rank happens when a report says that it is time.
 */
#include "engine/run_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "cluster/cluster_meet_test.h"
#include "engine/set_rate.h"
#include "pace/rates.h"

#define RANKS 3

/* One run.  `member` changes what a rank does; `watched` of `load` sees the leader's reports. */
struct play {
    int ranks;
    struct plan plan;
    struct load load;
    void (*member)(struct load *l, int rank);
    dur_ns ahead; /* the leader's clock, of the members' */
    double drift;
    int status[RANKS]; /* of the members, by waitpid() */
};

static pid_t pids[RANKS];
static bool sent; /* what is to happen has been done */
static int late_reports;

static struct play play_of(int ranks, int clients, double rate)
{
    struct play p = {.ranks = ranks, .plan = base_plan(clients, rate), .load = fresh()};

    p.plan.ranks = ranks;
    p.plan.clients_all = clients;
    p.plan.common_seed = 1;
    p.plan.time_limit = 600 * NS_PER_SEC;
    p.plan.keep_histograms = true;
    sent = false;
    late_reports = 0;
    return p;
}

static int run_rank(struct play *p, struct cluster_test *t, int rank)
{
    struct cluster_clock *ahead = p->ahead ? cluster_clock_new(p->ahead, p->drift) : NULL;
    int rc;

    p->plan.rank = rank;
    p->plan.clients = plan_share(&p->plan, rank);
    p->plan.cluster = cluster_test_join(t, rank, p->ranks);
    p->plan.clock = rank == 0 && ahead ? cluster_clock_of(ahead) : cluster_clock(p->plan.cluster);
    rc = run(&p->load, &p->plan);
    cluster_leave(p->plan.cluster);
    cluster_clock_free(ahead);
    return rc;
}

/* Exit status 9: a check failed; 1: the run did; 128 and more: a signal ended it. */
static void be_member(struct play *p, struct cluster_test *t, int rank)
{
    int rc;

    p->load.watched = NULL;
    test_failures = 0;
    if (p->member)
        p->member(&p->load, rank);
    rc = run_rank(p, t, rank);
    fflush(stdout);
    _exit(test_failures ? 9 : res.signal ? 128 + res.signal : rc ? 1 : 0);
}

/* This process is the leader. */
static int play(struct play *p)
{
    struct cluster_test t;
    int rc;

    cluster_test_listen(&t);
    if (p->ahead)
        t.trial = (struct meet_trial){.ahead = p->ahead, .drift = p->drift, .from = clock_mono()};
    fflush(stdout);
    for (int i = 1; i < p->ranks; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            be_member(p, &t, i);
    }
    rc = run_rank(p, &t, 0);
    for (int i = 1; i < p->ranks; i++)
        CHECK_INT(waitpid(pids[i], &p->status[i], 0), pids[i]);
    return rc;
}

static void check_members(const struct play *p, int status)
{
    for (int i = 1; i < p->ranks; i++) {
        CHECK(WIFEXITED(p->status[i]));
        CHECK_INT(WEXITSTATUS(p->status[i]), status);
    }
}

/* --- what a run adds up to --- */

static uint64_t rows_done;

static void add_rows(struct load *l, const struct snapshot *s)
{
    (void)l;
    if (s->kind != SNAPSHOT_FINAL)
        return;
    rows_done = 0;
    for (size_t i = 0; i < s->nranks; i++)
        rows_done += s->rank[i].done;
    CHECK_INT(s->nranks, RANKS);
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
    CHECK_INT(res.final.rate.total_done + res.final.rate.unfinished, 250);
}

static uint64_t stage_offered[2];

static void see_stages(struct load *l, const struct snapshot *s)
{
    (void)l;
    for (size_t i = 0; i < s->nstages && i < 2; i++)
        stage_offered[i] = s->stages[i].s->rate.offered;
}

static int64_t offset_of_1, least_lag;
static bool clock_is_same;

static void see_clock(struct load *l, const struct snapshot *s)
{
    (void)l;
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
    rates_free(p.plan.rates);
}

static void change_rate(struct load *l, const struct snapshot *s)
{
    struct err why = {0};

    (void)l;
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

/* --- ranks that are lost --- */

static struct workload_ops other_ops;

static void use_ops(struct load *l, int (*run_client)(struct workload *w, struct client *c,
                                                      void *state, struct err *err))
{
    other_ops = ops;
    other_ops.client_run = run_client;
    l->w.ops = &other_ops;
}

/* A process that sends itself this signal in the 10th transaction of a client. */
static int signalled_loop(struct client *c, int sig)
{
    for (int n = 1; client_next(c); n++) {
        client_begin(c);
        if (n == 10)
            kill(getpid(), sig);
        client_end(c);
    }
    return 0;
}

static int dies(struct workload *w, struct client *c, void *state, struct err *err)
{
    (void)w, (void)state, (void)err;
    return signalled_loop(c, SIGKILL);
}

static void die_running(struct load *l, int rank)
{
    if (rank == 1)
        use_ops(l, dies);
}

static void see_loss(struct load *l, const struct snapshot *s)
{
    (void)l;
    if (s->kind != SNAPSHOT_FINAL)
        return;
    CHECK(s->rank[1].lost && !s->rank[0].lost);
    CHECK_INT(s->rank[0].done, 100);
    CHECK_INT(s->rank[0].given_up, 0);
    CHECK_INT(s->rank[1].done + s->rank[1].given_up, 100);
    CHECK(s->rank[1].given_up > 0);
}

/* Its share is known to the transaction: done, or lost. */
static void test_killed(void)
{
    struct play p = play_of(2, 4, 200);

    p.plan.max_events = 200;
    p.member = die_running;
    p.load.watched = see_loss;
    CHECK_INT(play(&p), -1);
    CHECK(WIFSIGNALED(p.status[1]));
    CHECK_INT(res.final.rate.total_offered, 200);
    CHECK_INT(res.final.rate.total_done + res.final.rate.total_lost, 200);
    CHECK_INT(res.final.rate.unfinished, 0);
    CHECK(!res.sustained);
    CHECK(strncmp(res.why, "rank 1 (", 8) == 0);
    CHECK(strstr(res.why, ") was lost after ") && strstr(res.why, " of its share were not done"));
    CHECK_STR(e.msg, res.why);
}

static void test_killed_at_full_speed(void)
{
    struct play p = play_of(2, 4, 0);

    p.plan.max_events = 200;
    p.member = die_running;
    CHECK_INT(play(&p), -1);
    CHECK(strstr(e.msg, "its share of the load is missing from then on"));
    CHECK(res.final.total[CNT_DONE] >= 100 && res.final.total[CNT_DONE] < 200);
    CHECK_INT(res.final.total[CNT_DONE], res.final.total[CNT_STARTED]);
}

/* It stops until a report had to do without it, and comes back: nothing is missing in the end. */
static int stops(struct workload *w, struct client *c, void *state, struct err *err)
{
    (void)w, (void)state, (void)err;
    return signalled_loop(c, client_id(c) == 1 ? SIGSTOP : 0);
}

static void stop_running(struct load *l, int rank)
{
    if (rank == 1)
        use_ops(l, stops);
}

static void go_on(struct load *l, const struct snapshot *s)
{
    (void)l;
    if (s->kind != SNAPSHOT_INTERVAL || !s->rank[1].late)
        return;
    late_reports++;
    kill(pids[1], SIGCONT);
}

static void test_stopped(void)
{
    struct play p = play_of(2, 4, 200);

    p.plan.max_events = 200;
    p.member = stop_running;
    p.load.watched = go_on;
    CHECK_INT(play(&p), 0);
    check_members(&p, 0);
    check_rate(200, 200, 0, 0);
    CHECK(late_reports > 0);
}

static int dies_opening(struct workload *w, struct client *c, void **state, struct err *err)
{
    (void)w, (void)c, (void)state, (void)err;
    kill(getpid(), SIGKILL);
    return 0;
}

static int fails_opening(struct workload *w, struct client *c, void **state, struct err *err)
{
    (void)w, (void)state;
    return err_set(err, ERR_FAILED, "client %d cannot connect", client_id(c));
}

static void die_opening(struct load *l, int rank)
{
    other_ops = ops;
    other_ops.client_open = dies_opening;
    if (rank == 1)
        l->w.ops = &other_ops;
}

static void fail_opening(struct load *l, int rank)
{
    other_ops = ops;
    other_ops.client_open = fails_opening;
    if (rank == 1)
        l->w.ops = &other_ops;
}

static void test_lost_before(void)
{
    struct play p = play_of(RANKS, 4, 100);

    p.member = die_opening;
    CHECK_INT(play(&p), -1);
    CHECK(!res.began);
    CHECK(strncmp(e.msg, "rank 1 (", 8) == 0);
    CHECK(strstr(e.msg, ") was lost before the run began: ") != NULL);
    CHECK(WIFSIGNALED(p.status[1]));
    CHECK(WIFEXITED(p.status[2]) && WEXITSTATUS(p.status[2]) == 1);
}

static void test_failed_before(void)
{
    struct play p = play_of(RANKS, 4, 100);

    p.member = fail_opening;
    CHECK_INT(play(&p), -1);
    CHECK(!res.began);
    CHECK(strncmp(e.msg, "rank 1 (", 8) == 0);
    CHECK(strstr(e.msg, "cannot connect") != NULL);
    check_members(&p, 1);
}

static void die(struct load *l, const struct snapshot *s)
{
    (void)l, (void)s;
    kill(getpid(), SIGKILL);
}

/* The leader dies: members end, and say so. */
static void test_leader_lost(void)
{
    pid_t leader = fork();
    int status;

    if (leader == 0) {
        struct play p = play_of(2, 4, 100);
        p.load.watched = die;
        play(&p);
        _exit(0);
    }
    CHECK_INT(waitpid(leader, &status, 0), leader);
    CHECK(WIFSIGNALED(status));
}

/* --- a member ends the run --- */

static void interrupt_self(struct load *l)
{
    (void)l;
    kill(getpid(), SIGINT);
}

static void interrupt_member(struct load *l, int rank)
{
    if (rank == 1)
        l->started = interrupt_self;
}

static void test_signal(void)
{
    struct play p = play_of(RANKS, 6, 100);

    p.member = interrupt_member;
    CHECK_INT(play(&p), 0);
    CHECK_INT(res.signal, SIGINT);
    check_members(&p, 128 + SIGINT);
    CHECK(res.measured);
}

static void slow_member(struct load *l, int rank)
{
    if (rank == 1)
        l->service = 400 * NS_PER_MS;
}

static void test_overload(void)
{
    struct play p = play_of(2, 4, 200);

    p.plan.overload = OVERLOAD_ABORT;
    p.plan.max_lag = 300 * NS_PER_MS;
    p.member = slow_member;
    CHECK_INT(play(&p), -1);
    CHECK(strstr(e.msg, "the rate could not be held") || strstr(e.msg, "REPORTED"));
    CHECK(res.overloaded);
    check_members(&p, 0);
}

static void failing_member(struct load *l, int rank)
{
    if (rank == 1)
        l->fail_client = 1; /* its first one */
}

static void test_failure(void)
{
    struct play p = play_of(RANKS, 6, 300);

    p.member = failing_member;
    CHECK_INT(play(&p), -1);
    CHECK(strncmp(e.msg, "rank 1 (", 8) == 0);
    CHECK(strstr(e.msg, "): client 1 fails") != NULL);
    CHECK_INT(WEXITSTATUS(p.status[1]), 1);
    CHECK_INT(WEXITSTATUS(p.status[2]), 0);
}

int main(void)
{
    test_sums();
    test_full_speed();
    at_time_limit();
    test_clocks();
    test_stages();
    test_rate_by_hand();
    test_killed();
    test_killed_at_full_speed();
    test_stopped();
    test_lost_before();
    test_failed_before();
    test_leader_lost();
    test_signal();
    test_overload();
    test_failure();
    return test_done("run_ranks_test");
}
