/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Readings of several ranks, to bytes and back, and added up: what one host counts is split over n
 * ranks at random, and the leader's sum must be the same, bit for bit, after every step.  Bytes
 * that are no reading are refused.  Then the figures of database hosts, and incidents.
 */
#include "engine/ranks.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/test_golden.h"

#define MOST_RANKS 5
#define CLIENTS    7 /* of each rank */
#define CODES      6

static uint64_t seed = 1;

static uint64_t draw(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

/* What a member counts, and what of it is known elsewhere. */
struct side {
    struct reading mine, theirs;
    struct reading_sent sent;
};

static void init(struct side *v)
{
    reading_init(&v->mine, CLIENTS);
    reading_init(&v->theirs, CLIENTS);
    v->sent = (struct reading_sent){0};
    baseline_init(&v->sent.b, 1);
    v->mine.b.oldest = (mono_ns)draw(1000000);
}

static void fini(struct side *v)
{
    reading_fini(&v->mine);
    reading_fini(&v->theirs);
    baseline_fini(&v->sent.b);
}

/* --- one transaction, counted by a rank and by the host that does all --- */

static int64_t latency(void)
{
    static const int64_t most[] = {3000, 2000000, 900000000, 2 * HIST_MAX_NS};

    return (int64_t)draw(UINT32_MAX) * 4096 % most[draw(4)];
}

static void count(struct baseline *b, int64_t response, int64_t lag, const uint64_t count[CNT_MAX])
{
    struct {
        struct hist_counts *of;
        int64_t ns;
    } all[] = {{&b->response, response}, {&b->service, response - lag}, {&b->lag, lag}};

    for (size_t i = 0; i < 3; i++) {
        hist_counts_put(all[i].of, hist_index(all[i].ns), 1);
        all[i].of->clamped += all[i].ns > HIST_MAX_NS;
    }
    hist_counts_put(&b->stock, hist_stock_index(response), 1);
    for (int k = 0; k < CNT_MAX; k++)
        b->count[k] += count[k];
    b->offered += 2;
    b->dropped += count[0] % 2;
    b->undone += response / 3;
    b->sampled += count[1];
}

static void note_error(struct reading *r, int code, mono_ns now)
{
    static const char *const class[CODES] = {"deadlock", "lock-wait", "connection",
                                             "other",    "duplicate", "tls"};
    size_t i = 0;

    while (i < r->errors && r->error[i].code != code)
        i++;
    if (i == r->errors) {
        r->errors++;
        r->error[i] = (struct error_row){.code = code, .class = class[code], .first = now};
        snprintf(r->error[i].sqlstate, sizeof r->error[i].sqlstate, "4%04d", code);
        snprintf(r->error[i].text, sizeof r->error[i].text, "error %d\xc3\xa4", code);
    }
    r->error[i].count++;
    r->error[i].last = now;
}

static void transaction(struct side *v, struct reading *all, mono_ns now)
{
    uint64_t counts[CNT_MAX], client = draw(CLIENTS);
    int64_t response = latency(), lag = response / (1 + (int64_t)draw(9));
    int code = (int)draw(3 * CODES);

    for (int k = 0; k < CNT_MAX; k++)
        counts[k] = draw(k + 1 < 8 ? 300 : 2);
    count(&v->mine.b, response, lag, counts);
    count(&all->b, response, lag, counts);
    v->mine.client[client].events++;
    v->mine.client[client].lat_sum += response;
    v->mine.client[client].last = now;
    if (code < CODES) {
        note_error(&v->mine, code, now);
        note_error(all, code, now);
    }
}

/* --- is it the same? --- */

static bool same_hist(const struct hist_counts *a, const struct hist_counts *b)
{
    return a->total == b->total && a->clamped == b->clamped && a->size == b->size &&
           memcmp(a->count, b->count, a->size * sizeof *a->count) == 0;
}

static void check_same(const struct baseline *a, const struct baseline *b)
{
    static const struct record_field members[] = {
        MEMBERS(struct baseline, count, offered, dropped, lost, undone, sampled, oldest)};
    struct str differs = STR_INIT;

    golden_members(&differs, members, sizeof members / sizeof *members, a, b);
    CHECK_STR(str_cstr(&differs), "");
    CHECK(same_hist(&a->stock, &b->stock));
    CHECK(same_hist(&a->response, &b->response));
    CHECK(same_hist(&a->service, &b->service));
    CHECK(same_hist(&a->lag, &b->lag));
    str_free(&differs);
}

static void check_received(const struct reading *got, const struct reading *want, bool whole)
{
    check_same(&got->b, &want->b);
    CHECK(memcmp(&got->t, &want->t, sizeof want->t) == 0); /* it has no gaps */
    CHECK_INT(got->b.at, want->b.at);
    CHECK_INT(got->b.self.have, want->b.self.have);
    CHECK_INT(got->b.self.cpu_ns, want->b.self.cpu_ns);
    CHECK_INT(got->whole, whole);
    CHECK(!whole || memcmp(got->client, want->client, CLIENTS * sizeof *want->client) == 0);
}

static const struct error_row *row_of(const struct error_row *row, size_t n, int code)
{
    for (size_t i = 0; i < n; i++)
        if (row[i].code == code)
            return &row[i];
    return NULL;
}

static void check_row(const struct error_row *got, const struct error_row *want)
{
    CHECK(got != NULL);
    if (!got)
        return;
    CHECK(got->count == want->count && got->first == want->first && got->last == want->last);
    CHECK_STR(got->class, want->class);
    CHECK_STR(got->sqlstate, want->sqlstate);
    CHECK_STR(got->text, want->text);
}

/* The ranks' rows, and their places, which must not change. */
static void check_rows(struct ranks *k, struct side *v, const struct reading *all)
{
    struct error_row row[ERROR_ROWS_MAX + 1], before[ERROR_ROWS_MAX + 1];
    size_t n = v[0].theirs.errors, had = k->rows;

    memcpy(before, k->row, sizeof before);
    memcpy(row, v[0].theirs.error, sizeof row);
    for (int i = 1; i < k->n; i++)
        k->of[i].now = v[i].theirs;
    ranks_merge_rows(k, row, &n);
    CHECK_INT(n, all->errors);
    for (size_t i = 0; i < had; i++)
        CHECK_INT(row[i].code, before[i].code);
    for (size_t i = 0; i < all->errors; i++)
        check_row(row_of(row, n, all->error[i].code), &all->error[i]);
}

/* --- the run --- */

static void fill(struct reading *r, mono_ns now, bool whole)
{
    r->t.tick = now;
    r->whole = whole;
    r->b.at = now + 17;
    r->t.issued = draw(100000);
    r->t.returned = draw(10);
    r->t.last = now - 3;
    r->t.loops_end = draw(4) ? MONO_NEVER : now;
    r->t.running = (uint32_t)draw(CLIENTS);
    r->t.missing = (uint32_t)draw(3);
    r->t.away = (uint32_t)draw(3);
    r->t.cpus = 2;
    r->b.self.have = SAMPLE_CPU;
    r->b.self.cpu_ns += 12345;
}

/* What the reader says. */
static int tell(struct side *v)
{
    struct str out = STR_INIT;

    reading_put(&out, &v->mine, &v->sent);
    struct get in = get_of(out.s, out.len);
    int rc = reading_get(&v->theirs, &in);
    CHECK(rc || get_end(&in));
    str_free(&out);
    return rc;
}

static void pass_on(struct side *v, mono_ns now, bool whole)
{
    fill(&v->mine, now, whole);
    CHECK_INT(tell(v), 0);
    check_received(&v->theirs, &v->mine, whole);
}

static void check_sum(struct side *v, int n, const struct reading *all)
{
    struct baseline sum;

    baseline_init(&sum, 1);
    sum.oldest = MONO_NEVER;
    for (int i = 0; i < n; i++)
        reading_add(&sum, &v[i].theirs.b);
    check_same(&sum, &all->b);
    baseline_fini(&sum);
}

static void test_split(int n)
{
    struct side v[MOST_RANKS];
    struct reading all;
    struct rank of[MOST_RANKS] = {0};
    struct ranks k = {.n = n, .of = of};

    reading_init(&all, CLIENTS);
    for (int i = 0; i < n; i++) {
        init(&v[i]);
        all.b.oldest = v[i].mine.b.oldest < all.b.oldest ? v[i].mine.b.oldest : all.b.oldest;
    }
    for (mono_ns now = 1000; now < 21000; now += 1000) {
        for (uint64_t left = draw(60); left > 0; left--)
            transaction(&v[draw((uint64_t)n)], &all, now + 100 - (mono_ns)left);
        for (int i = 0; i < n; i++)
            pass_on(&v[i], now, now % 5000 == 0);
        check_sum(v, n, &all);
        check_rows(&k, v, &all);
    }
    for (int i = 0; i < n; i++)
        fini(&v[i]);
    reading_fini(&all);
}

/* More codes than rows: what has no row is counted in the last one, and nothing is lost. */
static void test_many_codes(void)
{
    struct rank of[2] = {0};
    struct ranks k = {.n = 2, .of = of};
    struct error_row row[ERROR_ROWS_MAX + 1] = {0};
    size_t n = 40;
    uint64_t sum = 0;

    for (int i = 0; i < 40; i++)
        row[i] = (struct error_row){.code = 1 + i, .class = "other", .count = 1, .first = 5};
    for (int i = 0; i < 40; i++)
        of[1].now.error[i] = (struct error_row){.code = 101 + i, .class = "other", .count = 2};
    of[1].now.errors = 40;
    ranks_merge_rows(&k, row, &n);
    CHECK_INT(n, ERROR_ROWS_MAX + 1);
    CHECK_INT(row[ERROR_ROWS_MAX].code, 0);
    CHECK_INT(row[ERROR_ROWS_MAX].count, 2 * (80 - ERROR_ROWS_MAX));
    for (size_t i = 0; i < n; i++)
        sum += row[i].count;
    CHECK_INT(sum, 40 + 80);
}

/* Whatever comes, it is refused or taken, and nothing is read behind the end. */
static void test_bad_bytes(void)
{
    struct side v;
    struct str out = STR_INIT;
    struct reading all;

    reading_init(&all, CLIENTS);
    init(&v);
    for (int i = 0; i < 50; i++)
        transaction(&v, &all, 7);
    fill(&v.mine, 9, true);
    reading_put(&out, &v.mine, &v.sent);
    for (size_t n = 0; n < out.len; n++) {
        struct get in = get_of(out.s, n);
        struct reading got;
        reading_init(&got, CLIENTS);
        CHECK_INT(reading_get(&got, &in), -1);
        reading_fini(&got);
    }
    for (int i = 0; i < 2000; i++) {
        char *bytes = memcpy(mem_alloc(out.len), out.s, out.len);
        struct get in = get_of(bytes, out.len);
        struct reading got;
        bytes[draw(out.len)] = (char)draw(256);
        bytes[draw(out.len)] = (char)draw(256);
        reading_init(&got, CLIENTS);
        if (reading_get(&got, &in) == 0)
            CHECK(!in.bad);
        reading_fini(&got);
        free(bytes);
    }
    str_free(&out);
    fini(&v);
    reading_fini(&all);
}

/* --- database hosts --- */

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
           same_hist(&a->response, &b->response);
}

