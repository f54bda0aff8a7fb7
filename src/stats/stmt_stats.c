/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See stmt_stats.h.
 *
 * lookup_note: `slot` is a hash table of open addressing that only grows.  A writer holds the lock,
 * fills the kind and then stores its number in a slot (release); a reader that finds the number
 * (acquire) sees the whole kind, and one that finds an empty slot looks again under the lock.
 */
#include "stats/stmt_stats.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "stats/hist.h"

#define SLOTS 512 /* a power of two, well above STMT_KINDS_MAX */

struct stmt_kind {
    struct stmt_key key; /* its texts are ours; NULL in those that are always present */
    uint64_t hash;
};

struct cell {
    struct hist *_Atomic hist; /* memory_note */
    _Atomic uint64_t errors, rows, sum_ns;
};

struct stmt_stats_shard {
    struct stmt_stats *stmt_stats;
    bool deaf;
    struct cell cell[STMT_KINDS_MAX];
};

struct stmt_stats {
    struct stmt_stats_shard *shard; /* one more than `shards`: the last one discards figures */
    size_t shards;
    pthread_mutex_t lock; /* held while a kind is added */
    _Atomic unsigned known;
    struct stmt_kind kind[STMT_KINDS_MAX];
    _Atomic uint32_t slot[SLOTS]; /* number + 1, 0: empty */
    struct hist_counts merged;    /* the reader's */
};

const char *stmt_class_name(enum stmt_class class)
{
    static const char *const name[] = {
        [STMT_CLASS_PREPARED] = "prepared",       [STMT_CLASS_QUERY] = "query",
        [STMT_CLASS_TRANSACTION] = "transaction", [STMT_CLASS_CONNECT] = "connect",
        [STMT_CLASS_PREPARE] = "prepare",         [STMT_CLASS_OTHER] = "other"};

    return name[class];
}

struct stmt_stats *stmt_stats_new(size_t shards)
{
    struct stmt_stats *k = mem_alloc(sizeof *k);

    k->shards = shards;
    k->shard = mem_array(shards + 1, sizeof *k->shard);
    for (size_t i = 0; i <= shards; i++)
        k->shard[i].stmt_stats = k;
    k->shard[shards].deaf = true;
    pthread_mutex_init(&k->lock, NULL);
    k->kind[STMT_KIND_OTHERS].key.class = STMT_CLASS_OTHER;
    k->kind[STMT_KIND_CONNECT].key.class = STMT_CLASS_CONNECT;
    k->kind[STMT_KIND_PREPARE].key.class = STMT_CLASS_PREPARE;
    atomic_init(&k->known, STMT_KINDS_FIXED);
    hist_counts_init(&k->merged, HIST_BUCKETS);
    return k;
}

struct stmt_stats *stmt_stats_new_for(size_t clients, size_t workers)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = workers ? workers : cpus > 2 ? 2 * (size_t)cpus : 4;

    return stmt_stats_new(clients < most ? clients : most);
}

void stmt_stats_free(struct stmt_stats *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < k->shards; i++)
        for (unsigned j = 0; j < STMT_KINDS_MAX; j++)
            free(atomic_load(&k->shard[i].cell[j].hist));
    for (unsigned j = 0; j < STMT_KINDS_MAX; j++) {
        free((void *)(uintptr_t)k->kind[j].key.name);
        free((void *)(uintptr_t)k->kind[j].key.text);
    }
    hist_counts_fini(&k->merged);
    pthread_mutex_destroy(&k->lock);
    free(k->shard);
    free(k);
}

struct stmt_stats_shard *stmt_stats_shard(struct stmt_stats *k, size_t i)
{
    return &k->shard[i % k->shards];
}

struct stmt_stats_shard *stmt_stats_warmup_shard(struct stmt_stats *k)
{
    return &k->shard[k->shards];
}

/* Its number, or -1 with the empty slot where it belongs. */
static int find_kind(struct stmt_stats *k, const struct stmt_key *key, uint64_t hash, size_t *at)
{
    size_t i = (size_t)(hash ^ hash >> 32) & (SLOTS - 1);

    for (;; i = (i + 1) & (SLOTS - 1)) {
        uint32_t number = atomic_load_explicit(&k->slot[i], memory_order_acquire);
        const struct stmt_key *a = &k->kind[number ? number - 1 : 0].key;
        if (number && k->kind[number - 1].hash == hash && a->named == key->named &&
            a->name_len == key->name_len && memcmp(a->name, key->name, key->name_len) == 0)
            return (int)number - 1;
        *at = i;
        if (!number)
            return -1;
    }
}

