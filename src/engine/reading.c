/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See reading.h.
 */
#include "engine/reading.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stats/outages.h"
#include "stats/stmt_stats.h"

#define VERSION        3
#define MOST_HOST_ROWS 65 /* as many as app.c allows, and one */

/* --- what is sent, and how it is added up --- */

static const struct record_field total_fields[] = {
    RECORD_EACH(struct reading_totals, RECORD_NONE, tick),
    RECORD_EACH(struct reading_totals, RECORD_SUM, issued, returned),
    RECORD_EACH(struct reading_totals, RECORD_MOST, last),
    RECORD_EACH(struct reading_totals, RECORD_NONE, loops_end),
    RECORD_EACH(struct reading_totals, RECORD_SUM, lat_sum),
    RECORD_EACH(struct reading_totals, RECORD_LEAST, lat_min),
    RECORD_EACH(struct reading_totals, RECORD_MOST, lat_max),
    RECORD_EACH(struct reading_totals, RECORD_SUM, running, missing, away),
    RECORD_EACH(struct reading_totals, RECORD_NONE, cpus),
};
const struct record reading_totals_record = RECORD("totals", total_fields);

static const struct record_field client_fields[] = {
    RECORD_EACH(struct reading_client, RECORD_NONE, events, lat_sum, lat_min, lat_max, last),
};
static const struct record client_record = RECORD("client", client_fields);

static const struct record_field incident_fields[] = {
    RECORD_EACH(struct snapshot_incident, RECORD_NONE, kind, at, duration, was, is),
};
static const struct record incident_record = RECORD("incident", incident_fields);

static const struct record_field error_fields[] = {
    RECORD_EACH(struct error_row, RECORD_SUM, count),
    RECORD_EACH(struct error_row, RECORD_MOST, last),
    RECORD_EACH(struct error_row, RECORD_LEAST, first),
    RECORD_EACH(struct error_row, RECORD_NONE, code, sqlstate),
    RECORD_EACH(struct error_row, RECORD_KEEP, text),
};
const struct record reading_error_record = RECORD("error", error_fields);

static const struct record_field end_fields[] = {
    RECORD_EACH(struct rank_end, RECORD_MOST, run_end, schedule_end, planned, begun, worst_wake),
    RECORD_EACH(struct rank_end, RECORD_SUM, clients_left, forced, retries.transactions,
                retries.retries),
    RECORD_EACH(struct rank_end, RECORD_MOST, retries.most),
    RECORD_EACH(struct rank_end, RECORD_SUM, retries.failed, retries.unknown, connections.connected,
                connections.refused),
    RECORD_EACH(struct rank_end, RECORD_MOST, connections.refused_with),
    RECORD_EACH(struct rank_end, RECORD_SUM, connections.plain, batches.n, batches.answers,
                batches.sum),
    RECORD_EACH(struct rank_end, RECORD_MOST, batches.most),
    RECORD_EACH(struct rank_end, RECORD_SUM, workers, saturated),
    RECORD_EACH(struct rank_end, RECORD_MOST, saturated_pct),
    RECORD_EACH(struct rank_end, RECORD_SUM, more_outages),
};
static const struct tally end_tally = {
    RECORD("end", end_fields),
    6,
    {offsetof(struct rank_end, first), offsetof(struct rank_end, last),
     offsetof(struct rank_end, connect), offsetof(struct rank_end, again),
     offsetof(struct rank_end, during), offsetof(struct rank_end, after)}};

static const struct record_field stmt_fields[] = {
    RECORD_EACH(struct stmt_sums, RECORD_NONE, errors, rows, sum_ns),
};
static const struct record stmt_record = RECORD("statement", stmt_fields);

/* --- a reading --- */

void reading_init(struct reading *r, size_t clients)
{
    memset(r, 0, sizeof *r);
    baseline_init(&r->b, 1);
    r->t.loops_end = r->b.oldest = MONO_NEVER;
    r->clients = clients;
    r->client = mem_array(clients, sizeof *r->client);
}

void reading_fini(struct reading *r)
{
    baseline_fini(&r->b);
    free(r->client);
    for (size_t i = 0; i <= ERROR_ROWS_MAX; i++)
        free(r->class[i]);
}

int reading_get_hosts(struct baseline *b, struct get *in)
{
    uint64_t rows = get_u64(in);

    if (in->bad || rows > MOST_HOST_ROWS || (b->host && rows != b->nhosts))
        return -1;
    if (rows && !b->host) {
        b->host = host_counts_new((size_t)rows);
        b->nhosts = (size_t)rows;
    }
    for (size_t i = 0; i < rows; i++)
        if (tally_get(in, &host_tally, &b->host[i]))
            return -1;
    return 0;
}

void reading_put(struct str *out, const struct reading *r, struct reading_sent *sent)
{
    size_t rows = r->b.host ? r->b.nhosts : 0;

    put_u64(out, VERSION);
    put_record(out, &reading_totals_record, &r->t);
    tally_put(out, &baseline_tally, &r->b, &sent->b);
    /* hosts are numbered, not named: ranks may call the same servers by other addresses, but have
     * them in the same order */
    if (rows && !sent->b.host) {
        sent->b.nhosts = rows;
        sent->b.host = host_counts_new(rows);
    }
    put_u64(out, rows);
    for (size_t i = 0; i < rows; i++)
        tally_put(out, &host_tally, &r->b.host[i], &sent->b.host[i]);
    put_u64(out, r->errors);
    for (size_t i = 0; i < r->errors; i++) {
        put_record(out, &reading_error_record, &r->error[i]);
        put_str(out, r->error[i].class);
    }
    put_u64(out, r->incidents - sent->incidents);
    for (; sent->incidents < r->incidents; sent->incidents++)
        put_record(out, &incident_record, &r->incident[sent->incidents]);
    put_u64(out, r->whole ? r->clients : 0);
    for (size_t i = 0; r->whole && i < r->clients; i++)
        put_record(out, &client_record, &r->client[i]);
}

