/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks of the final report, in its order: warm-up, errors, outages, retries, connections,
 * database hosts, incidents, load hosts, statements, commands, profile; and the words that other
 * formats and messages take from here.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "report/text_blocks.h"
#include "report/text_table.h"
#include "telemetry/environment.h"

typedef unsigned long long ull;

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* At most `most` bytes of a line of any bytes, with "..." for the rest, of which no character is
 * cut in two; returns how many are left. */
static size_t add_cut(struct str *out, const char *text, size_t len, size_t most, size_t dots)
{
    size_t n = len <= most ? len : most - dots;

    while (n && n < len && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    str_add(out, text, n);
    return len - n;
}

void text_environment(struct str *out, const struct environment *e)
{
    str_adds(out, "Environment:\n");
    for (size_t i = 0; i < e->n; i++) {
        char label[400];
        snprintf(label, sizeof label, "%s:", e->item[i].key);
        str_printf(out, "    %-36s ", label);
        environment_to_text(out, &e->item[i]);
        str_adds(out, "\n");
    }
    str_adds(out, "\n");
}

dur_ns mark_elapsed(const struct snapshot *s, const struct mark *m)
{
    return m->at - (s->at - s->elapsed_ns);
}

void text_marks(struct str *out, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nmarks; i++)
        str_printf(out, "[ %.3fs ] mark: %s\n", dur_sec(mark_elapsed(s, &s->marks[i])),
                   s->marks[i].text);
}

/* --- a warm-up that was to end by itself --- */

void text_warmed(struct str *out, const struct snapshot_warmup *w)
{
    str_printf(out, w->steady ? "steady after %.1f s (" : "not steady within %.1f s (",
               dur_sec(w->after));
    if (w->has_trend)
        str_printf(out, "%s: %+.2f%% +- %.2f%% in 10 s, bound %.12g%%)",
                   w->rate ? "mean response time" : "transactions per second", w->change_pct,
                   w->error_pct, w->bound_pct);
    else
        str_adds(out, "no transaction ended in some of the last 10 s)");
}

void text_warmup(struct str *out, const struct snapshot *s)
{
    struct str text = STR_INIT;

    if (!s->warmed.asked)
        return;
    text_warmed(&text, &s->warmed);
    str_adds(out, "Warm-up:\n");
    text_item(out, "until steady", "%s", str_cstr(&text));
    str_adds(out, "\n");
    str_free(&text);
}

/* --- errors by code; times are in seconds since measuring began --- */

const char *text_error_code(char buf[TEXT_ERROR_CODE_SIZE], const struct error_row *r)
{
    if (r->code && *r->sqlstate)
        snprintf(buf, TEXT_ERROR_CODE_SIZE, "%d (%s)", r->code, r->sqlstate);
    else if (r->code)
        snprintf(buf, TEXT_ERROR_CODE_SIZE, "%d", r->code);
    else
        snprintf(buf, TEXT_ERROR_CODE_SIZE, "%s", *r->sqlstate ? r->sqlstate : "no code");
    return buf;
}

/* clang-format off */
static const struct {
    const char *class, *words;
    bool usual; /* belongs to a load */
} error_class[] = {
    {"connection", "no connection", false},
    {"overload", "too many connections", false},
    {"deadlock", "deadlocks", true},
    {"lock-wait", "locks not granted in time", true},
    {"serialization", "serialization failures", true},
    {"duplicate", "duplicate keys", true},
    {"read-only", "read-only server", false},
    {"cluster", "cluster not ready", false},
    {"cancelled", "cancelled statements", false},
    {"shutdown", "server shutting down or starting", false},
    {"statement-limit", "too many prepared statements", false},
    {"missing", "missing table or database", false},
    {"access", "access denied", false},
    {"tls", "TLS", false},
};
/* clang-format on */

bool text_error_is_usual(const struct error_row *r)
{
    for (size_t i = 0; i < COUNT(error_class); i++)
        if (strcmp(error_class[i].class, r->class) == 0)
            return error_class[i].usual;
    return false;
}