/* Row by row, of two readings of which the second has only what has changed. */
static void test_hosts(void)
{
    struct side v;

    init(&v);
    give_hosts(&v.mine.b, 2);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 100; i++)
            host_event(&v.mine.b, (size_t)i % 3, (int64_t)(i + 1) * (round + 1) * 12345);
        CHECK_INT(tell(&v), 0);
        CHECK_INT(v.theirs.b.nhosts, 3);
        for (size_t i = 0; i < 3; i++)
            CHECK(same_host(&v.mine.b.host[i], &v.theirs.b.host[i]));
    }
    struct str again = STR_INIT;
    reading_put(&again, &v.mine, &v.sent); /* nothing has changed: no bucket is sent */
    CHECK(again.len > 0 && again.len < 300);
    str_free(&again);
    fini(&v);
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
    struct str many = STR_INIT, few = STR_INIT;
    struct get in;
    struct reading r;

    reading_init(&r, 1);
    put_u64(&many, 66);
    in = get_of(many.s, many.len);
    CHECK_INT(reading_get_hosts(&r.b, &in), -1);
    CHECK(r.b.host == NULL);
    give_hosts(&r.b, 2);
    put_u64(&few, 2);
    in = get_of(few.s, few.len);
    CHECK_INT(reading_get_hosts(&r.b, &in), -1);
    reading_fini(&r);
    str_free(&many);
    str_free(&few);
}