unsigned stmt_stats_find(struct stmt_stats_shard *s, const struct stmt_key *key)
{
    struct stmt_stats *k = s->stmt_stats;
    uint64_t hash = UINT64_C(14695981039346656037) ^ key->named; /* FNV-1a */
    size_t at;

    for (size_t i = 0; i < key->name_len; i++)
        hash = (hash ^ (unsigned char)key->name[i]) * UINT64_C(1099511628211);
    int number = find_kind(k, key, hash, &at);
    if (number >= 0)
        return (unsigned)number;
    if (atomic_load_explicit(&k->known, memory_order_acquire) == STMT_KINDS_MAX)
        return STMT_KIND_OTHERS;
    pthread_mutex_lock(&k->lock);
    number = find_kind(k, key, hash, &at);
    unsigned n = atomic_load_explicit(&k->known, memory_order_relaxed);
    if (number < 0 && n < STMT_KINDS_MAX) {
        struct stmt_key *own = &k->kind[n].key;
        k->kind[n] = (struct stmt_kind){*key, hash};
        own->name = mem_strndup(key->name, key->name_len);
        own->text = mem_strndup(key->text, key->text_len);
        own->text_len = strlen(own->text);
        number = (int)n;
        atomic_store_explicit(&k->slot[at], n + 1, memory_order_release);
        atomic_store_explicit(&k->known, n + 1, memory_order_release);
    }
    pthread_mutex_unlock(&k->lock);
    return number < 0 ? STMT_KIND_OTHERS : (unsigned)number;
}

static struct hist *hist_of(struct cell *c)
{
    struct hist *h = atomic_load_explicit(&c->hist, memory_order_acquire), *made;

    if (h)
        return h;
    made = mem_alloc(sizeof *made);
    if (atomic_compare_exchange_strong(&c->hist, &h, made))
        return made;
    free(made); /* another thread was faster */
    return h;
}

static void count(_Atomic uint64_t *n, uint64_t more)
{
    if (more)
        atomic_fetch_add_explicit(n, more, memory_order_relaxed);
}

void stmt_stats_record(struct stmt_stats_shard *s, unsigned number, int64_t ns, bool failed,
                       uint64_t rows)
{
    struct cell *c = &s->cell[number];

    assert(number < STMT_KINDS_MAX);
    if (s->deaf)
        return;
    count(&c->errors, failed);
    count(&c->rows, rows);
    count(&c->sum_ns, ns > 0 ? (uint64_t)ns : 0);
    hist_record_shared(hist_of(c), ns);
}

/* All shards of one kind: the histogram into k->merged, the sums into *f. */
static void merge(struct stmt_stats *k, unsigned number, struct stmt_figures *f)
{
    hist_counts_clear(&k->merged);
    for (size_t i = 0; i < k->shards; i++) {
        struct cell *c = &k->shard[i].cell[number];
        struct hist *h = atomic_load_explicit(&c->hist, memory_order_acquire);
        if (!h)
            continue;
        hist_counts_add(&k->merged, h);
        f->errors += atomic_load_explicit(&c->errors, memory_order_relaxed);
        f->rows += atomic_load_explicit(&c->rows, memory_order_relaxed);
        f->sum_ns += (int64_t)atomic_load_explicit(&c->sum_ns, memory_order_relaxed);
    }
}

static bool figures(struct stmt_stats *k, unsigned number, struct stmt_figures *f)
{
    const struct stmt_key *v = &k->kind[number].key;

    *f = (struct stmt_figures){
        .class = v->class, .name = v->name, .text = v->text, .named = v->named};
    merge(k, number, f);
    f->count = k->merged.total;
    f->min = hist_min(&k->merged);
    f->p50 = hist_percentile(&k->merged, 50);
    f->p95 = hist_percentile(&k->merged, 95);
    f->p99 = hist_percentile(&k->merged, 99);
    f->max = hist_max(&k->merged);
    return f->count > 0;
}

size_t stmt_stats_figures(struct stmt_stats *k, struct stmt_figures *out)
{
    static const unsigned last[] = {STMT_KIND_CONNECT, STMT_KIND_PREPARE, STMT_KIND_OTHERS};
    unsigned n = atomic_load_explicit(&k->known, memory_order_acquire);
    size_t found = 0;

    for (unsigned j = STMT_KINDS_FIXED; j < n; j++)
        found += figures(k, j, &out[found]);
    for (size_t i = 0; i < STMT_KINDS_FIXED; i++)
        found += figures(k, last[i], &out[found]);
    return found;
}

void stmt_stats_each(struct stmt_stats *k,
                     void (*f)(void *arg, const struct stmt_key *key, const struct stmt_sums *sums,
                               const struct hist_counts *hist),
                     void *arg)
{
    unsigned n = atomic_load_explicit(&k->known, memory_order_acquire);

    for (unsigned j = 0; j < n; j++) {
        struct stmt_key key = k->kind[j].key;
        if (!key.name)
            key.name = key.text = "";
        struct stmt_figures sums = {0};
        merge(k, j, &sums);
        if (k->merged.total)
            f(arg, &key, &(struct stmt_sums){sums.errors, sums.rows, (uint64_t)sums.sum_ns},
              &k->merged);
    }
}

void stmt_stats_add(struct stmt_stats *k, const struct stmt_key *key, const struct stmt_sums *sums,
                    const struct hist_counts *hist)
{
    unsigned number = 0; /* those that are always present have no name of their own */

    while (number < STMT_KINDS_FIXED && k->kind[number].key.class != key->class)
        number++;
    if (number == STMT_KINDS_FIXED)
        number = stmt_stats_find(&k->shard[0], key);
    struct cell *c = &k->shard[0].cell[number];
    count(&c->errors, sums->errors);
    count(&c->rows, sums->rows);
    count(&c->sum_ns, sums->sum_ns);
    hist_add_counts(hist_of(c), hist);
}
