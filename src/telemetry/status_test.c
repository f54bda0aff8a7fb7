/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Differences of a server's own counters: growth, levels, resets, and answers that did not come.
 */
#include "telemetry/status.h"

#include "base/test.h"

static const struct status_name names[] = {
    {"Threads_running", true}, {"Queries", false}, {"Bytes_sent", false}};

static struct status_reading answer(double at, double queries, double sent)
{
    return (struct status_reading){.at = (mono_ns)(at * 1e9), .have = 7, .v = {2, queries, sent}};
}

/* A restart in between: n/a in its interval, a lower bound over several; the sum never falls. */
static void test_restart(void)
{
    struct status_lives l = {0};
    struct status_reading r[6] = {answer(1, 100, 10), answer(2, 200, 20),
                                  answer(3, 300, 30), {.at = 4 * NS_PER_SEC, .why = "gone"},
                                  answer(5, 50, 5),   answer(6, 150, 15)};
    const double up[] = {101, 102, 103, 0, 1, 2};
    struct status_delta d;

    for (size_t i = 0; i < 6; i++)
        status_join(&l, names, 3, up[i], &r[i]);
    status_diff(names, 3, &r[0], &r[5], &d);
    CHECK_INT(d.have, 7);
    CHECK(d.lower);
    CHECK_NEAR(d.v[1], 200 + 150, 0);
    CHECK_NEAR(d.v[2], 20 + 15, 0);
    CHECK_NEAR(d.v[0], 2, 0);
    CHECK_STR(d.why, "the server was restarted");
    status_diff(names, 3, &r[3], &r[4], &d);
    CHECK_INT(d.have, 1);
    status_diff(names, 3, &r[4], &r[5], &d);
    CHECK(d.have == 7 && !d.lower);
    CHECK_NEAR(d.v[1], 100, 0);
    status_diff(names, 3, &r[0], &r[3], &d); /* the last answer did not come: what is known */
    CHECK(d.have == 6 && d.lower);
    CHECK_NEAR(d.v[1], 200, 0);
    CHECK_STR(d.why, "gone");
    status_diff(names, 3, &r[2], &r[3], &d);
    CHECK_INT(d.have, 0);
}

/* The server saved its counters; and one that is slow to answer is no other server. */
static void test_saved(void)
{
    struct status_lives l = {0};
    struct status_reading a = answer(1, 100, 10), b = answer(60, 120, 12), c = answer(61, 130, 13);
    struct status_reading late = answer(70, 140, 14);

    status_join(&l, names, 3, 5, &a);
    status_join(&l, names, 3, 7.5, &b); /* 64 s after its start if it were the same */
    status_join(&l, names, 3, 8.5, &c);
    CHECK_INT(c.lives, 1);
    CHECK_NEAR(c.v[1], 130, 0);
    status_join(&l, names, 3, 16.5, &late);
    CHECK_INT(late.lives, 1);
    CHECK_INT(late.whole, 2); /* the first after a restart ends no interval of one life */
    CHECK_INT(late.kept, 7);
    CHECK_NEAR(late.v[2], 14, 0);
    CHECK_NEAR(late.v[0], 2, 0);
    /* a second and a half of slack, and not more */
    struct status_reading next = answer(80, 150, 15), other = answer(90, 160, 16);
    status_join(&l, names, 3, 25, &next);
    CHECK_INT(next.lives, 1);
    CHECK_INT(next.whole, 3);
    status_join(&l, names, 3, 33.4, &other);
    CHECK_INT(other.lives, 2);
    CHECK_INT(other.whole, 3);
    CHECK_NEAR(other.v[1], 160, 0);
    struct status_reading lost = {.at = 95 * NS_PER_SEC}, back = answer(100, 170, 10);
    status_join(&l, names, 3, 0, &lost);
    CHECK_INT(lost.kept, 7);
    CHECK_INT(lost.have, 0);
    CHECK_NEAR(lost.v[1], 160, 0); /* what was told last */
    status_join(&l, names, 3, 43.4, &back);
    CHECK_INT(back.lives, 2);
    CHECK_INT(back.whole, 3); /* nor does one after a question without an answer */
    CHECK_NEAR(back.v[1], 170, 0);
    CHECK_NEAR(back.v[2], 10, 0);
}

/* Others did what the server has counted and we cannot have had it do; what is not known to be
 * theirs is not theirs. */
