/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See result_files.h.
 */
#include "session/result_files.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "report/http.h"
#include "report/report.h"

static const struct opt_row rows[] = {
    {OPT_ROW("label", STRING, NULL, OPT_PER_RANK | OPT_ADDS | OPT_OWN,
             "KEY=VALUE pairs to add to every metric, JSON and csv file of the run; may be given "
             "several times")},
    {OPT_ROW("metrics-listen", STRING, NULL, OPT_PER_RANK | OPT_OWN,
             "serve a page that shows the run, and the figures of the last report as metrics, over "
             "HTTP at this HOST:PORT, HOST or PORT (default host 127.0.0.1, default port "
             "" HTTP_DEFAULT_PORT "; 0: any), paths / and /metrics; further names that others use "
             "for this host follow after commas")},
    {OPT_ROW("report-style", STRING, "auto", OPT_PER_RANK | OPT_OWN,
             "format of the interval reports on standard output {}: a table fitted to the "
             "terminal, or lines as in sysbench 1.0, followed by further figures up to 280 "
             "characters (line) or by all (full); auto selects the table on a terminal if an "
             "option is given that sysbench 1.0 and 1.1 do not have, otherwise line"),
     .choices = "auto|line|full|table"},
    {OPT_ROW("report-statements", BOOL, "off", OPT_OWN,
             "report the latency of each kind of statement at the end")},
    {OPT_ROW("mark-on", STRING, NULL, OPT_OPEN | OPT_OWN,
             "add a mark to all reports at each SIGUSR1, or for each line written to this FIFO "
             "{SIGUSR1, path}"),
     .choices = "SIGUSR1"},
    {OPT_ROW("raw-log", STRING, NULL, OPT_PER_RANK | OPT_OWN,
             "write start, lag, service time and outcome of every transaction to this file")},
};

void result_options(struct opts *o)
{
    struct str help = STR_INIT; /* with a list of the formats */
    struct opt_row row = {
        .name = "report-file", .type = OPT_LIST, .flags = OPT_PER_RANK | OPT_ADDS | OPT_OWN};

    str_adds(&help, "write the results to these files, as FORMAT:PATH or by the suffix {");
    report_formats(&help);
    str_adds(&help, "}; may be given several times");
    row.help = str_cstr(&help);
    opts_add(o, OPT_GROUP_LOG, &row, 1);
    str_free(&help);
    opts_add(o, OPT_GROUP_LOG, rows, sizeof rows / sizeof *rows);
}

#include "config.h"

/* The failure itself has already been reported with the file's name. */
static int incomplete(struct err *e)
{
    return err_set(e, ERR_OUTPUT, "a result file is incomplete");
}

/* --- --report-file --- */

int result_files_init(struct result_files *f, const struct opts *o, bool intervals,
                      bool checkpoints, bool steps, struct err *e)
{
    size_t n;
    char **name = opt_list(o, "report-file", &n);

    if (report_files_parse(&f->files, name, n, e))
        return -1;
    return report_files_check(f->files, intervals, checkpoints, steps, e);
}

static int files_open(void *self, struct err *e)
{
    struct result_files *f = self;

    return report_files_open(f->files, f->info, e);
}

static void files_on(void *self, struct run_event *event)
{
    struct result_files *f = self;

    if (event->kind == RUN_SNAPSHOT)
        report_files_snapshot(f->files, event->s);
}

static int files_close(void *self, const struct report_end *end, struct err *e)
{
    struct result_files *f = self;

    return report_files_close(f->files, end) ? incomplete(e) : 0;
}

const struct observer_ops result_files_observer = {
    .name = "result files", .open = files_open, .on = files_on, .close = files_close};

/* --- --metrics-listen --- */

const char *metrics_endpoint_address(const struct opts *o)
{
    return opt_str(o, "metrics-listen");
}

int metrics_endpoint_init(struct metrics_endpoint *m, const struct opts *o, bool reports,
                          struct err *e)
{
    const char *address = metrics_endpoint_address(o);

    if (!*address)
        return 0;
    if (!reports)
        return err_set(
            e, ERR_USAGE,
            "--metrics-listen=%s needs --report-interval=N: it serves the figures of the last "
            "report",
            address);
    if (http_listen(&m->http, address, e))
        return -1;
    report_files_publish(&m->writer, http_publish, m->http);
    m->live = live_new(m->info, m->marks, http_place(m->http)->loopback);
    return 0;
}

void metrics_endpoint_free(struct metrics_endpoint *m)
{
    report_files_free(m->writer);
    if (m->live)
        live_linger(m->live);
    http_close(m->http); /* its thread uses the live data */
    live_free(m->live);
    *m = (struct metrics_endpoint){0};
}

