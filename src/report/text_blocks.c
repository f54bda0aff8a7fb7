/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks of the final report: environment, warm-up, errors, incidents, statements, commands,
 * profile, what a transaction's time went to; and the words that other formats and messages take
 * from here.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/fields.h"
#include "report/text_blocks.h"
#include "report/text_table.h"
#include "telemetry/environment.h"

/* At most `most` bytes of a line of any bytes, of which those that do not print become blanks, with
 * "..." for the rest; no character is cut in two.  `dots`: how many of them count. */
static void cut_line(struct str *out, const char *text, size_t len, size_t most, size_t dots)
{
    size_t at = out->len, n = len <= most ? len : most - dots;

    while (n && n < len && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    str_add(out, text, n);
    str_printable(out->s + at, n, ' ');
    str_adds(out, n < len ? "...\n" : "\n");
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

void text_marks(struct str *out, const struct snapshot *s)
{
    for (size_t i = 0; i < s->nmarks; i++)
        str_printf(out, "[ %.3fs ] mark: %s\n", snapshot_since_s(s, s->marks[i].at),
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

static const struct {
    const char *class, *words;
    bool usual; /* belongs to a load */
} error_class[] = {
    {"connection", "no connection", false},
    {"overload", "too many connections for max_connections or a user's limit", false},
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
    {NULL, "errors", false},
};

/* The class of this name; the last row if there is none. */
static size_t class_of(const char *class)
{
    size_t i = 0;

    while (error_class[i].class && strcmp(error_class[i].class, class) != 0)
        i++;
    return i;
}

bool text_error_is_usual(const struct error_row *r)
{
    return error_class[class_of(r->class)].usual;
}

const char *text_error_words(const char *class)
{
    return error_class[class_of(class)].words;
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

/* --- what happened to the machine or the server: a line before the interval that noticed it, and a
 * block --- */

static const struct {
    const char *name, *words; /* NULL: `why` says all */
    enum { WHY, CHANGE, TIME_OF } details;
    const char *before; /* these */
} incident[] = {
    [INCIDENT_SERVER_RESTARTED] = {"server-restarted", "server restarted", CHANGE, "pid "},
    [INCIDENT_SERVER_CHANGED] = {"server-changed", "clients went to another server", CHANGE,
                                 "pid "},
    [INCIDENT_CLOCK_SET] = {"wall-clock-set", "wall clock set", TIME_OF, "by "},
    [INCIDENT_SUSPENDED] = {"suspended", "system suspended", TIME_OF, "for "},
    [INCIDENT_STOPPED] = {"stopped", "sysbench stopped", TIME_OF, "for at least "},
    [INCIDENT_CPUS] = {"cpus-changed", "CPUs online", CHANGE, ""},
    [INCIDENT_STALL] = {"stall", NULL, WHY, ""},
    [INCIDENT_JUMP] = {"jump", NULL, WHY, ""},
    [INCIDENT_RANK_LOST] = {"rank-lost", "lost", WHY, ""},
};

const char *incident_name(enum incident_kind kind)
{
    return incident[kind].name;
}

void incident_text(struct str *out, const struct snapshot_incident *v, const char *when)
{
    const bool whole = !incident[v->kind].words;

    if (v->host && !whole)
        str_printf(out, *v->host ? "rank %d (%s): " : "rank %d%s: ", v->rank, v->host);
    if (!whole)
        str_printf(out, "%s%s: %s", incident[v->kind].words, when, incident[v->kind].before);
    switch (incident[v->kind].details) {
    case WHY: str_adds(out, v->why); break;
    case CHANGE: str_printf(out, "%d -> %d", v->was, v->is); break;
    case TIME_OF:
        str_printf(out, v->kind == INCIDENT_CLOCK_SET ? "%+.3f s" : "%.3f s", dur_sec(v->duration));
    }
}

/* Reports that have none of our lines have none of these. */
static bool has_our_lines(const struct snapshot *s)
{
    return snapshot_tells_rate(s) || s->server.on || s->probe || s->nranks;
}

void text_incident_lines(struct str *out, const struct snapshot *s)
{
    for (size_t i = s->incidents_told; i < s->incidents && has_our_lines(s); i++) {
        str_printf(out, "[ %.3fs ] ", snapshot_since_s(s, s->incident[i].at));
        incident_text(out, &s->incident[i], "");
        str_adds(out, "\n");
    }
}

void text_incidents(struct str *out, const struct snapshot *s, enum text_detail detail)
{
    if (s->incidents == 0 || !has_our_lines(s))
        return;
    str_adds(out, "Incidents:\n");
    for (size_t i = 0; i < s->incidents; i++) {
        const struct snapshot_incident *v = &s->incident[i];
        bool lasted = v->kind == INCIDENT_SUSPENDED || v->kind == INCIDENT_STOPPED;
        struct str text = STR_INIT;
        char when[40];
        snprintf(when, sizeof when, " %s %.1f s", lasted ? "until" : "at",
                 snapshot_since_s(s, v->at));
        incident_text(&text, v, when);
        str_adds(out, "    ");
        text_wrap(out, str_cstr(&text), 4, 6, detail == TEXT_FULL ? TEXT_UNBOUND : TEXT_WIDTH);
        str_adds(out, "\n");
        str_free(&text);
    }
    str_adds(out, "\n");
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

/* The columns: those of the short form, which have a width there, fit beside the kind in 80.  That
 * of errors is there in the short form if there was one. */
enum { IF_ERRORS = 1, TIME = 2, SHARE = 4 };
static const struct {
    const char *head, *figure;
    int full, brief; /* width */
    unsigned flags;
} statement_columns[] = {
    {"count", "count", 10, 8, 0},  {"errors", "errors", 8, 6, IF_ERRORS},
    {"rows", "rows", 10, 0, 0},    {"min", "min_s", 9, 0, TIME},
    {"avg", "mean_s", 9, 8, TIME}, {"p50", "p50_s", 9, 0, TIME},
    {"p95", "p95_s", 9, 8, TIME},  {"p99", "p99_s", 9, 8, TIME},
    {"max", "max_s", 9, 8, TIME},  {"share", "share_pct", 7, 6, SHARE},
};

/* Its figures; of NULL the headings.  True: a percentile is marked. */
static bool statement_line(struct str *out, const struct snapshot *s, const struct stmt_figures *f,
                           bool full, bool errors)
{
    bool any = false;

    str_adds(out, " ");
    for (size_t i = 0; i < COUNT(statement_columns); i++) {
        unsigned flags = statement_columns[i].flags;
        const char *head = statement_columns[i].head;
        bool few = f && *head == 'p' && text_few(atof(head + 1), f->count);
        int width = full ? statement_columns[i].full : statement_columns[i].brief, decimals = 0;
        if (!full && (!width || (flags & IF_ERRORS && !errors)))
            continue;
        any = any || few;
        if (!f) {
            str_printf(out, " %*s", width, head);
            continue;
        }
        const struct figure *row = figures_named(statement_figures, statement_columns[i].figure);
        const struct value value = figures_value(row, s, f, NULL);
        const double v = flags & TIME ? value.number * 1e3 : value.number;
        if (flags & TIME)
            decimals = full || v < 1000 ? 3 : v < 100000 ? 1 : 0;
        if (value.kind == VALUE_NONE)
            str_printf(out, " %*s", width, "-");
        else if (flags & SHARE)
            str_printf(out, " %*.1f%%", width - 1, v);
        else
            str_printf(out, " %*.*f%s", width - few, decimals, v, few ? TEXT_FEW_MARK : "");
    }
    return any;
}

/* Transaction control comes after the statements, then all that is outside transactions. */
void text_statements(struct str *out, const struct snapshot *s, enum text_detail detail,
                     size_t width)
{
    bool full = detail == TEXT_FULL, errors = false, few = false;
    struct str text = STR_INIT;

    if (!s->statements)
        return;
    for (size_t i = 0; i < s->nstatements; i++)
        errors = errors || s->statements[i].errors;
    const size_t beside = full ? 102 : errors ? 62 : 55, least = full ? 104 : TEXT_WIDTH - beside;
    const size_t most = width > beside + least ? width - beside : least;
    str_adds(out, "Statements by kind (times in ms, share of the time in transactions):\n");
    if (s->nstatements)
        statement_line(out, s, NULL, full, errors);
    str_adds(out, s->nstatements ? "  kind\n" : "    none was executed\n");
    for (int group = 0; group <= 2; group++)
        for (const struct stmt_figures *f = s->statements; f < s->statements + s->nstatements;
             f++) {
            if (group != (!within_transactions(f->class) ? 2 : f->class == STMT_CLASS_TRANSACTION))
                continue;
            few |= statement_line(out, s, f, full, errors);
            str_adds(out, "  ");
            /* The text is at the end of its line, so that it may have any length; what is too long
             * is cut here, but complete in the result files.  Blanks and line ends are one blank
             * each. */
            str_reset(&text);
            for (const char *p = statement_name(f); *p; p++)
                if ((unsigned char)*p > ' ')
                    str_add(&text, p, 1);
                else if (text.len && text.s[text.len - 1] != ' ')
                    str_adds(&text, " ");
            if (text.len && text.s[text.len - 1] == ' ')
                text.len--;
            cut_line(out, str_cstr(&text), text.len, most, strlen("..."));
        }
    text_few_line(out, few);
    str_free(&text);
    str_adds(out, "\n");
}

/* --- --server-status: a line for each statement that took long in the server --- */

static const struct text_column server_columns[] = {
    {"calls", 9, 0, "calls", 1},
    {"mean, ms", 8, 3, "mean_s", 1e3},
    {"share%", 6, 1, "share_pct", 1},
    {"rows/call", 9, 1, "rows_per_call", 1},
    {"exam./call", 10, 1, "rows_examined_per_call", 1},
    {"buffers/call", 12, 1, "buffers_per_call", 1},
    /* in the long form: */
    {"time, s", 8, 3, "time_s", 1},
    {"no index", 8, 0, "calls_without_index", 1},
    {"tmp tables", 10, 0, "temporary_tables", 1},
    {"on disk", 7, 0, "temporary_tables_on_disk", 1},
    {"read", 9, 0, "buffers_read", 1},
    {"tmp blocks", 10, 0, "temporary_blocks_written", 1},
    {"WAL bytes", 11, 0, "wal_bytes", 1},
};
#define SERVER_BRIEF 6

void text_server_table(struct str *out, const struct snapshot *s, bool full, size_t width,
                       const void *part, size_t stride, size_t n)
{
    struct text_column c[COUNT(server_columns)];
    size_t columns = 0, beside = 2;

    if (!n || !s->probe || !s->probe->statements.n)
        return;
    /* calls of a phase, from mark to mark, are not those of its transactions */
    for (size_t i = part != NULL; i < (full ? COUNT(server_columns) : SERVER_BRIEF); i++) {
        c[columns] = server_columns[i];
        const struct figure *row = figures_named(server_statement_figures, c[columns].figure);
        if (figures_value(row, s, s->probe->statements.of, NULL).kind != VALUE_NONE)
            beside += 1 + (size_t)c[columns++].width; /* this server has it */
    }
    const size_t most = full ? SIZE_MAX : width > beside + 20 ? width - beside : 20;
    text_heads(out, c, columns);
    str_adds(out, part ? "  top statement\n" : "  statement\n");
    for (size_t k = 0; k < n; k++) {
        const struct snapshot *of =
            part ? *(struct snapshot *const *)((const char *)part + k * stride) : s;
        const struct status_statements *v = &of->probe->statements;
        const struct status_statement *row = &v->of[part ? 0 : k];
        char number[24] = "";
        if (part)
            snprintf(number, sizeof number, "%zu%s", k + 1, v->why ? "" : ": ");
        if (v->why) {
            text_item(out, number, "n/a, %s", v->why);
            continue;
        }
        text_row(out, c, columns, server_statement_figures, of, row);
        str_printf(out, "  %s", number);
        cut_line(out, row->text, strlen(row->text), most - strlen(number), strlen("..."));
    }
}

void text_by_server(struct str *out, const struct snapshot *s, enum text_detail d, size_t width)
{
    const struct status_statements *v = s->probe ? &s->probe->statements : NULL;
    const bool full = d == TEXT_FULL;

    if (!v || (!v->why && !v->n))
        return;
    str_adds(out, "Statements by the server's time:\n");
    if (v->why) {
        text_item(out, "n/a", "%s\n", v->why);
        return;
    }
    text_server_table(out, s, full, width, NULL, 0, v->n);
    text_item(out, "all", "%.0f calls, %.3f s within %.3f s", v->calls, v->time_s,
              dur_sec(v->known));
    if (*v->says) {
        str_adds(out, "    ");
        text_wrap(out, v->says, 4, 4, full ? TEXT_UNBOUND : TEXT_WIDTH);
        str_adds(out, "\n");
    }
    str_adds(out, "\n");
}

/* --- what --do ran, how it ended, the first lines of what it printed --- */

#define ACTION_LINES 5   /* of what a command printed */
#define ACTION_WIDTH 120 /* of a line of it */

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
        str_printf(out, "FAILED: ended by signal %d", a->signal);
    else
        str_printf(out, "%sexit status %d", a->exit_status ? "FAILED: " : "", a->exit_status);
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
            cut_line(out, text, len, ACTION_WIDTH, 0);
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
        str_printf(out, "    %.3f s: %s%s", began ? a[i].begin_s : a[i].at_s,
                   a[i].name ? a[i].name : "", a[i].name ? ": " : "");
        cut_line(out, a[i].command, strlen(a[i].command), ACTION_WIDTH, 0);
        str_adds(out, "        ");
        action_outcome(out, &a[i]);
    }
    str_adds(out, "\n");
}

/* --- --settle --- */

void text_settled(struct str *out, const struct report_settle *v, size_t n)
{
    char before[TEXT_GROUPED_SIZE], after[TEXT_GROUPED_SIZE], label[120];
    struct str text = STR_INIT;

    str_adds(out, n ? "Settled:\n" : "");
    for (const struct report_settle *end = v + n; v < end; v++) {
        str_reset(&text);
        if (*v->why)
            str_printf(&text, "%s: %s", v->outcome, v->why);
        else
            str_printf(&text, "%.1f s of at most %.0f", v->took_s, v->limit_s);
        if (!isnan(v->after) && !*v->why)
            str_printf(&text, ": %s %s%s%s%s%s", v->of,
                       isnan(v->before) ? "" : text_grouped(before, (uint64_t)v->before),
                       isnan(v->before) ? "" : " -> ", text_grouped(after, (uint64_t)v->after),
                       strcmp(v->outcome, "done") ? ", " : "",
                       strcmp(v->outcome, "done") ? v->outcome : "");
        snprintf(label, sizeof label, "%s%s%s", v->host ? v->host : "", v->host ? ", " : "",
                 v->step);
        text_item(out, label, "%s", str_cstr(&text));
    }
    str_adds(out, n ? "\n" : "");
    str_free(&text);
}

/* --- --server-profile, when it has ended --- */

void text_profile(struct str *out, const struct report_profile *p)
{
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
            "%llu sample%s at %d/s on each CPU (about %.4f s of CPU time), %llu different stack%s",
            (ull)p->samples, p->samples == 1 ? "" : "s", p->hz, (double)p->samples / p->hz,
            (ull)p->stacks, p->stacks == 1 ? "" : "s");
    if (p->off_cpu) {
        text_line(out, "off CPU", "%.4f s in %llu thread%s, %llu different stack%s%s%s",
                  dur_sec(p->off_cpu_time), (ull)p->threads, p->threads == 1 ? "" : "s",
                  (ull)p->off_cpu_stacks, p->off_cpu_stacks == 1 ? "" : "s",
                  *p->estimate ? ", " : "", p->estimate);
        text_line(out, "switches", "%llu (%llu involuntary), %llu sampled with a stack",
                  (ull)p->switches, (ull)p->involuntary, (ull)p->sampled);
    }
    double stacks = (double)(p->by_pointers + p->by_cfi);
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

/* --- what the time of a transaction went to --- */

#define NAMES_SHOWN 6
#define LEAST_SHARE 0.01 /* of the service time */

/* On a CPU, waiting for one, the rest. */
static const char *const budget_label[][3] = {
    [BUDGET_OF_SAMPLES] = {"on a CPU, or waiting for one", "",
                           "outside statements: network, queues"},
    [BUDGET_OF_SERVER] = {"the server on a CPU, all threads", "the server waiting for a CPU",
                          "outside statements: network, queues"},
    [BUDGET_OF_THREADS] = {"in the server on a CPU", "in the server waiting for a CPU",
                           "network, client, between statements"}};

static void part_line(struct str *out, const char *label, double us, double service)
{
    if (us >= LEAST_SHARE * service)
        text_line(out, label, "%.3f ms, %.1f%%", us / 1e3, 100 * us / service);
}

void text_budget(struct str *out, const struct snapshot *s)
{
    const struct status_delta *d = s->probe && s->probe->has_waits ? &s->probe->status : NULL;
    const double mean = s->service_ns;
    const struct status_waits *w;
    double service = 0, told = 0, waits = 0;

    if (!d || !isfinite(mean))
        return;
    w = &d->waits;
    for (int i = 0; i < BUDGET_PARTS; i++)
        service += isfinite(d->budget_us[i]) ? d->budget_us[i] : 0;
    str_adds(out, "Time of a transaction:\n");
    if (s->has_rate && !(s->kind == SNAPSHOT_FINAL && s->interval_ns < s->elapsed_ns))
        text_line(out, "mean response", "%.3f ms: lag %.3f, service %.3f",
                  s->rate.response.mean / 1e6, s->rate.lag.mean / 1e6, mean / 1e6);
    else
        text_line(out, "mean service", "%.3f ms", mean / 1e6);
    struct field known = fields_find(s, "server_status.rest_us_per_transaction");
    if (known.missing) {
        text_item(out, "n/a", "what it went to in the server (%s)", known.missing);
        str_adds(out, "\n");
        return;
    }
    const char *const *label = budget_label[d->budget];
    if (s->undone > 0)
        text_line(out, "failed or withdrawn, for each done", "%.3f ms",
                  (double)s->undone / (double)snapshot_sampled(s) / 1e6);
    part_line(out, label[0], d->budget_us[BUDGET_ON_CPU], service);
    part_line(out, label[1], d->budget_us[BUDGET_CPU_WAIT], service);
    for (int c = WAIT_ROW; c < WAIT_CLASSES; c++)
        waits += d->budget_us[BUDGET_OF(c)];
    for (size_t i = 0, shown = 0; i < w->names && shown < NAMES_SHOWN; i++) {
        const struct wait_time *name = &w->name[i];
        const char *class = wait_class_name(name->class);
        char wait[2 * WAIT_NAME_SIZE];
        if (name->class == WAIT_CPU || w->of[name->class] <= 0) /* "others", of other classes */
            continue;
        double us =
            d->budget_us[BUDGET_OF(name->class)] * (double)name->time / (double)w->of[name->class];
        if (us < LEAST_SHARE * service) /* as all that follow: they are other waits */
            break;
        snprintf(wait, sizeof wait,
                 name->class == WAIT_ROW || strstr(name->name, class) ? "%s" : "%s (%s)",
                 name->name, class);
        part_line(out, wait, us, service);
        told += us;
        shown++;
    }
    part_line(out, "other waits", waits - told, service);
    part_line(out, s->outages && s->outages->n ? "network, client, outages" : label[2],
              d->budget_us[BUDGET_REST], service);
    text_item(out, "sessions in the server",
              "%.3g (waits from %u samples, which took %.2f%% of the time)",
              (service - d->budget_us[BUDGET_REST]) * 1e3 * (double)snapshot_sampled(s) /
                  (double)d->wall_ns, /* Little's law */
              w->samples, 100 * (double)w->asking / (double)w->known);
    str_adds(out, "\n");
}
