/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Statistics by kind of statement (--report-statements): a list of kinds that grows as statements
 * are executed, and for each kind count, latency, rows and errors.  A client finds the number of a
 * kind by its name (a lookup without a lock) and adds to the figures of its shard; the reporting
 * side merges the shards.  During the warm-up clients use a shard that registers names and discards
 * figures.
 *
 * memory_note: the first statement of a kind in a shard allocates its histogram; a run touches a
 * few pages of its 270 KiB.  The number of shards depends on CPUs or workers, not on clients, so
 * recording is by atomic additions.
 *
 * Once the list is full, further kinds are counted as STMT_KIND_OTHERS.
 */
#ifndef SB_STATS_STMT_STATS_H
#define SB_STATS_STMT_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STMT_KINDS_MAX 128

/* Always present, and first. */
enum { STMT_KIND_OTHERS, STMT_KIND_CONNECT, STMT_KIND_PREPARE, STMT_KINDS_FIXED };

enum stmt_class {
    STMT_CLASS_PREPARED,    /* statements, by their text */
    STMT_CLASS_QUERY,       /* plain texts, by what they have in common */
    STMT_CLASS_TRANSACTION, /* BEGIN, COMMIT, ROLLBACK ... */
    STMT_CLASS_CONNECT,     /* connections made, first ones and new ones */
    STMT_CLASS_PREPARE,     /* preparing on the server */
    STMT_CLASS_OTHER        /* all others, once the list is full */
};

struct stmt_stats; /* opaque */

struct stmt_stats *stmt_stats_new(size_t shards);
/* Has as many shards as that many clients need on this machine; each worker (0: threads) has its
 * own. */
struct stmt_stats *stmt_stats_new_for(size_t clients, size_t workers);
void stmt_stats_free(struct stmt_stats *k); /* NULL is allowed */

/* Shard i modulo their number. */
struct stmt_stats_shard *stmt_stats_shard(struct stmt_stats *k, size_t i);

/* The shard that registers names and discards figures. */
struct stmt_stats_shard *stmt_stats_warmup_shard(struct stmt_stats *k);

/*
 * The number of a kind, which the first call registers.  Two kinds are the same when name and
 * `named` are equal: a name that a user gave never equals that of a text.  `class` and `text` (what
 * was executed, as an example) are those of the first call.  Any thread.
 */
struct stmt_key {
    const char *name;
    size_t name_len;
    bool named;
    enum stmt_class class;
    const char *text;
    size_t text_len;
};
unsigned stmt_stats_find(struct stmt_stats_shard *s, const struct stmt_key *key);

void stmt_stats_record(struct stmt_stats_shard *s, unsigned number, int64_t ns, bool failed,
                       uint64_t rows);

struct stmt_figures {
    enum stmt_class class;
    const char *name, *text; /* live as long as the kinds; NULL: the class suffices */
    bool named;
    uint64_t count, errors; /* count: those that failed included */
    uint64_t rows;          /* of results, or changed */
    int64_t sum_ns;
    int64_t min, p50, p95, p99, max; /* ns, to a thousandth */
};

/* The reporting side, one thread at a time.  Lists the kinds that occurred, in the order of their
 * first statements, the fixed ones last.  out has room for STMT_KINDS_MAX. */
size_t stmt_stats_figures(struct stmt_stats *k, struct stmt_figures *out);

/* To add up the statements of several load hosts: each kind that occurred, as it is, and into the
 * kind of the same name.  The reporting side, one thread at a time. */
struct stmt_sums {
    uint64_t errors, rows, sum_ns;
};
struct hist_counts;
void stmt_stats_each(struct stmt_stats *k,
                     void (*f)(void *arg, const struct stmt_key *key, const struct stmt_sums *sums,
                               const struct hist_counts *hist),
                     void *arg);
void stmt_stats_add(struct stmt_stats *k, const struct stmt_key *key, const struct stmt_sums *sums,
                    const struct hist_counts *hist);

const char *stmt_class_name(enum stmt_class class);

#endif
