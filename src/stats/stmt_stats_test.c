/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Kinds of statements: found again, distinguished, limited in number, added up over shards, threads
 * and processes, without a warm-up.
 */
#include "stats/stmt_stats.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/test.h"
#include "stats/hist.h"

static struct stmt_key key(const char *name, bool named)
{
    return (struct stmt_key){.name = name,
                             .name_len = strlen(name),
                             .named = named,
                             .class = STMT_CLASS_QUERY,
                             .text = "text",
                             .text_len = 4};
}

static unsigned find(struct stmt_stats *k, size_t shard, const char *name, bool named)
{
    struct stmt_key v = key(name, named);

    return stmt_stats_find(stmt_stats_shard(k, shard), &v);
}

/* All that is told of a kind; the texts NULL where there are none. */
static void check(const struct stmt_figures *f, struct stmt_figures want)
{
    CHECK_STR(stmt_class_name(f->class), stmt_class_name(want.class));
    CHECK_STR(f->name ? f->name : "NULL", want.name ? want.name : "NULL");
    CHECK_STR(f->text ? f->text : "NULL", want.text ? want.text : "NULL");
    CHECK_INT(f->named, want.named);
    CHECK_INT(f->count, want.count);
    CHECK_INT(f->errors, want.errors);
    CHECK_INT(f->rows, want.rows);
    CHECK_INT(f->sum_ns, want.sum_ns);
    CHECK_INT(f->min, want.min);
    CHECK_INT(f->p50, want.p50);
    CHECK_INT(f->p95, want.p95);
    CHECK_INT(f->p99, want.p99);
    CHECK_INT(f->max, want.max);
}

static void names(void)
{
    struct stmt_stats *k = stmt_stats_new(2);
    unsigned a = find(k, 0, "SELECT ?", false), b = find(k, 1, "SELECT ?", true);

    CHECK_INT(a, STMT_KINDS_FIXED);
    CHECK_INT(b, STMT_KINDS_FIXED + 1);
    CHECK_INT(find(k, 3, "SELECT ?", false), a);
    CHECK_INT(find(k, 0, "SELECT ?", true), b);
    CHECK_INT(find(k, 0, "SELECT", false), STMT_KINDS_FIXED + 2);
    CHECK_INT(find(k, 0, "SELECT !", false), STMT_KINDS_FIXED + 3);
    /* as long as it says, and the text up to a NUL in it */
    struct stmt_key v = key("SELECT ? FROM t", false);
    struct stmt_figures f[STMT_KINDS_MAX];
    v.name_len = 6;
    CHECK_INT(stmt_stats_find(stmt_stats_warmup_shard(k), &v), STMT_KINDS_FIXED + 2);
    v.name_len = 13;
    v.text = "SELECT 1\0, 2";
    v.text_len = 12;
    v.class = STMT_CLASS_PREPARED;
    CHECK_INT(stmt_stats_find(stmt_stats_warmup_shard(k), &v), STMT_KINDS_FIXED + 4);
    stmt_stats_record(stmt_stats_shard(k, 1), STMT_KINDS_FIXED + 4, 7, false, 3);
    stmt_stats_record(stmt_stats_shard(k, 1), b, 7, false, 3);
    CHECK_INT(stmt_stats_figures(k, f), 2);
    check(&f[0], (struct stmt_figures){STMT_CLASS_QUERY, "SELECT ?", "text", true, 1, 0, 3, 7, 7, 7,
                                       7, 7, 7});
    check(&f[1], (struct stmt_figures){STMT_CLASS_PREPARED, "SELECT ? FROM", "SELECT 1", false, 1,
                                       0, 3, 7, 7, 7, 7, 7, 7});
    CHECK(stmt_stats_shard(k, 0) != stmt_stats_shard(k, 1));
    CHECK(stmt_stats_shard(k, 2) == stmt_stats_shard(k, 0));
    CHECK(stmt_stats_warmup_shard(k) != stmt_stats_shard(k, 0));
    stmt_stats_free(k);
    k = stmt_stats_new_for(3, 1); /* of one worker: all clients have one shard */
    CHECK(stmt_stats_shard(k, 0) == stmt_stats_shard(k, 1));
    stmt_stats_free(k);
    k = stmt_stats_new_for(2, 0);
    CHECK(stmt_stats_shard(k, 0) != stmt_stats_shard(k, 1));
    CHECK(stmt_stats_shard(k, 0) == stmt_stats_shard(k, 2));
    stmt_stats_free(k);
    stmt_stats_free(NULL);
}

