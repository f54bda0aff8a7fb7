/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run_report.h.  Every report is rendered into one buffer and written at once, so that lines of
 * the ticker and of the main thread cannot mix.
 */
#include "cli/run_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "cli/run_environment.h"
#include "cli/run_probe.h"
#include "cli/run_via.h"
#include "cli/screen.h"
#include "cli/server_status.h"
#include "report/text.h"
#include "report/text_actions.h"
#include "report/text_marks.h"
#include "report/text_phases.h"
#include "report/text_statements.h"

#define MAX_PIDS RUN_REPORT_MAX_PIDS

static enum text_form form(void)
{
    return sql_in_use() ? TEXT_SQL : TEXT_GENERIC;
}

static void put(struct str *s)
{
    log_block(str_cstr(s), s->len);
    str_free(s);
}

/* A block that begins with a message of more than an empty line: see log.h. */
static void put_whole(struct str *s)
{
    log_block_whole(str_cstr(s), s->len);
    str_free(s);
}

static void rate_line(struct str *s, const struct plan *p)
{
    static const char *const shape[] = {
        [ARRIVAL_EVEN] = "even", [ARRIVAL_POISSON] = "Poisson", [ARRIVAL_ALIGNED] = "aligned"};
    struct arrivals_spec spec = {
        .shape = p->arrival, .rate = p->rate, .jitter = p->jitter, .clients = p->clients};

    str_printf(s, "Target transaction rate: %.12g/sec, %s arrivals, jitter %.12g usec\n", p->rate,
               shape[p->arrival], (double)arrivals_jitter_window(&spec) / 1e3);
}

static void header_text(struct str *s, const struct plan *p)
{
    str_adds(s, "Running the test with following options:\n");
    str_printf(s, "Number of threads: %d\n", p->clients);
    if (p->workers && (!p->carried_by_default ||
                       (p->rate > 0 && !p->stock_rate))) /* with 1.0's options alone: 1.0's lines */
        str_printf(s, "Carried by %d worker%s\n", p->workers, p->workers > 1 ? "s" : "");
    if (p->think)
        str_printf(s, "Think time: %.12g ms%s\n", dur_ms(p->think),
                   p->think_exp ? " on average, exponential" : "");
    if (p->warmup)
        str_printf(s, "Warmup time: %llds\n", (long long)(p->warmup / NS_PER_SEC));
    if (p->stock_rate)
        str_printf(s, "Target transaction rate: %.0f/sec\n", p->rate);
    else if (p->rate > 0)
        rate_line(s, p);
    if (p->report_interval)
        str_printf(s, "Report intermediate results every %.12g second(s)\n",
                   dur_sec(p->report_interval));
    for (size_t i = 0; i < p->checkpoints; i++)
        str_printf(s, "%s%lld%s", i ? ", " : "Report checkpoint(s) at ",
                   (long long)(p->checkpoint[i] / NS_PER_SEC),
                   i + 1 == p->checkpoints ? " seconds\n" : "");
    if (p->debug)
        str_adds(s, "Debug mode enabled.\n\n");
    if (p->validate)
        str_adds(s, "Validation checks: on.\n\n");
    if (p->seed)
        str_printf(s, "Initializing random number generator from seed (%d).\n\n", (int)p->seed);
    else
        str_adds(s, "Initializing random number generator from current time\n\n");
    if (p->forced == FORCED_ON)
        str_printf(s, "Forcing shutdown in %lld seconds\n",
                   (long long)((p->time_limit + p->warmup + p->forced_grace) / NS_PER_SEC));
    str_adds(s, "\n");
}

void run_report_header(const struct plan *p)
{
    struct str s = STR_INIT;

    header_text(&s, p);
    put(&s);
}

static void note_connection(void *arg, int fd)
{
    discover_note_fd(arg, fd);
}

