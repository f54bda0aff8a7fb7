/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run_files.h.
 */
#include "cli/run_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "cli/secrets.h"
#include "report/labels.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

static const struct opt_row rows[] = {
    {"report-file", OPT_LIST, NULL,
     "write the results to these files, as FORMAT:PATH or by the suffix {text, csv, summary-csv, "
     "checkpoints-csv, json, jsonl, hlog, prometheus, openmetrics}; may be given several times",
     OPT_ADDS | OPT_OWN, 0, 0, NULL},
    {"label", OPT_STRING, NULL,
     "KEY=VALUE pairs that every metric, JSON and csv file of the run carries; may be given several "
     "times",
     OPT_ADDS | OPT_OWN, 0, 0, NULL},
    {"metrics-listen", OPT_STRING, NULL,
     "serve the figures of the last report as metrics over HTTP at this HOST:PORT, HOST or PORT "
     "(default host 127.0.0.1, default port " HTTP_DEFAULT_PORT "; 0: any), path /metrics",
     OPT_OWN, 0, 0, NULL},
    {"report-style", OPT_STRING, "auto",
     "form of the interval reports on standard output {}: columns under a header, fitted to the "
     "terminal, or lines as in sysbench 1.0; auto is a table on a terminal if an option is given that sysbench 1.0 "
     "and 1.1 do not have, otherwise lines",
     OPT_OWN, 0, 0, "auto|line|table"},
    {"report-statements", OPT_BOOL, "off",
     "report the latency of each kind of statement at the end", OPT_OWN, 0, 0, NULL},
    {"mark-on", OPT_STRING, NULL,
     "put a mark into all reports at each SIGUSR1, or for each line written into this FIFO "
     "{SIGUSR1, path}",
     OPT_OPEN | OPT_OWN, 0, 0, "SIGUSR1"},
    {"raw-log", OPT_STRING, NULL, "write the times of every transaction to this file", OPT_OWN, 0,
     0, NULL},
};

void run_files_options(struct opts *o)
{
    opts_add(o, OPT_GROUP_LOG, rows, sizeof rows / sizeof *rows);
}

static void publish(void *arg, const struct str *prometheus, const struct str *openmetrics)
{
    http_publish(arg, prometheus, openmetrics);
}

static int listen_for_scrapers(struct run_files *f, struct err *e)
{
    const char *address = opt_str(f->app->opts, "metrics-listen");

    if (!*address)
        return 0;
    if (!f->app->plan.report_interval && !f->app->plan.checkpoints)
        return err_set(
            e, ERR_USAGE,
            "--metrics-listen=%s needs --report-interval=N: it serves the figures of the last report",
            address);
    if (http_listen(&f->http, address, e))
        return -1;
    report_files_publish(&f->report, publish, f->http);
    return 0;
}

/* A script's own option of this name takes what it likes. */
static int read_labels(struct run_files *f, struct err *e)
{
    const struct opts *o = f->app->opts;
    struct err why = {0};
    struct str all = STR_INIT;
    size_t n;
    char **given = opt_list(o, "label", &n);
    int rc;

    for (size_t i = 0; i < n; i++)
        str_printf(&all, "%s%s", i ? "," : "", given[i]);
    rc = report_labels_parse(&f->label, &f->info.labels, str_cstr(&all), &why);
    str_free(&all);
    f->info.label = f->label;
    if (rc == 0 || opt_of_script(o, "label"))
        return 0;
    *e = why;
    return rc;
}

int run_files_init(struct run_files *f, struct app *a, struct err *e)
{
    size_t n;
    char **name = opt_list(a->opts, "report-file", &n);

    memset(f, 0, sizeof *f);
    f->app = a;
    f->raw_path = opt_str(a->opts, "raw-log");
    if (read_labels(f, e))
        return -1;
    if (n && report_files_parse(&f->report, name, n, e))
        return -1;
    if (n && report_files_check(f->report, a->plan.report_interval > 0, a->plan.checkpoints > 0, e))
        return -1;
    if (*f->raw_path && raw_log_check(f->raw_path, e))
        return -1;
    if (listen_for_scrapers(f, e))
        return -1;
    a->plan.keep_histograms = f->report != NULL;
    return 0;
}