const char *text_error_words(const char *class)
{
    for (size_t i = 0; i < COUNT(error_class); i++)
        if (strcmp(error_class[i].class, class) == 0)
            return error_class[i].words;
    return "errors";
}

/* With stock's options alone, errors that belong to a load do not show: output is stock's then. */
void text_errors(struct str *out, const struct snapshot *s, enum text_detail detail)
{
    bool shown = s->nby_code > 0 && (snapshot_tells_rate(s) || s->server.on || s->statements);

    for (size_t i = 0; i < s->nby_code; i++)
        shown = shown || !text_error_is_usual(s->by_code[i].row);
    if (!shown)
        return;
    str_adds(out, "Errors by code (times in s since the start):\n"
                  "       count     first      last  class and code\n");
    for (size_t i = 0; i < s->nby_code; i++) {
        const struct snapshot_error *e = &s->by_code[i];
        char code[TEXT_ERROR_CODE_SIZE];
        struct str text = STR_INIT;
        str_printf(out, "  %10llu %9.3f %9.3f  ", (ull)e->count, dur_sec(e->first_ns),
                   dur_sec(e->last_ns));
        str_printf(&text, "%s %s: %s", e->row->class, text_error_code(code, e->row), e->row->text);
        text_wrap(out, str_cstr(&text), 34, 34, detail == TEXT_FULL ? TEXT_UNBOUND : TEXT_WIDTH);
        str_adds(out, "\n");
        str_free(&text);
    }
    str_adds(out, "\n");
}

/* --- outages --- */

/* "after 3.105 s", or that it did not come. */
static void delay(struct str *out, const char *label, const struct outage *o, mono_ns at)
{
    if (at)
        text_item(out, label, "after %.3f s", dur_sec(at - o->first_error));
    else
        text_item(out, label, "not before the end of the run");
}

static void one_outage(struct str *out, const struct snapshot *s, size_t i)
{
    static const char back[] = "  lost connections are back";
    const struct snapshot_outages *v = s->outages;
    const struct outage *o = &v->row[i];
    const struct outage_counts *a = &o->before, *b = &o->after;
    char label[32];

    snprintf(label, sizeof label, "outage %zu", i + 1);
    text_item(out, label, "first error at %.3f s (%llu error%s)", dur_sec(o->first_error - v->zero),
              (ull)o->errors, o->errors == 1 ? "" : "s");
    delay(out, "  first success", o, o->success);
    text_item(out, "  longest time without success", o->success ? "%.3f s" : "%.3f s, to the end",
              dur_sec(snapshot_silence(s, o)));
    if (!o->lost)
        text_item(out, back, "none was lost");
    else if (o->connected)
        text_item(out, back, "after %.3f s (%u)", dur_sec(o->connected - o->first_error), o->lost);
    else
        text_item(out, back, "not before the end of the run (%u of %u are missing)", v->away,
                  o->lost);
    if (!snapshot_tells_rate(s)) {
        text_item(out, "  meanwhile", "%llu done, %llu failed", (ull)(b->done - a->done),
                  (ull)(b->failed - a->failed));
        return;
    }
    delay(out, "  transactions begin in time", o, o->drained);
    text_item(out, "  meanwhile",
              "%llu offered; %llu done, %llu of them late; %llu failed, %llu dropped",
              (ull)(b->offered - a->offered), (ull)(b->done - a->done), (ull)(b->late - a->late),
              (ull)(b->failed - a->failed), (ull)(b->dropped - a->dropped));
}

