/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tickets without a clock: `now` is an argument, so overload, drops, counts, changes of the rate
 * and the two schedules of a run are exact arithmetic here.  What calls give is in a golden file;
 * many starts are checked against their definitions, and the lock-free path under threads for
 * tickets lost or given twice.
 */
#include "pace/ticket.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "base/test_golden.h"

static struct ticket_spec even(double rate)
{
    struct ticket_spec s = {
        .arrivals = {.shape = ARRIVAL_EVEN, .rate = rate, .clients = 1, .seed = 1},
        .overload = OVERLOAD_QUEUE,
        .horizon = MONO_NEVER};
    return s;
}

/* --- calls, and what each gives --- */

struct play {
    const char *title;
    struct ticket_spec spec; /* horizon 0: none */
    const char *rates;       /* NULL: spec.arrivals.rate, always */
    struct ticket_spec warm; /* of a warm-up; rate 0: there is none */
    const char *calls;
};

#define EVEN(rate_) .arrivals = {.shape = ARRIVAL_EVEN, .rate = rate_, .clients = 1, .seed = 1}
#define POISSON(rate_, jitter_)                                                                    \
    .arrivals = {                                                                                  \
        .shape = ARRIVAL_POISSON, .rate = rate_, .jitter = jitter_, .clients = 1, .seed = 1}
/* 4 clients at 20/s: P = 200 ms; a window of 1 ns moves nothing. */
#define ALIGNED(jitter_) .arrivals = {ARRIVAL_ALIGNED, 20, jitter_, 4, 9, NULL}

