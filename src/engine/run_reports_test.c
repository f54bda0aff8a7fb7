/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * When the reports of a run are made, and of which instant their figures are: reports that take
 * long, the last interval, readings of the server and of the clients.  On a held clock.
 */
#include "engine/run_test.h"

#include <unistd.h>

#include "base/log.h"

static uint64_t in_intervals;
static dur_ns slow[8]; /* what the report of that place takes */

/* The instant in a report, its length and its events. */
static void tell_report(struct load *l, const struct snapshot *s)
{
    CHECK_INT(s->wall - s->at, HELD_CLOCK_AHEAD);
    in_intervals = s->kind == SNAPSHOT_INTERVAL ? in_intervals + s->events : 0;
    CHECK(!in_intervals || s->total[CNT_DONE] == in_intervals);
    str_printf(&told, "%s%g: %llu in %g ms", l->snapshots > 1 ? ", " : "", dur_ms(s->elapsed_ns),
               (unsigned long long)s->events, dur_ms(s->interval_ns));
    if (s->kind == SNAPSHOT_FINAL)
        str_adds(&told, "\n");
    else if (l->snapshots < 8)
        busy(slow[l->snapshots]);
}

static void stop_before_the_last(struct load *l, const struct snapshot *s)
{
    tell_report(l, s);
    if (s->elapsed_ns == 900 * MS)
        held_clock_stall(held, 300 * MS);
}

static void reports(void)
{
    /* The time in a report is that of its figures, not of their computation: the final report is
     * made when the clients have closed, some time after the last transaction. */
    RUN(2, 100, p->time_limit = 250 * MS, l->closing = 100 * MS, l->watched = tell_report);
    /* a report that takes two and a half intervals: the next one covers that time, and later ones
     * are on time again */
    slow[2] = 250 * MS;
    RUN(2, 100, p->time_limit = 600 * MS, l->watched = tell_report);
    slow[2] = 0;
    /* The last event ends at 220 ms.  The report that was due at 200 ms comes at 250 ms and covers
     * the time until the end; while clients close there are no further ones. */
    slow[1] = 150 * MS;
    RUN(1, 0, p->max_events = 11, p->time_limit = 0, l->service = 20 * MS, l->closing = 300 * MS,
        l->watched = tell_report);
    slow[1] = 0;
    /* begun before the end of the last interval and done after it: only the run has these 3 */
    RUN(4, 100, l->service = 35 * MS, l->watched = tell_report);
    /* the process stands still over the end of the last interval: its report comes before the
     * clients have made up for it */
    RUN(1, 100, l->service = 5 * MS, l->watched = stop_before_the_last, p->max_events = 100,
        p->time_limit = 60 * NS_PER_SEC);
}

/* --- the first reading of the server --- */

struct slow_source {
    struct load l;
    int readings;
    uint64_t ran;   /* by client 0 when the first reading ended */
    dur_ns covered; /* by the figures of the final report */
};

/* The server's own counters; the answer takes 50 ms. */
static void answer_slowly(void *arg, struct status_reading *out)
{
    struct slow_source *s = arg;

    busy(50 * MS);
    *out = (struct status_reading){.at = test_now(), .have = 1};
    if (s->readings++ == 0)
        s->ran = atomic_load(&s->l.ran[0]);
}

static void note_covered(struct load *l, const struct snapshot *s)
{
    if (s->kind != SNAPSHOT_FINAL)
        return;
    CHECK_INT(s->sampled_more, 0);
    ((struct slow_source *)l)->covered = s->probe->status.wall_ns;
}

/* At full speed it comes before the clock starts: its figures are those of the whole run. */
static void first_reading_at_full_speed(void)
{
    static const struct status_name name[] = {{"Questions", false}};
    struct slow_source s = {.l = fresh()};
    struct status_source source = {.arg = &s, .name = name, .n = 1, .read = answer_slowly};
    struct probe_config config = {.status = &source};
    struct plan p = base_plan(2, 0);

    s.l.probe = probe_new(&config);
    s.l.service = 10 * MS;
    s.l.watched = note_covered;
    p.report_interval = 0;
    CHECK_INT(run(&s.l, &p), 0);
    probe_free(s.l.probe);
    CHECK_INT(s.readings, 2);
    CHECK_INT(s.ran, 0);
    CHECK_INT(res.final.events, 200);
    CHECK_INT(res.final.elapsed_ns, NS_PER_SEC);
    CHECK_INT(s.covered, NS_PER_SEC + 50 * MS); /* from the end of a reading to that of another */
}