void text_outages(struct str *out, const struct snapshot *s)
{
    const struct snapshot_outages *v = s->outages;

    if (!v)
        return;
    str_adds(out,
             "Outages (an error of the server or a connection until the load is as before):\n");
    for (size_t i = 0; i < v->n; i++)
        one_outage(out, s, i);
    if (v->more)
        str_printf(out, "    and %zu more\n", v->more);
    if (snapshot_tells_rate(s)) {
        const struct text_series series[] = {
            {"before", &v->before}, {"during", &v->during}, {"after", &v->after}};
        str_adds(out, "    response time by planned start, ms:\n"
                      "    planned          done        p50        p95        p99    maximum\n");
        for (size_t i = v->has_before ? 0 : 1; i < COUNT(series); i++) {
            const struct snapshot_series *r = series[i].v;
            char p50[40], p95[40], p99[40], max[40];
            str_printf(out, "    %-10s %10llu %10s %10s %10s %10s\n", series[i].label, (ull)r->n,
                       text_ms(p50, r->p50), text_ms(p95, r->p95), text_ms(p99, r->p99),
                       text_ms(max, r->max));
        }
    }
    str_adds(out, "\n");
}

/* --- transactions that were run again after an error, and connections --- */

/* Where the report is stock's alone, only what went wrong: a deadlock that was retried is in its
 * "ignored errors".  The two lines of latencies are of the same transactions, so that the
 * difference is what the retries cost them. */
void text_retries(struct str *out, const struct snapshot *s)
{
    const struct snapshot_retries *r = &s->retries;
    const struct text_series series[] = {{"first attempt", &r->first}, {"until done", &r->last}};

    if (!r->unknown && !r->failed && !(r->transactions && snapshot_tells_rate(s)))
        return;
    str_adds(out, "Retries:\n");
    if (r->transactions)
        text_item(out, "transactions run again", "%llu (%llu retries, at most %llu of one)",
                  (ull)r->transactions, (ull)r->retries, (ull)r->most);
    if (r->failed)
        text_item(out, "failed nevertheless", "%llu", (ull)r->failed);
    if (r->unknown)
        text_item(out, "commits of unknown outcome",
                  "%llu (the connection was lost before the answer; run again, they may have been "
                  "done twice)",
                  (ull)r->unknown);
    if (r->last.n)
        text_series(out, 14, NULL, series, COUNT(series));
    str_adds(out, "\n");
}

/* Clients that were refused, lost connections that were replaced, and those without prepared
 * statements. */
void text_connections(struct str *out, const struct snapshot *s)
{
    const struct snapshot_connections *v = &s->connections;
    const struct text_series series[] = {{"connect", &v->connect}, {"since the loss", &v->away}};
    char refused[80] = "", error[32] = "";

    if (!(v->limited || v->plain || v->connect.n) || !(v->asked || snapshot_tells_rate(s)))
        return;
    str_adds(out, "Connections:\n");
    if (v->refused && v->refused_with)
        snprintf(error, sizeof error, " (error %d)", v->refused_with);
    if (v->refused)
        snprintf(refused, sizeof refused, ", %u refused at first%s", v->refused, error);
    if (v->limited)
        text_item(out, "clients", "%u of %u connected%s", v->connected, v->clients, refused);
    if (v->plain)
        text_item(out, "plain queries", "%zu connection%s without prepared statements", v->plain,
                  v->plain == 1 ? "" : "s");
    if (v->connect.n) {
        text_item(out, "lost and replaced", "%llu", (ull)v->connect.n);
        text_series(out, 14, NULL, series, COUNT(series));
    }
    str_adds(out, "\n");
}

/* --- the database hosts that the clients were spread over: two tables, since one line for all
 * figures would not fit a terminal --- */

