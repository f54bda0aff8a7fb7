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
static uint64_t intervals[2];                         /* transactions of all intervals */
static unsigned most_connections[2];

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

static int second_connection(struct load *l, struct client *c, struct err *err)
{
    open_somewhere(l, c, err);
    client_at_host(c, 1 - client_id(c) % 2, true, false); /* decides nothing */
    client_at_host(c, 2, true, true);                     /* not of the list */
    client_at_host(c, -1, false, true);
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

static void tell_hosts(const struct snapshot *s)
{
    for (size_t i = 0; i < s->hosts; i++) {
        const struct snapshot_host *h = &s->host[i];
        str_printf(&told, "%s: %u clients, %llu events, %llu errors, %llu lost, %llu reconnects, ",
                   h->name, h->clients, (unsigned long long)h->events,
                   (unsigned long long)h->errors, (unsigned long long)h->lost,
                   (unsigned long long)h->reconnects);
        str_printf(&told, "%.4g to %.4g ms", dur_ms(h->latency.p50), dur_ms(h->latency.max));
        if (i < 2)
            str_printf(&told, "; %llu in intervals, %u connections at most",
                       (unsigned long long)intervals[i], most_connections[i]);
        str_adds(&told, "\n");
    }
}

static void check_sums(struct load *l, const struct snapshot *s)
{
    uint64_t events = 0, errors = 0, reconnects = 0, total = 0;
    bool final = s->kind == SNAPSHOT_FINAL;

    if (s->warmup) {
        CHECK_INT(s->hosts, 0);
        return;
    }
    for (size_t i = 0; i < s->hosts; i++) {
        events += s->host[i].events;
        errors += s->host[i].errors;
        reconnects += s->host[i].reconnects;
        total += s->host[i].total_events;
        CHECK_INT(s->host[i].latency.n, s->host[i].events);
    }
    CHECK_INT(events, s->events);
    CHECK_INT(errors, s->errors);
    CHECK_INT(reconnects, s->reconnects);
    CHECK_INT(total, s->total[CNT_DONE]);
    for (size_t i = 0; i < 2 && !final; i++) {
        intervals[i] += s->host[i].events;
        if (s->host[i].connections > most_connections[i])
            most_connections[i] = s->host[i].connections;
    }
    if (final)
        tell_hosts(s);
}

/* Clients that begin at host 0 move in their `move`th transaction. */
static void hosts(struct load *l, struct plan *p, int move)
{
    p->host_name = names;
    p->hosts = 2;
    p->keep_histograms = true;
    l->opens = open_somewhere;
    l->runs = serve_hosts;
    l->watched = check_sums;
    moves_at = move;
    memset(intervals, 0, sizeof intervals);
    memset(most_connections, 0, sizeof most_connections);
}

/* Of two processes: host by host. */
static void added(void)
{
    struct host_counts a = {.count[CNT_DONE] = 1, .lost = 2, .connections = 3, .clients = 4};
    struct host_counts b = {.count[CNT_DONE] = 10, .lost = 20, .connections = 30};

    hist_counts_init(&a.response, HIST_BUCKETS);
    hist_counts_init(&b.response, HIST_BUCKETS);
    hist_counts_put(&b.response, 5, 7);
    tally_merge(&host_tally, &a, &b);
    CHECK_INT(a.count[CNT_DONE], 11);
    CHECK_INT(a.lost, 22);
    CHECK_INT(a.connections, 33);
    CHECK_INT(a.clients, 4);
    CHECK_INT(a.response.total, 7);
    hist_counts_fini(&a.response);
    hist_counts_fini(&b.response);
}

TEST_MAIN(run_hosts_test)
{
    held = held_clock_new();
    RUN(4, 1000, hosts(l, p, 0));
    /* two of four clients move in their 100th transaction: from then on they count at the other
     * host, that transaction included */
    RUN(4, 1000, hosts(l, p, 100));
    /* without a rate; the histograms are kept all the same */
    RUN(4, 0, hosts(l, p, 50), p->max_events = 1000);
    /* a client that moves in the warm-up is at its new host from the first measured transaction on
     */
    RUN(4, 1000, hosts(l, p, 2), p->warmup = NS_PER_SEC / 2, p->warmup_reports = true);
    RUN(4, 1000, hosts(l, p, 0), l->opens = second_connection);
    homeless = true; /* a script may connect elsewhere, or not at all */
    RUN(4, 1000, hosts(l, p, 0));
    added();
    held_clock_free(held);
    golden_done("run_hosts_test");
    return test_done("run_hosts");
}
