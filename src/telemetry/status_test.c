/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Differences of a server's own counters: growth, levels, resets, and answers that did not come.
 */
#include "telemetry/status.h"

#include "base/mem.h"
#include "base/test_golden.h"

static const struct status_name names[] = {
    {"Threads_running", true}, {"Queries", false}, {"Bytes_sent", false}};

static struct status_reading answer(double at, double queries, double sent)
{
    return (struct status_reading){.at = (mono_ns)(at * 1e9), .have = 7, .v = {2, queries, sent}};
}

/* All that a difference says. */
static void show(const char *title, const struct status_reading *b, const struct status_reading *a)
{
    struct status_delta d;

    status_diff(names, 3, b, a, &d);
    const struct status_others *o = &d.others;
    const struct status_waits *w = &d.waits;
    golden_line("=== %s\nwall %lld, have %#llx%s, %g %g %g, '%s'", title, (long long)d.wall_ns,
                (unsigned long long)d.have, d.lower ? ", lower" : "", d.v[0], d.v[1], d.v[2],
                d.why);
    golden_line("others: known %lld, active %lld, busy %lld, connected %u, hidden %u '%s', '%s'",
                (long long)o->known, (long long)o->active, (long long)o->busy, o->connected,
                o->hidden, o->hides ? o->hides : "", o->why ? o->why : "");
    golden_line("work: counted %g, least %g, most %g, '%s'", o->counted, o->least, o->most,
                o->no_work ? o->no_work : "");
    golden_line(
        "waits: known %lld, waited %lld, rows %lld, behind %lld, seen %u, blockers %u '%s', "
        "'%s'",
        (long long)w->known, (long long)w->locks, (long long)w->of[WAIT_ROW], (long long)w->behind,
        w->seen, w->blockers, w->who, w->why ? w->why : "");
}

/* What is told of answers, one after the other, of a server that had run for so many seconds. */
static void test_lives(void)
{
    struct status_lives l = {0}, m = {0};
    struct status_reading r[] = {answer(1, 100, 10), answer(2, 200, 20),
                                 answer(3, 300, 30), {.at = 4 * NS_PER_SEC, .why = "gone"},
                                 answer(5, 50, 5),   answer(6, 150, 15)};
    const double up[] = {101, 102, 103, 0, 1, 2};
    static const int pairs[][2] = {{0, 5}, {3, 4}, {4, 5}, {0, 3}, {2, 3}};
    struct {
        struct status_reading r;
        double up;
    } saved[] = {
        {answer(1, 100, 10), 5},
        {answer(60, 120, 12), 7.5}, /* 64 s after its start if it were the same */
        {answer(61, 130, 13), 8.5},
        {answer(70, 140, 14), 16.5},
        {answer(80, 150, 15), 25}, /* a second and a half of slack, and not more */
        {answer(90, 160, 16), 33.4},
        {{.at = 95 * NS_PER_SEC}, 0},
        {answer(100, 170, 10), 43.4},
    };

    for (size_t i = 0; i < COUNT(r); i++)
        status_join(&l, names, 3, up[i], &r[i]);
    for (size_t i = 0; i < COUNT(pairs); i++) {
        char title[40];
        snprintf(title, sizeof title, "a restart: from %d to %d", pairs[i][0], pairs[i][1]);
        show(title, &r[pairs[i][0]], &r[pairs[i][1]]);
    }
    golden_line("=== counters that were saved, and a server that is slow to answer");
    for (size_t i = 0; i < COUNT(saved); i++) {
        const struct status_reading *s = &saved[i].r;
        status_join(&m, names, 3, saved[i].up, &saved[i].r);
        golden_line("up %g: lives %u, whole %u, have %#llx, kept %#llx, %g %g %g", saved[i].up,
                    s->lives, s->whole, (unsigned long long)s->have, (unsigned long long)s->kept,
                    s->v[0], s->v[1], s->v[2]);
    }
}

/* Others did what the server has counted and we cannot have had it do; what is not known to be
 * theirs is not theirs. */