static const char *server_option(const struct app *a)
{
    const char *v = opt_str(a->opts, "server");

    if (*v)
        return v;
    if (run_probe_wants_server(a->opts) || run_environment_wanted(a->opts) ||
        run_profile_wanted(a->opts) || *opt_str(a->opts, "server-via"))
        return "auto";
    return opt_given(a->opts, "tx-rate") && a->plan.rate > 0 ? "auto" : "off";
}

/* keep: descriptors that the clients will open. */
static void attach(struct run_report *r, bool tree, size_t keep)
{
    const struct perf_whom whom = {.pids = r->pids,
                                   .n = r->npids,
                                   .tree = tree,
                                   .exact = server_exact(r->server),
                                   .keep = keep};

    if (r->probe)
        probe_attach(r->probe, &whom);
}

/* Finds the server behind the connections that are up now; what cannot be found is said, once, and
 * the run goes on without it. */
static struct server *find_server(struct run_report *r)
{
    struct err e = {0};
    bool tree = false;
    int n;

    if (r->via) {
        run_via_target(r->via, server_option(r->app), r->discover);
        return server_of_via(r->via);
    }
    if (!r->discover)
        return r->server;
    if (!sql_in_use()) {
        snprintf(r->server_why, sizeof r->server_why, "the test uses no database");
        return NULL;
    }
    n = discover_resolve(r->discover, r->pids, MAX_PIDS, &tree, &e);
    if (n < 0 || server_open(&r->server, "/proc", r->pids, (size_t)n, tree, &e)) {
        log_notice("Server: n/a (%s)\n", e.msg);
        snprintf(r->server_why, sizeof r->server_why, "%s", e.msg);
        return NULL;
    }
    r->npids = (size_t)n;
    attach(r, tree, 0);
    return r->server;
}

/* All connections are up. */
static struct server *get_ready(void *arg)
{
    struct run_report *r = arg;
    struct str s = STR_INIT;

    if (r->status && sql_in_use())
        server_status_connect(r->status);
    r->server = find_server(r);
    actions_server(r->actions, r->pids, r->npids);
    if (run_environment_wanted(r->app->opts) || run_files_want_record(&r->files))
        run_environment_fill(&r->environment, r->app, r->pids, r->npids, r->via);
    if (run_environment_wanted(r->app->opts)) {
        run_environment_text(&s, &r->environment);
        put(&s);
    }
    return r->server;
}

static void started(void *arg)
{
    struct run_report *r = arg;

    run_profile_start(&r->profile, r->pids, r->server ? r->npids : 0,
                      r->server ? server_describe(r->server) : "", r->server_why);
    log_notice("Threads started!\n");
}

static void begin(void *arg, mono_ns from)
{
    struct run_report *r = arg;

    actions_begin(r->actions, from);
}

static void warming_up(void *arg)
{
    struct run_report *r = arg;

    log_notice("Warming up for %lld seconds...\n", (long long)(r->app->plan.warmup / NS_PER_SEC));
}

static void curtain(void *arg)
{
    struct run_report *r = arg;

    actions_curtain(r->actions);
    run_profile_curtain(&r->profile);
}

/* Stock keeps a Lua state for intermediate reports and one for checkpoints, and the script's top
 * level runs in each, hooks or not: scripts that count on it exist. */
struct reporters {
    struct script_reporter *interval, *checkpoint;
};

static struct script_reporter *open_reporter(struct run_report *r)
{
    struct script_reporter *out = NULL;
    struct err e = {0};
    struct rng rng;

    rng_seed(&rng,
             &r->app->seeder); /* drop-in: the clients' streams are those that come after it */
    if (!r->app->script)       /* a built-in test */
        return NULL;
    if (script_reporter_open(r->app->script, &rng, &out, &e) && e.kind != ERR_REPORTED)
        log_fatal("%s", e.msg);
    return out;
}

static void *ticker_open(void *arg)
{
    struct run_report *r = arg;
    struct reporters *v = mem_alloc(sizeof *v);

    if (r->app->plan.report_interval)
        v->interval = open_reporter(r);
    if (r->app->plan.checkpoints)
        v->checkpoint = open_reporter(r);
    return v;
}

