/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Causes in a part of a run: what is lost there is explained by the readings of that part, and the
 * sentence says when it was; tests/data/verdicts.txt has the sentences.  A minute of 8 clients at
 * 200/s, 5 ms each, by steps of 100 ms, in which this machine and its processes are disturbed.
 */
#include "engine/client_state.h"
#include "engine/collect.h"

#include <math.h>
#include <stdlib.h>

#include "engine/verdict_test.h"
#include "telemetry/probe.h"

#define CLIENTS 8
#define RATE    200.0
#define SERVICE 5e6
#define STEP    (100 * NS_PER_MS)
#define LENGTH  (60 * NS_PER_SEC)

enum what {
    NOTHING,
    LOOPS,   /* others have the CPUs: the server waits for them */
    STOPPED, /* the load generator does not run */
    STANDS,  /* the server does not */
    HELD,    /* a row is locked by another session */
    GLIMPSE, /* likewise; no counter has the time, and one sample a second sees it */
    SLOWER,  /* transactions take 100 ms, and nobody knows why */
    COMMITS, /* they take 100 ms, 95 of them for the log */
    FEW,     /* ... but the server was asked every 5 s */
    SYNCS,   /* none ends, and all wait for the log */
    WAKES,   /* others have the CPUs: the load generator waits for one, and no backlog grows */
    QUOTA,   /* stops the load generator for nine tenths of the time */
};

static const struct {
    const char *name;
    struct {
        enum what what;
        double from, to;
    } d[2];
} cases[] = {
    {"nothing in a minute", {{NOTHING, 0, 0}}},
    {"busy loops from second 20 to 25", {{LOOPS, 20, 25}}},
    {"busy loops from second 50 on", {{LOOPS, 50, 60}}},
    {"busy loops all the time", {{LOOPS, 0, 60}}},
    {"a stopped load generator from second 20 to 25", {{STOPPED, 20, 25}}},
    {"a stopped server from second 20 to 25", {{STANDS, 20, 25}}},
    {"a row held from second 20 to 25", {{HELD, 20, 25}}},
    {"a row held from second 52 on", {{HELD, 52, 60}}},
    {"a quota from second 50 on", {{QUOTA, 50, 60}}},
    {"late wake-ups from second 20 to 25", {{WAKES, 20, 25}}},
    {"slower from second 20 to 30", {{SLOWER, 20, 30}}},
    {"commits are slow from second 20 to 30", {{COMMITS, 20, 30}}},
    {"commits are slow from second 20 to 30, of which few samples tell", {{FEW, 20, 30}}},
    {"a log that is not written from second 20 to 25", {{SYNCS, 20, 25}}},
    {"a row held, and busy loops later", {{HELD, 10, 16}, {LOOPS, 40, 50}}},
    {"busy loops, and a stopped load generator at the end", {{LOOPS, 10, 20}, {STOPPED, 52, 60}}},
    {"a row held twice", {{HELD, 10, 13}, {HELD, 50, 54}}},
    {"a row held twice, for a sample each", {{GLIMPSE, 10, 11}, {GLIMPSE, 50, 51}}},
};

static const struct status_name names[] = {{"Innodb_row_lock_time", false}};

/* What a step does, as totals; the backlog's point is `b`. */
struct totals {
    struct backlog_point b;
    struct trail_point t;
    double due, ended, waited;
};

