/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whole runs in which the server goes away and comes back: errors by code in intervals and at the
 * end, the outage's instants, accounts and latencies, to the nanosecond.
 */
#include "engine/run_test.h"

/* The server is away from..until, after the start line. */
static dur_ns from, until;
static dur_ns again;                   /* pause between attempts to connect; 0: there is only one */
static dur_ns stall_from, stall_until; /* it stands still then, without an error */
static mono_ns start;
static uint64_t interval_errors, intervals_with;

static bool is_away(mono_ns now)
{
    return now >= start + from && now < start + until;
}

/* A client finds its connection lost, tries once more, and gets a new one when the server is
 * back. */
static void survive(struct client *c)
{
    struct client_error lost = {.code = 2013,
                                .sqlstate = "HY000",
                                .text = "Lost connection",
                                .class = "connection",
                                .outage = true,
                                .lost = true};
    struct client_error refused = {.code = 2002,
                                   .sqlstate = "HY000",
                                   .text = "refused",
                                   .class = "connection",
                                   .outage = true};

    mono_ns lost_at = test_now();

    client_error(c, &lost);
    client_error(c, &refused);
    while (again && test_now() + again < start + until) {
        busy(again);
        client_error(c, &refused);
    }
    busy(start + until - test_now());
    client_reconnected(c);
    client_connected_again(c, 2 * MS, start + until - lost_at);
}

static _Atomic bool leaves; /* one client ends its loop instead */

static void leave(struct client *c)
{
    const struct client_error lost = {
        .code = 2013, .class = "connection", .outage = true, .lost = true};

    client_error(c, &lost);
    client_fail(c);
}

static int drill(struct load *l, struct client *c, struct err *err)
{
    while (client_next(c)) {
        client_begin(c);
        if (is_away(test_now()) && atomic_exchange(&leaves, false)) {
            leave(c);
            return 0;
        }
        if (is_away(test_now()))
            survive(c);
        if (test_now() >= start + stall_from && test_now() < start + stall_until)
            busy(start + stall_until - test_now());
        serve(l);
        client_end(c);
    }
    return 0;
}

static void note_start(struct load *l)
{
    start = test_now();
}

static void count_errors(struct load *l, const struct snapshot *s)
{
    if (s->kind != SNAPSHOT_INTERVAL)
        return;
    for (size_t i = 0; i < s->nby_code; i++)
        interval_errors += s->by_code[i].count;
    intervals_with += s->nby_code > 0 && s->by_code[0].count > 0;
}

static struct snapshot_outages outages;
static struct outage row;
static struct snapshot_error shown[2];
static struct error_row code[2];

/* What the final snapshot points to ends with the run. */
static void keep(struct load *l, const struct snapshot *s)
{
    count_errors(l, s);
    if (s->kind != SNAPSHOT_FINAL)
        return;
    CHECK(s->outages != NULL);
    if (s->outages) {
        outages = *s->outages;
        row = s->outages->row[0];
    }
    for (size_t i = 0; i < 2 && i < s->nby_code; i++) {
        shown[i] = s->by_code[i];
        code[i] = *s->by_code[i].row;
    }
}

/* A load whose server is away from `begins` to `ends`. */
static struct load drill_load(void (*watched)(struct load *, const struct snapshot *),
                              dur_ns service, dur_ns begins, dur_ns ends)
{
    struct load l = fresh();

    l.runs = drill;
    l.service = service;
    l.started = note_start;
    l.watched = watched;
    from = begins;
    until = ends;
    return l;
}

/* 100 a second for a second, 4 clients, 1 ms each; away for 300 ms. */
static void recovered(void)
{
    struct plan p = base_plan(4, 100);
    struct load l = drill_load(keep, MS, 305 * MS, 605 * MS);

    interval_errors = intervals_with = 0;
    CHECK_INT(run(&l, &p), 0);
    check_rate(100, 100, 0, 0);
    CHECK_INT(res.final.nby_code, 2);
    CHECK_INT(code[0].code, 2013);
    CHECK_INT(shown[0].count, 4);
    CHECK_INT(code[1].code, 2002);
    CHECK_INT(shown[1].count, 4);
    CHECK_STR(code[1].text, "refused");
    CHECK_INT(interval_errors, 8);
    CHECK_INT(intervals_with, 1);
    CHECK_INT(outages.n, 1);
    CHECK_INT(outages.away, 0);
    CHECK_INT(row.errors, 8);
    CHECK_INT(row.lost, 4);
    CHECK_INT(res.final.connections.connect.n, 4);
    CHECK(res.final.connections.connect.max / (MS / 10) == 20); /* a bucket of 1/1024 */
    CHECK_INT(res.final.connections.away.n, 4);
    CHECK(res.final.connections.away.max <= until - from);
    CHECK(!res.final.connections.limited && !res.final.connections.asked);
    CHECK(row.first_error - start >= from && row.first_error - start <= from + 12 * MS);
    CHECK_INT(row.connected, start + until);
    CHECK_INT(row.success, start + until + MS);
    /* four at a time drain what waited 300 ms: 26 of them take 7 ms, while one more comes */
    CHECK(row.drained > row.success && row.drained < row.success + 20 * MS);
    CHECK_INT(row.over, row.drained);
    CHECK(outages.during.n >= row.after.offered - row.before.offered); /* and those in flight */
    CHECK_INT(row.after.failed + row.after.dropped, 0);
    CHECK(outages.has_before);
    CHECK_INT(outages.before.n + outages.during.n + outages.after.n, 100);
    CHECK(outages.before.max < 2 * MS && outages.after.max < 2 * MS);
    CHECK(outages.during.max > 250 * MS);
}

