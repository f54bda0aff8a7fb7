/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See tally.h.
 */
#include "engine/tally.h"

void tally_init(const struct tally *t, void *v)
{
    for (size_t i = 0; i < t->hists; i++)
        hist_counts_init(tally_hist(t, v, i), HIST_BUCKETS);
}

void tally_fini(const struct tally *t, void *v)
{
    for (size_t i = 0; i < t->hists; i++)
        hist_counts_fini(tally_hist(t, v, i));
}

void tally_merge(const struct tally *t, void *to, const void *from)
{
    record_merge(&t->numbers, to, from);
    for (size_t i = 0; i < t->hists; i++)
        hist_counts_merge(tally_hist(t, to, i), tally_hist(t, from, i));
}

/* The first bucket from `from` on that differs; empty groups are passed over. */
static size_t changed(const struct hist_counts *now, const struct hist_counts *sent, size_t from)
{
    while (from < now->size) {
        if (!(now->groups & UINT64_C(1) << (from >> HIST_GROUP_BITS)))
            from = (from | (HIST_GROUP_SIZE - 1)) + 1;
        else if (now->count[from] != (sent ? sent->count[from] : 0))
            break;
        else
            from++;
    }
    return from;
}

/* Pairs of a distance to the bucket before it and a count, and a distance that leads behind the
 * last bucket. */
void tally_put_hist(struct str *out, const struct hist_counts *now, struct hist_counts *sent)
{
    size_t next = 0;

    put_u64(out, now->clamped);
    for (size_t i = changed(now, sent, 0); i < now->size; i = changed(now, sent, next)) {
        put_u64(out, i - next);
        put_u64(out, now->count[i]);
        next = i + 1;
    }
    put_u64(out, now->size - next);
    if (sent)
        hist_counts_copy(sent, now);
}

/* A count that has become less is none of ours. */
int tally_get_hist(struct get *in, struct hist_counts *to)
{
    size_t next = 0;

    to->clamped = get_u64(in);
    for (;;) {
        uint64_t gap = get_u64(in), n;
        if (in->bad || gap > to->size - next)
            return -1;
        next += (size_t)gap;
        if (next == to->size)
            return 0;
        n = get_u64(in);
        if (in->bad || n < to->count[next])
            return -1;
        hist_counts_put(to, next, n - to->count[next]);
        next++;
    }
}

void tally_put(struct str *out, const struct tally *t, const void *v, void *sent)
{
    put_record(out, &t->numbers, v);
    for (size_t i = 0; i < t->hists; i++)
        tally_put_hist(out, tally_hist(t, v, i), sent ? tally_hist(t, sent, i) : NULL);
}

int tally_get(struct get *in, const struct tally *t, void *v)
{
    get_record(in, &t->numbers, v);
    for (size_t i = 0; i < t->hists; i++)
        if (in->bad || tally_get_hist(in, tally_hist(t, v, i)))
            return -1;
    return in->bad ? -1 : 0;
}