static void ticker_close(void *arg, void *local)
{
    struct reporters *v = local;

    (void)arg;
    if (v->interval)
        script_reporter_close(v->interval);
    if (v->checkpoint)
        script_reporter_close(v->checkpoint);
    free(v);
}

static void histogram(const struct snapshot *s)
{
    struct str out = STR_INIT;

    log_notice("Latency histogram (values are in milliseconds)");
    text_histogram(&out, s->stock_hist);
    if (out.len)
        log_print("%s", out.s);
    log_notice(" ");
    str_free(&out);
}

static bool has_hook(const struct run_report *r, enum script_hook hook)
{
    return r->app->script && script_has_hook(r->app->script, hook);
}

/* true: the workload's own figures come first. */
static bool as_text(const struct run_report *r, struct str *out, const struct snapshot *s)
{
    const struct workload_ops *ops = r->workload->ops;
    enum generation g = r->app->plan.generation->id;
    bool whole = ops->render_cumulative && ops->render_cumulative(r->workload, s, g, out);
    bool own = out->len > 0;

    if (!whole)
        text_cumulative(out, s, form(), g);
    if (r->app->plan.debug)
        text_threads(out, s);
    return own;
}

/* Our blocks behind stock's. */
static void additions(const struct run_report *r, struct str *out, const struct snapshot *s,
                      enum text_detail detail)
{
    if (s->kind == SNAPSHOT_FINAL && s->has_rate && !s->stock_rate) {
        text_rate(out, s);
        text_verdict(out, s, r->result->sustained, r->result->why);
    }
    text_processes(out, s, detail);
    text_statements(out, s, detail);
    if (s->kind == SNAPSHOT_FINAL)
        text_actions(out, r->files.info.action, r->files.info.actions);
    text_phases(out, s);
    if (s->kind == SNAPSHOT_FINAL)
        run_profile_text(&r->profile, out);
}

static void cumulative(struct run_report *r, const struct reporters *v, const struct snapshot *s)
{
    struct str out = STR_INIT;

    if (s->kind == SNAPSHOT_CHECKPOINT) {
        text_checkpoint_stamp(&out, s);
        put(&out);
    } else if (r->app->plan.histogram) {
        histogram(s);
    }
    if (has_hook(r, SCRIPT_HOOK_CUMULATIVE)) {
        script_report(r->app->script, v ? v->checkpoint : NULL, SCRIPT_HOOK_CUMULATIVE, s);
    } else {
        (as_text(r, &out, s) ? put_whole : put)(&out);
    }
    additions(r, &out, s, log_verbosity() >= LOG_INFO ? TEXT_FULL : TEXT_BRIEF);
    put_whole(&out);
    if (s->kind == SNAPSHOT_FINAL && !r->result->accounts_balance)
        log_alert(
            "the accounts do not balance: offered %llu, done %llu, failed %llu, dropped %llu, unfinished %llu",
            (unsigned long long)s->rate.total_offered, (unsigned long long)s->rate.total_done,
            (unsigned long long)s->rate.total_failed, (unsigned long long)s->rate.total_dropped,
            (unsigned long long)s->rate.unfinished);
}

static void interval(const struct run_report *r, struct str *out, const struct snapshot *s)
{
    const struct workload_ops *ops = r->workload->ops;
    struct str middle = STR_INIT;

    if (ops->render_interval) {
        ops->render_interval(r->workload, s, &middle);
        text_interval_of(out, s, str_cstr(&middle));
        str_free(&middle);
    } else {
        text_interval(out, s, form());
    }
}

/* The text file's: what stdout shows without hooks. */
static void file_header(void *arg, struct str *out)
{
    const struct run_report *r = arg;

    header_text(out, &r->app->plan);
}