static void bounded(void)
{
    struct stmt_stats *k = stmt_stats_new(1);
    struct stmt_figures f[STMT_KINDS_MAX];
    char name[32];
    size_t n;

    for (unsigned i = 0; i < 3 * STMT_KINDS_MAX; i++) {
        unsigned number;
        snprintf(name, sizeof name, "kind %u", i);
        number = find(k, 0, name, false);
        CHECK_INT(number,
                  i + STMT_KINDS_FIXED < STMT_KINDS_MAX ? i + STMT_KINDS_FIXED : STMT_KIND_OTHERS);
        stmt_stats_record(stmt_stats_shard(k, 0), number, 1000, false, 0);
    }
    CHECK_INT(find(k, 0, "kind 0", false), STMT_KINDS_FIXED);
    n = stmt_stats_figures(k, f);
    CHECK_INT(n, STMT_KINDS_MAX - 2); /* nothing connected or prepared */
    CHECK_STR(f[0].name, "kind 0");
    CHECK_INT(f[n - 1].class, STMT_CLASS_OTHER);
    CHECK_INT(f[n - 1].count, 2 * STMT_KINDS_MAX + STMT_KINDS_FIXED);
    stmt_stats_free(k);
}

static void sums(void)
{
    struct stmt_stats *k = stmt_stats_new(2);
    struct stmt_figures f[STMT_KINDS_MAX];
    unsigned a = find(k, 0, "a", false), b = find(k, 0, "b", false);

    stmt_stats_record(stmt_stats_warmup_shard(k), a, 5000000, true, 7); /* the warm-up */
    stmt_stats_record(stmt_stats_warmup_shard(k), STMT_KIND_CONNECT, 1, false, 0);
    CHECK_INT(stmt_stats_figures(k, f), 0);
    for (int i = 1; i <= 100; i++)
        stmt_stats_record(stmt_stats_shard(k, (size_t)i), a, i * 10, i % 10 == 0, 2);
    stmt_stats_record(stmt_stats_shard(k, 1), b, -3, false, 0);
    stmt_stats_record(stmt_stats_shard(k, 1), b, 1, false, 0);
    stmt_stats_record(stmt_stats_shard(k, 0), STMT_KIND_PREPARE, 6, false, 0);
    stmt_stats_record(stmt_stats_shard(k, 0), STMT_KIND_OTHERS, 4, false, 0);
    stmt_stats_record(stmt_stats_shard(k, 1), STMT_KIND_CONNECT, 9, true, 0);
    CHECK_INT(stmt_stats_figures(k, f), 5);
    static const struct stmt_figures want[] = {
        {STMT_CLASS_QUERY, "a", "text", false, 100, 10, 200, 50500, 10, 500, 950, 990, 1000},
        {STMT_CLASS_QUERY, "b", "text", false, 2, 0, 0, 1, 0, 0, 1, 1, 1},
        {STMT_CLASS_CONNECT, NULL, NULL, false, 1, 1, 0, 9, 9, 9, 9, 9, 9},
        {STMT_CLASS_PREPARE, NULL, NULL, false, 1, 0, 0, 6, 6, 6, 6, 6, 6},
        {STMT_CLASS_OTHER, NULL, NULL, false, 1, 0, 0, 4, 4, 4, 4, 4, 4}};
    for (size_t i = 0; i < 5; i++)
        check(&f[i], want[i]);
    static const char *const classes[] = {"prepared", "query",   "transaction",
                                          "connect",  "prepare", "other"};
    for (size_t i = 0; i < 6; i++)
        CHECK_STR(stmt_class_name((enum stmt_class)i), classes[i]);
    stmt_stats_free(k);
}

#define THREADS 4
#define EACH    20000

static void *many(void *arg)
{
    struct stmt_stats *k = arg;
    char name[32];

    for (unsigned i = 0; i < EACH; i++) {
        snprintf(name, sizeof name, "kind %u", i % 50);
        stmt_stats_record(stmt_stats_shard(k, i), find(k, i, name, false), i, i % 2, 1);
    }
    return NULL;
}

static void threads(void)
{
    struct stmt_stats *k = stmt_stats_new(2);
    struct stmt_figures f[STMT_KINDS_MAX];
    pthread_t t[THREADS];

    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&t[i], NULL, many, k), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    CHECK_INT(stmt_stats_figures(k, f), 50);
    for (int i = 0; i < 50; i++) {
        CHECK_INT(f[i].count, THREADS * EACH / 50);
        CHECK_INT(f[i].rows, THREADS * EACH / 50);
    }
    stmt_stats_free(k);
}

struct meeting {
    struct stmt_stats *stats;
    _Atomic unsigned ready[2];
    bool apart; /* each has names of its own */
    unsigned names, number[2][STMT_KINDS_MAX];
};

/* Looks up each name at the same time as the other thread. */
static void meet(struct meeting *m, unsigned self)
{
    for (unsigned i = 0; i < m->names; i++) {
        char name[32];
        snprintf(name, sizeof name, "kind %u %u", i, m->apart && self);
        atomic_store(&m->ready[self], i + 1);
        while (atomic_load(&m->ready[!self]) < i + 1)
            sched_yield();
        m->number[self][i] = find(m->stats, self, name, false);
    }
}

