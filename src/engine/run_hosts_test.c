/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whole runs over two database hosts, on a held clock: what is counted where, when clients move
 * from one to the other, in intervals and at the end.  In every report the hosts add up to the
 * whole.
 */
#include "engine/run_test.h"

#include <string.h>

#include "engine/figures.h"

static const char *const names[] = {"db1", "db2"};
static const dur_ns service[] = {500 * US, 200 * US}; /* of each host */
static int moves_at;                                  /* which transaction; 0: none */
static bool homeless;                                 /* client 3 has no connection */
static unsigned wrong;                                /* reports that do not add up */
static uint64_t intervals[2];                         /* transactions of all intervals */
static unsigned most_connections[2];
static struct snapshot_host last[3];
static size_t nlast;

/* Where a client is; client g begins at host g mod 2. */
static _Atomic int at[8];

static int open_somewhere(struct load *l, struct client *c, struct err *err)
{
    int id = client_id(c);

    atomic_store(&at[id], id % 2);
    if (!(homeless && id == 3))
        client_at_host(c, id % 2, true, true);
    return 0;
}

/* Its connection to host 0 is lost, and replaced at host 1. */
static void move(struct client *c)
{
    const struct client_error lost = {
        .code = 2013, .class = "connection", .text = "lost", .lost = true, .host = 0};

    client_error(c, &lost);
    client_at_host(c, 0, false, true);
    client_at_host(c, 1, true, true);
    client_reconnected(c);
    counters_add(client_counters(c), CNT_RECONNECT, 1);
    atomic_store(&at[client_id(c)], 1);
}

static int serve_hosts(struct load *l, struct client *c, struct err *err)
{
    int id = client_id(c);

    for (int n = 1; client_next(c); n++) {
        client_begin(c);
        if (n == moves_at && atomic_load(&at[id]) == 0)
            move(c);
        busy(service[atomic_load(&at[id])]);
        if (n % 100 == 7)
            counters_add(client_counters(c), CNT_ERROR, 1);
        client_end(c);
    }
    return 0;
}

static void check_sums(struct load *l, const struct snapshot *s)
{
    uint64_t events = 0, errors = 0, reconnects = 0, total = 0;
    bool final = s->kind == SNAPSHOT_FINAL;

    if (s->warmup) {
        wrong += s->hosts != 0;
        return;
    }
    for (size_t i = 0; i < s->hosts; i++) {
        events += s->host[i].events;
        errors += s->host[i].errors;
        reconnects += s->host[i].reconnects;
        total += s->host[i].total_events;
        wrong += s->host[i].latency.n != s->host[i].events;
    }
    wrong += events != s->events || errors != s->errors || reconnects != s->reconnects;
    wrong += total != s->total[CNT_DONE];
    for (size_t i = 0; i < 2 && !final; i++) {
        intervals[i] += s->host[i].events;
        if (s->host[i].connections > most_connections[i])
            most_connections[i] = s->host[i].connections;
    }
    nlast = s->hosts;
    memcpy(last, s->host, s->hosts * sizeof *last);
}

static struct plan two_hosts(double rate)
{
    struct plan p = base_plan(4, rate);

    p.host_name = names;
    p.hosts = 2;
    p.keep_histograms = true;
    moves_at = 0;
    homeless = false;
    wrong = 0;
    memset(intervals, 0, sizeof intervals);
    memset(most_connections, 0, sizeof most_connections);
    return p;
}

static int run_hosts(const struct plan *p)
{
    struct load l = fresh();

    l.opens = open_somewhere;
    l.runs = serve_hosts;
    l.watched = check_sums;
    return run(&l, p);
}

static void check_host(size_t i, unsigned clients, uint64_t events, uint64_t lost,
                       uint64_t reconnects)
{
    CHECK_INT(last[i].clients, clients);
    CHECK_INT(last[i].events, events);
    CHECK_INT(last[i].lost, lost);
    CHECK_INT(last[i].reconnects, reconnects);
}

static void balanced(void)
{
    struct plan p = two_hosts(1000);

    CHECK_INT(run_hosts(&p), 0);
    CHECK_INT(wrong, 0);
    CHECK_INT(nlast, 2);
    CHECK_STR(last[1].name, "db2");
    check_host(0, 2, 500, 0, 0);
    check_host(1, 2, 500, 0, 0);
    CHECK_INT(most_connections[0], 2);
    check_ns(last[0].latency.p50, service[0]);
    check_ns(last[1].latency.max, service[1]);
    CHECK_INT(last[0].errors, 6);
}

