/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Outages of several hosts as one list: which are one, how long nobody had a success, and what is
 * counted together.
 */
#include "stats/outages.h"

#include "base/test.h"

#define S NS_PER_SEC

static struct outage between(mono_ns from, mono_ns to)
{
    return (struct outage){.first_error = from,
                           .last_error = from + S / 2,
                           .silent_from = from,
                           .success = to,
                           .drained = to,
                           .over = to,
                           .errors = 3,
                           .in_time = from / 1000,
                           .before = {10, 20, 30, 40, 50},
                           .after = {20, 30, 40, 50, 60}};
}

/* All its members; the counts are those of n outages like the one above. */
static void check(const struct outage *r, struct outage want, unsigned n)
{
    const uint64_t counts[] = {
        r->before.offered, r->before.done, r->before.failed, r->before.dropped, r->before.late,
        r->after.offered,  r->after.done,  r->after.failed,  r->after.dropped,  r->after.late};

    CHECK_INT(r->first_error, want.first_error);
    CHECK_INT(r->last_error, want.last_error);
    CHECK_INT(r->silent_from, want.silent_from);
    CHECK_INT(r->success, want.success);
    CHECK_INT(r->connected, want.connected);
    CHECK_INT(r->drained, want.drained);
    CHECK_INT(r->over, want.over);
    CHECK_INT(r->in_time, want.in_time);
    CHECK_INT(r->lost, want.lost);
    CHECK_INT(r->errors, 3 * n);
    for (unsigned i = 0; i < 10; i++)
        CHECK_INT(counts[i], n * 10 * (i < 5 ? i + 1 : i - 3));
}

/* The same outage at both: the silence is what they have in common. */
static void same(void)
{
    struct outage row[OUTAGES_MAX] = {between(10 * S, 20 * S)}, more = between(11 * S, 19 * S);
    size_t beyond = 0;

    more.lost = 2;
    more.connected = 18 * S;
    CHECK_INT(outages_join(row, 1, &more, 1, &beyond), 1);
    check(&row[0],
          (struct outage){.first_error = 10 * S,
                          .last_error = 11 * S + S / 2,
                          .silent_from = 11 * S,
                          .success = 19 * S,
                          .drained = 20 * S,
                          .over = 20 * S,
                          .connected = 18 * S, /* only that host had lost connections */
                          .in_time = 11 * S / 1000,
                          .lost = 2},
          2);
    CHECK_INT(beyond, 0);
    /* the last one that had lost connections counts */
    more = between(11 * S, 19 * S);
    more.lost = 1;
    more.connected = 17 * S;
    CHECK_INT(outages_join(row, 1, &more, 1, &beyond), 1);
    CHECK_INT(row[0].connected, 18 * S);
    more.lost = 0;
    more.connected = 0;
    CHECK_INT(outages_join(row, 1, &more, 1, &beyond), 1);
    CHECK_INT(row[0].connected, 18 * S);
    CHECK_INT(row[0].lost, 3);
    /* at one of them they are not back yet */
    more.lost = 1;
    CHECK_INT(outages_join(row, 1, &more, 1, &beyond), 1);
    CHECK_INT(row[0].connected, 0);
    /* without a lost one in the row, those of the other count */
    row[0] = between(10 * S, 20 * S);
    row[0].lost = 1;
    row[0].connected = 12 * S;
    more = between(11 * S, 19 * S);
    more.connected = 0;
    CHECK_INT(outages_join(row, 1, &more, 1, &beyond), 1);
    CHECK_INT(row[0].connected, 12 * S);
    CHECK_INT(beyond, 0);
}

/* Silences that have nothing in common: the longer one, and of two alike the one of the later call;
 * outages that follow each other within a second are one. */