static const struct play plays[] = {
    {"even, and never before k/R",
     {EVEN(1200), .horizon = 30 * NS_PER_SEC},
     .calls = "T0 T0 T0*11 T0*35987 T0 T0 O@100000 O@30000 O@29999.999999 O@0 O@-0.000001 "
              "O@999.999999 O@1000 N"},
    {"limited by a number of events: where the next one would have been, for every caller",
     {EVEN(0.1), .max_tickets = 3},
     .calls = "T0 T0 T0 T0 T0 O@1000000"},
    {"a late client takes a ticket whose time has passed",
     {EVEN(1000)},
     .calls = "T0@5000 O@5000 N"},
    /* at 5 s, 5001 are due, of which the last 10 may be taken; then no client is idle */
    {"a burst limits the backlog",
     {EVEN(1000), .overload = OVERLOAD_DROP, .burst = 10},
     .calls = "T0@5000 S@6000 O@6000"},
    {"age limits the backlog",
     {EVEN(1000), .overload = OVERLOAD_DROP, .max_lag = 20 * NS_PER_MS},
     .calls = "T0@1000"},
    {"age ends the run",
     {EVEN(1000), .overload = OVERLOAD_ABORT, .max_lag = 20 * NS_PER_MS},
     .calls = "T0@20 T0@1000"},
    {"closed early: what lies behind is as if it had never been taken, a later close reopens none",
     {EVEN(1000)},
     .calls = "T0 T0*2000 C@1000 O@10000 G0 G1 T0 C@5000 O@10000"},
    {"closed early",
     {POISSON(1000, 0)},
     .calls = "T0 T0*2000 C@1000 O@10000 G0 G1 T0 C@5000 O@10000"},
    {"drops at a rate too high to walk the queue",
     {EVEN(1e9), .overload = OVERLOAD_DROP, .burst = 10},
     .calls = "T0@3600000"},
    {"drops at such a rate; after the end nothing grows older",
     {EVEN(1e9), .overload = OVERLOAD_DROP, .max_lag = NS_PER_MS},
     .calls = "T0@3600000 C@3600000 S@3700000 O@3700000"},
/* long after the backlog was too deep: the starts since then are not walked */
#define FULL(overload_, jitter_)                                                                   \
    POISSON(2e9, jitter_), .overload = overload_, .burst = 1000, .ends_when_full = true
#define FULL_CALLS "T0@1000000 T0@1000000 S@1000000 O@1001000 C@1000000 O@1001000"
    {"ends when full, seen by a client",
     {FULL(OVERLOAD_ABORT, 0)},
     .calls = "T0@-0.000001 T0@-0.000001 " FULL_CALLS},
    {"ends when full, seen by the reporter",
     {FULL(OVERLOAD_ABORT, 0)},
     .calls = "T0@-0.000001 T0@-0.000001 O@1000000 " FULL_CALLS},
    {"ends when full, seen by a client, with jitter",
     {FULL(OVERLOAD_ABORT, 100)},
     .calls = "T0@-0.000001 T0@-0.000001 " FULL_CALLS},
    {"ends when full, seen by the reporter, with jitter",
     {FULL(OVERLOAD_ABORT, 100)},
     .calls = "T0@-0.000001 T0@-0.000001 O@1000000 " FULL_CALLS},
    {"the same schedule: as many as were offered, and a later one",
     {FULL(OVERLOAD_QUEUE, 0)},
     .calls = "T0*1000 T0 T0 T0 T0 T0 T0 T0 T0"},
    {"the same schedule with jitter",
     {FULL(OVERLOAD_QUEUE, 100)},
     .calls = "T0*1000 T0 T0 T0 T0 T0 T0 T0 T0"},
    {"counts that are walked, asked for earlier instants: the ends of stages that are over",
     {.arrivals = {.rate = 100, .jitter = 1, .clients = 1, .seed = 1}, .horizon = 3 * NS_PER_SEC},
     "100:1s,200:1s,300:1s",
     .calls = "O@500 O@400 O@1000 O@999.999999 O@2500 O@500 O@1500 O@1999.999999 O@2000 O@4000 "
              "O@0"},
    {"the last does not end the run", {EVEN(100), .max_tickets = 2}, .calls = "E T0 E T0 E"},
    {"the last ends the run",
     {EVEN(100), .max_tickets = 2, .ends_with_last = true},
     .calls = "E T0 E T0 E"},
    {"there is no last", {EVEN(100), .ends_with_last = true}, .calls = "T0 E"},
    {"aligned ends with its last", {ALIGNED(1)}, .calls = "E"},

/* two at the start line, the second a ns after the first; in each way that tickets are taken */
#define CHANGED_CALLS                                                                              \
    "E P@0 P@1000 P@-1000 R50@-0.000005 E R25@-0.000001 P@0 P@0.000001 P@1000 T0 T0 N "            \
    "O@79.999998 O@79.999999 T0"
    {"changed at once", {EVEN(100), .changes = true}, .calls = CHANGED_CALLS},
    {"changed at once, limited",
     {EVEN(100), .max_tickets = 2, .changes = true},
     .calls = CHANGED_CALLS},
    {"changed at once, in a queue",
     {.arrivals = {.rate = 100, .jitter = 1, .clients = 1, .seed = 1}, .changes = true},
     .calls = CHANGED_CALLS},
    {"changed at once, in a queue, limited",
     {.arrivals = {.rate = 100, .jitter = 1, .clients = 1, .seed = 1},
      .max_tickets = 2,
      .changes = true},
     .calls = CHANGED_CALLS},
    {"a higher rate, and back",
     {EVEN(100), .horizon = 3 * NS_PER_SEC, .changes = true},
     .calls = "R1000@1000 R100@2000 P@999.999999 P@1000 P@2000 P@1500 P@2500 O@999.999999 O@1000 "
              "O@1999.999999 O@2000 O@9000000 N T0*100 N T0 N T0*998 N T0 N T0 N T0*98 N T0 N T0"},

    {"aligned as measured: thread 0 begins at 0 400 600 800 ms, thread 1 at 50 400 600",
     {ALIGNED(NS_PER_US), .horizon = ARRIVALS_FAR, .one_more = true},
     .calls = "T0 T1 T2 T3 T0 T1 T2 T3 T0 T1 T2 T3 T0 T1 T2 T3"},
    {"aligned with a window of a tenth of P",
     {ALIGNED(0), .horizon = ARRIVALS_FAR, .one_more = true},
     .calls = "T1 T1 T1 T1*496 T1"},
    {"a client that takes none leaves its starts to nobody",
     {ALIGNED(1), .horizon = ARRIVALS_FAR, .one_more = true},
     .calls = "T1*10 T2*10 T3*10 T3 N O@2000 T0 T0 N"},
    {"beyond the horizon: the extra ones, from their instants on",
     {ALIGNED(1), .horizon = 500 * NS_PER_MS, .one_more = true},
     .calls = "O@499 T0*2 T1*2 T2*2 T3*2 N O@10000 T2 O@599 O@600 C@599 G4 O@600"},
    {"beyond the horizon: none", {ALIGNED(1), .horizon = 500 * NS_PER_MS}, .calls = "T0 T0 T0"},
    {"a limit of all clients: who asks first gets the starts",
     {ALIGNED(1), .horizon = ARRIVALS_FAR, .max_tickets = 6, .one_more = true},
     .calls = "T1*5 T0 T2 N O@100 O@400"},
    {"aligned and closed",
     {ALIGNED(0), .horizon = 500 * NS_PER_MS, .one_more = true},
     .calls = "T3 T0 N S@10000 T0 C@300 G1 G2 T3 O@10000"},

    {"rank 1 of 4 takes every fourth",
     {EVEN(1000), .share = {1, 4}},
     .calls = "T0 T0 T0 T0 T0 O@4 O@5"},
    /* 0 .. 100 are due, of which 95 .. 100 may still be taken */
    {"a burst of all ranks",
     {EVEN(1000), .share = {0, 4}, .overload = OVERLOAD_DROP, .burst = 6},
     .calls = "T0@100"},
    {"a burst of all ranks, the last one",
     {EVEN(1000), .share = {3, 4}, .overload = OVERLOAD_DROP, .burst = 6},
     .calls = "T0@100"},
    {"a rank whose share of a limit is nothing",
     {EVEN(10), .share = {2, 3}, .max_tickets = 2},
     .calls = "T0 N O@1000"},

    /* on a machine so busy that the change has come into force before it is known: from 6 ms on the
     * rate changes, for 8 ms; two fifths of a start lie between 5 and 8 ms */
    {"taken during a change",
     {EVEN(200), .changes = true},
     .calls = "T0 T0 H L@12 R0@8 A@12 O@12 R100@20 A@21 O@24"},
#define HELD "L@0 L@0 L@0 "
    {"returned after a change", {EVEN(200), .changes = true}, .calls = HELD "R0@8 C@12 Z O@1000"},
    {"returned after a change", {EVEN(200), .changes = true}, .calls = HELD "R100@8 C@11 Z O@1000"},
    {"returned after a change", {EVEN(200), .changes = true}, .calls = HELD "R100@8 C@12 Z O@1000"},
    {"returned after a change", {EVEN(200), .changes = true}, .calls = HELD "R1000@8 C@9 Z O@1000"},

    /* the warm-up's third lies where measuring begins: the first one of that.  It begins later: the
     * ticket moves with it.  The rate changes, twice: so does the ticket that it holds then */
    {"warm, then measured",
     {EVEN(200), .horizon = NS_PER_SEC, .changes = true},
     .warm = {EVEN(100)},
     .calls = "F@20 L@0 Z L@0 Z L@0 F@50 A@0 Z L@50 R100@2 A@50 R0@3 A@50 A@50"},
    {"a start of the warm-up that measuring overtakes is void; and nothing is left",
     {EVEN(200), .horizon = NS_PER_SEC, .changes = true},
     .warm = {EVEN(100)},
     .calls = "F@20 L@0 L@0 F@10.000001 F@10 C@-0.000001 L@10"},
    {"a backlog that is too deep ends the warm-up as well; aligned clients have no last moment",
     {.arrivals = {.shape = ARRIVAL_ALIGNED, .rate = 100, .clients = 1, .seed = 1}},
     .warm = {EVEN(100), .overload = OVERLOAD_ABORT, .max_lag = 10 * NS_PER_MS},
     .calls = "F@1000 L@10 L@20.000001 L@1000"},
};