void text_hosts(struct str *out, const struct snapshot *s)
{
    enum { NAME_WIDTH = 21 };
    static const struct text_column columns[] = {
        {"clients", 7, 0}, {"transactions", 12, 0}, {"%", 6, 2},      {"failed", 7, 0},
        {"errors", 7, 0},  {"lost", 5, 0},          {"reconn", 6, 0},
    };
    struct text_series *series;
    uint64_t all = 0;

    if (!(s->connections.asked || snapshot_tells_rate(s)))
        return;
    if (s->hosts_many)
        str_adds(out, "Database hosts:\n    n/a (" SNAPSHOT_HOSTS_MANY ")\n\n");
    if (!s->hosts)
        return;
    series = mem_array(s->hosts, sizeof *series);
    for (size_t i = 0; i < s->hosts; i++)
        all += s->host[i].events;
    str_printf(out, "Database hosts:\n    %-*s", NAME_WIDTH, "host");
    text_heads(out, columns, COUNT(columns));
    str_adds(out, "\n");
    for (size_t i = 0; i < s->hosts; i++) {
        const struct snapshot_host *h = &s->host[i];
        text_name(out, h->name, NAME_WIDTH);
        text_row(out, columns, COUNT(columns),
                 (double[]){h->clients, (double)h->events,
                            all ? 100.0 * (double)h->events / (double)all : (double)NAN,
                            (double)h->failed, (double)h->errors, (double)h->lost,
                            (double)h->reconnects});
        str_adds(out, "\n");
        series[i] = (struct text_series){h->name, &h->latency};
    }
    text_series(out, NAME_WIDTH, NULL, series, s->hosts);
    free(series);
    if (s->host_asked)
        text_item(out, "server status of", "%s", s->host_asked);
    str_adds(out, "\n");
}

/* --- what happened to the machine or the server: a line before the interval that noticed it, and a
 * block --- */

/* clang-format off */
static const struct {
    const char *name, *words;
    enum { PIDS, SHIFT, LENGTH, AT_LEAST, CHANGE, WHY } details;
} incident[] = {
    [INCIDENT_SERVER_RESTARTED] = {"server-restarted", "server restarted", PIDS},
    [INCIDENT_CLOCK_SET] = {"wall-clock-set", "wall clock set", SHIFT},
    [INCIDENT_SUSPENDED] = {"suspended", "system suspended", LENGTH},
    [INCIDENT_STOPPED] = {"stopped", "sysbench stopped", AT_LEAST},
    [INCIDENT_CPUS] = {"cpus-changed", "CPUs online", CHANGE},
    [INCIDENT_RANK_LOST] = {"rank-lost", "lost", WHY},
};
/* clang-format on */

const char *incident_name(enum incident_kind kind)
{
    return incident[kind].name;
}

double incident_elapsed_s(const struct snapshot *s, const struct snapshot_incident *v)
{
    return dur_sec(v->at - (s->at - s->elapsed_ns));
}

/* `when`: the words between what happened and its details */
static void describe(struct str *out, const struct snapshot_incident *v, const char *when)
{
    double d = dur_sec(v->duration);

    if (v->host)
        str_printf(out, *v->host ? "rank %d (%s): " : "rank %d%s: ", v->rank, v->host);
    str_printf(out, "%s%s: ", incident[v->kind].words, when);
    switch (incident[v->kind].details) {
    case PIDS: str_printf(out, "pid %d -> %d", v->was, v->is); break;
    case SHIFT: str_printf(out, "by %+.3f s", d); break;
    case LENGTH: str_printf(out, "for %.3f s", d); break;
    case AT_LEAST: str_printf(out, "for at least %.3f s", d); break;
    case CHANGE: str_printf(out, "%d -> %d", v->was, v->is); break;
    case WHY: str_adds(out, v->why); break;
    }
}

void incident_text(struct str *out, const struct snapshot_incident *v)
{
    describe(out, v, "");
}

/* Reports that have none of our lines have none of these. */
static bool has_our_lines(const struct snapshot *s)
{
    return snapshot_tells_rate(s) || s->server.on || s->probe || s->nranks;
}

void text_incident_lines(struct str *out, const struct snapshot *s)
{
    for (size_t i = s->incidents_told; i < s->incidents && has_our_lines(s); i++) {
        str_printf(out, "[ %.3fs ] ", incident_elapsed_s(s, &s->incident[i]));
        describe(out, &s->incident[i], "");
        str_adds(out, "\n");
    }
}

