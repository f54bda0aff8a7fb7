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

#include "base/test_golden.h"
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

/* All that is told of each kind. */
static void show(const char *title, struct stmt_stats *k)
{
    struct stmt_figures f[STMT_KINDS_MAX];
    size_t n = stmt_stats_figures(k, f);

    golden_line("=== %s", title);
    for (size_t i = 0; i < n; i++)
        golden_line(
            "%s %s '%s'%s: count %llu, errors %llu, rows %llu, sum %llu, min %lld, p50 %lld, "
            "p95 %lld, p99 %lld, max %lld",
            stmt_class_name(f[i].class), f[i].name ? f[i].name : "NULL",
            f[i].text ? f[i].text : "NULL", f[i].named ? " named" : "", (ull)f[i].count,
            (ull)f[i].errors, (ull)f[i].rows, (ull)f[i].sum_ns, (long long)f[i].min,
            (long long)f[i].p50, (long long)f[i].p95, (long long)f[i].p99, (long long)f[i].max);
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
    v.name_len = 6;
    CHECK_INT(stmt_stats_find(stmt_stats_warmup_shard(k), &v), STMT_KINDS_FIXED + 2);
    v.name_len = 13;
    v.text = "SELECT 1\0, 2";
    v.text_len = 12;
    v.class = STMT_CLASS_PREPARED;
    CHECK_INT(stmt_stats_find(stmt_stats_warmup_shard(k), &v), STMT_KINDS_FIXED + 4);
    stmt_stats_record(stmt_stats_shard(k, 1), STMT_KINDS_FIXED + 4, 7, false, 3);
    stmt_stats_record(stmt_stats_shard(k, 1), b, 7, false, 3);
    show("names", k);
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
    char name[32];

    for (unsigned i = 0; i < 3 * STMT_KINDS_MAX; i++) {
        unsigned number;
        snprintf(name, sizeof name, "kind %u", i);
        number = find(k, 0, name, false);
        CHECK_INT(number,
                  i + STMT_KINDS_FIXED < STMT_KINDS_MAX ? i + STMT_KINDS_FIXED : STMT_KIND_OTHERS);
        stmt_stats_record(stmt_stats_shard(k, 0), number, 1000, false, 0);
    }
    CHECK_INT(find(k, 0, "kind 0", false), STMT_KINDS_FIXED);
    show("as many as there may be: nothing connected or prepared", k);
    stmt_stats_free(k);
}

static void sums(void)
{
    struct stmt_stats *k = stmt_stats_new(2);
    unsigned a = find(k, 0, "a", false), b = find(k, 0, "b", false);

    stmt_stats_record(stmt_stats_warmup_shard(k), a, 5000000, true, 7); /* the warm-up */
    stmt_stats_record(stmt_stats_warmup_shard(k), STMT_KIND_CONNECT, 1, false, 0);
    show("a warm-up alone", k);
    for (int i = 1; i <= 100; i++)
        stmt_stats_record(stmt_stats_shard(k, (size_t)i), a, i * 10, i % 10 == 0, 2);
    stmt_stats_record(stmt_stats_shard(k, 1), b, -3, false, 0);
    stmt_stats_record(stmt_stats_shard(k, 1), b, 1, false, 0);
    stmt_stats_record(stmt_stats_shard(k, 0), STMT_KIND_PREPARE, 6, false, 0);
    stmt_stats_record(stmt_stats_shard(k, 0), STMT_KIND_OTHERS, 4, false, 0);
    stmt_stats_record(stmt_stats_shard(k, 1), STMT_KIND_CONNECT, 9, true, 0);
    show("sums", k);
    for (size_t i = 0; i < 6; i++)
        golden_line("%s", stmt_class_name((enum stmt_class)i));
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
    show("two processes as one; to a thousandth: the upper ends of their buckets", a);
    stmt_stats_free(a);
    stmt_stats_free(b);
    /* of another class than what is there, or would be */
    a = stmt_stats_new(1), b = stmt_stats_new(1);
    struct stmt_key begin = key("BEGIN", false);
    begin.class = STMT_CLASS_TRANSACTION;
    stmt_stats_record(stmt_stats_shard(b, 0), stmt_stats_find(stmt_stats_shard(b, 0), &begin), 5,
                      false, 0);
    stmt_stats_each(b, pass_on, a);
    show("of another class", a);
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
    golden_done("stmt_stats_test");
    return test_done("stmt_stats_test");
}
