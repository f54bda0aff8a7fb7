/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Runs on several ranks that meet something: a rank dies, stops, cannot begin, or ends the run.
 */
#include "engine/run_ranks_test.h"

#include <math.h>

#include "base/test_capture.h"

static const struct snapshot_incident *incident_at(const struct snapshot *s,
                                                   enum incident_kind kind, int rank)
{
    for (size_t i = 0; i < s->incidents; i++)
        if (s->incident[i].kind == kind && s->incident[i].rank == rank)
            return &s->incident[i];
    return NULL;
}

/* Of its clients nothing is known each; of all together, what it had told. */
static void check_latencies(const struct snapshot *s)
{
    double done = (double)s->rate.total_done;

    CHECK(!s->clients[0].unknown && s->clients[1].unknown);
    CHECK(!s->clients[2].unknown && s->clients[3].unknown);
    CHECK(fabs(s->events_avg - 50) < 1e-9);
    CHECK(fabs(s->latency_sum_ms - s->latency_avg_ms * done) < 1e-6 * s->latency_sum_ms);
    CHECK(s->latency_min_ms <= s->latency_avg_ms && s->latency_avg_ms <= s->latency_max_ms);
    CHECK(incident_at(s, INCIDENT_RANK_LOST, 1) != NULL);
}

static void see_loss(struct load *l, const struct snapshot *s)
{
    if (s->kind != SNAPSHOT_FINAL)
        return;
    CHECK(s->rank[1].lost && !s->rank[0].lost);
    CHECK_INT(s->rank[0].done, 100);
    CHECK_INT(s->rank[0].given_up, 0);
    CHECK_INT(s->rank[1].done + s->rank[1].given_up, 100);
    CHECK(s->rank[1].given_up > 0);
    check_latencies(s);
}

/* Its share is known to the transaction: done, or lost. */
static void test_killed(void)
{
    struct play p = play_of(2, 4, 200);

    p.plan.max_events = 200;
    p.change.runs = dies;
    p.load.watched = see_loss;
    CHECK_INT(play(&p), -1);
    CHECK(WIFSIGNALED(p.status[1]));
    CHECK_INT(res.final.rate.total_offered, 200);
    CHECK_INT(res.final.rate.total_done + res.final.rate.total_lost, 200);
    CHECK_INT(rate_unfinished(&res.final.rate), 0);
    CHECK(!res.sustained);
    CHECK(strncmp(res.why, "rank 1 (", 8) == 0);
    CHECK(strstr(res.why, ") was lost after ") && strstr(res.why, " of its share were not done"));
    CHECK_STR(e.msg, res.why);
}

static void test_killed_at_full_speed(void)
{
    struct play p = play_of(2, 4, 0);

    p.plan.max_events = 200;
    p.change.runs = dies;
    CHECK_INT(play(&p), -1);
    CHECK(strstr(e.msg, "its share of the load is missing from then on"));
    CHECK(res.final.total[CNT_DONE] >= 100 && res.final.total[CNT_DONE] < 200);
    CHECK_INT(res.final.total[CNT_DONE], res.final.total[CNT_STARTED]);
}

/* Longer than what counts as stopped, and than the time between two of its ticks. */
#define STOPPED_FOR (5 * NS_PER_SEC / 2)
static dur_ns late_since;

static void go_on(struct load *l, const struct snapshot *s)
{
    if (s->kind != SNAPSHOT_INTERVAL || !s->rank[1].late)
        return;
    if (late_reports++ == 0)
        late_since = s->elapsed_ns;
    if (s->elapsed_ns >= late_since + STOPPED_FOR)
        kill(pids[1], SIGCONT);
}

/* It says itself that it was stopped; the leader says of which rank that is. */
static void check_stopped(struct load *l, const struct snapshot *s)
{
    const struct snapshot_incident *v = s->incident, *end = v + s->incidents;

    go_on(l, s);
    if (s->kind != SNAPSHOT_FINAL)
        return;
    /* a busy machine may have stopped it for a moment, too */
    while (v < end && (v->kind != INCIDENT_STOPPED || v->rank != 1 || v->duration < NS_PER_SEC))
        v++;
    CHECK(v < end && v->host);
}

