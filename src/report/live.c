/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See live.h.  The figures have the names and values of the other formats (fields.h).
 */
#include "report/live.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "report/json.h"

/* What the charts show, and the tiles of the last interval; the first two place a row in time. */
static const char *const figures[] = {
    "elapsed_s",
    "wall_time_unix_s",
    "interval_s",
    "transactions_per_s",
    "latency.samples",
    "latency.p50_s",
    "latency.p95_s",
    "latency.p99_s",
    "rate.target_per_s",
    "rate.lag_samples",
    "rate.lag_p50_s",
    "rate.lag_p99_s",
    "server.cpu_user_pct",
    "server.cpu_system_pct",
    "server.cpu_s_per_transaction",
    "client.cpu_user_pct",
    "client.cpu_system_pct",
    "client.machine_others_pct",
    "client.machine_stolen_pct",
};

enum { FIGURES = sizeof figures / sizeof *figures };

struct live {
    struct marks *marks;
    bool may_mark;
    const struct report_info *info;
    pthread_mutex_t lock; /* what follows */
    enum live_state state;
    mono_ns from;  /* where warming up ends */
    mono_ns asked; /* when the document was last asked for; 0: never */
    bool told;     /* that the run has ended */
    struct row {
        mono_ns at;
        struct str text; /* as JSON, with a comma after it */
    } row[LIVE_ROWS];    /* a ring: row k, from 1 on, is at k modulo its size */
    uint64_t rows;       /* that were ever added */
    /* JSON, members: the last report with the errors and incidents of the run so far and with what
     * the final one has beside it; of the end the verdict */
    struct str report, verdict;
};

struct live *live_new(const struct report_info *info, struct marks *marks, bool may_mark)
{
    struct live *l = mem_alloc(sizeof *l);

    l->info = info;
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
    for (size_t i = 0; i < LIVE_ROWS; i++)
        str_free(&l->row[i].text);
    str_free(&l->report);
    str_free(&l->verdict);
    free(l);
}

void live_enter(struct live *l, enum live_state state, mono_ns from)
{
    pthread_mutex_lock(&l->lock);
    l->state = state;
    l->from = from;
    pthread_mutex_unlock(&l->lock);
}

/* --- a report --- */

void live_snapshot(struct live *l, const struct snapshot *s)
{
    const bool final = s->kind == SNAPSHOT_FINAL;
    struct str row = STR_INIT, report = STR_INIT;

    if (!final && s->kind != SNAPSHOT_INTERVAL &&
        (s->kind != SNAPSHOT_CHECKPOINT || l->info->intervals))
        return;
    str_printf(&row, "[%llu,%s", (ull)l->rows + 1, s->warmup ? "true" : "false");
    for (size_t i = 0; i < FIGURES; i++) {
        struct field f = fields_find(s, figures[i]);
        str_adds(&row, ",");
        json_value(&row, f.missing ? &(struct value){.kind = VALUE_NONE} : &f.value);
    }
    str_adds(&row, "],");
    json_name(&report, "report");
    json_doc_report(&report, s);
    json_members(&report, live_report_figures, s, s);
    json_members(&report, live_info_figures, s, l->info);
    json_members(&report, live_part_figures, s, s);
    pthread_mutex_lock(&l->lock);
    if (final) {
        str_free(&row);
    } else {
        l->rows++;
        str_free(&l->row[l->rows % LIVE_ROWS].text);
        l->row[l->rows % LIVE_ROWS] = (struct row){s->at, row};
    }
    str_free(&l->report);
    l->report = report;
    pthread_mutex_unlock(&l->lock);
}

void live_end(struct live *l, const struct report_end *end)
{
    pthread_mutex_lock(&l->lock);
    l->state = LIVE_ENDED;
    str_reset(&l->verdict);
    json_object(&l->verdict, end_figures, NULL, end);
    str_adds(&l->verdict, ",\"verdict\":");
    json_doc_verdict(&l->verdict, end);
    json_name(&l->verdict, "profile");
    json_doc_profile(&l->verdict, l->info->profile);
    pthread_mutex_unlock(&l->lock);
}