void text_incidents(struct str *out, const struct snapshot *s)
{
    if (s->incidents == 0 || !has_our_lines(s))
        return;
    str_adds(out, "Incidents:\n");
    for (size_t i = 0; i < s->incidents; i++) {
        const struct snapshot_incident *v = &s->incident[i];
        bool lasted = v->kind == INCIDENT_SUSPENDED || v->kind == INCIDENT_STOPPED;
        char when[40];
        snprintf(when, sizeof when, " %s %.1f s", lasted ? "until" : "at",
                 incident_elapsed_s(s, v));
        str_adds(out, "    ");
        describe(out, v, when);
        str_adds(out, "\n");
    }
    str_adds(out, "\n");
}

/* --- the load hosts: a row for each, how its clock compares with the leader's, who was lost or
 * differs from the others --- */

#define WAITED_PCT 50 /* more waiting for a CPU is worth a warning */

static const char *rank_label(char buf[40], const struct snapshot_rank *v, const char *what)
{
    snprintf(buf, 40, "rank %d%s", v->rank, what);
    return buf;
}

/* The figures are the leader's clock as seen from the rank; the line is about the rank's. */
static void clock_line(struct str *out, const struct snapshot_rank *v)
{
    char label[40], offset[UNITS_TEXT_SIZE], error[UNITS_TEXT_SIZE];
    dur_ns ahead = v->clock_offset;

    snprintf(label, sizeof label, "clock of rank %d", v->rank);
    if (v->rank == 0)
        return;
    if (!v->has_clock)
        text_item(out, label, "n/a (it was not compared)");
    else if (v->same_clock)
        text_item(out, label, "the leader's");
    else
        text_item(out, label, "%s %s the leader's, +- %s, and %.2f ppm %s",
                  units_format_duration(offset, ahead < 0 ? -ahead : ahead),
                  ahead < 0 ? "ahead of" : "behind",
                  units_format_duration(error, v->clock_uncertainty), fabs(v->clock_drift_ppm),
                  v->clock_drift_ppm < 0 ? "faster" : "slower");
}

/* Its loss, and what its own part of the report would warn of if it made one. */
static void rank_lines(struct str *out, const struct snapshot *s, const struct snapshot_rank *v)
{
    char label[40];

    if (v->lost) {
        rank_label(label, v, " is lost");
        if (s->has_rate)
            text_item(out, label, "after %.3f s (%s); %llu transactions of its share were not done",
                      dur_sec(v->lost_after), v->why, (ull)v->given_up);
        else
            text_item(out, label,
                      "after %.3f s (%s); its share of the load is missing from then on",
                      dur_sec(v->lost_after), v->why);
        text_item(out, "",
                  "its statements by kind, retries, connection times and outages are unknown");
        text_item(out, rank_label(label, v, ", per thread"),
                  "n/a (it is lost): \"Threads fairness\" is without its %u client%s", v->clients,
                  v->clients == 1 ? "" : "s");
    }
    if (*v->apart)
        text_item(out, rank_label(label, v, " differs"), "%s", v->apart);
    if (v->throttled_periods)
        text_item(out, rank_label(label, v, " was throttled"),
                  "a CPU quota stopped it for %.3f s, %llu periods", dur_sec(v->throttled),
                  (ull)v->throttled_periods);
    if (v->waited_pct > WAITED_PCT)
        text_item(out, rank_label(label, v, " waited for a CPU"),
                  "%.0f %% of the time that it needed one; latencies include it", v->waited_pct);
    if (v->workers_busy)
        text_item(out, rank_label(label, v, ", workers"),
                  "%d of %d nearly saturated (%.0f %% of a CPU at most)", v->workers_busy,
                  v->workers, v->worker_pct);
}