static void step(struct totals *v, enum what what)
{
    const bool commits = what == COMMITS || what == FEW;
    const double dt = (double)STEP;
    const double each = what == LOOPS || what == SLOWER || commits ? 100e6 : SERVICE;
    double can = CLIENTS * dt / each, ended, busy;
    bool waits = what == STANDS || what == HELD || what == GLIMPSE || what == SYNCS;

    v->due += RATE * dt / 1e9;
    if (what == STOPPED || waits)
        can = 0;
    if (what == QUOTA)
        can /= 10;
    ended = fmin(can, floor(v->due) - v->ended);
    busy = waits ? CLIENTS * dt : ended * each;
    v->ended += ended;
    v->b.at += STEP;
    v->b.offered = (uint64_t)v->due;
    v->b.begun = v->b.ended = v->b.done = (uint64_t)v->ended;
    if (waits) {
        v->b.begun += CLIENTS;
        v->b.begun = v->b.begun < v->b.offered ? v->b.begun : v->b.offered;
    }
    v->b.busy += busy;
    v->b.service += waits ? 0 : busy; /* those that wait end later, and by then took it all */
    v->waited += waits ? busy : 0;
    if (!waits && ended > 0) {
        v->b.service += v->waited;
        v->waited = 0;
    }
    if (what == STOPPED || what == QUOTA)
        v->b.woken += CLIENTS * dt - busy;
    v->b.woken += what == WAKES ? 10e6 * ended : 0;
    v->b.late += what == STOPPED ? STEP : 0;
    v->t.at = v->b.at;
    v->t.self.at = v->t.server.at = v->b.at;
    v->t.server.cpu_ns += (int64_t)(ended * 4e5);
    v->t.self.cpu_ns += (int64_t)(ended * 1e5);
    v->t.server.runq_wait_ns += what == LOOPS ? (int64_t)(busy * 0.95) : 0;
    v->t.self.runq_wait_ns += what == WAKES ? (int64_t)(10e6 * ended) : 0;
    v->t.self.throttled_ns += what == QUOTA ? STEP * 9 / 10 : 0;
    v->t.cpu.user += what == LOOPS || what == WAKES ? 20 : 1; /* ticks, of two CPUs */
    v->t.cpu.idle += what == LOOPS || what == WAKES ? 0 : 19;
    v->t.status.at = v->b.at;
    v->t.status.have = v->t.status.kept = 1;
    struct status_waits *w = &v->t.status.waits;
    double log = what == SYNCS ? busy : ended * (commits ? 96e6 : 2e5); /* 0.2 ms are usual */
    w->known += what == STANDS ? 0 : STEP;                              /* nothing answers */
    if (what != STANDS && (what != FEW || v->b.at % (5 * NS_PER_SEC) == 0)) {
        w->samples++;
        w->hits[WAIT_LOG] += log / dt;
        w->squares[WAIT_LOG] += log / dt * log / dt;
    }
    w->of[WAIT_LOG] += (dur_ns)log;
    w->names = 1;
    w->name[0] = (struct wait_time){"WALSync", WAIT_LOG, w->of[WAIT_LOG]};
    if (what == HELD || what == GLIMPSE) {
        v->t.status.v[0] += what == HELD ? CLIENTS * dt / 1e6 : 0;
        v->t.status.waits.of[WAIT_ROW] += CLIENTS * STEP;
        v->t.status.waits.locks = v->t.status.waits.of[WAIT_ROW];
        v->t.status.waits.behind = v->t.status.waits.of[WAIT_ROW];
        v->t.status.waits.seen += what == HELD || v->b.at % NS_PER_SEC == 0;
        v->t.status.waits.blockers = 1;
        snprintf(v->t.status.waits.who, sizeof v->t.status.waits.who, "pid 7, psql, active");
    }
    v->t.count[CNT_LATE] += floor(v->due) > v->ended || what == WAKES ? (uint64_t)ended : 0;
    v->t.count[CNT_LATE_IDLE] += what == WAKES ? (uint64_t)ended : 0;
}

static struct plan plan = {.clients = CLIENTS, .tolerance_pct = 1, .ranks = 1};
static struct client clients[CLIENTS];
static struct run a_run = {.plan = &plan, .client = clients};
static struct trail trail;
static struct collect c = {.run = &a_run, .trail = &trail};

/* As run_readings() of judge.c reads them. */
static struct verdict_readings whole(const struct totals *v)
{
    struct verdict_readings all = {.from = 0, .to = LENGTH, .backlog = &c.backlog}, r;
    double most;