/* --- incidents --- */

static void happens(struct side *v, enum incident_kind kind)
{
    v->mine.incident[v->mine.incidents++] = (struct snapshot_incident){
        .kind = kind, .at = 12 * NS_PER_SEC, .duration = 34, .was = 4, .is = 3};
}

static void test_incidents(void)
{
    struct side v;
    struct snapshot_incident *got = v.theirs.incident;

    init(&v);
    CHECK_INT(tell(&v), 0);
    CHECK_INT(v.theirs.incidents, 0);
    happens(&v, INCIDENT_STOPPED);
    CHECK_INT(tell(&v), 0);
    CHECK_INT(tell(&v), 0); /* each is told once */
    CHECK_INT(v.theirs.incidents, 1);
    happens(&v, INCIDENT_CPUS);
    CHECK_INT(tell(&v), 0);
    CHECK_INT(v.theirs.incidents, 2);
    CHECK(got[0].kind == INCIDENT_STOPPED && got[1].kind == INCIDENT_CPUS);
    CHECK(got[0].at == 12 * NS_PER_SEC && got[0].duration == 34 && got[0].was == 4);
    CHECK_INT(got[0].is, 3);
    v.theirs.incidents = SNAPSHOT_MAX_INCIDENTS; /* there is no room */
    happens(&v, INCIDENT_STOPPED);
    CHECK_INT(tell(&v), -1);
    v.theirs.incidents = 0;
    happens(&v, INCIDENT_RANK_LOST); /* members do not tell it */
    CHECK_INT(tell(&v), -1);
    fini(&v);
}

