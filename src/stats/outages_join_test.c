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
                           .before.done = 10,
                           .after.done = 20};
}

/* The same outage at both: the silence is what they have in common. */
static void same(void)
{
    struct outage row[OUTAGES_MAX] = {between(10 * S, 20 * S)}, more = between(11 * S, 19 * S);
    size_t beyond = 0;

    more.lost = 2;
    more.connected = 18 * S;
    CHECK_INT(outages_join(row, 1, &more, 1, &beyond), 1);
    CHECK_INT(row[0].first_error, 10 * S);
    CHECK_INT(row[0].last_error, 11 * S + S / 2);
    CHECK_INT(row[0].silent_from, 11 * S);
    CHECK_INT(row[0].success, 19 * S);
    CHECK_INT(row[0].drained, 20 * S);
    CHECK_INT(row[0].over, 20 * S);
    CHECK_INT(row[0].connected, 18 * S); /* only that host had lost connections */
    CHECK_INT(row[0].lost, 2);
    CHECK_INT(row[0].errors, 6);
    CHECK_INT(row[0].before.done, 20);
    CHECK_INT(row[0].after.done, 40);
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
}

/* One host still waits, the other is back: it is not over, and the silence is the longer one's. */
static void open_end(void)
{
    struct outage row[OUTAGES_MAX] = {between(10 * S, 11 * S)}, more = between(12 * S, 0);
    size_t beyond = 0;

    more.drained = more.over = more.success = 0;
    CHECK_INT(outages_join(row, 1, &more, 1, &beyond), 1);
    CHECK_INT(row[0].over, 0);
    CHECK_INT(row[0].drained, 0);
    CHECK_INT(row[0].silent_from, 12 * S);
    CHECK_INT(row[0].success, 0);
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
    CHECK_INT(outages_join(row, 2, &bridge, 1, &beyond), 1);
    CHECK_INT(row[0].first_error, 10 * S);
    CHECK_INT(row[0].over, 31 * S);
    CHECK_INT(row[0].silent_from, 13 * S);
    CHECK_INT(row[0].errors, 9);
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
}

TEST_MAIN(outages_join_test)
{
    same();
    open_end();
    apart();
    no_room();
    return test_done("outages_join");
}