static int endpoint_open(void *self, struct err *e)
{
    struct metrics_endpoint *m = self;

    if (!m->http)
        return 0;
    if (report_files_open(m->writer, m->info, e) || http_start(m->http, m->live, e))
        return -1;
    log_notice("Live page: %s\nMetrics: %s\n", http_place(m->http)->page, http_place(m->http)->url);
    return 0;
}

static void endpoint_on(void *self, struct run_event *event)
{
    struct metrics_endpoint *m = self;

    if (!m->http)
        return;
    if (event->kind == RUN_BEGINS)
        live_enter(m->live, LIVE_WARMING_UP, event->from);
    else if (event->kind == RUN_FINAL_READING || event->kind == RUN_CLOSING)
        live_enter(m->live, LIVE_ENDING, 0);
    else if (event->kind == RUN_SNAPSHOT) {
        report_files_snapshot(m->writer, event->s);
        live_snapshot(m->live, event->s);
    }
}

static int endpoint_close(void *self, const struct report_end *end, struct err *e)
{
    struct metrics_endpoint *m = self;

    if (m->http)
        live_end(m->live, end);
    return report_files_close(m->writer, end) ? incomplete(e) : 0;
}

const struct observer_ops metrics_endpoint_observer = {
    .name = "metrics endpoint", .open = endpoint_open, .on = endpoint_on, .close = endpoint_close};

/* --- --raw-log --- */

int raw_file_init(struct raw_file *f, const struct opts *o, int rank, struct err *e)
{
    f->spec.path = opt_str(o, "raw-log");
    f->spec.version = PACKAGE_VERSION;
    if (*f->spec.path && rank > 0)
        f->spec.path = f->own_path = mem_printf("%s.rank%d", f->spec.path, rank);
    return *f->spec.path ? raw_log_check(f->spec.path, e) : 0;
}

void raw_file_free(struct raw_file *f)
{
    raw_log_free(f->log);
    f->log = NULL;
    free(f->own_path);
    f->own_path = NULL;
}

static int raw_open(void *self, struct err *e)
{
    struct raw_file *f = self;

    return *f->spec.path ? raw_log_open(&f->log, &f->spec, e) : 0;
}

static int raw_close(void *self, const struct report_end *end, struct err *e)
{
    struct raw_file *f = self;

    if (!f->log || raw_log_close(f->log, end->measured ? &f->result->final : NULL) == 0)
        return 0;
    return incomplete(e);
}

const struct observer_ops raw_file_observer = {
    .name = "raw log", .open = raw_open, .close = raw_close};

bool hooks_has(const struct hooks *h, enum script_hook hook)
{
    return h->script && script_has_hook(h->script, hook);
}

static struct script_reporter *open_reporter(const struct hooks *h)
{
    struct script_reporter *out = NULL;
    struct err e = {0};
    struct rng rng;

    /* drop-in: the clients' random streams are those that come after it */
    rng_seed(&rng, h->seeder);
    if (!h->script)
        return NULL;
    if (script_reporter_open(h->script, &rng, &out, &e) && e.kind != ERR_REPORTED)
        log_fatal("%s", e.msg);
    return out;
}

static void hooks_on(void *self, struct run_event *event)
{
    struct hooks *h = self;

    if (event->kind == RUN_TICKER_OPENS) {
        h->interval = h->intervals ? open_reporter(h) : NULL;
        h->checkpoint = h->checkpoints ? open_reporter(h) : NULL;
    } else if (event->kind == RUN_TICKER_CLOSES) {
        if (h->interval)
            script_reporter_close(h->interval);
        if (h->checkpoint)
            script_reporter_close(h->checkpoint);
        h->interval = h->checkpoint = NULL;
    } else if (event->kind == RUN_SNAPSHOT) {
        const struct snapshot *s = event->s;
        bool interval = s->kind == SNAPSHOT_INTERVAL;
        enum script_hook hook = interval ? SCRIPT_HOOK_INTERMEDIATE : SCRIPT_HOOK_CUMULATIVE;
        struct script_reporter *own = interval ? h->interval : h->checkpoint;
        /* a hook would take a warm-up's interval for a result; the final report is the main
         * thread's, in the main state */
        if (hooks_has(h, hook) && !s->untold && !s->warmup)
            script_report(h->script, s->kind == SNAPSHOT_FINAL ? NULL : own, hook, s);
    }
}

const struct observer_ops hooks_observer = {.name = "report hooks", .on = hooks_on};