static void say_ns(struct str *out, const char *what, dur_ns ns)
{
    if (ns > 90000 * NS_PER_SEC * 1000)
        str_printf(out, ", %s never", what);
    else
        str_printf(out, ", %s %.6f", what, (double)ns / NS_PER_MS);
}

static void say_ticket(struct str *out, enum ticket_result rc, const struct ticket *k)
{
    static const char *const results[] = {"taken", "over", "overload"};

    str_adds(out, results[rc]);
    if (rc == TICKET_OK) {
        str_printf(out, ", k %llu", (ull)k->k);
        say_ns(out, "planned", k->planned);
    }
    if (rc != TICKET_OVERLOAD)
        say_ns(out, "base", k->base);
}

/* T client @now *times: takes; G i: gives the i-th one that was taken back; O, N, S, C, P: offered,
 * next planned, shed, close, position; H, R rate: hold, set the rate; E: what ends and what
 * changed. Of a client: L, A: its next one or the one that it holds, again; Z: returned; F:
 * measuring begins there.  Instants in ms. */
static void play(const struct play *p)
{
    const mono_ns start = 1000 * NS_PER_SEC;
    _Atomic int64_t from = start;
    struct ticket_spec s = p->spec, warm = p->warm;
    struct ticket taken[40] = {0}, k = {0};
    int client[40], n = 0;
    char list[500], *save = NULL, *end;
    struct str out = STR_INIT;
    struct err e = {0};
    bool held = false;
    struct rates *rates = p->rates ? rates_parse(p->rates, &(struct rates_play){1, 1}, &e) : NULL;

    s.arrivals.rates = rates;
    s.horizon = s.horizon ? s.horizon : MONO_NEVER;
    warm.horizon = MONO_NEVER;
    struct tickets *t = tickets_new(&s);
    struct ticket_line l = {warm.arrivals.rate > 0 ? tickets_new(&warm) : NULL, t, &start, &from};
    snprintf(list, sizeof list, "%s", p->calls);
    for (char *call = strtok_r(list, " ", &save); call; call = strtok_r(NULL, " ", &save)) {
        double arg = strtod(call + 1, &end);
        dur_ns at = *end == '@' ? llround(strtod(end + 1, &end) * NS_PER_MS) : 0, sum = 0;
        long times = *end == '*' ? strtol(end + 1, NULL, 10) : 1;
        enum ticket_result rc = TICKET_OK;
        str_printf(&out, "%s: ", call);
        switch (*call) {
        case 'T':
            for (client[n] = (int)arg; times-- > 0; sum += taken[n].planned)
                rc = tickets_take(t, client[n], at, &taken[n]);
            say_ticket(&out, rc, &taken[n]);
            if (rc == TICKET_OK && sum > taken[n].planned)
                say_ns(&out, "sum", sum);
            n += rc == TICKET_OK;
            break;
        case 'G':
            rc = tickets_give_back(t, client[(int)arg], &taken[(int)arg]);
            str_adds(&out, rc ? "stays" : "void");
            break;
        case 'O': str_printf(&out, "offered %llu", (ull)tickets_offered(t, at)); break;
        case 'N': say_ns(&out, "next", tickets_next_planned(t)); break;
        case 'S': str_printf(&out, "%s", tickets_shed(t, at) ? "overload" : "shed"); break;
        case 'C': tickets_close(t, at); break;
        case 'P':
            str_printf(&out, "rate %g, position %llu", tickets_rate_at(t, at),
                       (ull)tickets_pos(t, at));
            break;
        case 'E':
            str_printf(&out, "ends %d, changed %d", tickets_end_with_last(t),
                       tickets_rate_changed(t));
            break;
        case 'H': tickets_hold(t), held = true; break;
        case 'R':
            if (!held)
                tickets_hold(t);
            tickets_set_rate(t, at, arg);
            held = false;
            break;
        case 'F': from = start + at; break;
        case 'Z': str_adds(&out, ticket_return(&l, 0, &k) ? "stays" : "void"); break;
        default: /* L, A */
            k.owned = k.owned && *call == 'A';
            say_ticket(&out, ticket_next(&l, 0, start + at, &k), &k);
            str_printf(&out, "%s%s", k.warm ? ", warm" : "", k.beyond ? ", beyond" : "");
            say_ns(&out, "from", k.zero - start);
            say_ns(&out, "until", k.until == MONO_NEVER ? MONO_NEVER : k.until - start);
        }
        if (k.zero && strchr("LARFZ", *call)) {
            bool stale =
                ticket_is_stale(&l, &k); /* which it may say of one that is owned no more */
            str_printf(&out, "%s%s", stale ? ", stale" : "", k.owned ? ", owned" : "");
        }
        str_printf(&out, "; issued %llu, dropped %llu\n", (ull)tickets_issued(t),
                   (ull)tickets_dropped(t));
    }
    golden(&out, "%s", p->title);
    str_free(&out);
    tickets_free(t);
    tickets_free(l.warm);
    rates_free(rates);
}