int reading_get(struct reading *r, struct get *in)
{
    if (get_u64(in) != VERSION || in->bad)
        return -1;
    get_record(in, &reading_totals_record, &r->t);
    if (tally_get(in, &baseline_tally, &r->b) || reading_get_hosts(&r->b, in))
        return -1;
    uint64_t n = get_u64(in);
    if (in->bad || n > ERROR_ROWS_MAX + 1 || n < r->errors)
        return -1;
    for (size_t i = 0; i < n; i++) {
        get_record(in, &reading_error_record, &r->error[i]);
        char *class = get_strdup(in);
        if (r->class[i]) /* others point to it */
            free(class);
        else
            r->error[i].class = r->class[i] = class;
        if (in->bad)
            return -1;
    }
    r->errors = (size_t)n;
    n = get_u64(in);
    if (in->bad || n > SNAPSHOT_MAX_INCIDENTS - r->incidents)
        return -1;
    for (; n > 0; n--) {
        struct snapshot_incident v = {0};

        get_record(in, &incident_record, &v);
        if (in->bad || v.kind > INCIDENT_CPUS)
            return -1;
        r->incident[r->incidents++] = v;
    }
    n = get_u64(in);
    r->whole = n > 0;
    if (in->bad || (r->whole && n != r->clients))
        return -1;
    for (size_t i = 0; i < n; i++)
        get_record(in, &client_record, &r->client[i]);
    return in->bad ? -1 : 0;
}

/* The last row of hosts is that of none, at each rank; what a rank has beyond the leader's list is
 * added there, too. */
void reading_add(struct baseline *to, const struct baseline *from)
{
    tally_merge(&baseline_tally, to, from);
    for (size_t i = 0; to->host && from->host && i < from->nhosts; i++) {
        size_t none = to->nhosts - 1;
        bool known = i + 1 < from->nhosts && i < none;

        tally_merge(&host_tally, &to->host[known ? i : none], &from->host[i]);
    }
}

/* --- the end of a rank --- */

void rank_end_init(struct rank_end *v)
{
    memset(v, 0, sizeof *v);
    tally_init(&end_tally, v);
}

void rank_end_fini(struct rank_end *v)
{
    tally_fini(&end_tally, v);
}

void rank_end_put(struct str *out, const struct rank_end *v)
{
    put_u64(out, VERSION);
    tally_put(out, &end_tally, v, NULL);
    put_u64(out, v->outages);
    for (size_t i = 0; i < v->outages; i++)
        put_record(out, &outage_record, &v->outage[i]);
}

int rank_end_get(struct rank_end *v, struct get *in)
{
    if (get_u64(in) != VERSION || tally_get(in, &end_tally, v))
        return -1;
    v->outages = (size_t)get_u64(in);
    if (in->bad || v->outages > OUTAGES_MAX) {
        v->outages = 0;
        return -1;
    }
    for (size_t i = 0; i < v->outages; i++)
        get_record(in, &outage_record, &v->outage[i]);
    return in->bad ? -1 : 0;
}

void rank_end_add(struct rank_end *to, const struct rank_end *v)
{
    tally_merge(&end_tally, to, v);
    to->outages = outages_join(to->outage, to->outages, v->outage, v->outages, &to->more_outages);
}

/* --- statements --- */

struct kinds_out {
    struct str text;
    size_t n;
};

static void put_kind(void *arg, const struct stmt_key *key, const struct stmt_sums *sums,
                     const struct hist_counts *hist)
{
    struct kinds_out *o = arg;

    put_bytes(&o->text, key->name, key->name_len);
    put_bytes(&o->text, key->text, key->text_len);
    put_bool(&o->text, key->named);
    put_u64(&o->text, key->class);
    put_record(&o->text, &stmt_record, sums);
    tally_put_hist(&o->text, hist, NULL);
    o->n++;
}

void reading_put_statements(struct str *out, struct stmt_stats *kinds)
{
    struct kinds_out o = {.n = 0};

    if (kinds)
        stmt_stats_each(kinds, put_kind, &o);
    put_u64(out, o.n);
    if (o.n)
        str_add(out, o.text.s, o.text.len);
    str_free(&o.text);
}

int reading_get_statements(struct stmt_stats *kinds, struct get *in)
{
    int rc = 0;

    for (uint64_t n = get_u64(in); rc == 0 && !in->bad && n > 0; n--) {
        struct stmt_key key = {0};
        struct stmt_sums sums;
        struct hist_counts hist;

        key.name = get_bytes(in, &key.name_len);
        key.text = get_bytes(in, &key.text_len);
        key.named = get_bool(in);
        uint64_t class = get_u64(in);
        get_record(in, &stmt_record, &sums);
        hist_counts_init(&hist, HIST_BUCKETS);
        rc = tally_get_hist(in, &hist);
        key.class = (enum stmt_class) class;
        if (rc == 0 && kinds && class <= STMT_CLASS_OTHER)
            stmt_stats_add(kinds, &key, &sums, &hist);
        hist_counts_fini(&hist);
    }
    return in->bad ? -1 : rc;
}
