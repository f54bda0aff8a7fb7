/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A struct of numbers and histograms, described once: what a rank or a database host has done.  It
 * is initialized, copied, added up and sent by loops over the description, so a figure that is to
 * be sent to the leader is a member and a row.  Pure functions, except that they allocate.  Private
 * to src/engine
 */
#ifndef SB_ENGINE_TALLY_H
#define SB_ENGINE_TALLY_H

#include "base/record.h"
#include "cluster/codec.h"
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
/* Adds another one, each number by its rule. */
void tally_merge(const struct tally *t, void *to, const void *from);

/* As bytes.  Of a histogram only the buckets that differ from that of `sent`, another one of these
 * structs, which is then the same; NULL: nothing was sent before. */
void tally_put(struct str *out, const struct tally *t, const void *v, void *sent);
/* Brings *v up to date.  -1: these are not such bytes; *v may have changed. */
int tally_get(struct get *in, const struct tally *t, void *v);

/* The same of one histogram. */
void tally_put_hist(struct str *out, const struct hist_counts *now, struct hist_counts *sent);
int tally_get_hist(struct get *in, struct hist_counts *to);

#endif