/* Statements of a rank that is told twice: kinds of the same name are one. */
static void test_statements(void)
{
    static const struct stmt_key key[] = {
        {"a", 1, true, STMT_CLASS_QUERY, "text", 4},
        {"b", 1, false, STMT_CLASS_TRANSACTION, "BEGIN", 5},
    };
    struct stmt_stats *mine = stmt_stats_new(1), *sum = stmt_stats_new(1);
    struct stmt_stats_shard *shard = stmt_stats_shard(mine, 0);
    struct stmt_figures f[STMT_KINDS_MAX];
    struct str text = STR_INIT;
    struct get in;

    for (int i = 0; i < 2; i++)
        stmt_stats_record(shard, stmt_stats_find(shard, &key[i]), 1000, i, 3);
    reading_put_statements(&text, mine);
    for (int cut = 2; cut >= 0; cut--) {
        in = get_of(text.s, text.len - (cut == 2));
        CHECK_INT(reading_get_statements(cut == 2 ? NULL : sum, &in), cut == 2 ? -1 : 0);
    }
    CHECK_INT(stmt_stats_figures(sum, f), 2);
    for (int i = 0; i < 2; i++) {
        CHECK_STR(f[i].name, key[i].name);
        CHECK_STR(f[i].text, key[i].text);
        CHECK(f[i].class == key[i].class && f[i].named == key[i].named);
        CHECK(f[i].count == 2 && f[i].errors == 2 * (uint64_t)i);
        CHECK(f[i].rows == 6 && f[i].sum_ns == 2000);
    }
    stmt_stats_free(mine);
    stmt_stats_free(sum);
    str_free(&text);
}

TEST_MAIN(reading_test)
{
    hist_stock_setup();
    for (int n = 1; n <= MOST_RANKS; n++)
        test_split(n);
    test_many_codes();
    test_bad_bytes();
    test_hosts();
    test_hosts_beyond();
    test_hosts_refused();
    test_incidents();
    test_statements();
    return test_done("reading_test");
}