/* It stops until a report had to do without it, and comes back: nothing is missing in the end. */
static void test_stopped(void)
{
    struct play p = play_of(2, 4, 200);

    p.plan.max_events = 200;
    p.change.runs = stops;
    p.load.watched = check_stopped;
    for (size_t i = 0; i < 8; i++) /* the stop contains at least one */
        p.plan.checkpoint[i] = (dur_ns)(i + 1) * NS_PER_SEC;
    p.plan.checkpoints = 8;
    capture();
    CHECK_INT(play(&p), 0);
    CHECK(
        strstr(captured(), " is without the latest figures of rank 1, which did not come in time"));
    check_members(&p, 0);
    check_rate(200, 200, 0, 0);
    CHECK(late_reports > 0);
}

static int dies_opening(struct load *l, struct client *c, struct err *err)
{
    kill(getpid(), SIGKILL);
    return 0;
}

static int fails_opening(struct load *l, struct client *c, struct err *err)
{
    return err_set(err, ERR_FAILED, "client %d cannot connect", client_id(c));
}

static void test_lost_before(void)
{
    struct play p = play_of(RANKS, 4, 100);

    p.change.opens = dies_opening;
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

    p.change.opens = fails_opening;
    CHECK_INT(play(&p), -1);
    CHECK(!res.began);
    CHECK(strncmp(e.msg, "rank 1 (", 8) == 0);
    CHECK(strstr(e.msg, "cannot connect") != NULL);
    check_members(&p, 1);
}

static void die(struct load *l, const struct snapshot *s)
{
    kill(getpid(), SIGKILL);
}

/* The leader dies: members end, and say so.  Here this process is the member. */
static void test_leader_lost(void)
{
    struct play p = play_of(2, 4, 100);
    struct cluster_test t;
    pid_t leader;
    int status;

    cluster_test_listen(&t);
    fflush(stdout);
    leader = fork();
    if (leader == 0) {
        p.load.watched = die;
        run_rank(&p, &t, 0);
        _exit(0);
    }
    CHECK_INT(run_rank(&p, &t, 1), -1);
    CHECK_INT(waitpid(leader, &status, 0), leader);
    CHECK(WIFSIGNALED(status));
    CHECK(res.began);
    CHECK(strncmp(e.msg, "the leader, rank 0 (", 20) == 0);
    CHECK(strstr(e.msg, "), is lost: the connection was closed") != NULL);
    CHECK_INT(p.load.snapshots, 0);
}

/* --- a member ends the run --- */

static void interrupt_self(struct load *l)
{
    kill(getpid(), SIGINT);
}

static void test_signal(void)
{
    struct play p = play_of(RANKS, 6, 100);

    p.change.started = interrupt_self;
    CHECK_INT(play(&p), 0);
    CHECK_INT(res.signal, SIGINT);
    check_members(&p, 128 + SIGINT);
    CHECK(res.measured);
}

static void test_overload(void)
{
    struct play p = play_of(2, 4, 200);

    p.plan.overload = OVERLOAD_ABORT;
    p.plan.max_lag = 300 * NS_PER_MS;
    p.change.service = 400 * NS_PER_MS;
    CHECK_INT(play(&p), -1);
    CHECK(strstr(e.msg, "the rate could not be held") || strstr(e.msg, "REPORTED"));
    CHECK(res.overloaded);
    check_members(&p, 0);
}

static void test_failure(void)
{
    struct play p = play_of(RANKS, 6, 300);

    p.change.fail_client = 1; /* its first one */
    CHECK_INT(play(&p), -1);
    CHECK(strncmp(e.msg, "rank 1 (", 8) == 0);
    CHECK(strstr(e.msg, "): client 1 fails") != NULL);
    CHECK_INT(WEXITSTATUS(p.status[1]), 1);
    CHECK_INT(WEXITSTATUS(p.status[2]), 0);
}

/* One transaction of the member lasts longer than the run may.  If it came too late to begin one,
 * once more. */
static void test_forced(void)
{
    struct play p = play_of(2, 2, 0);

    p.plan.time_limit = NS_PER_SEC / 5;
    p.plan.forced = FORCED_ON;
    p.plan.forced_grace = 2 * NS_PER_SEC;
    p.load.service = NS_PER_MS;
    p.change.service = 30 * NS_PER_SEC;
    for (int i = 0; i < 10 && play(&p) == 0; i++)
        continue;
    CHECK(res.forced && !res.clients_left);
    CHECK_INT(res.final.unfinished_forced, 1);
    check_members(&p, 1);
}

TEST_MAIN(run_ranks_lost_test)
{
    signalled_at = 10;
    test_killed();
    test_killed_at_full_speed();
    test_stopped();
    test_lost_before();
    test_failed_before();
    test_leader_lost();
    test_signal();
    test_overload();
    test_failure();
    test_forced();
    return test_done("run_ranks_lost_test");
}
