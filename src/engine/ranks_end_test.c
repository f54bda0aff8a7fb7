/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What ranks tell once, when it has happened or at their end: added up by the leader.
 */
#include "engine/collect.h"
#include "engine/ranks.h"

#include <string.h>

#include "base/test_golden.h"

static const struct record_field members[] = {MEMBERS(
    struct rank_end, run_end, schedule_end, planned, begun, worst_wake, clients_left, forced,
    retries.transactions, retries.retries, retries.most, retries.failed, retries.unknown,
    connections.connected, connections.refused, connections.refused_with, connections.plain,
    batches.n, batches.answers, batches.sum, batches.most, workers, saturated, saturated_pct)};
static const struct record end = RECORD("end", members);

/* The first member is n, the second 2 n, and so on. */
static void fill(struct rank_end *v, int n)
{
    struct str text = STR_INIT;

    rank_end_init(v);
    for (size_t i = 0; i < end.n; i++)
        str_printf(&text, " %s=%d", members[i].name, (int)(i + 1) * n);
    record_parse(&end, v, str_cstr(&text));
    str_free(&text);
    hist_counts_put(&v->first, 100, (uint64_t)n);
    hist_counts_put(&v->last, 30000, (uint64_t)n);
    v->last.clamped = (uint64_t)n;
    hist_counts_put(&v->connect, 5, 1);
    hist_counts_put(&v->again, 6, 2);
    hist_counts_put(&v->during, 7, 3);
    hist_counts_put(&v->after, 8, 4);
    v->outages = 2;
    v->more_outages = 1;
    v->outage[0] = (struct outage){.first_error = 10 * NS_PER_SEC * n,
                                   .last_error = 11 * NS_PER_SEC * n,
                                   .silent_from = 10 * NS_PER_SEC * n,
                                   .success = 12 * NS_PER_SEC * n,
                                   .connected = 12 * NS_PER_SEC * n,
                                   .drained = 13 * NS_PER_SEC * n,
                                   .over = 13 * NS_PER_SEC * n,
                                   .errors = 7,
                                   .lost = 3,
                                   .in_time = NS_PER_MS,
                                   .before = {1, 2, 3, 4, 5},
                                   .after = {6, 7, 8, 9, 10}};
    v->outage[1] = (struct outage){.first_error = 1000 * NS_PER_SEC * n, .errors = 1};
}

static void test_bytes(void)
{
    struct rank_end v, got;
    struct str out = STR_INIT, again = STR_INIT;
    struct get in;

    fill(&v, 3);
    rank_end_put(&out, &v);
    in = get_of(out.s, out.len);
    rank_end_init(&got);
    CHECK_INT(rank_end_get(&got, &in), 0);
    CHECK(get_end(&in));
    rank_end_put(&again, &got); /* all that was told; test_sum() names it */
    CHECK(again.len == out.len && memcmp(again.s, out.s, out.len) == 0);
    str_free(&again);
    rank_end_fini(&got);
    for (size_t n = 0; n < out.len; n++) {
        rank_end_init(&got);
        in = get_of(out.s, n);
        CHECK_INT(rank_end_get(&got, &in), -1);
        rank_end_fini(&got);
    }
    rank_end_fini(&v);
    str_free(&out);
}

/* Instants and extremes are the greatest, counts are added. */
static void test_sum(void)
{
    struct str out = STR_INIT;
    struct rank_end a, b;

    fill(&a, 2);
    fill(&b, 5);
    rank_end_add(&a, &b);
    golden_members(&out, members, end.n, &a, NULL);
    str_adds(&out, "\n");
    golden(&out, "2 and 5");
    str_free(&out);
    CHECK_INT(a.first.count[100], 7);
    CHECK_INT(a.last.clamped, 7);
    CHECK_INT(a.connect.count[5], 2);
    CHECK_INT(a.again.count[6], 4);
    CHECK_INT(a.during.count[7], 6);
    CHECK_INT(a.after.count[8], 8);
    CHECK_INT(a.outages, 3); /* at 20 s, 50 s and from 2000 s on: the last one has no end */
    CHECK_INT(a.more_outages, 2);
    CHECK_INT(a.outage[2].errors, 2);
    rank_end_fini(&a);
    rank_end_fini(&b);
}

/* --- incidents --- */

#define S NS_PER_SEC

static const struct snapshot_incident stopped = {.kind = INCIDENT_STOPPED,
                                                 .at = 12 * S,
                                                 .duration = 2 * S},
                                      cpus = {
                                          .kind = INCIDENT_CPUS, .at = 9 * S, .was = 4, .is = 3};

static void test_incidents(void)
{
    static struct incidents to; /* some kB */
    struct reading from;

    reading_init(&from, 1);
    from.incident[from.incidents++] = stopped;
    from.incident[from.incidents++] = cpus;
    ranks_add_incidents(&to, &from, 2, "load3", false);
    ranks_add_incidents(&to, &from, 2, "load3", false);
    CHECK_INT(to.n, 2);
    CHECK_INT(to.v[0].kind, INCIDENT_STOPPED);
    CHECK_INT(to.v[0].rank, 2);
    CHECK_STR(to.v[0].host, "load3");
    from.merged = 0;
    ranks_add_incidents(&to, &from, 1, NULL, true); /* the leader says it of the machine */
    CHECK_INT(to.n, 3);
    CHECK_INT(to.v[2].kind, INCIDENT_STOPPED);
    CHECK_STR(to.v[2].host, "");
    to.v[to.n++] = (struct snapshot_incident){.kind = INCIDENT_CLOCK_SET, .at = 11 * S};
    to.v[to.n++] = (struct snapshot_incident){.kind = INCIDENT_SERVER_RESTARTED, .at = S};
    ranks_own_incidents(&to, "load1");
    CHECK_STR(to.v[3].host, "load1");
    CHECK(!to.v[4].host);
    CHECK_INT(to.v[0].rank, 2);
    CHECK_STR(to.v[0].host, "load3");
    incidents_sort(&to);
    CHECK_INT(to.v[0].at, S);
    CHECK_INT(to.v[1].at, 9 * S);
    CHECK_INT(to.v[2].at, 11 * S);
    CHECK_INT(to.v[3].rank, 1);
    CHECK_INT(to.v[4].rank, 2);
    to.n = SNAPSHOT_MAX_INCIDENTS;
    from.merged = 0;
    ranks_add_incidents(&to, &from, 1, "load2", false);
    CHECK_INT(to.n, SNAPSHOT_MAX_INCIDENTS);
    reading_fini(&from);
}

TEST_MAIN(ranks_end_test)
{
    test_bytes();
    test_sum();
    test_incidents();
    golden_done("ranks_end_test");
    return test_done("ranks_end_test");
}