/* --- readings --- */

static mono_ns (*standing_still)(struct clock *c);

static mono_ns go_on(struct clock *c)
{
    held_clock_stall(held, US);
    return standing_still(c);
}

static void check_offered(struct load *l, const struct snapshot *s)
{
    uint64_t by_now = (uint64_t)(s->elapsed_ns / US) + 1;

    if (s->kind == SNAPSHOT_INTERVAL)
        CHECK_INT(s->rate.total_offered, by_now < 50000 ? by_now : 50000);
}

/* Each look at the clock takes 1 us, and a start is planned in each: what a report offers is
 * computed for the instant that it names (cut_note), not for one before the clients were read. */
static void offered_until_the_reading(void)
{
    struct clock *c = held_clock(held);

    standing_still = c->now;
    c->now = go_on;
    TRY(2, 1e6, 0, p->time_limit = 50 * MS, p->report_interval = 10 * MS, l->service = 20 * MS,
        l->watched = check_offered);
    c->now = standing_still;
}

/* The script goes on for 80 ms after its transaction of 1 ms. */
static int linger(struct load *l, struct client *c, struct err *err)
{
    while (client_next(c)) {
        client_begin(c);
        busy(MS);
        client_end(c);
        busy(80 * MS);
    }
    return 0;
}

static void check_oldest(struct load *l, const struct snapshot *s)
{
    if (s->kind == SNAPSHOT_INTERVAL)
        CHECK_INT(s->rate.oldest_ns, 55 * MS);
}

/* This process, in place of a server. */
static void find_server(struct load *l, struct run_event *event)
{
    const pid_t pid = getpid();

    if (event->kind != RUN_READY)
        return;
    CHECK_INT(server_open(&l->server, "/proc", &pid, 1, false, &e), 0);
    event->server = l->server;
}

/* Before the clients close, the processes are read for the last time, and the final report has
 * what was read then (final_reading_note): its figures are of so many transactions. */
static void processes_at_the_end(void)
{
    struct load l = fresh();
    struct plan p = base_plan(2, 100);

    p.report_interval = 0;
    l.closing = 100 * MS;
    l.on = find_server;
    CHECK_INT(run(&l, &p), 0);
    server_close(l.server);
    CHECK_INT(res.final.events, 100);
    CHECK_INT(snapshot_sampled(&res.final), 100);
    CHECK(res.final.server.on);
    CHECK(res.final.server.d.have & SAMPLE_CPU);
    CHECK_INT(res.final.server.d.processes, 1);
}

TEST_MAIN(run_reports_test)
{
    log_set_verbosity(-1);
    held = held_clock_new();
    reports();
    first_reading_at_full_speed();
    offered_until_the_reading();
    /* By 95 ms the clients have done those of 0, 10, 20 and 30 ms.  The oldest that has not ended
     * is that of 40 ms, which waits. */
    RUN(2, 100, l->runs = linger, p->report_interval = 95 * MS, p->time_limit = 100 * MS,
        l->watched = check_oldest);
    processes_at_the_end();
    /* Statements have shares of the time in transactions, and that includes those that a script
     * withdrew, but not those of the warm-up: 10 of 10 ms, and those in flight when measuring began
     * or ended. */
    struct stmt_stats *stats = stmt_stats_new(1);
    RUN(1, 0, l->stmt_stats = stats, p->warmup = 300 * MS, p->time_limit = 100 * MS,
        p->report_interval = 0, l->cancel_all = true, l->service = 10 * MS);
    CHECK_NEAR(res.final.transactions_s, 0.1, 1e-9);
    stmt_stats_free(stats);
    held_clock_free(held);
    golden_done("run_reports_test");
    return test_done("run_reports_test");
}