static void file_text(void *arg, const struct snapshot *s, struct str *out)
{
    const struct run_report *r = arg;

    text_marks(out, s);
    if (s->kind == SNAPSHOT_INTERVAL) {
        interval(r, out, s);
        return;
    }
    if (s->kind == SNAPSHOT_CHECKPOINT)
        text_checkpoint_stamp(out, s);
    else if (r->app->plan.histogram)
        text_histogram(out, s->stock_hist);
    as_text(r, out, s);
    additions(r, out, s, TEXT_FULL);
}

static void to_stdout(struct run_report *r, const struct reporters *v, const struct snapshot *s)
{
    struct str out = STR_INIT;

    text_marks(&out, s);
    if (out.len)
        put(&out);
    if (s->kind != SNAPSHOT_INTERVAL) {
        cumulative(r, v, s);
        if (r->table)
            text_table_restart(r->table);
    } else if (has_hook(r, SCRIPT_HOOK_INTERMEDIATE)) {
        if (!s->warmup) /* it would take it for one that counts */
            script_report(r->app->script, v->interval, SCRIPT_HOOK_INTERMEDIATE, s);
    } else if (r->table) {
        text_table_interval(r->table, &out, s, sql_in_use());
        put(&out);
    } else {
        interval(r, &out, s);
        put(&out);
    }
}

static void end_profile(struct run_report *r)
{
    run_profile_end(&r->profile);
    run_profile_record(&r->profile, &r->profile_record);
}

static void read_actions(struct run_report *r)
{
    r->files.info.action = actions_record(r->actions, &r->files.info.actions);
}

static void report(void *arg, void *local, const struct snapshot *s)
{
    struct run_report *r = arg;
    struct snapshot known = *s;

    if (s->kind == SNAPSHOT_INTERVAL)
        actions_interval(r->actions, s->at);
    if (s->kind == SNAPSHOT_FINAL) {
        actions_end(r->actions, r->result->signal != 0);
        marking_last(r->marking, &known);
    }
    read_actions(r);
    if (*r->server_why) {
        known.server.why_off = r->server_why;
        for (size_t i = 0; i < known.nphases; i++)
            known.phases[i].s->server.why_off = r->server_why;
    }
    if (s->kind == SNAPSHOT_FINAL)
        end_profile(r);
    to_stdout(r, local, &known);
    run_files_snapshot(&r->files, &known);
}

/* All that a run's reports hold, whatever of it there is. */
static void let_go(struct run_report *r)
{
    if (r->app->script) { /* which may still run finalizers */
        script_marks(r->app->script, NULL);
        script_on_connect(r->app->script, NULL, NULL);
    }
    server_close(r->server);
    probe_free(r->probe);
    server_status_free(r->status);
    via_close(r->via);
    environment_free(&r->environment);
    discover_free(r->discover);
    run_files_free(&r->files);
    run_profile_free(&r->profile);
    kinds_free(r->kinds);
    actions_free(r->actions);
    marking_free(r->marking);
    text_table_free(r->table);
}

/* Of the clients that will connect, and of the files that their scripts will read meanwhile. */
static size_t descriptors_to_come(const struct app *a)
{
    enum { FILES = 64 };

    return (size_t)a->plan.clients + (size_t)opt_int(a->opts, "idle-connections") + FILES;
}

/* Counters are attached before the clients connect: threads that the server starts for them
 * inherit, which is cheaper than a counter of their own (perf_count.h). */
static int open_named(struct run_report *r, const char *list, struct err *e)
{
    int n = discover_parse(list, r->pids, MAX_PIDS, e);
    bool tree;

    r->npids = n > 0 ? (size_t)n : 0;
    tree = discover_is_tree("/proc", r->pids, r->npids);
    if (n < 0 || server_open(&r->server, "/proc", r->pids, r->npids, tree, e)) {
        let_go(r);
        err_add(e, "Invalid value for --server: '%s'", list);
        return opt_explain(r->app->opts, "server", e);
    }
    attach(r, tree, descriptors_to_come(r->app));
    return 0;
}

