/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Latency by kind of statement (--report-statements): a list of kinds that grows as they are met,
 * and for each how often, how long, how many rows and errors.  Those who record find the number of
 * a kind by its name (a lookup without a lock) and add to the figures of their shard; the reporting
 * side merges the shards.  Who is still warming up has a shard that knows all names and forgets all
 * figures.
 *
 * memory_note: a histogram of a kind comes into being with its first statement in a shard; of its
 * 270 KiB a run touches a few pages.  There are as many shards as CPUs or workers call for, not as
 * many as clients, so recording is by atomic additions.
 *
 * What comes when the list is full is recorded as KIND_OTHERS.
 */
#ifndef SB_STATS_KINDS_H
#define SB_STATS_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KINDS_MOST 128

/* Always there, and first. */
enum { KIND_OTHERS, KIND_CONNECT, KIND_PREPARE, KINDS_FIXED };

enum kind_class {
    KIND_CLASS_PREPARED,    /* statements, by their text */
    KIND_CLASS_QUERY,       /* plain texts, by what they have in common */
    KIND_CLASS_TRANSACTION, /* BEGIN, COMMIT, ROLLBACK ... */
    KIND_CLASS_CONNECT,     /* connections made, first ones and new ones */
    KIND_CLASS_PREPARE,     /* preparing on the server */
    KIND_CLASS_OTHER        /* all for which the list had no room */
};

struct kinds; /* opaque */
struct kinds_shard;

struct kinds *kinds_new(size_t shards);
/* With as many shards as so many clients need on this machine; each worker (0: threads) has its
 * own. */
struct kinds *kinds_new_for(size_t clients, size_t workers);
void kinds_free(struct kinds *k); /* NULL is allowed */

/* Shard i modulo their number. */
struct kinds_shard *kinds_shard(struct kinds *k, size_t i);

/* Makes names known and records nothing. */
struct kinds_shard *kinds_deaf_shard(struct kinds *k);

/*
 * The number of a kind, made known by the first call.  Two of them are the same when name and
 * `named` are: a name that a user gave is never that of a text.  `class` and `text` (what was
 * executed, as an example) are those of the first call. Any thread.
 */
struct kind_key {
    const char *name;
    size_t name_len;
    bool named;
    enum kind_class class;
    const char *text;
    size_t text_len;
};
unsigned kinds_find(struct kinds_shard *s, const struct kind_key *key);

void kinds_record(struct kinds_shard *s, unsigned kind, int64_t ns, bool failed, uint64_t rows);

struct kind_figures {
    enum kind_class class;
    const char *name, *text; /* live as long as the kinds; NULL: the class says it all */
    bool named;
    uint64_t count, errors; /* count: those that failed included */
    uint64_t rows;          /* of results, or changed */
    int64_t sum_ns;
    int64_t min, p50, p95, p99, max; /* ns, to a thousandth */
};

/* The reporting side, one thread at a time.  Those of which there was any, in the order in which
 * they were met, the fixed ones last.  out has room for KINDS_MOST. */
size_t kinds_figures(struct kinds *k, struct kind_figures *out);

const char *kind_class_name(enum kind_class class);

#endif