/* Two of four clients move in their 100th transaction: from then on they count at the other host,
 * that transaction included. */
static void moved(void)
{
    struct plan p = two_hosts(1000);

    moves_at = 100;
    CHECK_INT(run_hosts(&p), 0);
    CHECK_INT(wrong, 0);
    check_host(0, 0, 2 * 99, 2, 0);
    check_host(1, 4, 500 + 2 * 151, 0, 2);
    CHECK_INT(intervals[0], 2 * 99);
    CHECK_INT(intervals[1], 500 + 2 * 151);
    CHECK_INT(most_connections[1], 4);
    check_ns(last[1].latency.max, service[1]);
}

/* Without a rate; the histograms are kept all the same. */
static void at_full_speed(void)
{
    struct plan p = two_hosts(0);

    p.max_events = 1000;
    moves_at = 50;
    CHECK_INT(run_hosts(&p), 0);
    CHECK_INT(wrong, 0);
    CHECK_INT(last[0].events, 2 * 49);
    CHECK_INT(last[1].events, 1000 - 2 * 49);
}

/* A client that moves in the warm-up is at its new host from the first measured transaction on. */
static void moved_in_warm_up(void)
{
    struct plan p = two_hosts(1000);

    p.warmup = NS_PER_SEC / 2;
    p.warmup_reports = true;
    moves_at = 2;
    CHECK_INT(run_hosts(&p), 0);
    CHECK_INT(wrong, 0);
    check_host(0, 0, 0, 0, 0);
    check_host(1, 4, 1000, 0, 0);
    CHECK_INT(last[0].latency.p50, -1);
}

/* A script may connect elsewhere, or not at all. */
static void none(void)
{
    struct plan p = two_hosts(1000);

    homeless = true;
    CHECK_INT(run_hosts(&p), 0);
    CHECK_INT(wrong, 0);
    CHECK_INT(nlast, 3);
    CHECK_STR(last[2].name, SNAPSHOT_NO_HOST);
    check_host(1, 1, 250, 0, 0);
    check_host(2, 1, 250, 0, 0);
}

static struct plan only_two;

static int second_connection(struct load *l, struct client *c, struct err *err)
{
    int rc = open_somewhere(l, c, err);

    client_at_host(c, 1 - client_id(c) % 2, true, false); /* decides nothing */
    client_at_host(c, 2, true, true);                     /* not of the list */
    client_at_host(c, -1, false, true);
    return rc;
}

static void two_connections(void)
{
    struct load l = fresh();

    only_two = two_hosts(1000);
    l.opens = second_connection;
    l.runs = serve_hosts;
    l.watched = check_sums;
    CHECK_INT(run(&l, &only_two), 0);
    CHECK_INT(wrong, 0);
    check_host(0, 2, 500, 0, 0);
    CHECK_INT(most_connections[0], 4);
}

/* Of two processes: host by host. */
static void added(void)
{
    struct host_counts a[2] = {{.count[CNT_DONE] = 1, .lost = 2, .connections = 3, .clients = 4}};
    struct host_counts b[2] = {{.count[CNT_DONE] = 10, .lost = 20, .connections = 30}};

    for (size_t i = 0; i < 2; i++) {
        hist_counts_init(&a[i].response, HIST_BUCKETS);
        hist_counts_init(&b[i].response, HIST_BUCKETS);
    }
    hist_counts_put(&b[0].response, 5, 7);
    b[1].count[CNT_FAILED] = 6;
    for (int i = 0; i < 2; i++)
        tally_merge(&host_tally, &a[i], &b[i]);
    CHECK_INT(a[0].count[CNT_DONE], 11);
    CHECK_INT(a[0].lost, 22);
    CHECK_INT(a[0].connections, 33);
    CHECK_INT(a[0].clients, 4);
    CHECK_INT(a[0].response.total, 7);
    CHECK_INT(a[1].count[CNT_FAILED], 6);
    for (size_t i = 0; i < 2; i++) {
        hist_counts_fini(&a[i].response);
        hist_counts_fini(&b[i].response);
    }
}

TEST_MAIN(run_hosts_test)
{
    held = held_clock_new();
    balanced();
    moved();
    at_full_speed();
    moved_in_warm_up();
    none();
    two_connections();
    added();
    held_clock_free(held);
    return test_done("run_hosts");
}
