/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Statements by kind (--report-statements): a member tells the histogram and the sums of each kind,
 * and the leader adds them to those of its own kinds of the same name.
 */
#include "engine/ranks.h"

#include <stdlib.h>

struct writer_of {
    struct put *out;
    size_t n;
};

static void put_kind(void *arg, const struct stmt_key *key, const struct stmt_sums *sums,
                     const struct hist_counts *hist)
{
    struct writer_of *w = arg;
    struct hist_counts none;

    hist_counts_init(&none, HIST_BUCKETS);
    put_bytes(w->out, key->name, key->name_len);
    put_bytes(w->out, key->text, key->text_len);
    put_bool(w->out, key->named);
    put_u64(w->out, key->class);
    put_u64(w->out, sums->errors);
    put_u64(w->out, sums->rows);
    put_u64(w->out, sums->sum_ns);
    reading_put_hist(w->out, hist, &none);
    w->n++;
    hist_counts_fini(&none);
}

void ranks_put_statements(const struct run *r, struct put *out)
{
    struct put kinds = {0};
    struct writer_of w = {.out = &kinds};

    if (r->obs->stmt_stats)
        stmt_stats_each(r->obs->stmt_stats, put_kind, &w);
    put_u64(out, w.n);
    if (w.n)
        str_add(&out->s, kinds.s.s, kinds.s.len);
    put_free(&kinds);
}

static int get_kind(struct stmt_stats *to, struct get *in)
{
    struct stmt_key key = {0};
    struct stmt_sums sums;
    struct hist_counts hist;
    int rc;

    hist_counts_init(&hist, HIST_BUCKETS);
    key.name = get_bytes(in, &key.name_len);
    key.text = get_bytes(in, &key.text_len);
    key.named = get_bool(in);
    key.class = (enum stmt_class)get_u64(in);
    sums.errors = get_u64(in);
    sums.rows = get_u64(in);
    sums.sum_ns = get_u64(in);
    rc = reading_get_hist(&hist, in);
    if (rc == 0 && to && key.class <= STMT_CLASS_OTHER)
        stmt_stats_add(to, &key, &sums, &hist);
    hist_counts_fini(&hist);
    return rc;
}

int ranks_get_statements(struct run *r, struct get *in)
{
    uint64_t n = get_u64(in);

    for (uint64_t i = 0; i < n; i++)
        if (in->bad || get_kind(r->obs->stmt_stats, in))
            return -1;
    return in->bad ? -1 : 0;
}