/* --- the document --- */

void live_json(struct live *l, uint64_t after, struct str *out)
{
    static const char *const state[] = {[LIVE_STARTING] = "starting",
                                        [LIVE_WARMING_UP] = "warming up",
                                        [LIVE_RUNNING] = "running",
                                        [LIVE_ENDING] = "ending",
                                        [LIVE_ENDED] = "ended"};
    const struct report_info *info = l->info;
    uint64_t from = 1;
    double limit = NAN;
    size_t n = marks_count(l->marks), first_mark = n > LIVE_MARKS ? n - LIVE_MARKS : 0;

    for (size_t i = 0; i < info->options; i++)
        if (strcmp(info->option[i].name, "time") == 0 && info->option[i].number > 0)
            limit = info->option[i].number;
    pthread_mutex_lock(&l->lock);
    l->asked = clock_mono();
    l->told = l->state == LIVE_ENDED;
    str_adds(out, "{");
    json_string_member(out, "schema", "sysbench-tx/live/1");
    json_string_member(
        out, "state",
        state[l->state == LIVE_WARMING_UP && clock_mono() >= l->from ? LIVE_RUNNING : l->state]);
    json_string_member(out, "test", info->test);
    json_string_member(out, "command", info->command);
    json_string_member(out, "version", info->version);
    json_number_member(out, "start_time_unix_s", (double)info->wall / 1e9);
    json_number_member(out, "time_limit_s", limit);
    json_name(out, "labels");
    json_doc_labels(out, info);
    str_printf(out, ",\"may_mark\":%s,\"end\":%s", l->may_mark ? "true" : "false",
               l->verdict.len ? l->verdict.s : "null");
    if (l->report.len)
        str_printf(out, ",%s", l->report.s);
    str_adds(out, ",\"figures\":[\"number\",\"warmup\"");
    for (size_t i = 0; i < FIGURES; i++)
        str_printf(out, ",\"%s\"", figures[i]);
    str_printf(out, "],\"last\":%llu,\"rows\":[", (ull)l->rows);
    if (l->rows) { /* the first that is neither overwritten, nor old, nor known to the reader */
        mono_ns oldest = l->row[l->rows % LIVE_ROWS].at - LIVE_KEEP_NS;
        from = l->rows > LIVE_ROWS ? l->rows - LIVE_ROWS + 1 : 1;
        if (after >= from && after <= l->rows)
            from = after + 1;
        while (from < l->rows && l->row[from % LIVE_ROWS].at < oldest)
            from++;
    }
    for (uint64_t i = from; i <= l->rows; i++) {
        const struct str *text = &l->row[i % LIVE_ROWS].text;
        str_add(out, text->s, text->len - (i == l->rows));
    }
    pthread_mutex_unlock(&l->lock);
    str_printf(out, "],\"marks_total\":%zu,\"marks\":[", n);
    for (size_t i = first_mark; i < n; i++) {
        const struct mark *m = marks_at(l->marks, i);
        str_adds(out, i > first_mark ? ",{" : "{");
        json_number_member(out, "wall_time_unix_s", (double)m->wall / 1e9);
        json_string_member(out, "source", mark_source_name(m->source));
        json_string_member(out, "text", m->text);
        str_adds(out, "}");
    }
    str_adds(out, "]}\n");
}

void live_linger(struct live *l)
{
    const mono_ns until = clock_mono() + 2 * NS_PER_SEC;

    for (bool wait = true; wait;) {
        mono_ns now = clock_mono();
        pthread_mutex_lock(&l->lock);
        wait = l->asked && now - l->asked < 3 * NS_PER_SEC && !l->told && now < until;
        pthread_mutex_unlock(&l->lock);
        if (wait)
            usleep(20000);
    }
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