/* --report-style: a table, and the percentiles that it shows, for whoever wants one. */
static void choose_style(struct run_report *r)
{
    struct plan *p = &r->app->plan;
    const char *style = opt_str(r->app->opts, "report-style");
    bool automatic = strcmp(style, "auto") == 0, wanted = strcmp(style, "table") == 0;

    if (automatic)
        wanted = screen_is_terminal() && opts_own_given(r->app->opts, "report-style");
    if (!wanted || !p->report_interval || has_hook(r, SCRIPT_HOOK_INTERMEDIATE))
        return;
    p->keep_histograms = true;
    r->table = text_table_new(screen_ask, NULL);
}

int run_report_init(struct run_report *r, struct app *a, struct workload *w,
                    const struct run_result *result, struct err *e)
{
    const char *server = server_option(a);

    memset(r, 0, sizeof *r);
    r->app = a;
    r->workload = w;
    r->result = result;
    r->marking = marking_new();
    if (*opt_str(a->opts, "mark-on") && marking_check(opt_str(a->opts, "mark-on"), e)) {
        let_go(r);
        return -1;
    }
    if (actions_new(&r->actions, a->opts, &a->plan, marking_list(r->marking), e)) {
        let_go(r);
        return -1;
    }
    if (run_files_init(&r->files, a, e) || run_profile_init(&r->profile, a, e)) {
        let_go(r);
        return -1;
    }
    choose_style(r);
    r->observer = (struct run_observer){.arg = r,
                                        .ready = get_ready,
                                        .started = started,
                                        .begin = begin,
                                        .curtain = curtain,
                                        .warming_up = warming_up,
                                        .ticker_open = ticker_open,
                                        .report = report,
                                        .ticker_close = ticker_close,
                                        .marks = marking_list(r->marking)};
    if (opt_bool(a->opts, "report-statements"))
        r->kinds = r->observer.kinds =
            kinds_new_for((size_t)a->plan.clients, (size_t)a->plan.workers);
    if (a->script)
        script_marks(a->script, marking_list(r->marking));
    if (run_probe_wants_status(a->opts) && a->script)
        r->status = server_status_new(opt_str(a->opts, "db-driver"));
    if (run_via_open(&r->via, a->opts, e) ||
        run_probe_new(&r->probe, a->opts, r->status ? server_status_source(r->status) : NULL,
                      r->via, e)) {
        let_go(r);
        return -1;
    }
    r->observer.probe = r->probe;
    if (strcmp(server, "off") == 0)
        return 0;
    if (strcmp(server, "auto") == 0) {
        r->discover = discover_new("/proc");
        if (a->script)
            script_on_connect(a->script, note_connection, r->discover);
        return 0;
    }
    if (r->via)
        return 0;
    return open_named(r, server, e);
}

void run_report_fini(struct run_report *r)
{
    let_go(r);
}

int run_report_open(struct run_report *r, struct err *e)
{
    if (marking_open(r->marking, opt_str(r->app->opts, "mark-on"), e) ||
        actions_open(r->actions, e))
        return -1;
    r->files.marks = marking_list(r->marking);
    r->files.info.record = &r->environment;
    r->files.info.profile = &r->profile_record;
    read_actions(r);
    if (run_files_open(&r->files, r, file_header, file_text, e))
        return -1;
    r->observer.raw_log = r->files.raw;
    return 0;
}

int run_report_close(struct run_report *r, int rc, struct err *e)
{
    struct str s = STR_INIT;

    actions_end(r->actions, true);
    read_actions(r);
    marking_close(r->marking);
    if (r->result->began && !r->result->measured) { /* there was no final report to tell it */
        end_profile(r);
        text_actions(&s, r->files.info.action, r->files.info.actions);
        run_profile_text(&r->profile, &s);
        put(&s);
    }
    rc = run_files_close(&r->files, r->result, rc, e);
    if (r->profile.incomplete && (rc == 0 || e->kind == ERR_UNSUSTAINED))
        return err_set(e, ERR_OUTPUT, "a file of the profile is missing");
    return rc;
}
