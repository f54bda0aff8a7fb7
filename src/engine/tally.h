/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A struct of numbers and histograms, described once: what a rank or a database host has done.  It
 * is initialized, copied, added up and sent by loops over the description, so a figure that is to
 * be sent to the leader is a member and a row.  Private to src/engine
 */
#ifndef SB_ENGINE_TALLY_H
#define SB_ENGINE_TALLY_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/record.h"
#include "cluster/codec.h"
#include "stats/counters.h"
#include "stats/hist.h"

#define TALLY_HISTS 6

struct tally {
    struct record numbers;
    size_t hists, hist[TALLY_HISTS]; /* offsets of struct hist_counts */
};

static inline struct hist_counts *tally_hist(const struct tally *t, const void *v, size_t i)
{
    return (struct hist_counts *)(void *)((char *)(uintptr_t)v + t->hist[i]);
}

/* The histograms, of HIST_BUCKETS; the numbers stay as they are. */
void tally_init(const struct tally *t, void *v);
void tally_fini(const struct tally *t, void *v);
/* Nothing else of the struct is touched. */
void tally_copy(const struct tally *t, void *to, const void *from);
/* Adds another one, each number by its rule. */
void tally_merge(const struct tally *t, void *to, const void *from);

/* As bytes.  Of a histogram only the buckets that differ from that of `sent`, another one of these
 * structs, which is then the same; NULL: nothing was sent before. */
void tally_put(struct put *out, const struct tally *t, const void *v, void *sent);
/* Brings *v up to date.  -1: these are not such bytes; *v may have changed. */
int tally_get(struct get *in, const struct tally *t, void *v);

/* The same of one histogram. */
void tally_put_hist(struct put *out, const struct hist_counts *now, struct hist_counts *sent);
int tally_get_hist(struct get *in, struct hist_counts *to);

/* --- database hosts (hosts.c): what a run keeps of a host --- */

struct host_row {
    _Atomic unsigned connections; /* that are up */
    _Atomic uint64_t lost;        /* connections, since measuring began */
};

struct hosts {
    size_t n; /* 0: there is no list, and one row all the same */
    struct host_row *row;
    pthread_mutex_t lock;
};

/* What a reading has of a host: one row for each, and one for clients without any. */
struct host_counts {
    uint64_t count[CNT_MAX], lost;
    unsigned connections, clients;
    struct hist_counts response;
};
extern const struct tally host_tally;

/* Of n rows; all zero. */
struct host_counts *host_counts_new(size_t n);
void host_counts_free(struct host_counts *h, size_t n);
/* Nothing if either is NULL. */
void host_counts_copy(struct host_counts *to, const struct host_counts *from, size_t n);

#endif