/* --- many starts, by their definitions --- */

/* A jitter of many gaps: tickets come in the order of their planned starts, each once, and a
 * close cuts by what was planned, not by where the schedule had put it. */
static void wide_jitter(enum arrival_shape shape)
{
    struct ticket_spec s = even(1000);
    uint64_t at_close = 0, taken = 0;
    uint8_t *seen = mem_array(5000, 1);
    struct tickets *t, *u;
    struct ticket k;
    dur_ns last = 0;

    s.arrivals.shape = shape;
    s.arrivals.jitter = NS_PER_SEC;
    s.arrivals.clients = 7;
    s.max_tickets = 5000;
    t = tickets_new(&s);
    u = tickets_new(&s);
    while (tickets_take(t, 0, 0, &k) == TICKET_OK) {
        CHECK(k.planned >= last);
        CHECK(k.planned - k.base <= NS_PER_SEC / 2 && k.base - k.planned <= NS_PER_SEC / 2);
        CHECK(k.k < 5000 && !seen[k.k]++);
        last = k.planned;
        at_close += last <= 2 * NS_PER_SEC;
        taken++;
    }
    CHECK_INT(taken, 5000);
    CHECK_INT(tickets_offered(t, 60 * NS_PER_SEC), 5000);
    tickets_close(u, 2 * NS_PER_SEC);
    CHECK_INT(tickets_offered(u, 60 * NS_PER_SEC), at_close);
    for (taken = 0; tickets_take(u, 0, 60 * NS_PER_SEC, &k) == TICKET_OK; taken++)
        ;
    CHECK_INT(taken, at_close);
    CHECK_INT(tickets_next_planned(u), MONO_NEVER);
    tickets_free(t);
    tickets_free(u);
    free(seen);
}