    all.calm = all.early = all.least = NAN;
    all.worst_wake = v->b.late;
    all.spread = 1e6;
    all.rate_end = RATE;
    trail_parts(&c, &all);
    backlog_service(&c.backlog, 0, LENGTH, &all.calm, &most);
    all.part(&all, 0, LENGTH, &r);
    r.part = all.part;
    r.of = all.of;
    r.lag_max = NS_PER_SEC;
    r.late_idle = v->b.woken > 0 ? r.late : 0;
    struct backlog_peak peak = backlog_peak(
        &c.backlog, 0, LENGTH, RATE * dur_sec(LENGTH) / 100 + 1 + RATE * SERVICE / 1e9);
    r.peak = peak.most;
    r.peak_from = peak.from;
    r.peak_to = peak.to;
    r.peaks = peak.n;
    return r;
}

static void try(size_t i, bool print)
{
    struct probe_delta probe = {.statuses = 1, .status_name = names};
    struct snapshot_incident stop = {.kind = INCIDENT_STOPPED};
    struct snapshot s = {.ncpu = 2, .server.on = true, .self.on = true, .probe = &probe};
    struct totals v = {0};
    struct verdict verdict;
    static const char *const words[] = {"no", "yes", "not known"};

    backlog_begin(&c.backlog, LENGTH);
    trail = (struct trail){.step = NS_PER_SEC};
    v.t.status.have = v.t.status.kept = 1;
    v.t.self.have = v.t.server.have = SAMPLE_ALL | SAMPLE_THROTTLE;
    v.t.self.processes = v.t.server.processes = 1;
    trail.p[trail.n++] = v.t;
    for (int k = 0; k < LENGTH / STEP; k++) {
        enum what what = NOTHING;
        double at = dur_sec(v.b.at);
        for (int d = 0; d < 2; d++)
            if (at >= cases[i].d[d].from - 1e-9 && at < cases[i].d[d].to - 1e-9)
                what = cases[i].d[d].what;
        step(&v, what);
        if (what == STOPPED) {
            stop.at = v.b.at;
            stop.duration += STEP;
        }
        if (what == STANDS) /* as looks saw it, which come more often than points */
            stop = (struct snapshot_incident){.kind = INCIDENT_STALL,
                                              .why = "5.2 s standstill",
                                              .at = v.b.at + NS_PER_SEC / 10,
                                              .duration = 52 * NS_PER_SEC / 10};
        if (v.b.at - c.backlog.p[c.backlog.n - 1].at >= c.backlog.step && what != STOPPED)
            backlog_add(&c.backlog, &v.b);
        if (v.b.at - trail.p[trail.n - 1].at >= trail.step && what != STOPPED)
            trail.p[trail.n++] = v.t;
    }
    if (c.backlog.p[c.backlog.n - 1].at < v.b.at)
        backlog_add(&c.backlog, &v.b);
    if (trail.p[trail.n - 1].at < v.t.at)
        trail.p[trail.n++] = v.t;
    s.incident = &stop;
    s.incidents = stop.duration > 0;
    for (int k = 0; k < CNT_MAX; k++)
        s.total[k] = v.t.count[k];
    probe.status.waits = v.t.status.waits;
    c.judged = &s;
    struct verdict_readings r = whole(&v);
    verdict_of(&r, &verdict);
    check_row(print, cases[i].name, words[verdict.held], verdict.why);
}

/* A point from a report of each step, which may be a little early; of twice as long ones when it is
 * full. */
static void reports(void)
{
    static const double early[] = {0, 0.1, 0.15};

    for (size_t i = 0; i < sizeof early / sizeof *early; i++) {
        a_run.errors = error_table_new();
        trail = (struct trail){.step = NS_PER_SEC};
        for (int k = 1; k <= TRAIL_POINTS; k++) {
            c.now.at = (mono_ns)((double)NS_PER_SEC * (k - (k % 2 ? 0 : early[i])));
            trail_report(&c);
            CHECK_INT(trail.n, k == TRAIL_POINTS ? TRAIL_POINTS / 2 + 1
                               : i == 2          ? 1 + (k + 1) / 2
                                                 : k + 1);
        }
        error_table_free(a_run.errors);
    }
}

TEST_MAIN(trail_test)
{
    reports();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        try(i, argc > 1);
    return test_done("trail");
}
