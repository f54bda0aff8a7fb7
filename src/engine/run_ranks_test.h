/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shared by the tests of runs on several ranks: a process each, on this host, with real connections
 * between them.  What is checked are counts, which do not depend on how fast the machine is; what
 * happens to a rank happens when a transaction or a report says that it is time.
 */
#ifndef SB_ENGINE_RUN_RANKS_TEST_H
#define SB_ENGINE_RUN_RANKS_TEST_H

#include <stdlib.h>
#include "engine/run_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "cluster/cluster_meet_test.h"

#define RANKS 3

/* One run; `watched` of `load` sees the leader's reports.  What is set of `change` is what the load
 * of one member has instead. */
struct play {
    int ranks;
    struct plan plan;
    struct load load;
    int changed; /* the member */
    struct load change;
    dur_ns ahead; /* the leader's clock, of the members' */
    double drift;
    int status[RANKS]; /* of the members, by waitpid() */
};

static pid_t pids[RANKS];
static bool sent; /* what is to happen has been done */
static int late_reports;

static struct play play_of(int ranks, int clients, double rate)
{
    struct play p = {
        .ranks = ranks, .plan = base_plan(clients, rate), .load = fresh(), .changed = 1};

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
    p->plan.clock = rank == 0 && ahead ? (struct clock *)ahead : cluster_clock(p->plan.cluster);
    rc = run(&p->load, &p->plan);
    cluster_leave(p->plan.cluster);
    free(ahead);
    return rc;
}

/* Exit status 9: a check failed; 1: the run did; 128 and more: a signal ended it. */
static void be_member(struct play *p, struct cluster_test *t, int rank)
{
    int rc;

    struct load *l = &p->load;

    l->watched = NULL;
    l->stall = false;
    test_failures = 0;
    if (rank == p->changed) {
        l->opens = p->change.opens;
        l->runs = p->change.runs;
        l->started = p->change.started;
        l->service = p->change.service ? p->change.service : l->service;
        l->fail_client = p->change.fail_client ? p->change.fail_client : l->fail_client;
    }
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

/* --- what a member may do --- */

static int signalled_at = 5;

/* A process that sends itself a signal in that transaction of a client. */
static inline int signalled_loop(struct client *c, int sig)
{
    for (int n = 1; client_next(c); n++) {
        client_begin(c);
        if (n == signalled_at)
            kill(getpid(), sig);
        client_end(c);
    }
    return 0;
}

static inline int dies(struct load *l, struct client *c, struct err *err)
{
    return signalled_loop(c, SIGKILL);
}

static inline int stops(struct load *l, struct client *c, struct err *err)
{
    return signalled_loop(c, client_id(c) == 1 ? SIGSTOP : 0);
}

static void check_members(const struct play *p, int status)
{
    for (int i = 1; i < p->ranks; i++) {
        CHECK(WIFEXITED(p->status[i]));
        CHECK_INT(WEXITSTATUS(p->status[i]), status);
    }
}

#endif