/* A wide window neither begins nor ends a run with a burst: every tenth of it has its tenth of
 * the starts. */
static void edges_are_as_dense(void)
{
    struct ticket_spec s = even(10000);
    int tenth[10] = {0};
    struct tickets *t;
    struct ticket k;

    s.arrivals.jitter = 2 * NS_PER_SEC;
    s.horizon = 5 * NS_PER_SEC;
    t = tickets_new(&s);
    while (tickets_take(t, 0, 0, &k) == TICKET_OK) {
        CHECK(k.planned >= 0 && k.planned < s.horizon);
        tenth[k.planned / (s.horizon / 10)]++;
    }
    for (int i = 0; i < 10; i++)
        CHECK_NEAR(tenth[i], 5000, 350); /* 5 standard deviations */
    tickets_free(t);
    s.horizon = NS_PER_SEC / 10; /* shorter than the window */
    t = tickets_new(&s);
    for (int i = 0; i < 1000; i++) {
        CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OK);
        CHECK(k.planned >= 0 && k.planned < s.horizon);
    }
    CHECK_INT(tickets_take(t, 0, 0, &k), TICKET_OVER);
    CHECK_INT(tickets_offered(t, s.horizon), 1000);
    tickets_free(t);
}

/* A schedule that a number of events ends has an end as well: the last starts are mirrored
 * there, not moved behind it, and each start is still planned once. */