static void test_work(void)
{
    static const char reset[] = "the server counted less than this run executed; was it reset?",
                      vacuum[] = "the work of others could not be told from that of autovacuum";
    static const struct {
        struct status_others before, after;
        double least;
        const char *why;
    } t[] = {
        {{.counted = 100, .least = 5, .most = 7},
         {.counted = 1000, .least = 90, .most = 95},
         83,
         NULL},
        {{.counted = 100, .least = 5, .most = 7},
         {.counted = 1000, .least = 3, .most = 9},
         0,
         NULL},
        {{.counted = 100, .least = -500, .most = 7},
         {.counted = 1000, .least = 3, .most = 9},
         0,
         "the work of others could not be told from that of this run"},
        {{.most = 7}, {.counted = 9, .least = 9, .most = 9, .background = true}, 2, vacuum},
        {{.most = 7},
         {.counted = 9, .least = 9, .most = 9, .background = true, .busy = 1},
         2,
         NULL},
        {{.counted = 1000, .least = 5, .most = 7},
         {.counted = 500, .least = -800, .most = -790},
         0,
         reset},
        {{.counted = 1000, .least = 5, .most = 7}, /* longer ago */
         {.counted = 1500, .least = -800, .most = -790},
         0,
         reset},
        {{.no_work = "hosts"}, {.counted = 9}, 0, "hosts"},
        {{0}, {.counted = 9, .no_work = "hosts"}, 0, "hosts"},
        {{.greeted = 4}, {.greeted = 4, .counted = 9, .least = 9}, 9, NULL},
        {{.greeted = 4},
         {.greeted = 5, .counted = 9, .least = 9},
         9,
         "new connections executed the server's init_connect"},
        {{0}, {.counted = 9, .why = "a proxy"}, 0, "a proxy"},
        {{.why = "not yet", .most = 1}, {.counted = 9, .least = 3}, 2, NULL},
        {{0}, {.counted = 9, .least = 9}, 9, "the server was restarted"},
        {{0}, {.counted = 9, .least = 9}, 9, "the server did not answer"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct status_reading b = answer(1, 100, 10), a = answer(3, 200, 20);
        struct status_delta d;
        b.others = t[i].before;
        a.others = t[i].after;
        a.lives += t[i].why && strstr(t[i].why, "was restarted");
        a.have *= !t[i].why || !strstr(t[i].why, "did not answer");
        status_diff(names, 3, &b, &a, &d);
        CHECK_NEAR(d.others.least, t[i].least, 0);
        CHECK_STR(d.others.no_work ? d.others.no_work : "", t[i].why ? t[i].why : "");
    }
}

/* Time with sessions of others adds up; what an interval without an answer does not know has a
 * reason. */
static void test_others(void)
{
    struct status_reading b = answer(1, 100, 10), a = answer(3, 200, 20);
    struct status_delta d;

    b.others = (struct status_others){.known = 5, .active = 4, .busy = 3, .connected = 8};
    a.others = (struct status_others){.known = 15, .active = 24, .busy = 9, .connected = 2};
    status_diff(names, 3, &b, &a, &d);
    CHECK(d.others.known == 10 && d.others.active == 20 && d.others.busy == 6);
    CHECK(d.others.connected == 2 && !d.others.why && !d.others.hides);
    b.others.hidden = 1; /* before the interval */
    a.others.hidden = 1, a.others.hides = "rights";
    status_diff(names, 3, &b, &a, &d);
    CHECK(!d.others.hides);
    a.others.hidden = 2; /* and in it, though its end is known */
    status_diff(names, 3, &b, &a, &d);
    CHECK_STR(d.others.hides, "rights");
    CHECK(d.others.connected == 2 && !d.others.why);
    a.others.known = 5;
    status_diff(names, 3, &b, &a, &d);
    CHECK_STR(d.others.why, "the server was not asked in this interval");
    a.others.why = "hidden";
    status_diff(names, 3, &b, &a, &d);
    CHECK_STR(d.others.why, "hidden");
    b.waits = (struct status_waits){
        .known = 10, .waited = 40, .rows = 30, .behind = 20, .seen = 3, .blockers = 1, .who = "x"};
    a.waits = (struct status_waits){
        .known = 30, .waited = 100, .rows = 35, .behind = 70, .seen = 5, .blockers = 3, .who = "y"};
    status_diff(names, 3, &b, &a, &d);
    CHECK(d.waits.known == 20 && d.waits.waited == 60 && d.waits.rows == 5);
    CHECK(d.waits.behind == 50 && d.waits.seen == 2 && d.waits.blockers == 2 && !d.waits.why);
    CHECK_STR(d.waits.who, "y");
    b.waits.blocked = true; /* x, which goes on */
    status_diff(names, 3, &b, &a, &d);
    CHECK_INT(d.waits.blockers, 3);
    a.waits.blockers = b.waits.blockers;
    b.waits.blocked = false; /* x, again */
    status_diff(names, 3, &b, &a, &d);
    CHECK_INT(d.waits.blockers, 1);
    a.waits.behind = b.waits.behind; /* nobody */
    status_diff(names, 3, &b, &a, &d);
    CHECK_INT(d.waits.blockers, 0);
    CHECK_STR(d.waits.who, "");
    a.waits.known = 10;
    status_diff(names, 3, &b, &a, &d);
    CHECK_STR(d.waits.why, "the server was not asked in this interval");
}

TEST_MAIN(status_test)
{
    struct status_reading b = {.at = NS_PER_SEC, .have = 7, .v = {3, 100, 5000}};
    struct status_reading a = {.at = 3 * NS_PER_SEC, .have = 7, .v = {2, 350, 4000}},
                          none = {.at = 3 * NS_PER_SEC};
    struct status_delta d;

    status_diff(names, 3, &b, &a, &d);
    CHECK_INT(d.wall_ns, 2 * NS_PER_SEC);
    CHECK_INT(d.have, 3); /* the third went backwards */
    CHECK_NEAR(d.v[2], 0, 0);
    CHECK(!d.lower);
    CHECK_STR(d.why, "the server does not have it, or it was reset");
    CHECK_NEAR(d.v[0], 2, 0);
    CHECK_NEAR(d.v[1], 250, 0);
    snprintf(none.why, sizeof none.why, "no answer");
    status_diff(names, 3, &b, &none, &d);
    CHECK_INT(d.have, 0);
    CHECK_STR(d.why, "no answer");
    status_diff(names, 3, &none, &a, &d); /* a level needs only the later one */
    CHECK_INT(d.have, 1);
    CHECK_STR(d.why, "no answer");
    status_diff(names, 3, &b, &b, &d);
    CHECK_INT(d.have, 1);
    CHECK_STR(d.why, "the load had ended before this interval");
    test_restart();
    test_saved();
    test_others();
    test_work();
    return test_done("status");
}
