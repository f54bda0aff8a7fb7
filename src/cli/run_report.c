/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run_report.h.  Every report is rendered into one buffer and written at once, so that lines of
 * the ticker and of the main thread cannot mix.
 */
#include "cli/run_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "report/text.h"

#define MAX_PIDS 64

static enum text_form form(void)
{
    return sql_in_use() ? TEXT_SQL : TEXT_GENERIC;
}

static void put(struct str *s)
{
    log_block(str_cstr(s), s->len);
    str_free(s);
}

static void rate_line(struct str *s, const struct plan *p)
{
    static const char *const shape[] = {
        [ARRIVAL_EVEN] = "even", [ARRIVAL_POISSON] = "Poisson", [ARRIVAL_ALIGNED] = "aligned"};
    struct arrivals_spec spec = {.shape = p->arrival, .rate = p->rate, .jitter = p->jitter, .clients = p->clients};

    str_printf(s, "Target transaction rate: %.12g/sec, %s arrivals, jitter %.12g usec\n", p->rate, shape[p->arrival],
               (double)arrivals_jitter_window(&spec) / 1e3);
}

void run_report_header(const struct plan *p)
{
    struct str s = STR_INIT;

    str_adds(&s, "Running the test with following options:\n");
    str_printf(&s, "Number of threads: %d\n", p->clients);
    if (p->warmup)
        str_printf(&s, "Warmup time: %llds\n", (long long)(p->warmup / NS_PER_SEC));
    if (p->stock_rate)
        str_printf(&s, "Target transaction rate: %.0f/sec\n", p->rate);
    else if (p->rate > 0)
        rate_line(&s, p);
    if (p->report_interval)
        str_printf(&s, "Report intermediate results every %lld second(s)\n",
                   (long long)(p->report_interval / NS_PER_SEC));
    for (size_t i = 0; i < p->checkpoints; i++)
        str_printf(&s, "%s%lld%s", i ? ", " : "Report checkpoint(s) at ",
                   (long long)(p->checkpoint[i] / NS_PER_SEC), i + 1 == p->checkpoints ? " seconds\n" : "");
    if (p->debug)
        str_adds(&s, "Debug mode enabled.\n\n");
    if (p->validate)
        str_adds(&s, "Validation checks: on.\n\n");
    if (p->seed)
        str_printf(&s, "Initializing random number generator from seed (%d).\n\n", (int)p->seed);
    else
        str_adds(&s, "Initializing random number generator from current time\n\n");
    if (p->forced == FORCED_ON)
        str_printf(&s, "Forcing shutdown in %lld seconds\n",
                   (long long)((p->time_limit + p->warmup + p->forced_grace) / NS_PER_SEC));
    str_adds(&s, "\n");
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
    return opt_given(a->opts, "tx-rate") && a->plan.rate > 0 ? "auto" : "off";
}

/* Finds the server behind the connections that are up now; what cannot be found is said, once, and the run
 * goes on without it. */
static struct server *find_server(void *arg)
{
    struct run_report *r = arg;
    pid_t pids[MAX_PIDS];
    struct err e = {0};
    bool tree = false;
    int n;

    if (!r->discover)
        return r->server;
    if (!sql_in_use())
        return NULL;
    n = discover_resolve(r->discover, pids, MAX_PIDS, &tree, &e);
    if (n < 0 || server_open(&r->server, "/proc", pids, (size_t)n, tree, &e)) {
        log_notice("Server: n/a (%s)\n", e.msg);
        return NULL;
    }
    return r->server;
}

static void started(void *arg)
{
    (void)arg;
    log_notice("Threads started!\n");
}

static void warming_up(void *arg)
{
    struct run_report *r = arg;

    log_notice("Warming up for %lld seconds...\n", (long long)(r->app->plan.warmup / NS_PER_SEC));
}

/* Stock keeps a Lua state for intermediate reports and one for checkpoints, and the script's top level
 * runs in each, hooks or not: scripts that count on it exist. */
struct reporters {
    struct script_reporter *interval, *checkpoint;
};

static struct script_reporter *open_reporter(struct run_report *r)
{
    struct script_reporter *out = NULL;
    struct err e = {0};
    struct rng rng;

    rng_seed(&rng, &r->app->seeder); /* drop-in: the clients' streams are those that come after it */
    if (!r->app->script) /* a built-in test */
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

static void as_text(const struct run_report *r, struct str *out, const struct snapshot *s)
{
    const struct workload_ops *ops = r->workload->ops;

    if (!ops->render_cumulative || !ops->render_cumulative(r->workload, s, TEXT_1_0, out))
        text_cumulative(out, s, form());
    if (r->app->plan.debug)
        text_threads(out, s);
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
        as_text(r, &out, s);
        put(&out);
    }
    if (s->kind == SNAPSHOT_FINAL && s->has_rate && !s->stock_rate) {
        text_rate(&out, s);
        text_verdict(&out, s, r->result->sustained, r->result->why);
        put(&out);
    }
    text_processes(&out, s);
    put(&out);
    if (s->kind == SNAPSHOT_FINAL && !r->result->accounts_balance)
        log_alert("the accounts do not balance: offered %llu, done %llu, failed %llu, dropped %llu, unfinished %llu",
                  (unsigned long long)s->rate.total_offered, (unsigned long long)s->rate.total_done,
                  (unsigned long long)s->rate.total_failed, (unsigned long long)s->rate.total_dropped,
                  (unsigned long long)s->rate.unfinished);
}

static void interval(const struct run_report *r, const struct snapshot *s)
{
    const struct workload_ops *ops = r->workload->ops;
    struct str out = STR_INIT, middle = STR_INIT;

    if (ops->render_interval) {
        ops->render_interval(r->workload, s, &middle);
        text_interval_of(&out, s, str_cstr(&middle));
        str_free(&middle);
    } else {
        text_interval(&out, s, form());
    }
    put(&out);
}

static void report(void *arg, void *local, const struct snapshot *s)
{
    const struct reporters *v = local;
    struct run_report *r = arg;

    if (s->kind != SNAPSHOT_INTERVAL)
        cumulative(r, v, s);
    else if (has_hook(r, SCRIPT_HOOK_INTERMEDIATE))
        script_report(r->app->script, v->interval, SCRIPT_HOOK_INTERMEDIATE, s);
    else
        interval(r, s);
}

int run_report_init(struct run_report *r, struct app *a, struct workload *w, const struct run_result *result,
                    struct err *e)
{
    const char *server = server_option(a);
    pid_t pids[MAX_PIDS];
    int n;

    memset(r, 0, sizeof *r);
    r->app = a;
    r->workload = w;
    r->result = result;
    r->observer = (struct run_observer){.arg = r, .ready = find_server, .started = started,
                                        .warming_up = warming_up, .ticker_open = ticker_open,
                                        .report = report, .ticker_close = ticker_close};
    if (strcmp(server, "off") == 0)
        return 0;
    if (strcmp(server, "auto") == 0) {
        r->discover = discover_new("/proc");
        if (a->script)
            script_on_connect(a->script, note_connection, r->discover);
        return 0;
    }
    n = discover_parse(server, pids, MAX_PIDS, e);
    if (n < 0 || server_open(&r->server, "/proc", pids, (size_t)n, discover_is_tree("/proc", pids, (size_t)n), e))
        return err_add(e, "Invalid value for --server: '%s'", server);
    return 0;
}

void run_report_fini(struct run_report *r)
{
    if (r->app->script)
        script_on_connect(r->app->script, NULL, NULL);
    server_close(r->server);
    discover_free(r->discover);
}
