/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whole searches on a held clock, against a server that serves one transaction after the other in
 * 1 ms: it sustains 1,000 a second and not one more.  The answers, the accounts of all steps
 * together, and each way in which a search ends early.
 */
#include "engine/run_test.h"

#include "base/log.h"
#include "engine/find_objective.h"

#define SERVICE  MS
#define CAPACITY 1000.0

static struct find_record record;
static struct snapshot_rate total;

/* The record is gone when the run is over. */
static void keep(struct load *l, const struct snapshot *s)
{
    (void)l;
    if (s->kind != SNAPSHOT_FINAL || !s->find)
        return;
    record.objective = s->find->objective;
    memcpy(record.step, s->find->step, sizeof record.step);
    record.nsteps = s->find->nsteps;
    record.end = s->find->end;
    record.held = s->find->held;
    record.confirmed = s->find->confirmed;
    record.not_held = s->find->not_held;
    record.failed = s->find->failed ? &record.step[s->find->failed - s->find->step] : NULL;
    total = s->rate;
}

static struct plan search_plan(const char *objective, double start)
{
    struct plan p = base_plan(8, start);
    struct err why = {0};

    CHECK_INT(find_objective_parse(&p.find.objective, objective, &why), 0);
    p.find.step = 2 * NS_PER_SEC;
    p.find.brief = p.find.step / 5;
    p.find.steps = 40;
    p.find.confirm = 2;
    p.find.precision_pct = 5;
    p.rate_changes = true;
    p.time_limit = 200 * NS_PER_SEC;
    p.report_interval = 0;
    return p;
}

static struct load server(void)
{
    struct load l = fresh();

    l.service = SERVICE;
    l.serial = true;
    l.watched = keep;
    memset(&record, 0, sizeof record);
    return l;
}

static void finds(double start)
{
    struct load l = server();
    struct plan p = search_plan("p99<20ms", start);

    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(record.end, FIND_FOUND);
    CHECK(record.held >= CAPACITY * 0.95 && record.held <= CAPACITY * 1.02);
    CHECK(record.not_held > CAPACITY && record.not_held <= record.held * 1.025 + 1e-9);
    CHECK_INT(record.confirmed, 2);
    CHECK(record.failed && !record.failed->holds && *record.failed->why);
    CHECK_INT(record.failed->limit, FIND_LIMIT_CLIENTS);
    CHECK(res.sustained);
    CHECK(strncmp(res.why, "highest rate that held: ", 24) == 0);
    /* everything was drained before the end */
    CHECK_INT(total.unfinished, 0);
    CHECK_INT(total.total_offered, total.total_done);
    CHECK(res.final.elapsed_ns < 100 * NS_PER_SEC);
}

/* What a step that holds offered is its rate times its length. */
static void steps_offer_their_rate(void)
{
    struct load l = server();
    struct plan p = search_plan("p99<20ms", 100);

    CHECK_INT(run(&l, &p), 0);
    for (size_t i = 0; i < record.nsteps; i++) {
        const struct find_step *s = &record.step[i];
        if (!s->holds)
            continue;
        CHECK_NEAR((double)s->offered, s->rate * dur_sec(s->length), 1.01);
        CHECK_NEAR(s->value[0], SERVICE, SERVICE * 1e-2);
    }
}

/* Interval reports go on. */
static void reports_go_on(void)
{
    struct load l = server();
    struct plan p = search_plan("p99<20ms", 800);

    p.report_interval = NS_PER_SEC;
    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(record.end, FIND_FOUND);
    CHECK(l.snapshots >= (int)(res.final.elapsed_ns / NS_PER_SEC));
}

static void after_a_warm_up(void)
{
    struct load l = server();
    struct plan p = search_plan("p99<20ms", 800);

    p.warmup = NS_PER_SEC;
    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(record.end, FIND_FOUND);
    CHECK(record.held >= CAPACITY * 0.95 && record.held <= CAPACITY * 1.02);
}

static void none_holds(void)
{
    struct load l = server();
    struct plan p = search_plan("p99<900us", 100); /* each takes 1 ms */

    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(record.end, FIND_NONE);
    CHECK(record.held == 0);
    CHECK(!res.sustained);
    CHECK(strncmp(res.why, "no rate held p99<900us", 22) == 0);
}

/* A figure that nothing reads ends the search at once. */
static void unreadable(void)
{
    struct load l = server();
    struct plan p = search_plan("cpu<50%", 100);

    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(record.end, FIND_NONE);
    CHECK_INT(record.nsteps, 1);
    CHECK_STR(record.failed->why, "server CPU n/a");
}

static void limit_of_steps(void)
{
    struct load l = server();
    struct plan p = search_plan("p99<20ms", 100);

    p.find.steps = 8;
    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(record.end, FIND_STEPS);
    CHECK_INT(record.nsteps, 8);
    CHECK(record.held > 0 && record.held <= CAPACITY * 1.02);
}

/* The time limit: what is known is the answer. */
static void limit_of_time(void)
{
    struct load l = server();
    struct plan p = search_plan("p99<20ms", 100);

    p.time_limit = 10 * NS_PER_SEC;
    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(record.end, FIND_STOPPED);
    CHECK(record.held > 0 && record.held <= CAPACITY * 1.02);
    CHECK(res.final.elapsed_ns >= 10 * NS_PER_SEC);
    CHECK(res.final.elapsed_ns < 10 * NS_PER_SEC + 10 * SERVICE);
}

static void signalled(struct load *l, const struct snapshot *s)
{
    if (s->kind == SNAPSHOT_INTERVAL && s->elapsed_ns >= 10 * NS_PER_SEC && !l->release) {
        l->release = 1;
        raise(SIGINT);
    }
    keep(l, s);
}

/* Ctrl-C, likewise. */
static void interrupted(void)
{
    struct load l = server();
    struct plan p = search_plan("p99<20ms", 100);

    p.report_interval = NS_PER_SEC;
    l.watched = signalled;
    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(res.signal, SIGINT);
    CHECK_INT(record.end, FIND_STOPPED);
    CHECK(record.nsteps > 0);
    CHECK(record.held > 0 && record.held <= CAPACITY * 1.02);
}

/* A warm-up that is cut short leaves nothing to wait for. */
static void stopped_in_warm_up(void)
{
    struct load l = server();
    struct plan p = search_plan("p99<20ms", 100);

    p.warmup = NS_PER_SEC;
    l.fail_client = 1;
    CHECK_INT(run(&l, &p), -1);
    CHECK_INT(record.nsteps, 0);
}

int main(void)
{
    log_set_verbosity(-1);
    held = held_clock_new();
    finds(100);
    finds(1000);
    finds(3000);
    finds(30);
    steps_offer_their_rate();
    reports_go_on();
    after_a_warm_up();
    none_holds();
    unreadable();
    limit_of_steps();
    limit_of_time();
    interrupted();
    stopped_in_warm_up();
    held_clock_free(held);
    return test_done("find");
}