static void *second(void *arg)
{
    meet(arg, 1);
    return NULL;
}

static void have_met(struct meeting *m)
{
    pthread_t t;

    m->stats = stmt_stats_new(2);
    CHECK_INT(pthread_create(&t, NULL, second, m), 0);
    meet(m, 0);
    pthread_join(t, NULL);
    stmt_stats_free(m->stats);
}

/* Two threads that see a name for the first time at the same moment agree on its number. */
static void one_number(void)
{
    for (int round = 0; round < 40; round++) {
        struct meeting m = {.names = 50};
        have_met(&m);
        for (unsigned i = 0; i < m.names; i++) {
            CHECK_INT(m.number[0][i], STMT_KINDS_FIXED + i);
            CHECK_INT(m.number[1][i], STMT_KINDS_FIXED + i);
        }
    }
}

/* One of two gets the last number. */
static void last_number(void)
{
    static const unsigned pairs = (STMT_KINDS_MAX - STMT_KINDS_FIXED) / 2;

    for (int round = 0; round < 100; round++) {
        struct meeting m = {.apart = true, .names = pairs + 1};
        have_met(&m);
        unsigned *a = m.number[0], *b = m.number[1];
        for (unsigned i = 0; i < pairs; i++)
            CHECK(a[i] != b[i] && a[i] < STMT_KINDS_MAX && b[i] < STMT_KINDS_MAX);
        CHECK_INT((a[pairs] == STMT_KIND_OTHERS) + (b[pairs] == STMT_KIND_OTHERS), 1);
        CHECK_INT(a[pairs] + b[pairs], STMT_KIND_OTHERS + STMT_KINDS_MAX - 1);
    }
}

static void pass_on(void *to, const struct stmt_key *v, const struct stmt_sums *sums,
                    const struct hist_counts *hist)
{
    CHECK(v->name && v->text); /* "" where there is none */
    stmt_stats_add(to, v, sums, hist);
}

/* Two processes, which met their kinds in another order, and the two as one. */
static void joined(void)
{
    struct stmt_stats *a = stmt_stats_new(2), *b = stmt_stats_new(1);
    struct stmt_figures f[STMT_KINDS_MAX];
    unsigned first = find(a, 1, "first", false), second = find(a, 0, "second", true);

    stmt_stats_record(stmt_stats_shard(a, 1), first, 1000, false, 1);
    stmt_stats_record(stmt_stats_shard(a, 0), second, 2000, false, 0);
    second = find(b, 0, "second", true);
    first = find(b, 0, "first", false);
    stmt_stats_record(stmt_stats_shard(b, 0), second, 4000, true, 7);
    stmt_stats_record(stmt_stats_shard(b, 0), second, 6000, false, 7);
    stmt_stats_record(stmt_stats_shard(b, 0), find(b, 0, "third", false), 5, false, 0);
    stmt_stats_record(stmt_stats_shard(b, 0), STMT_KIND_CONNECT, 9000, false, 0);
    stmt_stats_each(b, pass_on, a);
    CHECK_INT(stmt_stats_figures(a, f), 4);
    static const struct stmt_figures want[] = {
        {STMT_CLASS_QUERY, "first", "text", false, 1, 0, 1, 1000, 1000, 1000, 1000, 1000, 1000},
        /* to a thousandth: the upper ends of their buckets */
        {STMT_CLASS_QUERY, "second", "text", true, 3, 1, 14, 12000, 2000, 4001, 6003, 6003, 6003},
        {STMT_CLASS_QUERY, "third", "text", false, 1, 0, 0, 5, 5, 5, 5, 5, 5},
        {STMT_CLASS_CONNECT, NULL, NULL, false, 1, 0, 0, 9000, 9000, 9007, 9007, 9007, 9007}};
    for (size_t i = 0; i < 4; i++)
        check(&f[i], want[i]);
    stmt_stats_free(a);
    stmt_stats_free(b);
    /* of another class than what is there, or would be */
    a = stmt_stats_new(1), b = stmt_stats_new(1);
    struct stmt_key begin = key("BEGIN", false);
    begin.class = STMT_CLASS_TRANSACTION;
    stmt_stats_record(stmt_stats_shard(b, 0), stmt_stats_find(stmt_stats_shard(b, 0), &begin), 5,
                      false, 0);
    stmt_stats_each(b, pass_on, a);
    CHECK_INT(stmt_stats_figures(a, f), 1);
    check(&f[0], (struct stmt_figures){STMT_CLASS_TRANSACTION, "BEGIN", "text", false, 1, 0, 0, 5,
                                       5, 5, 5, 5, 5});
    stmt_stats_free(a);
    stmt_stats_free(b);
}

TEST_MAIN(stmt_stats_test)
{
    one_number();
    last_number();
    names();
    bounded();
    sums();
    threads();
    joined();
    return test_done("stmt_stats_test");
}