static void test_work(void)
{
    static const struct {
        const char *title;
        struct status_others before, after;
    } t[] = {
        {"known",
         {.counted = 100, .least = 5, .most = 7},
         {.counted = 1000, .least = 90, .most = 95}},
        {"none", {.counted = 100, .least = 5, .most = 7}, {.counted = 1000, .least = 3, .most = 9}},
        {"not told apart",
         {.counted = 100, .least = -500, .most = 7},
         {.counted = 1000, .least = 3, .most = 9}},
        {"autovacuum", {.most = 7}, {.counted = 9, .least = 9, .most = 9, .background = true}},
        {"autovacuum, and others",
         {.most = 7},
         {.counted = 9, .least = 9, .most = 9, .background = true, .busy = 1}},
        {"workers that were seen",
         {.most = 7},
         {.counted = 99, .least = 99, .most = 99, .background = true, .busy = 1}},
        {"workers that may have been there",
         {.most = 7},
         {.counted = 999, .least = 999, .most = 999, .background = true, .busy = 1}},
        {"reset",
         {.counted = 1000, .least = 5, .most = 7},
         {.counted = 500, .least = -800, .most = -790}},
        {"reset longer ago",
         {.counted = 1000, .least = 5, .most = 7},
         {.counted = 1500, .least = -800, .most = -790}},
        {"not known before", {.no_work = "hosts"}, {.counted = 9}},
        {"not known after", {0}, {.counted = 9, .no_work = "hosts"}},
        {"as many connections", {.greeted = 4}, {.greeted = 4, .counted = 9, .least = 9}},
        {"a new connection", {.greeted = 4}, {.greeted = 5, .counted = 9, .least = 9}},
        {"nothing is known", {0}, {.counted = 9, .why = "a proxy"}},
        {"nothing was known", {.why = "not yet", .most = 1}, {.counted = 9, .least = 3}},
        {"restarted", {0}, {.counted = 9, .least = 9}},
        {"no answer", {0}, {.counted = 9, .least = 9}},
    };

    for (size_t i = 0; i < COUNT(t); i++) {
        struct status_reading b = answer(1, 100, 10), a = answer(3, 200, 20);
        b.others = t[i].before;
        a.others = t[i].after;
        a.lives += strcmp(t[i].title, "restarted") == 0;
        a.have *= strcmp(t[i].title, "no answer") != 0;
        a.waits.samples = strncmp(t[i].title, "workers", 7) == 0 ? 20 : 4000;
        a.waits.workers = strcmp(t[i].title, "workers that were seen") == 0;
        show(t[i].title, &b, &a);
    }
}

/* Time with sessions of others adds up; what an interval without an answer does not know has a
 * reason. */
static void test_others(void)
{
    struct status_waits w;
    struct status_reading b = answer(1, 100, 10), a = answer(3, 200, 20);

    b.others = (struct status_others){.known = 5, .active = 4, .busy = 3, .connected = 8};
    a.others = (struct status_others){.known = 15, .active = 24, .busy = 9, .connected = 2};
    show("others", &b, &a);
    b.others.hidden = 1;
    a.others.hidden = 1, a.others.hides = "rights";
    show("hidden before the interval", &b, &a);
    a.others.hidden = 2;
    show("and in it, though its end is known", &b, &a);
    a.others.known = 5;
    show("not asked", &b, &a);
    a.others.why = "hidden";
    show("not known", &b, &a);
    b.waits = (struct status_waits){.known = 10,
                                    .of = {[WAIT_ROW] = 30, [WAIT_LOCK] = 10},
                                    .locks = 40,
                                    .behind = 20,
                                    .seen = 3,
                                    .samples = 4,
                                    .who = "x"};
    a.waits = (struct status_waits){.known = 30,
                                    .of = {[WAIT_ROW] = 35, [WAIT_LOCK] = 65},
                                    .locks = 100,
                                    .behind = 70,
                                    .seen = 5,
                                    .samples = 4,
                                    .who = "y"};
    a.waits.hits[WAIT_LOG] = 9, b.waits.hits[WAIT_LOG] = 4;
    a.waits.squares[WAIT_LOG] = 13, b.waits.squares[WAIT_LOG] = 4;
    waits_add_blocker(&a.waits, 7);
    a.waits.samples++;
    for (int i = 0; i < 100; i++) /* two in turns */
        waits_add_blocker(&a.waits, 8 + i % 2);
    show("waits", &b, &a);
    waits_diff(&b.waits, &a.waits, &w);
    CHECK(w.hits[WAIT_LOG] == 5 && w.squares[WAIT_LOG] == 9);
    CHECK(!waits_by_chance(&a.waits, WAIT_LOG) && waits_by_chance(&w, WAIT_LOG));
    b.waits.samples = 5;
    show("one had ended to block", &b, &a);
    for (int64_t id = 0; id < 2 * WAIT_BLOCKERS; id++, a.waits.samples++)
        waits_add_blocker(&a.waits, id);
    waits_diff(&b.waits, &a.waits, &w);
    CHECK(w.blockers == WAIT_BLOCKERS && w.more);
    b.waits.samples = a.waits.samples - 3;
    waits_diff(&b.waits, &a.waits, &w);
    CHECK(w.blockers == 3 && !w.more);
    a.waits.behind = b.waits.behind;
    show("nobody blocks", &b, &a);
    a.waits.known = 10;
    show("waits were not asked for", &b, &a);
}

TEST_MAIN(status_test)
{
    struct status_reading b = {.at = NS_PER_SEC, .have = 7, .v = {3, 100, 5000}};
    struct status_reading a = {.at = 3 * NS_PER_SEC, .have = 7, .v = {2, 350, 4000}},
                          none = {.at = 3 * NS_PER_SEC, .why = "no answer"};

    show("one goes backwards", &b, &a);
    show("no answer", &b, &none);
    show("a level needs only the later answer", &none, &a);
    show("no time", &b, &b);
    test_lives();
    test_others();
    test_work();
    golden_done("status_test");
    return test_done("status");
}
