/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whole searches on a held clock, against a server that serves one transaction after the other in
 * 1 ms: it sustains 1,000 a second and not one more.  The answers, the accounts of all steps
 * together, and each way in which a search ends early.
 */
#include "engine/run_test.h"

#include "base/log.h"
#include "engine/verdict.h"
#include "telemetry/spin_test.h"

#define SERVICE  MS
#define CAPACITY 1000.0

static struct find_step step[2];

/* Each step of the search, and its end; what holds for every one. */
static void tell_search(struct load *l, const struct snapshot *s)
{
    static const char *const ends[] = {[FIND_FOUND] = "found",
                                       [FIND_NONE] = "none",
                                       [FIND_STEPS] = "steps",
                                       [FIND_STOPPED] = "stopped",
                                       [FIND_UNMEASURED] = "unmeasured"};
    const struct find_record *f = s->find;
    mono_ns over = 0;

    if (s->kind != SNAPSHOT_FINAL || !f)
        return;
    for (size_t i = 0; i < f->nsteps; i++) {
        const struct find_step *v = &f->step[i];
        CHECK(v->length > 0 && (i == 0 || v->from > over));
        over = v->from + v->length;
        if (v->holds) {
            CHECK_NEAR((double)v->offered, v->rate * dur_sec(v->length), 1.01);
            CHECK_INT(v->failed + v->dropped + v->errors, 0);
            CHECK(v->done <= v->offered + v->waiting + 1);
        }
        str_printf(&told, "%g/s for %g s: %s%s, limit %d; ", v->rate, dur_sec(v->length),
                   v->unmeasured ? "unmeasured"
                   : v->holds    ? "holds"
                                 : "does not hold",
                   v->brief ? ", brief" : "", (int)v->limit);
        for (size_t k = 0; k < f->objective.n; k++)
            str_printf(&told, "%.3g ", v->value[k]);
        str_printf(&told, "%s\n", v->why);
        if (i < 2)
            step[i] = *v;
    }
    CHECK(over <= s->elapsed_ns);
    if (f->end == FIND_FOUND) {
        CHECK(f->held >= CAPACITY * 0.95 && f->held <= CAPACITY * 1.02);
        CHECK(f->not_held > CAPACITY && f->not_held <= f->held * 1.025 + 1e-9);
        CHECK(f->failed && !f->failed->holds);
    }
    str_printf(&told, "%s: %g holds, confirmed %d times, and %g does not\n", ends[f->end], f->held,
               (int)f->confirmed, f->not_held);
}

static void search(struct load *l, struct plan *p, const char *objective)
{
    struct err why = {0};

    CHECK_INT(find_objective_parse(&p->find.objective, objective, &why), 0);
    p->find.step = 2 * NS_PER_SEC;
    p->find.brief = p->find.step / 5;
    p->find.steps = 40;
    p->find.confirm = 2;
    p->find.precision_pct = 5;
    p->rate_changes = true;
    p->time_limit = 200 * NS_PER_SEC;
    p->report_interval = 0;
    l->service = SERVICE;
    l->serial = true;
    l->watched = tell_search;
}

static double planned;

/* What intervals say was asked for is what was offered; the whole has no such figure. */
static void check_targets(struct load *l, const struct snapshot *s)
{
    if (s->kind == SNAPSHOT_FINAL) {
        CHECK(isnan(s->rate.target));
        CHECK(l->snapshots >= (int)(s->elapsed_ns / NS_PER_SEC));
    } else {
        planned += s->rate.target * dur_sec(s->interval_ns);
        CHECK_NEAR((double)s->rate.total_offered, planned, 1.5);
    }
    tell_search(l, s);
}

static void signalled(struct load *l, const struct snapshot *s)
{
    if (s->kind == SNAPSHOT_INTERVAL && s->elapsed_ns >= 10 * NS_PER_SEC && !l->release) {
        l->release = 1;
        raise(SIGINT);
    }
    tell_search(l, s);
}

/* The server's process ends in the first step, and another one takes its place. */
static struct {
    pid_t pid, next; /* pid: 0 when it has ended */
} restarted;

static bool sleeps(pid_t pid)
{
    char path[40], state = '?';
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    f = fopen(path, "r");
    if (!f)
        return true; /* it has ended: the test will say so */
    if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = '?';
    fclose(f);
    return state == 'S';
}

