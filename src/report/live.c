/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See live.h.  The figures have the names and values of the other formats (fields.h).
 */
#include "report/live.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/json.h"

/* What the page shows; the first two place a row in time. */
static const char *const figures[] = {"elapsed_s",
                                      "wall_time_unix_s",
                                      "interval_s",
                                      "threads_running",
                                      "transactions_per_s",
                                      "queries_per_s",
                                      "errors",
                                      "reconnects",
                                      "latency.p50_s",
                                      "latency.p95_s",
                                      "latency.p99_s",
                                      "latency.max_s",
                                      "rate.target_per_s",
                                      "rate.late",
                                      "rate.failed",
                                      "rate.dropped",
                                      "rate.unfinished",
                                      "rate.lag_p50_s",
                                      "rate.lag_p99_s",
                                      "server.cpu_user_pct",
                                      "server.cpu_system_pct",
                                      "server.switches_per_transaction",
                                      "client.cpu_user_pct",
                                      "client.cpu_system_pct"};

enum { FIGURES = sizeof figures / sizeof *figures };

struct row {
    uint64_t number; /* from 1 */
    mono_ns at;
    bool warmup;
    double v[FIGURES]; /* NaN: missing */
};

/* LIVE_WARMING_UP: since live_begin(); from `from` on it means running */
enum live_state { LIVE_STARTING, LIVE_WARMING_UP, LIVE_RUNNING, LIVE_ENDING, LIVE_ENDED };

struct live {
    struct marks *marks;
    bool may_mark;
    const struct report_info *info;
    pthread_mutex_t lock; /* what follows */
    enum live_state state;
    mono_ns from;              /* where warming up ends */
    struct row row[LIVE_ROWS]; /* a ring: row k is at k modulo its size */
    uint64_t rows;             /* that were ever added */
    struct str missing;        /* members: the reasons in the last report */
    char *server;
    struct str events;  /* members: errors and incidents of the run so far, both kinds of hosts */
    struct str verdict; /* of the end, as JSON */
};

struct live *live_new(struct marks *marks, bool may_mark)
{
    struct live *l = mem_alloc(sizeof *l);

    l->marks = marks;
    l->may_mark = may_mark;
    pthread_mutex_init(&l->lock, NULL);
    return l;
}

void live_free(struct live *l)
{
    if (!l)
        return;
    pthread_mutex_destroy(&l->lock);
    str_free(&l->missing);
    str_free(&l->events);
    str_free(&l->verdict);
    free(l->server);
    free(l);
}

void live_open(struct live *l, const struct report_info *info)
{
    l->info = info;
}

void live_begin(struct live *l, mono_ns from)
{
    pthread_mutex_lock(&l->lock);
    l->state = LIVE_WARMING_UP;
    l->from = from;
    pthread_mutex_unlock(&l->lock);
}

void live_ending(struct live *l)
{
    pthread_mutex_lock(&l->lock);
    l->state = LIVE_ENDING;
    pthread_mutex_unlock(&l->lock);
}

/* --- a report --- */

struct reading {
    struct row *row;
    struct str missing;
    bool first; /* of missing */
};

static void read_figure(void *arg, const struct field *f)
{
    const char *section = field_section_name(f->section);
    struct reading *r = arg;
    char path[2 * FIELD_NAME_SIZE];

    snprintf(path, sizeof path, "%s%s%s", section, *section ? "." : "", f->name);
    for (size_t i = 0; i < FIGURES; i++) {
        if (strcmp(figures[i], path) != 0)
            continue;
        if (f->missing)
            json_string_member(&r->missing, &r->first, path, f->missing);
        else
            r->row->v[i] = f->value.number;
        return;
    }
}

/* ,"errors_by_code":[{...}],"incidents":[{...}],"ranks":[...],"hosts":[...]: what happened since
 * measuring began; the load hosts and the database hosts in the last report. */