/* A server that stood still before it went away: being as late as then is not being in time. */
static void stalled_before(void)
{
    struct plan p = base_plan(4, 100);
    struct load l = drill_load(keep, MS, 300 * MS, 600 * MS);

    stall_from = 100 * MS;
    stall_until = 200 * MS;
    CHECK_INT(run(&l, &p), 0);
    stall_from = stall_until = 0;
    check_rate(100, 100, 0, 0);
    CHECK_INT(row.in_time, MS);
    /* in fours, 1 ms each: what waited is begun when the last ones that do are 1 ms late */
    CHECK(row.drained - row.success >= 5 * MS);
}

/* Nobody waits for the connection of a client that is gone. */
static void one_leaves(void)
{
    struct plan p = base_plan(4, 100);
    struct load l = drill_load(keep, MS, 300 * MS, 600 * MS);

    leaves = true;
    CHECK_INT(run(&l, &p), 0);
    CHECK(!leaves);
    check_rate(100, 99, 0, 0);
    CHECK_INT(outages.n, 1);
    CHECK_INT(outages.away, 0);
    CHECK_INT(row.lost, 4);
    CHECK_INT(row.connected, start + until);
    CHECK(row.over > 0);
}

/* The run ends before the server is back; without a rate there is no backlog. */
static void not_recovered(void)
{
    struct plan p = base_plan(2, 0);
    struct load l = drill_load(keep, 10 * MS, 500 * MS, 2000 * MS);

    CHECK_INT(run(&l, &p), 0);
    CHECK_INT(outages.n, 1);
    CHECK_INT(row.first_error, start + from);
    CHECK_INT(row.lost, 2);
    CHECK_INT(row.connected, start + until);
    CHECK_INT(row.success, start + until + 10 * MS);
    CHECK_INT(row.drained, 0); /* nothing began after it */
    CHECK_INT(row.over, 0);
    /* the other client's transaction may end in the instant of the first error */
    CHECK(row.after.done - row.before.done >= 2 && row.after.done - row.before.done <= 3);
    CHECK(!outages.has_before);
    CHECK(outages.during.n >= 2 && outages.during.n <= 3); /* and so may be in flight */
}

static void nothing_kept(struct load *l, const struct snapshot *s)
{
    CHECK_INT(s->nby_code, 0);
    CHECK(s->outages == NULL);
}

/* Errors of a warm-up do not count, and without an error there is no outage. */
static void none(void)
{
    struct plan p = base_plan(4, 100);
    struct load l = drill_load(nothing_kept, MS, 100 * MS, 200 * MS);

    p.warmup = NS_PER_SEC;
    CHECK_INT(run(&l, &p), 0);
    check_rate(100, 100, 0, 0);
    p.warmup = 0;
    l = drill_load(nothing_kept, 0, 0, 0);
    CHECK_INT(run(&l, &p), 0);
}

/* One that began in the warm-up: the connections were lost there, and are back later. */
static void across(void)
{
    struct plan p = base_plan(4, 100);
    struct load l = drill_load(keep, MS, 705 * MS, 1300 * MS);

    again = 100 * MS;
    p.warmup = NS_PER_SEC;
    CHECK_INT(run(&l, &p), 0);
    again = 0;
    check_rate(100, 100, 0, 0);
    CHECK_INT(res.final.nby_code, 1);
    CHECK_INT(code[0].code, 2002);
    CHECK_INT(shown[0].count, 12); /* those after the warm-up: three of each client */
    CHECK(shown[0].first_ns >= 0 && shown[0].first_ns < 20 * MS);
    CHECK_INT(outages.n, 1);
    CHECK_INT(outages.away, 0);
    CHECK_INT(row.errors, 12);
    CHECK_INT(row.lost, 4);
    CHECK_INT(row.connected, start + until);
    CHECK(row.success > row.connected && row.over >= row.success);
}

TEST_MAIN(run_outage_test)
{
    held = held_clock_new();
    recovered();
    stalled_before();
    one_leaves();
    not_recovered();
    none();
    across();
    held_clock_free(held);
    return test_done("run_outage");
}
