/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Was the rate held?  Runs whose answer is known, on a held clock: tests/data/verdicts.txt.
 */
#include "engine/run_test.h"

#include "engine/verdict_test.h"
#include "pace/rates.h"

#define S NS_PER_SEC

enum answer { NO, YES, AFTER /* yes, after a backlog */, SHORT /* too short to tell */ };

struct shaped {
    struct load l;
    const struct run_case *is;
    mono_ns began;
    _Atomic unsigned count;
};

/* So many seconds with transactions of so many ms; slow ones until a second; a stall between two
 * instants, ms. */
#define FOR(s, ms)      .length = S * (s), .service = MS * (ms)
#define SLOW(s)         .slow_until = S * (s), .slow = 100 * MS
#define STALL(from, to) .stall_from = MS * (from), .stall_to = MS * (to)

struct run_case {
    const char *name;
    enum answer answer;
    int clients;
    double rate;
    const char *stages;
    dur_ns length;
    dur_ns service;
    bool no_sql;                 /* there is no server */
    bool serial;                 /* the server does one after the other */
    dur_ns stall_from, stall_to; /* nothing proceeds in between */
    dur_ns slow_until, slow;     /* what begins earlier takes so long */
    dur_ns drift;                /* what begins a second later takes so much longer */
    unsigned every;              /* every n-th transaction takes `tail` */
    dur_ns tail;
    enum arrival_shape arrival;
    dur_ns jitter;
    uint64_t burst;
    uint64_t events;
    dur_ns think;
} cases[] = {
    {"steady", YES, 4, 200, FOR(5, 2)},
    {"steady, one client", YES, 1, 100, FOR(5, 5)},
    {"steady, one client at its limit", YES, 1, 100, FOR(5, 10)},
    {"one client, 2 % over its limit", NO, 1, 102, FOR(10, 10)},
    {"one client, half of the rate", NO, 1, 100, FOR(5, 20)},
    {"four clients, 90 % of the rate", NO, 4, 222, FOR(5, 20)},
    {"four clients, 95 % of the rate", NO, 4, 210, FOR(5, 20)},
    {"few transactions", YES, 2, 5, FOR(2, 1)},
    {"a single transaction", YES, 1, 1, FOR(1, 1)},
    {"long transactions, clients enough", YES, 40, 20, FOR(20, 1000)},
    {"long transactions, a short run", SHORT, 40, 20, FOR(2, 1000)},
    {"as long as the run", SHORT, 40, 20, FOR(1, 1000)},
    {"a serial server at half of its limit", YES, 32, 100, FOR(5, 5), .serial = true},
    {"a serial server at 97 %", YES, 32, 97, FOR(5, 10), .serial = true},
    {"a serial server, 3 % too much", NO, 64, 103, FOR(10, 10), .serial = true},
    {"a serial server, 10 % too much", NO, 200, 110, FOR(5, 10), .serial = true},
    {"a serial server, twice as much, clients enough", NO, 600, 100, FOR(5, 20), .serial = true},
    {"a third of the rate, clients enough", NO, 600, 100, FOR(5, 29), .serial = true},
    {"a stall of most of the run until its end", NO, 600, 100, FOR(5, 2), STALL(1000, 5500)},
    {"a stall from the first moment on", NO, 600, 100, FOR(5, 2), STALL(0, 5100)},
    {"the same with few clients", NO, 8, 100, FOR(5, 2), STALL(1000, 5500)},
    {"from a quarter of a second on, at a high rate", NO, 8, 2000, FOR(5, 2), STALL(250, 6000)},
    {"a stall in the middle, clients enough", AFTER, 600, 100, FOR(5, 2), STALL(2000, 3000)},
    {"a stall in the middle, few clients", AFTER, 8, 100, FOR(5, 2), STALL(2000, 3000)},
    {"a stall at the beginning", AFTER, 8, 100, FOR(5, 2), STALL(0, 1000)},
    {"a stall that ends just in time", AFTER, 600, 100, FOR(5, 2), STALL(4000, 4900)},
    {"a stall at the very end", NO, 600, 100, FOR(5, 2), STALL(4800, 6000)},
    {"a stall that is too short to matter", YES, 8, 200, FOR(10, 2), STALL(4000, 4050)},
    {"slow at first, and caught up", AFTER, 8, 200, FOR(10, 10), SLOW(3)},
    {"slow at first, and caught up, without statements", AFTER, 8, 200, FOR(10, 10), SLOW(3),
     .no_sql = true},
    {"slow at first, and not caught up", NO, 8, 200, FOR(10, 38), SLOW(4)},
    {"slow at first, clients enough", YES, 200, 200, FOR(10, 10), SLOW(3)},
    {"slower and slower", NO, 8, 200, FOR(6, 5), .drift = 12 * MS},
    {"a heavy tail", YES, 16, 100, FOR(10, 1), .every = 50, .tail = 500 * MS},
    {"a heavier tail", YES, 64, 200, FOR(20, 1), .every = 10, .tail = 500 * MS},
    {"a tail that takes all clients", NO, 2, 200, FOR(5, 1), .every = 50, .tail = S},
    {"Poisson", YES, 16, 200, FOR(10, 5), .arrival = ARRIVAL_POISSON},
    {"Poisson, one client at 80 %", YES, 1, 80, FOR(20, 10), .arrival = ARRIVAL_POISSON},
    {"Poisson, one client, 30 % too much", NO, 1, 130, FOR(10, 10), .arrival = ARRIVAL_POISSON},
    {"jitter", YES, 8, 200, FOR(5, 2), .jitter = 100 * MS},
    {"aligned", YES, 8, 80, FOR(5, 2), .arrival = ARRIVAL_ALIGNED},
    {"starts dropped beyond a burst", NO, 1, 200, FOR(5, 20), .burst = 5},
    {"a few starts dropped", YES, 4, 200, FOR(10, 2), STALL(5000, 5075), .burst = 5},
    {"--events in time", YES, 4, 200, .events = 1000, .service = 2 * MS},
    {"--events that take longer", NO, 1, 200, .events = 500, .service = 10 * MS},
    {"--events, 3 % longer", NO, 1, 103, .events = 1000, .service = 10 * MS},
    {"think time within the gap", YES, 8, 100, FOR(5, 5), .think = 20 * MS},
    {"think time beyond it", NO, 8, 200, FOR(5, 20), .think = 100 * MS},
    {"a ramp that is held", YES, 8, .stages = "100-400:5s", FOR(5, 10)},
    {"a ramp beyond the limit", NO, 8, .stages = "100-1400:5s", FOR(5, 10)},
    {"a sine whose peak is worked off", AFTER, 8, .stages = "sine(600,400,2s)", FOR(8, 10)},
    {"a stage beyond the limit, caught up later", NO, 4, .stages = "100:2s,300:1s,100:2s",
     FOR(5, 20)},
    {"stages that are held", YES, 4, .stages = "100:2s,180:1s,50:2s", FOR(5, 20)},
    {"2,048 clients", YES, 2048, 1200, FOR(2, 5)},
    {"2,048 clients, half of the rate", NO, 2048, 400, FOR(4, 5), .serial = true},
};