static void add_events(struct str *out, const struct snapshot *s)
{
    bool first = false; /* the commas are ours */

    str_adds(out, ",\"errors_by_code\":[");
    for (size_t i = 0; i < s->nby_code; i++) {
        const struct error_row *r = s->by_code[i].row;
        bool inner = false;
        str_printf(out, "%s{\"count\":%llu,\"code\":%d", i ? "," : "", (unsigned long long)r->count,
                   r->code);
        json_string_member(out, &inner, "sqlstate", r->sqlstate);
        json_string_member(out, &inner, "class", r->class);
        json_string_member(out, &inner, "text", r->text);
        str_adds(out, "}");
    }
    str_adds(out, "],\"incidents\":[");
    for (size_t i = 0; i < s->incidents; i++) {
        str_adds(out, i ? "," : "");
        json_object(out, &incident_figures, s, &s->incident[i]);
    }
    str_adds(out, "],\"ranks\":[");
    for (size_t i = 0; i < s->nranks; i++) {
        const struct snapshot_rank *v = &s->rank[i];
        str_printf(out, "%s{\"rank\":%d,\"host\":", i ? "," : "", v->rank);
        json_string(out, v->host);
        str_printf(out, ",\"state\":\"%s\"}", v->lost ? "lost" : v->late ? "late" : "present");
    }
    str_adds(out, "]");
    json_row(out, &first, &snapshot_figures, "hosts", s, s);
}

void live_snapshot(struct live *l, const struct snapshot *s)
{
    struct row row = {.at = s->at, .warmup = s->warmup};
    struct reading r = {.row = &row, .first = true};

    if (s->kind != SNAPSHOT_INTERVAL && (s->kind != SNAPSHOT_CHECKPOINT || l->info->intervals))
        return;
    for (size_t i = 0; i < FIGURES; i++)
        row.v[i] = NAN;
    fields_each(s, read_figure, &r);
    pthread_mutex_lock(&l->lock);
    row.number = ++l->rows;
    l->row[row.number % LIVE_ROWS] = row;
    str_free(&l->missing);
    l->missing = r.missing;
    str_reset(&l->events);
    add_events(&l->events, s);
    free(l->server);
    l->server = s->server.on && s->server.describe ? mem_strdup(s->server.describe) : NULL;
    pthread_mutex_unlock(&l->lock);
}

void live_end(struct live *l, const struct report_end *end)
{
    pthread_mutex_lock(&l->lock);
    l->state = LIVE_ENDED;
    str_reset(&l->verdict);
    json_object(&l->verdict, &end_figures, NULL, end);
    str_adds(&l->verdict, ",\"verdict\":");
    json_doc_verdict(&l->verdict, end);
    pthread_mutex_unlock(&l->lock);
}

/* --- the document --- */

/* What the lock protects, for one document. */
struct copy {
    struct row *row;
    size_t n;
    uint64_t last;
    enum live_state state;
    struct str missing, events, verdict;
    char *server;
};

static void copy_rows(struct live *l, uint64_t after, struct copy *c)
{
    uint64_t from = 1;

    pthread_mutex_lock(&l->lock);
    if (l->rows) { /* the first that is neither overwritten, nor old, nor known to the reader */
        mono_ns oldest = l->row[l->rows % LIVE_ROWS].at - LIVE_KEEP_NS;
        from = l->rows > LIVE_ROWS ? l->rows - LIVE_ROWS + 1 : 1;
        if (after >= from && after <= l->rows)
            from = after + 1;
        while (from < l->rows && l->row[from % LIVE_ROWS].at < oldest)
            from++;
    }
    c->n = (size_t)(l->rows + 1 - from);
    c->row = mem_array(c->n ? c->n : 1, sizeof *c->row);
    for (size_t i = 0; i < c->n; i++)
        c->row[i] = l->row[(from + i) % LIVE_ROWS];
    c->last = l->rows;
    c->state = l->state == LIVE_WARMING_UP && clock_mono() >= l->from ? LIVE_RUNNING : l->state;
    str_add(&c->missing, str_cstr(&l->missing), l->missing.len);
    str_add(&c->events, str_cstr(&l->events), l->events.len);
    str_add(&c->verdict, str_cstr(&l->verdict), l->verdict.len);
    c->server = l->server ? mem_strdup(l->server) : NULL;
    pthread_mutex_unlock(&l->lock);
}