static void ends_with_its_events(enum arrival_shape shape, dur_ns jitter, dur_ns horizon)
{
    struct ticket_spec s = even(50);
    struct tickets *t;
    struct ticket k;
    dur_ns last = 0, half = jitter / 2 + 1;

    s.arrivals.shape = shape;
    s.arrivals.jitter = jitter;
    s.arrivals.clients = 4;
    s.max_tickets = 50;
    s.horizon = horizon;
    for (s.arrivals.seed = 1; s.arrivals.seed <= 200; s.arrivals.seed++) {
        int n = 0;
        t = tickets_new(&s);
        for (; tickets_take(t, 0, 0, &k) == TICKET_OK; n++) {
            last = k.planned;
            CHECK(k.planned >= 0 && k.planned - k.base <= half && k.base - k.planned <= half);
        }
        CHECK_INT(n, 50);
        CHECK(last < k.base); /* where the 51st would have been */
        CHECK_INT(tickets_offered(t, k.base), 50);
        tickets_free(t);
    }
}

/* For every shape and jitter: what is offered at t is exactly the tickets planned at or before
 * t. */
static void offered_is_planned(void)
{
    static const struct {
        enum arrival_shape shape;
        dur_ns jitter;
    } t[] = {{ARRIVAL_EVEN, 0},
             {ARRIVAL_EVEN, 500 * NS_PER_US},
             {ARRIVAL_EVEN, 50 * NS_PER_MS},
             {ARRIVAL_POISSON, 0},
             {ARRIVAL_POISSON, 3 * NS_PER_MS},
             {ARRIVAL_ALIGNED, 0},
             {ARRIVAL_ALIGNED, 2 * NS_PER_MS}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct ticket_spec s = even(997);
        struct tickets *a, *b;
        dur_ns planned[3000];
        s.arrivals.shape = t[i].shape;
        s.arrivals.jitter = t[i].jitter;
        s.arrivals.clients = 4;
        a = tickets_new(&s);
        b = tickets_new(&s);
        for (int k = 0; k < 3000; k++) {
            struct ticket x;
            tickets_take(a, k % 4, 0, &x); /* aligned: the clients in turn */
            planned[k] = x.planned;
        }
        for (dur_ns now = 0; now < 2 * NS_PER_SEC; now += 13 * NS_PER_MS) {
            uint64_t want = 0;
            for (int k = 0; k < 3000; k++)
                want += planned[k] <= now;
            CHECK_INT(tickets_offered(b, now), want);
        }
        tickets_free(a);
        tickets_free(b);
    }
}

/* In the order of their planned starts, also where the jitter is a few gaps of a few ns, so that
 * arrivals move by all of it; mirrored at both ends, and each where its jitter says. */
static void in_order(void)
{
    const dur_ns end = 20000; /* 2,000 gaps */

    for (dur_ns jitter = 1; jitter <= 40; jitter++) {
        struct ticket_spec s = even(1e8);
        struct tickets *t;
        struct ticket k;
        dur_ns last = 0;
        int backwards = 0, elsewhere = 0;

        s.arrivals.seed = (uint64_t)jitter;
        s.arrivals.jitter = jitter;
        s.max_tickets = 2000;
        t = tickets_new(&s);
        while (tickets_take(t, 0, 0, &k) == TICKET_OK) {
            dur_ns at = k.base + arrivals_jitter(&s.arrivals, k.k);
            elsewhere += k.planned != (at < 0 ? -at : at >= end ? 2 * (end - 1) - at : at);
            backwards += k.planned < last;
            last = k.planned;
        }
        CHECK_INT(backwards, 0);
        CHECK_INT(elsewhere, 0);
        tickets_free(t);
    }
}

struct taker {
    pthread_t thread;
    struct tickets *t;
    uint8_t *seen;
    uint64_t taken;
};

static void *take_all(void *arg)
{
    struct taker *w = arg;
    struct ticket k;

    while (tickets_take(w->t, 0, 0, &k) == TICKET_OK) {
        __atomic_fetch_add(&w->seen[k.k], 1, __ATOMIC_RELAXED);
        w->taken++;
    }
    return NULL;
}

static void every_ticket_once(enum arrival_shape shape)
{
    struct ticket_spec s = even(100000);
    uint8_t *seen = mem_array(300000, 1);
    struct taker w[8];
    uint64_t taken = 0, twice = 0;
    struct tickets *t;

    s.arrivals.shape = shape;
    s.max_tickets = 200000;
    t = tickets_new(&s);
    for (int i = 0; i < 8; i++) {
        w[i] = (struct taker){.t = t, .seen = seen};
        pthread_create(&w[i].thread, NULL, take_all, &w[i]);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(w[i].thread, NULL);
        taken += w[i].taken;
    }
    for (int k = 0; k < 300000; k++)
        twice += seen[k] != (k < 200000);
    CHECK_INT(taken, 200000);
    CHECK_INT(twice, 0);
    CHECK_INT(tickets_issued(t), 200000);
    tickets_free(t);
    free(seen);
}