void text_ranks(struct str *out, const struct snapshot *s)
{
    enum { NAME_WIDTH = 21 };
    static const struct text_column columns[] = {{"clients", 7, 0},  {"done", 10, 0},
                                                 {"per sec.", 9, 2}, {"p99, ms", 9, 3},
                                                 {"late", 7, 0},     {"CPU, %", 6, 1}};

    if (s->nranks == 0)
        return;
    str_printf(out, "Load hosts:\n    %-*s", NAME_WIDTH, "rank host");
    text_heads(out, columns, COUNT(columns));
    str_adds(out, "\n");
    for (const struct snapshot_rank *v = s->rank; v < s->rank + s->nranks; v++) {
        struct str name = STR_INIT;
        str_printf(&name, "%4d %s", v->rank, v->host);
        text_name(out, str_cstr(&name), NAME_WIDTH);
        text_row(out, columns, COUNT(columns),
                 (double[]){v->clients, (double)v->done, v->per_s,
                            v->response.n ? dur_ms(v->response.p99) : (double)NAN,
                            s->has_rate ? (double)v->starts_late : (double)NAN, v->cpu_pct});
        str_adds(out, "\n");
        str_free(&name);
    }
    for (size_t i = 0; i < s->nranks; i++)
        clock_line(out, &s->rank[i]);
    for (size_t i = 0; i < s->nranks; i++)
        rank_lines(out, s, &s->rank[i]);
    str_adds(out, "\n");
}

void text_missing_ranks(struct str *out, const struct snapshot *s, const char *before)
{
    for (size_t i = 0; i < s->nranks; i++) {
        if (!s->rank[i].late && !s->rank[i].lost)
            continue;
        str_printf(out, "%s%d%s", before, s->rank[i].rank, s->rank[i].lost ? " (lost)" : "");
        before = ", ";
    }
}

/* --- --report-statements: a line for each kind of statement --- */

static bool within_transactions(enum stmt_class class)
{
    return class != STMT_CLASS_CONNECT && class != STMT_CLASS_PREPARE;
}

double statement_share(const struct snapshot *s, const struct stmt_figures *f)
{
    return within_transactions(f->class) && s->transactions_s > 0
               ? dur_sec(f->sum_ns) / s->transactions_s * 100
               : NAN;
}

const char *statement_name(const struct stmt_figures *f)
{
    return f->name                        ? f->name
           : f->class == STMT_CLASS_OTHER ? "(all others)"
                                          : stmt_class_name(f->class);
}

/* The columns: those of the short form fit beside the kind in 80.  That of errors is there in the
 * short form if there was one. */
/* clang-format off */
enum { IN_BRIEF = 1, IF_ERRORS = 2, TIME = 4, SHARE = 8 };
static const struct {
    const char *head;
    int full, brief; /* width */
    unsigned flags;
} statement_columns[] = {
    {"count", 10, 8, IN_BRIEF}, {"errors", 8, 6, IF_ERRORS}, {"rows", 10, 0, 0},
    {"min", 9, 0, TIME}, {"avg", 9, 8, IN_BRIEF | TIME}, {"p50", 9, 0, TIME},
    {"p95", 9, 8, IN_BRIEF | TIME}, {"p99", 9, 8, IN_BRIEF | TIME},
    {"max", 9, 8, IN_BRIEF | TIME}, {"share", 7, 6, IN_BRIEF | SHARE},
};
/* clang-format on */

/* The text of a kind is at the end of its line, so that it may have any length; what is too long is
 * cut here, but complete in the result files.  Blanks and line ends of the text are one blank
 * each. */
static void add_statement(struct str *out, const char *text, size_t width)
{
    struct str whole = STR_INIT;
    size_t rest;

    for (; *text; text++) {
        if ((unsigned char)*text > ' ')
            str_add(&whole, text, 1);
        else if (whole.len && whole.s[whole.len - 1] != ' ')
            str_adds(&whole, " ");
    }
    if (whole.len && whole.s[whole.len - 1] == ' ')
        whole.len--;
    rest = add_cut(out, whole.len ? whole.s : "", whole.len, width, strlen("..."));
    str_adds(out, rest ? "...\n" : "\n");
    str_free(&whole);
}

