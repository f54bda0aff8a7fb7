/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whole searches on a held clock, against a server that serves one transaction after the other in
 * 1 ms: it sustains 1,000 a second and not one more.  The answers, the accounts of all steps
 * together, and each way in which a search ends early.
 */
#include "engine/run_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "engine/verdict.h"

#define SERVICE  MS
#define CAPACITY 1000.0

static struct find_record record;
static struct snapshot_rate total;

/* The record is gone when the run is over. */
static void keep(struct load *l, const struct snapshot *s)
{
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
    CHECK_INT(record.failed->limit, FIND_LIMIT_LATENCY); /* one at a time, whatever the clients */
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
        const struct find_step *s = &record.step[i], *before = i ? s - 1 : NULL;
        /* they follow each other */
        CHECK(s->length > 0 && s->from > (before ? before->from + before->length : 0));
        CHECK(s->from + s->length <= res.final.elapsed_ns);
        if (!s->holds)
            continue;
        CHECK_NEAR((double)s->offered, s->rate * dur_sec(s->length), 1.01);
        CHECK_INT(s->failed + s->dropped + s->errors, 0);
        CHECK(s->done <= s->offered + s->waiting + 1);
        CHECK_NEAR(s->value[0], SERVICE, SERVICE * 1e-2);
    }
}

/* The lag of a step beside its limits is that of 99 % of its starts. */
static void lag_of_steps(void)
{
    struct load l = server();
    struct plan p = search_plan("lag p99<20ms", 100);

    CHECK_INT(run(&l, &p), 0);
    CHECK(record.failed && record.failed->lag_p99 > 20 * MS);
    for (size_t i = 0; i < record.nsteps; i++)
        CHECK_NEAR(record.step[i].lag_p99, record.step[i].value[0], 0);
    CHECK(record.step[0].lag_p99 < SERVICE / 2);
}

/* A step has each figure of its own window.  Beyond the capacity each client waits for the seven
 * others. */
static void figures_of_steps(void)
{
    struct load l = server();
    struct plan p = search_plan("max<20ms,lag max<1s,service max<1s,mean<1s", 100);

    CHECK_INT(run(&l, &p), 0);
    CHECK(record.nsteps > 2 && record.failed);
    for (size_t i = 0; i < 2; i++) {
        const struct find_step *s = i ? record.failed : &record.step[0];
        dur_ns service = i ? 8 * SERVICE : SERVICE;
        CHECK_NEAR(s->value[2], service, (double)service / 50);
        CHECK_NEAR(s->value[0], s->value[1] + service, s->value[0] / 50);
        CHECK(i ? s->value[1] > 10 * MS && s->value[3] < s->value[0]
                : s->value[1] < SERVICE / 50 && s->value[3] > SERVICE * 0.98);
    }
}

static double planned;

/* What intervals say was asked for is what was offered; the whole has no such figure. */
static void check_targets(struct load *l, const struct snapshot *s)
{
    if (s->kind == SNAPSHOT_FINAL) {
        CHECK(isnan(s->rate.target));
    } else {
        planned += s->rate.target * dur_sec(s->interval_ns);
        CHECK_NEAR((double)s->rate.total_offered, planned, 1.5);
    }
    keep(l, s);
}