/* --- what is read while the rate changes --- */

/* What waits while the rate changes, and has the new one. */
enum reader { PLAN_AGAIN, TAKE, NEXT_PLANNED, OFFERED, READERS };

struct waiter {
    struct tickets *t;
    enum reader reader;
    struct ticket k;
    _Atomic bool begun;
};

static void *wait_for_it(void *arg)
{
    struct waiter *w = arg;

    atomic_store(&w->begun, true);
    switch (w->reader) {
    case PLAN_AGAIN: CHECK_INT(tickets_plan_again(w->t, &w->k), TICKET_OK); break;
    case TAKE: CHECK_INT(tickets_take(w->t, 0, 0, &w->k), TICKET_OK); break;
    case NEXT_PLANNED: w->k.planned = tickets_next_planned(w->t); break;
    case OFFERED: w->k.planned = (dur_ns)tickets_offered(w->t, 25 * NS_PER_MS); break;
    default: break;
    }
    return NULL;
}

static void read_during_a_change(enum reader reader, dur_ns jitter)
{
    static const dur_ns want[] = {9 * NS_PER_MS, 19 * NS_PER_MS, 19 * NS_PER_MS, 3};
    struct ticket_spec s = even(200);
    struct timespec nap = {.tv_nsec = 20 * NS_PER_MS};
    struct waiter w = {.reader = reader};
    pthread_t thread;

    s.changes = true;
    s.arrivals.jitter = jitter; /* 1 moves nothing, and the starts are in a queue */
    w.t = tickets_new(&s);
    for (int i = 0; i < 2; i++)
        CHECK_INT(tickets_take(w.t, 0, 0, &w.k), TICKET_OK);
    CHECK_INT(w.k.planned, 5 * NS_PER_MS);
    tickets_hold(w.t);
    CHECK_INT(pthread_create(&thread, NULL, wait_for_it, &w), 0);
    while (!atomic_load(&w.begun) || nanosleep(&nap, NULL) != 0)
        ;
    tickets_set_rate(w.t, NS_PER_MS, 100);
    pthread_join(thread, NULL);
    CHECK_INT(w.k.planned, want[reader]);
    CHECK(!tickets_changed(w.t, &w.k) == (reader == PLAN_AGAIN || reader == TAKE));
    CHECK(w.k.owned && !w.k.beyond);
    CHECK_INT(tickets_issued(w.t), 2 + (reader == TAKE));
    tickets_free(w.t);
}

TEST_MAIN(ticket_test)
{
    for (size_t i = 0; i < sizeof plays / sizeof *plays; i++)
        play(&plays[i]);
    golden_done("ticket_test");
    edges_are_as_dense();
    ends_with_its_events(ARRIVAL_EVEN, NS_PER_SEC / 10, MONO_NEVER);
    ends_with_its_events(ARRIVAL_EVEN, NS_PER_MS, MONO_NEVER); /* no start overtakes another */
    ends_with_its_events(ARRIVAL_EVEN, NS_PER_SEC / 10, 60 * NS_PER_SEC);
    ends_with_its_events(ARRIVAL_POISSON, NS_PER_SEC / 10, MONO_NEVER);
    wide_jitter(ARRIVAL_EVEN);
    wide_jitter(ARRIVAL_POISSON);
    offered_is_planned();
    in_order();
    every_ticket_once(ARRIVAL_EVEN);
    every_ticket_once(ARRIVAL_POISSON);
    for (int reader = 0; reader < READERS; reader++)
        read_during_a_change((enum reader)reader, 1);
    read_during_a_change(PLAN_AGAIN, 0);
    read_during_a_change(OFFERED, 0);
    tickets_free(NULL);
    return test_done("ticket_test");
}