void live_json(struct live *l, uint64_t after, struct str *out)
{
    static const char *const state[] = {[LIVE_STARTING] = "starting",
                                        [LIVE_WARMING_UP] = "warming up",
                                        [LIVE_RUNNING] = "running",
                                        [LIVE_ENDING] = "ending",
                                        [LIVE_ENDED] = "ended"};
    bool first = true;
    struct copy c = {0};
    size_t n, first_mark;

    copy_rows(l, after, &c);
    str_adds(out, "{");
    json_string_member(out, &first, "schema", "sysbench-tx/live/1");
    json_string_member(out, &first, "state", state[c.state]);
    json_string_member(out, &first, "test", l->info->test);
    json_string_member(out, &first, "command", l->info->command);
    json_string_member(out, &first, "version", l->info->version);
    json_name(out, &first, "start_time_unix_s");
    json_number(out, (double)l->info->wall / 1e9);
    json_name(out, &first, "labels");
    json_doc_labels(out, l->info);
    json_string_member(out, &first, "server", c.server);
    json_name(out, &first, "may_mark");
    str_adds(out, l->may_mark ? "true" : "false");
    str_printf(out, ",\"end\":%s", c.verdict.len ? str_cstr(&c.verdict) : "null");
    str_printf(out, ",\"missing\":{%s}%s", str_cstr(&c.missing), str_cstr(&c.events));
    str_adds(out, ",\"figures\":[\"number\",\"warmup\"");
    for (size_t i = 0; i < FIGURES; i++)
        str_printf(out, ",\"%s\"", figures[i]);
    str_adds(out, "]");
    str_printf(out, ",\"last\":%llu,\"rows\":[", (unsigned long long)c.last);
    for (size_t i = 0; i < c.n; i++) {
        const struct row *r = &c.row[i];
        str_printf(out, "%s[%llu,%s", i ? "," : "", (unsigned long long)r->number,
                   r->warmup ? "true" : "false");
        for (size_t k = 0; k < FIGURES; k++) {
            str_adds(out, ",");
            json_number(out, r->v[k]);
        }
        str_adds(out, "]");
    }
    str_adds(out, "]");
    n = marks_count(l->marks);
    first_mark = n > LIVE_MARKS ? n - LIVE_MARKS : 0;
    str_printf(out, ",\"marks_total\":%zu,\"marks\":[", n);
    for (size_t i = first_mark; i < n; i++) {
        const struct mark *m = marks_at(l->marks, i);
        bool head = true;
        str_adds(out, i > first_mark ? ",{" : "{");
        json_name(out, &head, "wall_time_unix_s");
        json_number(out, (double)m->wall / 1e9);
        json_string_member(out, &head, "source", mark_source_name(m->source));
        json_string_member(out, &head, "text", m->text);
        str_adds(out, "}");
    }
    str_adds(out, "]");
    str_adds(out, "}\n");
    str_free(&c.missing);
    str_free(&c.events);
    str_free(&c.verdict);
    free(c.server);
    free(c.row);
}

const char *live_mark(struct live *l, const char *text, size_t len)
{
    const char *why = NULL;

    pthread_mutex_lock(&l->lock);
    if (l->state != LIVE_WARMING_UP) /* or running */
        why = "the run is not under way";
    else if (!marks_add(l->marks, MARK_PAGE, 0, text, len)) /* none comes after the state changed */
        why = "the run has too many marks to keep another";
    pthread_mutex_unlock(&l->lock);
    return why;
}
