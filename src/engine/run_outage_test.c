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

static void tell_instant(const char *what, mono_ns at)
{
    str_printf(&told, "%s %.7g, ", what, at ? dur_ms(at - start) : -1);
}

static void tell_series(const char *when, const struct snapshot_series *v, const char *end)
{
    str_printf(&told, "%s: %llu, %.4g ms at most%s", when, (unsigned long long)v->n, dur_ms(v->max),
               end);
}

static void tell_outages(const struct snapshot *s)
{
    const struct outage *o = &s->outages->row[0];

    str_printf(&told, "%zu outages, %d clients are away; %llu errors, %llu connections lost; ",
               s->outages->n, (int)s->outages->away, (unsigned long long)o->errors,
               (unsigned long long)o->lost);
    tell_instant("first error", o->first_error);
    tell_instant("connected", o->connected);
    tell_instant("success", o->success);
    tell_instant("drained", o->drained);
    tell_instant("over", o->over);
    str_printf(&told, "in time %g ms; meanwhile %lld failed, %lld dropped\n", dur_ms(o->in_time),
               (long long)(o->after.failed - o->before.failed),
               (long long)(o->after.dropped - o->before.dropped));
    if (s->outages->has_before)
        tell_series("before", &s->outages->before, ", ");
    tell_series("during", &s->outages->during, ", ");
    tell_series("after", &s->outages->after, "\n");
}

static void tell(struct load *l, const struct snapshot *s)
{
    if (s->kind == SNAPSHOT_INTERVAL) {
        for (size_t i = 0; i < s->nby_code; i++)
            interval_errors += s->by_code[i].count;
        intervals_with += s->nby_code > 0 && s->by_code[0].count > 0;
        return;
    }
    for (size_t i = 0; i < s->nby_code; i++)
        str_printf(&told, "%d (%s) %llu times, ", s->by_code[i].row->code, s->by_code[i].row->text,
                   (unsigned long long)s->by_code[i].count);
    str_printf(&told, "%llu errors in %llu intervals\n", (unsigned long long)interval_errors,
               (unsigned long long)intervals_with);
    tell_series("connected again", &s->connections.connect, ", ");
    tell_series("away", &s->connections.away, "\n");
    CHECK(!s->connections.limited && !s->connections.asked);
    if (s->outages)
        tell_outages(s);
}

/* A load whose server is away from `begins` to `ends`. */
static void drill_of(struct load *l, dur_ns begins, dur_ns ends)
{
    l->runs = drill;
    l->service = MS;
    l->started = note_start;
    l->watched = tell;
    from = begins;
    until = ends;
    again = stall_from = stall_until = 0;
    interval_errors = intervals_with = 0;
}

TEST_MAIN(run_outage_test)
{
    held = held_clock_new();
    /* four at a time drain what waited 300 ms: 26 of them take 7 ms, while one more comes */
    RUN(4, 100, drill_of(l, 305 * MS, 605 * MS));
    /* a server that stood still before it went away: being as late as then is not being in time */
    RUN(4, 100, drill_of(l, 305 * MS, 605 * MS), stall_from = 100 * MS, stall_until = 200 * MS);
    /* nobody waits for the connection of a client that is gone */
    RUN(4, 100, drill_of(l, 305 * MS, 605 * MS), leaves = true);
    CHECK(!leaves);
    /* the run ends before the server is back; without a rate there is no backlog */
    RUN(2, 0, drill_of(l, 505 * MS, 2000 * MS), l->service = 10 * MS);
    /* errors of a warm-up do not count, and without an error there is no outage */
    RUN(4, 100, drill_of(l, 105 * MS, 205 * MS), p->warmup = NS_PER_SEC);
    RUN(4, 100, drill_of(l, 0, 0));
    /* one that began in the warm-up: the connections were lost there, and are back later; three
     * errors of each client come after the warm-up */
    RUN(4, 100, drill_of(l, 705 * MS, 1300 * MS), again = 100 * MS, p->warmup = NS_PER_SEC);
    held_clock_free(held);
    golden_done("run_outage_test");
    return test_done("run_outage");
}