/* Interval reports go on. */
static void reports_go_on(void)
{
    struct load l = server();
    struct plan p = search_plan("p99<20ms", 800);

    planned = 0;
    l.watched = check_targets;
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

/* Nobody reads the server's CPU: there is no run. */
static void no_server(void)
{
    struct load l = server();
    struct plan p = search_plan("p99<20ms,cpu<50%", 100);

    CHECK_INT(run(&l, &p), -1);
    CHECK_STR(e.msg,
              "--tx-find=p99<20ms,cpu<50% needs the server's CPU, which is n/a (no server is "
              "read); --server=PID names the process to read");
    CHECK(!res.began);
    CHECK_INT(l.snapshots, 0);
    CHECK_INT(l.ran[0], 0);
}

/* A CPU that cannot be read is asked for once more, for a whole step; then the search ends, and
 * knows no limit.  (With a held clock a run does not read its own process.) */
static void unmeasured(void)
{
    struct load l = server();
    struct plan p = search_plan("client cpu<50%", 100);

    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(record.end, FIND_UNMEASURED);
    CHECK_INT(record.nsteps, 2);
    CHECK(record.held == 0 && record.not_held == 0 && !record.failed);
    for (size_t i = 0; i < record.nsteps; i++) {
        const struct find_step *s = &record.step[i];
        CHECK(s->unmeasured && !s->holds && s->brief);
        CHECK_NEAR(s->rate, 100, 0);
        CHECK_INT(s->length, i ? p.find.step : p.find.brief);
        CHECK_INT(s->limit, FIND_LIMIT_NONE);
        CHECK_STR(s->why, "client CPU n/a: its process is not read");
    }
    CHECK(!res.sustained);
    CHECK_STR(res.why, "no rate was judged: client CPU n/a: its process is not read");
    CHECK_INT(total.total_offered, total.total_done);
}

/* The clients end their loops: nothing is judged while they close. */
static void ends_with_its_clients(void)
{
    struct load l = server();
    struct plan p = search_plan("p99<20ms", 100);

    p.clients = 1;
    l.cancel_client = 0;
    l.closing = 10 * NS_PER_SEC;
    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(record.end, FIND_STOPPED);
    CHECK_INT(record.nsteps, 0);
    CHECK_INT(total.total_done, 9);
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
    pid_t pid = fork();

    if (pid == 0) {
        for (;;)
            pause();
    }
    while (!sleeps(pid))
        usleep(1000);
    return pid;
}

static void end_process(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
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
        end_process(restarted.pid);
    restarted.pid = 0;
    keep(l, s);
}

static void server_restarts(void)
{
    struct load l = server();
    struct plan p = search_plan("p99<20ms,cpu<50%", 100);
    pid_t pid = restarted.pid = idle_process();

    restarted.next = idle_process();
    usleep(50000); /* start times have steps of 10 ms: it has been there before the run */
    CHECK_INT(server_open(&l.server, "/proc", &pid, 1, false, &e), 0);
    server_follow(l.server, &(struct server_finder){.find = find_next, .found = next_found});
    l.watched = ends_in_the_first_step;
    p.report_interval = 300 * MS; /* a step is judged from 0.1 to 0.5 s */
    CHECK_INT(run(&l, &p), 0);
    CHECK(record.step[0].unmeasured);
    CHECK(strncmp(record.step[0].why, "server CPU n/a: the clients went over", 37) == 0);
    CHECK(record.step[1].holds && record.step[1].rate == record.step[0].rate);
    CHECK_INT(record.step[1].length, p.find.step);
    CHECK_NEAR(record.step[1].value[1], 0, 0);
    CHECK_INT(record.end, FIND_FOUND);
    CHECK(record.held >= CAPACITY * 0.95 && record.held <= CAPACITY * 1.02);
    server_close(l.server);
    end_process(restarted.next);
}

/* It takes 30 ms at any rate: the third rate in a row that changes nothing is the last one. */
static void nothing_changes(void)
{
    struct load l = server();
    struct plan p = search_plan("p99<20ms", 100);

    l.service = 30 * MS;
    l.serial = false;
    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(record.end, FIND_NONE);
    CHECK_INT(record.nsteps, 3);
    CHECK(record.step[2].rate < record.step[0].rate / 3);
    CHECK(record.held == 0 && !res.sustained);
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

TEST_MAIN(find_test)
{
    log_set_verbosity(-1);
    held = held_clock_new();
    finds(100);
    finds(1000);
    finds(3000);
    finds(30);
    steps_offer_their_rate();
    lag_of_steps();
    figures_of_steps();
    reports_go_on();
    after_a_warm_up();
    none_holds();
    no_server();
    unmeasured();
    ends_with_its_clients();
    server_restarts();
    nothing_changes();
    limit_of_steps();
    limit_of_time();
    interrupted();
    stopped_in_warm_up();
    held_clock_free(held);
    return test_done("find");
}