/* What it takes, and what of a stall lies in it. */
static dur_ns takes(struct load *l, mono_ns now)
{
    struct shaped *v = (struct shaped *)l;
    const struct run_case *c = v->is;
    dur_ns at, took = c->service;

    if (!v->began)
        v->began = now;
    at = now - v->began;
    took += c->drift * (at / MS) / 1000;
    if (at < c->slow_until)
        took = c->slow;
    if (c->every && atomic_fetch_add(&v->count, 1) % c->every == c->every / 2)
        took = c->tail;
    if (c->stall_to > c->stall_from && at < c->stall_to && at + took > c->stall_from)
        took += c->stall_to - (at > c->stall_from ? at : c->stall_from);
    return took;
}

static const char *const words[] = {"no", "yes", "yes, after a backlog", "not known"};

static enum answer answer(void)
{
    if (res.unknown)
        return SHORT;
    if (!res.sustained)
        return NO;
    return strncmp(res.why, "after ", 6) == 0 ? AFTER : YES;
}

static enum answer try(const struct run_case *c)
{
    struct shaped v = {.l = fresh(), .is = c};
    struct plan p = base_plan(c->clients, c->rate);
    struct err why = {0};

    v.l.takes = takes;
    v.l.reads = !c->no_sql;
    v.l.serial = c->serial;
    p.report_interval = 0;
    p.time_limit = c->length;
    p.max_events = c->events;
    p.arrival = c->arrival;
    p.jitter = c->jitter;
    p.think = c->think;
    if (c->burst) {
        p.overload = OVERLOAD_DROP;
        p.burst = c->burst;
    }
    if (c->stages) {
        p.rates = rates_parse(c->stages, &(struct rates_play){1, 1}, &why);
        CHECK_STR(why.msg, "");
        p.rate = rates_mean(p.rates, p.time_limit);
    }
    CHECK_INT(run(&v.l, &p), 0);
    if (p.rates)
        rates_free(p.rates);
    return answer();
}

TEST_MAIN(run_verdict_test)
{
    held = held_clock_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct run_case *c = &cases[i];
        enum answer got = try(c);
        check_row(argc > 1, c->name, got == AFTER ? "yes" : words[got], res.why);
        if (got != c->answer)
            printf("in the case \"%s\": %s %s\n", c->name, words[got], res.why);
        CHECK_STR(words[got], words[c->answer]);
    }
    held_clock_free(held);
    return test_done("run_verdict");
}