/* What a word of on and off is shown as true or false, a mode as it is. */
static bool is_flag(const char *text)
{
    static const char *const words[] = {"on", "off", "true", "false", "1", "0", ""};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

/* What a choice that was left to us came to; NULL: it is no such option. */
static char *chosen(const struct plan *p, const struct opt_view *v)
{
    if (v->given)
        return NULL;
    if (strcmp(v->shown, "workers") == 0)
        return mem_printf("%d", p->workers);
    if (strcmp(v->shown, "lua-state") == 0)
        return mem_strdup(p->lua_states ? "worker" : "client");
    return NULL;
}

static void read_option(struct report_option *r, const struct opts *o, const struct plan *p,
                        const struct opt_view *v)
{
    char *ours = chosen(p, v), *shown = ours ? ours : secrets_shown(v->name, v->value);

    *r = (struct report_option){
        .name = v->shown, .value = shown, .given = v->given ? shown : NULL, .type = REPORT_TEXT};
    switch (v->type) {
    case OPT_BOOL:
        r->type = is_flag(v->value) ? REPORT_FLAG : REPORT_TEXT;
        r->number = opt_bool(o, v->name);
        break;
    case OPT_INT:
    case OPT_SIZE:
        r->type = REPORT_NUMBER;
        r->number = (double)opt_int(o, v->name);
        break;
    case OPT_DOUBLE:
        r->type = REPORT_NUMBER;
        r->number = opt_double(o, v->name);
        break;
    case OPT_LIST: r->type = REPORT_LIST; break;
    default: break;
    }
}

static void read_options(struct run_files *f)
{
    const struct opts *o = f->app->opts;
    struct opt_view v;
    size_t n = 0;

    while (opts_at(o, n, &v))
        n++;
    f->option = mem_array(n, sizeof *f->option);
    for (size_t i = 0; i < n; i++) {
        opts_at(o, i, &v);
        read_option(&f->option[i], o, &f->app->plan, &v);
    }
    f->info.option = f->option;
    f->info.options = n;
}

/* Once more through the sieve: argv hides the passwords of our options, a script may have some of
 * its own. */
static void read_arguments(struct run_files *f)
{
    const struct app *a = f->app;

    f->argument = mem_array((size_t)a->argc + 1, sizeof *f->argument);
    for (int i = 0; i < a->argc; i++) {
        const char *eq = strncmp(a->argv[i], "--", 2) == 0 ? strchr(a->argv[i], '=') : NULL;
        char *name = eq ? mem_strndup(a->argv[i] + 2, (size_t)(eq - a->argv[i]) - 2) : NULL;
        char *value = eq ? secrets_shown(name, eq + 1) : NULL;
        f->argument[i] = eq ? mem_printf("--%s=%s", name, value) : mem_strdup(a->argv[i]);
        free(name);
        free(value);
    }
    f->info.argv = f->argument;
    f->info.argc = a->argc;
}

static int open_report(struct run_files *f, struct err *e)
{
    struct app *a = f->app;

    facts_read(&f->environment);
    read_options(f);
    f->info.version = PACKAGE_VERSION;
    f->info.test = a->testname ? a->testname : "-";
    f->info.command = a->command ? a->command : "run";
    read_arguments(f);
    f->info.fact = f->environment.fact;
    f->info.facts = f->environment.n;
    f->info.wall = clock_wall();
    f->info.intervals = a->plan.report_interval > 0;
    return report_files_open(f->report, &f->info, e);
}

int run_files_open(struct run_files *f, void *arg, void (*header)(void *arg, struct str *out),
                   void (*text)(void *arg, const struct snapshot *s, struct str *out),
                   struct err *e)
{
    const struct plan *p = &f->app->plan;

    f->info.arg = arg;
    f->info.header = header;
    f->info.text = text;
    if (f->report && open_report(f, e))
        return -1;
    if (f->http && http_start(f->http, e))
        return -1;
    if (f->http)
        log_notice("Metrics: %s\n", http_url(f->http));
    return *f->raw_path ? raw_log_open(&f->raw, f->raw_path, p->clients, p->rate > 0, f->marks,
                                       PACKAGE_VERSION, e)
                        : 0;
}

bool run_files_want_record(const struct run_files *f)
{
    return f->report && report_files_want_record(f->report);
}

void run_files_snapshot(struct run_files *f, const struct snapshot *s)
{
    if (f->report)
        report_files_snapshot(f->report, s);
}

static struct report_end how_it_ended(const struct run_files *f, const struct run_result *res,
                                      int rc, const struct err *e)
{
    struct report_end end = {.status = "completed",
                             .signal = res->signal,
                             .measured = res->measured,
                             .has_rate = f->app->plan.rate > 0,
                             .sustained = res->sustained,
                             .accounts_balance = res->accounts_balance,
                             .why = res->why,
                             .offered = res->final.rate.total_offered,
                             .wall = clock_wall()};

    if (res->forced)
        end.status = "forced";
    else if (res->signal)
        end.status = "interrupted";
    else if (rc && e->kind != ERR_UNSUSTAINED)
        end.status = "failed";
    if (rc && *e->msg)
        end.error = e->msg;
    return end;
}

int run_files_close(struct run_files *f, const struct run_result *res, int rc, struct err *e)
{
    struct report_end end = how_it_ended(f, res, rc, e);
    bool lost = false;

    if (f->raw)
        lost = raw_log_close(f->raw, res->measured ? &res->final : NULL) != 0;
    if (f->report && report_files_close(f->report, &end))
        lost = true;
    if (lost && (rc == 0 || e->kind == ERR_UNSUSTAINED))
        return err_set(e, ERR_OUTPUT, "a result file is incomplete"); /* which one was said */
    return rc;
}

void run_files_free(struct run_files *f)
{
    report_files_free(f->report);
    raw_log_free(f->raw);
    http_close(f->http);
    for (size_t i = 0; i < f->info.options; i++)
        free((char *)(uintptr_t)f->option[i].value);
    free(f->option);
    for (int i = 0; i < f->info.argc; i++)
        free(f->argument[i]);
    free(f->argument);
    report_labels_free(f->label, f->info.labels);
    facts_free(&f->environment);
}
