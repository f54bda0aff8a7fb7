/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The figures of database hosts in readings: to bytes and back, added up host by host, refused when
 * they cannot be right.
 */
#include "engine/reading.h"

#include <string.h>

#include "base/test.h"
#include "engine/ranks.h"

static void host_event(struct baseline *b, size_t host, int64_t ns)
{
    struct host_counts *h = &b->host[host];

    h->count[CNT_DONE]++;
    h->lost += (uint64_t)ns % 2;
    h->clients = (unsigned)(ns % 100);
    h->connections = (unsigned)(ns % 77);
    hist_counts_put(&h->response, hist_index(ns), 1);
}

static void give_hosts(struct baseline *b, size_t hosts)
{
    b->host = host_counts_new(hosts + 1);
    b->nhosts = hosts + 1;
}

static bool same_host(const struct host_counts *a, const struct host_counts *b)
{
    return memcmp(a->count, b->count, sizeof a->count) == 0 && a->lost == b->lost &&
           a->clients == b->clients && a->connections == b->connections &&
           a->response.total == b->response.total &&
           memcmp(a->response.count, b->response.count,
                  a->response.size * sizeof *a->response.count) == 0;
}

/* Row by row, of two readings of which the second has only what has changed. */
static void test_hosts(void)
{
    struct reading mine, theirs;
    struct reading_sent sent = {0};

    reading_init(&mine, 1);
    reading_init(&theirs, 1);
    baseline_init(&sent.b, 1);
    give_hosts(&mine.b, 2);
    for (int round = 0; round < 2; round++) {
        struct put out = {0};
        struct get in;
        for (int i = 0; i < 100; i++)
            host_event(&mine.b, (size_t)i % 3, (int64_t)(i + 1) * (round + 1) * 12345);
        reading_put(&out, &mine, &sent);
        in = get_of(out.s.s, out.s.len);
        CHECK_INT(reading_get(&theirs, &in), 0);
        CHECK(get_end(&in));
        CHECK_INT(theirs.b.nhosts, 3);
        for (size_t i = 0; i < 3; i++)
            CHECK(same_host(&mine.b.host[i], &theirs.b.host[i]));
        put_free(&out);
    }
    reading_fini(&mine);
    reading_fini(&theirs);
    baseline_fini(&sent.b);
}

/* Lists of other lengths: what the leader's lacks counts as "none", and so does that. */
static void test_hosts_beyond(void)
{
    static const struct {
        size_t mine;
        uint64_t want[3];
    } t[] = {{2, {1, 2, 4}}, {1, {1, 0, 2}}, {3, {1, 2, 4 + 8}}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct reading leader, member;
        reading_init(&leader, 1);
        reading_init(&member, 1);
        give_hosts(&leader.b, 2);
        give_hosts(&member.b, t[i].mine);
        for (size_t k = 0; k <= t[i].mine; k++)
            member.b.host[k].count[CNT_DONE] = UINT64_C(1) << k;
        reading_add(&leader.b, &member.b);
        for (size_t k = 0; k < 3; k++)
            CHECK_INT(leader.b.host[k].count[CNT_DONE], t[i].want[k]);
        reading_fini(&leader);
        reading_fini(&member);
    }
}

/* No rank has so many, and none changes its mind. */
static void test_hosts_refused(void)
{
    struct put many = {0}, few = {0};
    struct get in;
    struct reading r;

    reading_init(&r, 1);
    put_u64(&many, 66);
    in = get_of(many.s.s, many.s.len);
    CHECK_INT(reading_get_hosts(&r.b, &in), -1);
    CHECK(r.b.host == NULL);
    give_hosts(&r.b, 2);
    put_u64(&few, 2);
    in = get_of(few.s.s, few.s.len);
    CHECK_INT(reading_get_hosts(&r.b, &in), -1);
    reading_fini(&r);
    put_free(&many);
    put_free(&few);
}

TEST_MAIN(reading_hosts_test)
{
    test_hosts();
    test_hosts_beyond();
    test_hosts_refused();
    return test_done("reading_hosts");
}
