/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See reading.h.
 *
 * order_note: reading_put() and reading_get() list the same figures in the same order.  Both walk
 * through numbers() and instants(), so a figure that is added there is sent and received; the rest
 * stands in pairs of functions, one below the other.
 */
#include "engine/reading.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define VERSION 1

void reading_init(struct reading *r, size_t clients)
{
    memset(r, 0, sizeof *r);
    baseline_init(&r->b, 1);
    r->loops_end = r->b.oldest = MONO_NEVER;
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

void reading_sent_init(struct reading_sent *s)
{
    memset(s, 0, sizeof *s);
    hist_counts_init(&s->stock, HIST_STOCK_SIZE);
    hist_counts_init(&s->response, HIST_BUCKETS);
    hist_counts_init(&s->service, HIST_BUCKETS);
    hist_counts_init(&s->lag, HIST_BUCKETS);
}

void reading_sent_fini(struct reading_sent *s)
{
    hist_counts_fini(&s->stock);
    hist_counts_fini(&s->response);
    hist_counts_fini(&s->service);
    hist_counts_fini(&s->lag);
    reading_sent_fini_hosts(s);
}

/* --- plain numbers --- */

#define NUMBERS (CNT_MAX + 6)

static void numbers(const struct reading *r, const uint64_t *of[NUMBERS])
{
    size_t n = 0;

    for (size_t i = 0; i < CNT_MAX; i++)
        of[n++] = &r->b.count[i];
    of[n++] = &r->b.offered;
    of[n++] = &r->b.dropped;
    of[n++] = &r->b.sampled;
    of[n++] = &r->issued;
    of[n++] = &r->returned;
    of[n++] = &r->b.self.throttled_periods;
}

#define INSTANTS 14

static void instants(const struct reading *r, const int64_t *of[INSTANTS])
{
    const int64_t *const all[INSTANTS] = {&r->tick,
                                          &r->b.at,
                                          &r->b.oldest,
                                          &r->b.undone,
                                          &r->last,
                                          &r->loops_end,
                                          &r->b.self.at,
                                          &r->b.self.cpu_ns,
                                          &r->b.self.user_ns,
                                          &r->b.self.throttled_ns,
                                          &r->b.self.runq_wait_ns,
                                          &r->lat_sum,
                                          &r->lat_min,
                                          &r->lat_max};

    memcpy(of, all, sizeof all);
}

static void put_figures(struct put *out, const struct reading *r)
{
    const uint64_t *number[NUMBERS];
    const int64_t *instant[INSTANTS];

    numbers(r, number);
    instants(r, instant);
    for (size_t i = 0; i < NUMBERS; i++)
        put_u64(out, *number[i]);
    for (size_t i = 0; i < INSTANTS; i++)
        put_i64(out, *instant[i]);
    put_u64(out, r->b.self.have);
    put_u64(out, r->running);
    put_u64(out, r->missing);
    put_u64(out, r->away);
    put_u64(out, r->cpus);
}

static void get_figures(struct reading *r, struct get *in)
{
    const uint64_t *number[NUMBERS];
    const int64_t *instant[INSTANTS];

    numbers(r, number);
    instants(r, instant);
    for (size_t i = 0; i < NUMBERS; i++)
        *(uint64_t *)(uintptr_t)number[i] = get_u64(in);
    for (size_t i = 0; i < INSTANTS; i++)
        *(int64_t *)(uintptr_t)instant[i] = get_i64(in);
    r->b.self.have = (unsigned)get_u64(in);
    r->running = (uint32_t)get_u64(in);
    r->missing = (uint32_t)get_u64(in);
    r->away = (uint32_t)get_u64(in);
    r->cpus = (uint32_t)get_u64(in);
}

/* --- histograms --- */

static size_t changed(const struct hist_counts *now, const struct hist_counts *sent, size_t from)
{
    while (from < now->size) {
        if (!(now->groups & UINT64_C(1) << (from >> HIST_GROUP_BITS)))
            from = (from | (HIST_GROUP_SIZE - 1)) + 1;
        else if (now->count[from] != sent->count[from])
            break;
        else
            from++;
    }
    return from;
}

/* Pairs of a distance to the bucket before it and a count, and a distance that leads behind the
 * last bucket. */
void reading_put_hist(struct put *out, const struct hist_counts *now, struct hist_counts *sent)
{
    size_t next = 0;

    put_u64(out, now->clamped);
    for (size_t i = changed(now, sent, 0); i < now->size; i = changed(now, sent, next)) {
        put_u64(out, i - next);
        put_u64(out, now->count[i]);
        next = i + 1;
    }
    put_u64(out, now->size - next);
    hist_counts_copy(sent, now);
}

/* A count that has become less is none of ours. */
int reading_get_hist(struct hist_counts *to, struct get *in)
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

/* --- errors: the text of a row once --- */

static bool has_text(const struct reading_sent *sent, size_t row)
{
    return row == ERROR_ROWS_MAX ? sent->others : row < sent->errors;
}

static void put_errors(struct put *out, const struct reading *r, struct reading_sent *sent)
{
    put_u64(out, r->errors);
    for (size_t i = 0; i < r->errors; i++) {
        const struct error_row *row = &r->error[i];
        put_u64(out, row->count);
        put_i64(out, row->last);
        put_u64(out, !has_text(sent, i));
        if (has_text(sent, i))
            continue;
        put_i64(out, row->code);
        put_str(out, row->sqlstate);
        put_str(out, row->class);
        put_str(out, row->text);
        put_i64(out, row->first);
    }
    sent->others = r->errors > ERROR_ROWS_MAX;
    sent->errors = r->errors;
}

static void get_new_row(struct reading *r, size_t i, struct get *in)
{
    struct error_row *row = &r->error[i];

    row->code = (int)get_i64(in);
    get_str(in, row->sqlstate, sizeof row->sqlstate);
    free(r->class[i]);
    row->class = r->class[i] = get_strdup(in);
    get_str(in, row->text, sizeof row->text);
    row->first = get_i64(in);
}

static int get_errors(struct reading *r, struct get *in)
{
    uint64_t n = get_u64(in);

    if (in->bad || n > ERROR_ROWS_MAX + 1 || n < r->errors)
        return -1;
    for (size_t i = 0; i < n; i++) {
        r->error[i].count = get_u64(in);
        r->error[i].last = get_i64(in);
        if (get_u64(in))
            get_new_row(r, i, in);
        if (in->bad || !r->error[i].class)
            return -1;
    }
    r->errors = (size_t)n;
    return 0;
}

/* --- incidents --- */

static void put_incidents(struct put *out, const struct reading *r, struct reading_sent *sent)
{
    put_u64(out, r->incidents - sent->incidents);
    for (size_t i = sent->incidents; i < r->incidents; i++) {
        const struct snapshot_incident *v = &r->incident[i];
        put_u64(out, v->kind);
        put_i64(out, v->at);
        put_i64(out, v->duration);
        put_i64(out, v->was);
        put_i64(out, v->is);
    }
    sent->incidents = r->incidents;
}

static int get_incidents(struct reading *r, struct get *in)
{
    uint64_t n = get_u64(in);

    if (in->bad || n > SNAPSHOT_MAX_INCIDENTS - r->incidents)
        return -1;
    for (uint64_t i = 0; i < n; i++) {
        struct snapshot_incident *v = &r->incident[r->incidents];
        uint64_t kind = get_u64(in);
        if (in->bad || kind > INCIDENT_CPUS)
            return -1;
        *v = (struct snapshot_incident){.kind = (enum incident_kind)kind};
        v->at = get_i64(in);
        v->duration = get_i64(in);
        v->was = (int)get_i64(in);
        v->is = (int)get_i64(in);
        r->incidents++;
    }
    return in->bad ? -1 : 0;
}

/* --- clients --- */

static void put_clients(struct put *out, const struct reading *r)
{
    put_u64(out, r->whole ? r->clients : 0);
    for (size_t i = 0; r->whole && i < r->clients; i++) {
        const struct reading_client *c = &r->client[i];
        put_u64(out, c->events);
        put_i64(out, c->lat_sum);
        put_i64(out, c->lat_min);
        put_i64(out, c->lat_max);
        put_i64(out, c->last);
    }
}

static int get_clients(struct reading *r, struct get *in)
{
    uint64_t n = get_u64(in);

    r->whole = n > 0;
    if (in->bad || (r->whole && n != r->clients))
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct reading_client *c = &r->client[i];
        c->events = get_u64(in);
        c->lat_sum = get_i64(in);
        c->lat_min = get_i64(in);
        c->lat_max = get_i64(in);
        c->last = get_i64(in);
    }
    return in->bad ? -1 : 0;
}

/* --- all --- */

void reading_put(struct put *out, const struct reading *r, struct reading_sent *sent)
{
    put_u64(out, VERSION);
    put_figures(out, r);
    reading_put_hist(out, &r->b.stock, &sent->stock);
    reading_put_hist(out, &r->b.response, &sent->response);
    reading_put_hist(out, &r->b.service, &sent->service);
    reading_put_hist(out, &r->b.lag, &sent->lag);
    reading_put_hosts(out, &r->b, sent);
    put_errors(out, r, sent);
    put_incidents(out, r, sent);
    put_clients(out, r);
}

int reading_get(struct reading *r, struct get *in)
{
    if (get_u64(in) != VERSION || in->bad)
        return -1;
    get_figures(r, in);
    if (in->bad || reading_get_hist(&r->b.stock, in) || reading_get_hist(&r->b.response, in) ||
        reading_get_hist(&r->b.service, in) || reading_get_hist(&r->b.lag, in) ||
        reading_get_hosts(&r->b, in) || get_errors(r, in) || get_incidents(r, in))
        return -1;
    return get_clients(r, in);
}