/* It has begun to sleep: the run lasts some milliseconds of real time, in which the beginning of a
 * process may be much. */
static pid_t idle_process(void)
{
    pid_t pid = idle_start();

    while (!sleeps(pid))
        usleep(1000);
    return pid;
}

static size_t find_next(void *arg, pid_t *pids, size_t max, bool *tree)
{
    pids[0] = restarted.next;
    *tree = false;
    return 1;
}

static void next_found(void *arg, const pid_t *pids, size_t n, bool tree) {}

static void ends_in_the_first_step(struct load *l, const struct snapshot *s)
{
    if (s->kind == SNAPSHOT_INTERVAL && restarted.pid)
        idle_end(restarted.pid);
    restarted.pid = 0;
    tell_search(l, s);
}

static void server_restarts(void)
{
    struct load l = fresh();
    struct plan p = base_plan(8, 100);
    pid_t pid = restarted.pid = idle_process();

    search(&l, &p, "p99<20ms,cpu<50%");
    restarted.next = idle_process();
    usleep(50000); /* start times have steps of 10 ms: it has been there before the run */
    CHECK_INT(server_open(&l.server, "/proc", &pid, 1, false, &e), 0);
    server_follow(l.server, &(struct server_finder){.find = find_next, .found = next_found});
    l.watched = ends_in_the_first_step;
    p.report_interval = 300 * MS; /* a step is judged from 0.1 to 0.5 s */
    CHECK_INT(run(&l, &p), 0);
    CHECK(step[0].unmeasured);
    CHECK(strncmp(step[0].why, "server CPU n/a: the clients went over", 37) == 0);
    CHECK(step[1].holds && step[1].rate == step[0].rate);
    CHECK_INT(step[1].length, p.find.step);
    CHECK_NEAR(step[1].value[1], 0, 0);
    CHECK(strstr(str_cstr(&told), "\nfound: "));
    str_reset(&told);
    server_close(l.server);
    idle_end(restarted.next);
}

TEST_MAIN(find_test)
{
    static const char usual[] = "p99<20ms";

    log_set_verbosity(-1);
    held = held_clock_new();
    RUN(8, 100, search(l, p, usual));
    RUN(8, 1000, search(l, p, usual));
    RUN(8, 3000, search(l, p, usual));
    RUN(8, 30, search(l, p, usual));
    /* the lag of a step beside its limits is that of 99 % of its starts */
    RUN(8, 100, search(l, p, "lag p99<20ms"));
    CHECK_NEAR(step[0].lag_p99, step[0].value[0], 0);
    /* A step has each figure of its own window.  Beyond the capacity each client waits for the
     * seven others. */
    RUN(8, 100, search(l, p, "max<20ms,lag max<1s,service max<1s,mean<1s"));
    RUN(8, 800, search(l, p, usual), l->watched = check_targets, p->report_interval = NS_PER_SEC);
    RUN(8, 800, search(l, p, usual), p->warmup = NS_PER_SEC);
    RUN(8, 100, search(l, p, "p99<900us")); /* each takes 1 ms */
    /* nobody reads the server's CPU: there is no run */
    RUN(8, 100, search(l, p, "p99<20ms,cpu<50%"));
    /* A CPU that cannot be read is asked for once more, for a whole step; then the search ends, and
     * knows no limit.  (With a held clock a run does not read its own process.) */
    RUN(8, 100, search(l, p, "client cpu<50%"));
    /* the clients end their loops: nothing is judged while they close */
    RUN(1, 100, search(l, p, usual), l->cancel_client = 0, l->closing = 10 * NS_PER_SEC);
    server_restarts();
    /* it takes 30 ms at any rate: the third rate in a row that changes nothing is the last one */
    RUN(8, 100, search(l, p, usual), l->service = 30 * MS, l->serial = false);
    RUN(8, 100, search(l, p, usual), p->find.steps = 8);
    /* the time limit, Ctrl-C: what is known is the answer */
    RUN(8, 100, search(l, p, usual), p->time_limit = 10 * NS_PER_SEC);
    RUN(8, 100, search(l, p, usual), l->watched = signalled, p->report_interval = NS_PER_SEC);
    /* a warm-up that is cut short leaves nothing to wait for */
    RUN(8, 100, search(l, p, usual), p->warmup = NS_PER_SEC, l->fail_client = 1);
    held_clock_free(held);
    golden_done("find_test");
    return test_done("find");
}