/* Its figures; of NULL the headings. */
static void statement_line(struct str *out, const struct snapshot *s, const struct stmt_figures *of,
                           bool full, bool errors)
{
    const struct stmt_figures *f = of ? of : &(struct stmt_figures){.count = 1};
    const double v[COUNT(statement_columns)] = {(double)f->count,
                                                (double)f->errors,
                                                (double)f->rows,
                                                dur_ms(f->min),
                                                dur_ms(f->sum_ns) / (double)f->count,
                                                dur_ms(f->p50),
                                                dur_ms(f->p95),
                                                dur_ms(f->p99),
                                                dur_ms(f->max),
                                                statement_share(s, f)};

    str_adds(out, " ");
    for (size_t i = 0; i < COUNT(statement_columns); i++) {
        unsigned flags = statement_columns[i].flags;
        int width = full ? statement_columns[i].full : statement_columns[i].brief, decimals = 0;
        if (!full && !(flags & IN_BRIEF) && !(flags & IF_ERRORS && errors))
            continue;
        if (flags & TIME)
            decimals = full || v[i] < 1000 ? 3 : v[i] < 100000 ? 1 : 0;
        if (!of)
            str_printf(out, " %*s", width, statement_columns[i].head);
        else if (flags & SHARE && isnan(v[i]))
            str_printf(out, " %*s", width, "-");
        else if (flags & SHARE)
            str_printf(out, " %*.1f%%", width - 1, v[i]);
        else
            str_printf(out, " %*.*f", width, decimals, v[i]);
    }
}

/* Transaction control comes after the statements, then all that is outside transactions. */
void text_statements(struct str *out, const struct snapshot *s, enum text_detail detail)
{
    bool full = detail == TEXT_FULL, errors = false;

    if (!s->statements)
        return;
    for (size_t i = 0; i < s->nstatements; i++)
        errors = errors || s->statements[i].errors;
    str_adds(out, "Statements by kind (times in ms, share of the time in transactions):\n");
    if (s->nstatements) {
        statement_line(out, s, NULL, full, errors);
        str_adds(out, "  kind\n");
    } else {
        str_adds(out, "    none was executed\n");
    }
    for (int group = 0; group <= 2; group++)
        for (const struct stmt_figures *f = s->statements; f < s->statements + s->nstatements;
             f++) {
            if (group != (!within_transactions(f->class) ? 2 : f->class == STMT_CLASS_TRANSACTION))
                continue;
            statement_line(out, s, f, full, errors);
            str_adds(out, "  ");
            add_statement(out, statement_name(f), full ? 104 : errors ? 18 : 25);
        }
    str_adds(out, "\n");
}

/* --- what --do ran, how it ended, the first lines of what it printed --- */

#define ACTION_LINES 5   /* of what a command printed */
#define ACTION_WIDTH 120 /* of a line of it */

/* Writes one line of any bytes; those that do not print become blanks. */
static void one_line(struct str *out, const char *text, size_t len)
{
    size_t at = out->len, rest = add_cut(out, text, len, ACTION_WIDTH, 0);

    str_printable(out->s + at, out->len - at, ' ', "");
    str_adds(out, rest ? "...\n" : "\n");
}

static void action_outcome(struct str *out, const struct report_action *a)
{
    size_t lines = 0;

    switch (a->state) {
    case ACTION_WAITING:
    case ACTION_NOT_RUN: str_adds(out, "not run: the run ended before\n"); return;
    case ACTION_RUNNING: str_adds(out, "running\n"); return;
    case ACTION_FAILED: str_printf(out, "could not be started: %s\n", a->why); return;
    case ACTION_ENDED: break;
    }
    if (a->stopped)
        str_adds(out, "still running at the end of the run, terminated");
    else if (a->signal)
        str_printf(out, "ended by signal %d", a->signal);
    else
        str_printf(out, "exit status %d", a->exit_status);
    str_printf(out, " after %.3f s", a->duration_s);
    if (a->left)
        str_adds(out, "; processes it had left were terminated with the run");
    if (a->output_bytes == 0)
        str_adds(out, "; no output\n");
    else
        str_printf(out, "; output, %zu byte%s%s:\n", a->output_bytes,
                   a->output_bytes > 1 ? "s" : "",
                   a->output_bytes > ACTION_OUTPUT_MAX ? " (the first 65536 were kept)" : "");
    for (const char *text = a->output; *text; lines++) {
        size_t len = strcspn(text, "\n");
        if (lines < ACTION_LINES) {
            str_adds(out, "            ");
            one_line(out, text, len);
        }
        text += len + (text[len] == '\n');
    }
    if (lines > ACTION_LINES)
        str_printf(out, "            ... (%zu more line%s)\n", lines - ACTION_LINES,
                   lines - ACTION_LINES > 1 ? "s" : "");
}

