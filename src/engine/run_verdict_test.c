/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Was the rate held?  Runs whose answer is known, on a held clock: tests/data/verdicts.txt.  A
 * false yes and a false no are counted, and there is none.
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

struct run_case {
    const char *name;
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
    enum answer answer;
} cases[] = {
    {"steady", 4, 200, .length = 5 * S, .service = 2 * MS, .answer = YES},
    {"steady, one client", 1, 100, .length = 5 * S, .service = 5 * MS, .answer = YES},
    {"steady, one client at its limit", 1, 100, .length = 5 * S, .service = 10 * MS, .answer = YES},
    {"one client, 2 % over its limit", 1, 102, .length = 10 * S, .service = 10 * MS, .answer = NO},
    {"one client, half of the rate", 1, 100, .length = 5 * S, .service = 20 * MS, .answer = NO},
    {"four clients, 90 % of the rate", 4, 222, .length = 5 * S, .service = 20 * MS, .answer = NO},
    {"four clients, 95 % of the rate", 4, 210, .length = 5 * S, .service = 20 * MS, .answer = NO},
    {"few transactions", 2, 5, .length = 2 * S, .service = MS, .answer = YES},
    {"a single transaction", 1, 1, .length = S, .service = MS, .answer = YES},
    {"long transactions, clients enough", 40, 20, .length = 20 * S, .service = S, .answer = YES},
    {"long transactions, a short run", 40, 20, .length = 2 * S, .service = S, .answer = SHORT},
    {"as long as the run", 40, 20, .length = S, .service = S, .answer = SHORT},
    {"a serial server at half of its limit", 32, 100, .length = 5 * S, .service = 5 * MS,
     .serial = true, .answer = YES},
    {"a serial server at 97 %", 32, 97, .length = 5 * S, .service = 10 * MS, .serial = true,
     .answer = YES},
    {"a serial server, 3 % too much", 64, 103, .length = 10 * S, .service = 10 * MS, .serial = true,
     .answer = NO},
    {"a serial server, 10 % too much", 200, 110, .length = 5 * S, .service = 10 * MS,
     .serial = true, .answer = NO},
    {"a serial server, twice as much, clients enough", 600, 100, .length = 5 * S,
     .service = 20 * MS, .serial = true, .answer = NO},
    {"a third of the rate, clients enough", 600, 100, .length = 5 * S, .service = 29 * MS,
     .serial = true, .answer = NO},
    {"a stall of most of the run until its end", 600, 100, .length = 5 * S, .service = 2 * MS,
     .stall_from = S, .stall_to = 5500 * MS, .answer = NO},
    {"a stall from the first moment on", 600, 100, .length = 5 * S, .service = 2 * MS,
     .stall_from = 0, .stall_to = 5100 * MS, .answer = NO},
    {"the same with few clients", 8, 100, .length = 5 * S, .service = 2 * MS, .stall_from = S,
     .stall_to = 5500 * MS, .answer = NO},
    {"from a quarter of a second on, at a high rate", 8, 2000, .length = 5 * S, .service = 2 * MS,
     .stall_from = S / 4, .stall_to = 6 * S, .answer = NO},
    {"a stall in the middle, clients enough", 600, 100, .length = 5 * S, .service = 2 * MS,
     .stall_from = 2 * S, .stall_to = 3 * S, .answer = AFTER},
    {"a stall in the middle, few clients", 8, 100, .length = 5 * S, .service = 2 * MS,
     .stall_from = 2 * S, .stall_to = 3 * S, .answer = AFTER},
    {"a stall at the beginning", 8, 100, .length = 5 * S, .service = 2 * MS, .stall_from = 0,
     .stall_to = S, .answer = AFTER},
    {"a stall that ends just in time", 600, 100, .length = 5 * S, .service = 2 * MS,
     .stall_from = 4 * S, .stall_to = 4900 * MS, .answer = AFTER},
    {"a stall at the very end", 600, 100, .length = 5 * S, .service = 2 * MS,
     .stall_from = 4800 * MS, .stall_to = 6 * S, .answer = NO},
    {"a stall that is too short to matter", 8, 200, .length = 10 * S, .service = 2 * MS,
     .stall_from = 4 * S, .stall_to = 4050 * MS, .answer = YES},
    {"slow at first, and caught up", 8, 200, .length = 10 * S, .service = 10 * MS,
     .slow_until = 3 * S, .slow = 100 * MS, .answer = AFTER},
    {"slow at first, and caught up, without statements", 8, 200, .length = 10 * S,
     .service = 10 * MS, .slow_until = 3 * S, .slow = 100 * MS, .no_sql = true, .answer = AFTER},
    {"slow at first, and not caught up", 8, 200, .length = 10 * S, .service = 38 * MS,
     .slow_until = 4 * S, .slow = 100 * MS, .answer = NO},
    {"slow at first, clients enough", 200, 200, .length = 10 * S, .service = 10 * MS,
     .slow_until = 3 * S, .slow = 100 * MS, .answer = YES},
    {"slower and slower", 8, 200, .length = 6 * S, .service = 5 * MS, .drift = 12 * MS,
     .answer = NO},
    {"a heavy tail", 16, 100, .length = 10 * S, .service = MS, .every = 50, .tail = 500 * MS,
     .answer = YES},
    {"a heavier tail", 64, 200, .length = 20 * S, .service = MS, .every = 10, .tail = 500 * MS,
     .answer = YES},
    {"a tail that takes all clients", 2, 200, .length = 5 * S, .service = MS, .every = 50,
     .tail = S, .answer = NO},
    {"Poisson", 16, 200, .length = 10 * S, .service = 5 * MS, .arrival = ARRIVAL_POISSON,
     .answer = YES},
    {"Poisson, one client at 80 %", 1, 80, .length = 20 * S, .service = 10 * MS,
     .arrival = ARRIVAL_POISSON, .answer = YES},
    {"Poisson, one client, 30 % too much", 1, 130, .length = 10 * S, .service = 10 * MS,
     .arrival = ARRIVAL_POISSON, .answer = NO},
    {"jitter", 8, 200, .length = 5 * S, .service = 2 * MS, .jitter = 100 * MS, .answer = YES},
    {"aligned", 8, 80, .length = 5 * S, .service = 2 * MS, .arrival = ARRIVAL_ALIGNED,
     .answer = YES},
    {"starts dropped beyond a burst", 1, 200, .length = 5 * S, .service = 20 * MS, .burst = 5,
     .answer = NO},
    {"a few starts dropped", 4, 200, .length = 10 * S, .service = 2 * MS, .stall_from = 5 * S,
     .stall_to = 5075 * MS, .burst = 5, .answer = YES},
    {"--events in time", 4, 200, .events = 1000, .service = 2 * MS, .answer = YES},
    {"--events that take longer", 1, 200, .events = 500, .service = 10 * MS, .answer = NO},
    {"--events, 3 % longer", 1, 103, .events = 1000, .service = 10 * MS, .answer = NO},
    {"think time within the gap", 8, 100, .length = 5 * S, .service = 5 * MS, .think = 20 * MS,
     .answer = YES},
    {"think time beyond it", 8, 200, .length = 5 * S, .service = 20 * MS, .think = 100 * MS,
     .answer = NO},
    {"a ramp that is held", 8, .stages = "100-400:5s", .length = 5 * S, .service = 10 * MS,
     .answer = YES},
    {"a ramp beyond the limit", 8, .stages = "100-1400:5s", .length = 5 * S, .service = 10 * MS,
     .answer = NO},
    {"a sine whose peak is worked off", 8, .stages = "sine(600,400,2s)", .length = 8 * S,
     .service = 10 * MS, .answer = AFTER},
    {"a stage beyond the limit, caught up later", 4, .stages = "100:2s,300:1s,100:2s",
     .length = 5 * S, .service = 20 * MS, .answer = NO},
    {"stages that are held", 4, .stages = "100:2s,180:1s,50:2s", .length = 5 * S,
     .service = 20 * MS, .answer = YES},
    {"2,048 clients", 2048, 1200, .length = 2 * S, .service = 5 * MS, .answer = YES},
    {"2,048 clients, half of the rate", 2048, 400, .length = 4 * S, .service = 5 * MS,
     .serial = true, .answer = NO},
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
    int false_yes = 0, false_no = 0;

    held = held_clock_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct run_case *c = &cases[i];
        enum answer got = try(c);
        check_row(argc > 1, c->name, got == AFTER ? "yes" : words[got], res.why);
        if (got != c->answer)
            printf("in the case \"%s\": %s %s\n", c->name, words[got], res.why);
        CHECK_STR(words[got], words[c->answer]);
        false_yes += got != c->answer && (got == YES || got == AFTER);
        false_no += got != c->answer && got == NO;
    }
    CHECK_INT(false_yes, 0);
    CHECK_INT(false_no, 0);
    held_clock_free(held);
    return test_done("run_verdict");
}