static void in_turn(void)
{
    static const struct {
        mono_ns from, to, from2, to2; /* ms */
        mono_ns silent_from, success;
    } t[] = {
        {10000, 12000, 12500, 13500, 10000, 12000}, {10000, 11000, 11500, 13500, 11500, 13500},
        {10000, 11000, 11000, 12000, 11000, 12000}, {10000, 11000, 11500, 12500, 11500, 12500},
        {10000, 11001, 11000, 11500, 11000, 11001},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        for (int order = 0; order < 2; order++) {
            struct outage a = between(t[i].from * NS_PER_MS, t[i].to * NS_PER_MS);
            struct outage b = between(t[i].from2 * NS_PER_MS, t[i].to2 * NS_PER_MS);
            struct outage row[OUTAGES_MAX] = {order ? b : a};
            size_t beyond = 0;
            CHECK_INT(outages_join(row, 1, order ? &a : &b, 1, &beyond), 1);
            if (order && t[i].to - t[i].from == t[i].to2 - t[i].from2)
                continue; /* the one that was there */
            check(&row[0],
                  (struct outage){.first_error = t[i].from * NS_PER_MS,
                                  .last_error = t[i].from2 * NS_PER_MS + S / 2,
                                  .silent_from = t[i].silent_from * NS_PER_MS,
                                  .success = t[i].success * NS_PER_MS,
                                  .drained = t[i].to2 * NS_PER_MS,
                                  .over = t[i].to2 * NS_PER_MS,
                                  .in_time = t[i].from2 * NS_PER_MS / 1000},
                  2);
        }
}

/* One host still waits, the other is back: it is not over, and the silence is the longer one's. */
static void open_end(void)
{
    struct outage row[OUTAGES_MAX] = {between(10 * S, 11 * S)}, more = between(12 * S, 0);
    size_t beyond = 0;

    more.drained = more.over = more.success = 0;
    CHECK_INT(outages_join(row, 1, &more, 1, &beyond), 1);
    check(&row[0],
          (struct outage){.first_error = 10 * S,
                          .last_error = 12 * S + S / 2,
                          .silent_from = 12 * S,
                          .in_time = 12 * S / 1000},
          2);
    /* it is open for whatever comes later */
    more = between(1000 * S, 1001 * S);
    CHECK_INT(outages_join(row, 1, &more, 1, &beyond), 1);
    check(&row[0],
          (struct outage){.first_error = 10 * S,
                          .last_error = 1000 * S + S / 2,
                          .silent_from = 1000 * S,
                          .success = 1001 * S,
                          .in_time = S},
          3);
    CHECK_INT(beyond, 0);
}

/* Apart, in the order of time; one that lies between two joins them. */
static void apart(void)
{
    struct outage row[OUTAGES_MAX] = {between(30 * S, 31 * S)}, more = between(10 * S, 12 * S),
                  bridge = between(13 * S, 29 * S + 1);
    size_t beyond = 0;

    CHECK_INT(outages_join(row, 1, &more, 1, &beyond), 2);
    CHECK_INT(row[0].first_error, 10 * S);
    CHECK_INT(row[1].first_error, 30 * S);
    row[2] = between(50 * S, 51 * S);
    CHECK_INT(outages_join(row, 3, &bridge, 1, &beyond), 2);
    check(&row[0],
          (struct outage){.first_error = 10 * S,
                          .last_error = 30 * S + S / 2,
                          .silent_from = 13 * S,
                          .success = 29 * S + 1,
                          .drained = 31 * S,
                          .over = 31 * S,
                          .in_time = 30 * S / 1000},
          3);
    check(&row[1], between(50 * S, 51 * S), 1);
    /* just more than a second after it, and between the two */
    more = between(32 * S + 1, 33 * S);
    CHECK_INT(outages_join(row, 2, &more, 1, &beyond), 3);
    check(&row[1], more, 1);
    check(&row[2], between(50 * S, 51 * S), 1);
    CHECK_INT(beyond, 0);
}

static void no_room(void)
{
    struct outage row[OUTAGES_MAX], more;
    size_t beyond = 1;

    for (int i = 0; i < OUTAGES_MAX; i++)
        row[i] = between(i * 10 * S + S, i * 10 * S + 2 * S);
    more = between(1000 * S, 1001 * S);
    CHECK_INT(outages_join(row, OUTAGES_MAX, &more, 1, &beyond), OUTAGES_MAX);
    CHECK_INT(beyond, 2);
    for (int i = 0; i < OUTAGES_MAX; i++)
        check(&row[i], between(i * 10 * S + S, i * 10 * S + 2 * S), 1);
    /* one that belongs to a row needs none */
    more = between(151 * S + S / 2, 152 * S);
    CHECK_INT(outages_join(row, OUTAGES_MAX, &more, 1, &beyond), OUTAGES_MAX);
    CHECK_INT(beyond, 2);
    CHECK_INT(row[15].errors, 6);
    struct outage two[] = {between(5 * S, 6 * S), between(7 * S, 8 * S)};
    CHECK_INT(outages_join(row, 2, two, 2, &beyond), 3); /* the two are one: a second between */
}

TEST_MAIN(outages_join_test)
{
    same();
    in_turn();
    open_end();
    apart();
    no_room();
    return test_done("outages_join");
}