void text_actions(struct str *out, const struct report_action *a, size_t n)
{
    if (n == 0)
        return;
    str_adds(out, "Commands:\n");
    for (size_t i = 0; i < n; i++) {
        bool began = a[i].state == ACTION_RUNNING || a[i].state == ACTION_ENDED;
        str_printf(out, "    %.3f s: ", began ? a[i].begin_s : a[i].at_s);
        one_line(out, a[i].command, strlen(a[i].command));
        str_adds(out, "        ");
        action_outcome(out, &a[i]);
    }
    str_adds(out, "\n");
}

/* --- --server-profile, when it has ended --- */

void text_profile(struct str *out, const struct report_profile *p)
{
    double stacks;

    if (!p || !p->ended)
        return;
    str_adds(out, "Server profile:\n");
    if (p->why) {
        text_line(out, "stacks", "n/a (%s)\n", p->why);
        return;
    }
    text_line(out, "watched", "%s, for %.4f s", p->name, dur_sec(p->watched));
    if (p->cpu)
        text_line(
            out, "on CPU",
            "%llu samples at %d/s on each CPU (about %.4f s of CPU time), %llu different stacks",
            (ull)p->samples, p->hz, (double)p->samples / p->hz, (ull)p->stacks);
    if (p->off_cpu) {
        text_line(out, "off CPU", "%.4f s in %llu threads, %llu different stacks%s%s",
                  dur_sec(p->off_cpu_time), (ull)p->threads, (ull)p->off_cpu_stacks,
                  *p->estimate ? ", " : "", p->estimate);
        text_line(out, "switches", "%llu (%llu involuntary), %llu sampled with a stack",
                  (ull)p->switches, (ull)p->involuntary, (ull)p->sampled);
    }
    stacks = (double)(p->by_pointers + p->by_cfi);
    text_label(out, "unwinding");
    if (p->no_cfi)
        str_printf(out, "frame pointers only (%s)", p->no_cfi);
    else if (stacks > 0)
        str_printf(out, "call frame information %.1f%%, frame pointers %.1f%%",
                   100 * (double)p->by_cfi / stacks, 100 * (double)p->by_pointers / stacks);
    else
        str_adds(out, "n/a (no stacks)");
    if (stacks > 0)
        str_printf(out, "; %.1f%% do not reach the start of a thread",
                   100 * (double)p->partial / stacks);
    str_adds(out, "\n");
    if (p->degraded)
        text_line(out, "",
                  "%llu stacks by frame pointers alone, the profiler had used up its CPU share",
                  (ull)p->degraded);
    if (p->no_names)
        text_line(out, "names of its code",
                  "n/a (/proc/PID/maps of the server cannot be read: be its user, or have "
                  "CAP_SYS_PTRACE)");
    if (p->no_kernel_names)
        text_line(out, "names of the kernel",
                  "n/a (kernel.kptr_restrict hides the kernel's addresses)");
    text_line(out, "lost", "%llu records%s", (ull)p->lost,
              p->lost ? ": the kernel's buffers were full" : "");
    if (p->truncated)
        text_line(out, "left out", "%llu frames: too many different stacks", (ull)p->truncated);
    text_line(out, "profiler", "%.4f s of CPU (%.2f%% of one CPU)", dur_sec(p->cost),
              100 * (double)p->cost / (double)p->watched);
    for (int off = 0; off < 2; off++)
        if (off ? p->off_cpu : p->cpu)
            text_line(out, off && p->cpu ? "" : "files", "%s.%s.folded, .svg%s", p->prefix,
                      off ? "offcpu" : "cpu",
                      p->files_incomplete ? " (not all of them could be written)" : "");
    str_adds(out, "\n");
}
