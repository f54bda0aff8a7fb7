/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Report hooks: a snapshot as the Lua table that scripts get.  Stock's fields are at the top (times
 * and latencies in seconds, counts as differences over time_interval).  What stock does not have is
 * in tables: stat.percentiles, stat.rate, stat.server, stat.client.  A figure that does not exist
 * is nil, with the reason beside it.  docs/reports.md lists all fields.
 *
 * rate_periods_note: counts and percentiles that stand side by side cover the same time.  In
 * stat.rate that is the interval, the time since the last checkpoint, or, in the final report, the
 * run, as in the text reports.  stat.rate.total covers the time since the run began and includes
 * what is open at this moment; there, offered = done + failed + dropped + unfinished
 * holds in every report.
 */
#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "report/text.h"
#include "script/host.h"
#include "script/lua_events.h"
#include "script/lua_probe.h"

static const char *const hook_name[] = {[SCRIPT_HOOK_INTERMEDIATE] = "report_intermediate",
                                        [SCRIPT_HOOK_CUMULATIVE] = "report_cumulative"};

bool script_has_hook(const struct script *s, enum script_hook hook)
{
    return s->hook[hook];
}

static void set_number(lua_State *L, const char *name, double value)
{
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

static void set_count(lua_State *L, const char *name, uint64_t value)
{
    set_number(L, name, (double)value);
}

static void set_ns(lua_State *L, const char *name, int64_t ns)
{
    if (ns >= 0)
        set_number(L, name, dur_sec(ns));
}

/* {{percentile = 99.9, latency = 0.0123}, ...}; latency is nil where there was no sample. */
static void set_percentiles(lua_State *L, const struct snapshot *s, const double *ms,
                            const int64_t *ns)
{
    lua_newtable(L);
    for (size_t i = 0; i < s->percentiles; i++) {
        lua_newtable(L);
        set_number(L, "percentile", s->percentile[i]);
        if (ms)
            set_number(L, "latency", ms[i] / 1000);
        else
            set_ns(L, "latency", ns[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_setfield(L, -2, "percentiles");
}

static void set_series(lua_State *L, const char *name, const struct snapshot *s,
                       const struct snapshot_series *r)
{
    lua_newtable(L);
    set_count(L, "n", r->n);
    set_ns(L, "p50", r->p50);
    set_ns(L, "p95", r->p95);
    set_ns(L, "p99", r->p99);
    set_ns(L, "max", r->max);
    if (!isnan(r->mean))
        set_number(L, "mean", r->mean / 1e9);
    set_percentiles(L, s, NULL, r->pct);
    lua_setfield(L, -2, name);
}

static void set_counts(lua_State *L, uint64_t offered, uint64_t done, uint64_t failed,
                       uint64_t dropped, uint64_t late)
{
    set_count(L, "offered", offered);
    set_count(L, "done", done);
    set_count(L, "failed", failed);
    set_count(L, "dropped", dropped);
    set_count(L, "late", late);
}

static void set_totals(lua_State *L, const struct snapshot_rate *r)
{
    set_counts(L, r->total_offered, r->total_done, r->total_failed, r->total_dropped,
               r->total_late);
    if (r->shared)
        set_count(L, "lost", r->total_lost);
}

/* What is open at the end of the period, whenever it was offered. */
static void set_open(lua_State *L, const struct snapshot_rate *r)
{
    set_count(L, "unfinished", r->unfinished);
    set_count(L, "waiting", r->waiting);
    set_count(L, "in_flight", r->in_flight);
    set_count(L, "withdrawn", r->withdrawn);
    set_ns(L, "oldest", r->oldest_ns);
}

/* See rate_periods_note. */
static void set_rate(lua_State *L, const struct snapshot *s)
{
    const struct snapshot_rate *r = &s->rate;

    lua_newtable(L);
    if (isfinite(r->target)) /* a search as a whole has none */
        set_number(L, "target", r->target);
    if (s->kind == SNAPSHOT_FINAL)
        set_totals(L, r);
    else
        set_counts(L, r->offered, r->done, r->failed, r->dropped, r->late);
    if (r->shared && s->kind != SNAPSHOT_FINAL)
        set_count(L, "lost", r->lost);
    set_open(L, r);
    if (s->kind != SNAPSHOT_INTERVAL) {
        set_count(L, "events_least", r->events_least);
        set_count(L, "events_most", r->events_most);
    }
    set_series(L, "response", s, &r->response);
    set_series(L, "service", s, &r->service);
    set_series(L, "lag", s, &r->lag);
    lua_newtable(L);
    set_totals(L, r);
    set_open(L, r);
    lua_setfield(L, -2, "total");
    lua_setfield(L, -2, "rate");
}

static void set_cpu(lua_State *L, const struct snapshot_server *s, const struct snapshot *all)
{
    const struct sample_delta *d = &s->d;
    int ncpu = s->ncpu ? s->ncpu : all->ncpu; /* another host's are its own */

    set_ns(L, "cpu", d->cpu_ns);
    set_ns(L, "cpu_user", d->user_ns);
    set_ns(L, "cpu_system", d->sys_ns);
    set_number(L, "pct_user", sample_pct_system(d->user_ns, d->wall_ns, ncpu));
    set_number(L, "pct_system", sample_pct_system(d->sys_ns, d->wall_ns, ncpu));
    if (snapshot_sampled_by(all, s))
        set_number(L, "cpu_per_transaction",
                   dur_sec(d->cpu_ns) / (double)snapshot_sampled_by(all, s));
}

static void set_switches(lua_State *L, const struct sample_delta *d, uint64_t events)
{
    set_count(L, "voluntary_switches", d->vol_switches);
    set_count(L, "involuntary_switches", d->invol_switches);
    if (events)
        set_number(L, "switches_per_transaction",
                   (double)(d->vol_switches + d->invol_switches) / (double)events);
}

/* {switches = true}: figures that are lower bounds; the reason is in `reason`. */
static void set_at_least(lua_State *L, const struct sample_delta *d)
{
    static const struct {
        unsigned bit;
        const char *name;
    } t[] = {{SAMPLE_CPU, "cpu"},
             {SAMPLE_SWITCHES, "switches"},
             {SAMPLE_FAULTS, "faults"},
             {SAMPLE_MEMORY, "rss_bytes"},
             {SAMPLE_THREADS, "threads"},
             {SAMPLE_IO, "bytes"},
             {SAMPLE_RUNQ, "run_queue_wait"}};

    lua_newtable(L);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        if (d->lower & t[i].bit) {
            lua_pushboolean(L, 1);
            lua_setfield(L, -2, t[i].name);
        }
    }
    lua_setfield(L, -2, "at_least");
}

static void set_process(lua_State *L, const char *name, const struct snapshot_server *s,
                        const struct snapshot *all)
{
    const struct sample_delta *d = &s->d;

    lua_newtable(L);
    if (d->wall_ns > 0)
        set_ns(L, "interval", d->wall_ns);
    set_at_least(L, d);
    lua_pushstring(L, s->describe);
    lua_setfield(L, -2, "name");
    set_number(L, "processes", d->processes);
    if (d->have & SAMPLE_CPU)
        set_cpu(L, s, all);
    if (d->have & SAMPLE_SWITCHES)
        set_switches(L, d, snapshot_sampled_by(all, s));
    if (d->have & SAMPLE_FAULTS) {
        set_count(L, "minor_faults", d->minor_faults);
        set_count(L, "major_faults", d->major_faults);
    }
    if (d->have & SAMPLE_MEMORY)
        set_count(L, "rss_bytes", d->rss_bytes);
    if (d->have & SAMPLE_THREADS)
        set_count(L, "threads", d->threads);
    if (d->have & SAMPLE_IO) {
        set_count(L, "read_bytes", d->read_bytes);
        set_count(L, "write_bytes", d->write_bytes);
    }
    if (d->have & SAMPLE_RUNQ)
        set_ns(L, "run_queue_wait", d->runq_wait_ns);
    if (d->reason[0]) {
        lua_pushstring(L, d->reason);
        lua_setfield(L, -2, "reason");
    }
    lua_setfield(L, -2, name);
}

/* What was counted since measuring began, whatever was reported meanwhile. */
static void set_since_start(lua_State *L, const struct snapshot *s)
{
    lua_newtable(L);
    set_count(L, "events", s->total[CNT_DONE] + s->total[CNT_EVENT]);
    set_count(L, "reads", s->total[CNT_READ]);
    set_count(L, "writes", s->total[CNT_WRITE]);
    set_count(L, "other", s->total[CNT_OTHER]);
    set_count(L, "errors", s->total[CNT_ERROR]);
    set_count(L, "reconnects", s->total[CNT_RECONNECT]);
    lua_setfield(L, -2, "total");
}

/* {{time = 1.25, text = "deploy", source = "fifo"}, ...}; time as in time_total. */
static void set_marks(lua_State *L, const struct snapshot *s)
{
    lua_newtable(L);
    for (size_t i = 0; i < s->nmarks; i++) {
        lua_newtable(L);
        set_number(L, "time", dur_sec(s->marks[i].at - (s->at - s->elapsed_ns)));
        lua_pushstring(L, s->marks[i].text);
        lua_setfield(L, -2, "text");
        lua_pushstring(L, mark_source_name(s->marks[i].source));
        lua_setfield(L, -2, "source");
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_setfield(L, -2, "marks");
}

/* The whole run's, in the final report: {{kind = "point_selects", class = "prepared", count = 5,
 * ...}, ...}. */
static void set_statements(lua_State *L, const struct snapshot *s)
{
    if (!s->statements)
        return;
    lua_newtable(L);
    for (size_t i = 0; i < s->nstatements; i++) {
        const struct stmt_figures *f = &s->statements[i];
        double share = statement_share(s, f);
        lua_newtable(L);
        lua_pushstring(L, statement_name(f));
        lua_setfield(L, -2, "kind");
        lua_pushstring(L, stmt_class_name(f->class));
        lua_setfield(L, -2, "class");
        set_count(L, "count", f->count);
        set_count(L, "errors", f->errors);
        set_count(L, "rows", f->rows);
        set_ns(L, "sum", f->sum_ns);
        set_number(L, "mean", dur_sec(f->sum_ns) / (double)f->count);
        set_ns(L, "min", f->min);
        set_ns(L, "p50", f->p50);
        set_ns(L, "p95", f->p95);
        set_ns(L, "p99", f->p99);
        set_ns(L, "max", f->max);
        if (!isnan(share))
            set_number(L, "share", share);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_setfield(L, -2, "statements");
}

/* stat.percentile, stat.percentiles and the rest of this can be read but are not met by pairs():
 * with stock's options alone, scripts that print every field of stat find stock's numbers and
 * nothing else. */
static void set_unlisted(lua_State *L, const struct snapshot *s)
{
    static const char *const kind[] = {[SNAPSHOT_INTERVAL] = "interval",
                                       [SNAPSHOT_CHECKPOINT] = "checkpoint",
                                       [SNAPSHOT_FINAL] = "summary"};

    lua_newtable(L);
    lua_newtable(L);
    set_number(L, "percentile", s->percentiles ? s->percentile[0] : 0);
    set_percentiles(L, s, s->latency_pct_ms, NULL);
    lua_pushstring(L, kind[s->kind]);
    lua_setfield(L, -2, "kind");
    set_number(L, "wall_time", (double)s->wall / 1e9);
    set_count(L, "time_decimals", (uint64_t)s->stamp_decimals);
    set_since_start(L, s);
    set_marks(L, s);
    set_statements(L, s);
    lua_events_set(L, s);
    if (s->has_latency)
        set_series(L, "latency", s, &s->latency);
    if (!s->server.on && s->server.why_off) {
        lua_pushstring(L, s->server.why_off);
        lua_setfield(L, -2, "server_missing");
    }
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
}

/* Leaves the table on the stack. */
static void push_stat(lua_State *L, const struct snapshot *s)
{
    bool interval = s->kind == SNAPSHOT_INTERVAL;

    lua_newtable(L);
    set_unlisted(L, s);
    set_count(L, "threads_running", s->threads_running);
    set_number(L, "time_interval", dur_sec(s->interval_ns));
    set_number(L, "time_total", dur_sec(s->elapsed_ns));
    set_number(L, "latency_pct", s->percentiles ? s->latency_pct_ms[0] / 1000 : 0);
    set_count(L, "events", s->events);
    set_count(L, "reads", s->reads);
    set_count(L, "writes", s->writes);
    set_count(L, "other", s->other);
    set_count(L, "errors", s->errors);
    set_count(L, "reconnects", s->reconnects);
    if (interval) {
        set_count(L, "queue_length", s->queue_length);
        set_count(L, "concurrency", s->concurrency);
    } else {
        set_number(L, "latency_min", s->latency_min_ms / 1000);
        set_number(L, "latency_max", s->latency_max_ms / 1000);
        set_number(L, "latency_avg", s->latency_avg_ms / 1000);
        set_number(L, "latency_sum", s->latency_sum_ms / 1000);
    }
    if (s->has_rate)
        set_rate(L, s);
    if (s->server.on)
        set_process(L, "server", &s->server, s);
    if (s->self.on)
        set_process(L, "client", &s->self, s);
    lua_probe_set(L, s);
}

struct script_reporter {
    struct vm *vm;
    bool usable; /* its top level ran */
};

int script_reporter_open(struct script *s, const struct rng *rng, struct script_reporter **out,
                         struct err *e)
{
    struct script_reporter *r = mem_alloc(sizeof *r);

    *out = r;
    if (vm_open(&r->vm, s, s->env.threads, rng, NULL, e) || vm_load(r->vm, e)) {
        atomic_store(&s->report_failed, true);
        return -1;
    }
    r->usable = true;
    return 0;
}

int script_report(struct script *s, struct script_reporter *r, enum script_hook hook,
                  const struct snapshot *snap)
{
    struct vm *vm = r ? r->vm : s->main;
    int rc;

    if (r && !r->usable)
        return -1;
    vm_push_api(vm, "hooks", hook_name[hook]);
    push_stat(vm->L, snap);
    rc = vm_call(vm, hook_name[hook], 1, 0, NULL);
    if (rc)
        atomic_store(&s->report_failed, true);
    return rc;
}

void script_reporter_close(struct script_reporter *r)
{
    if (!r)
        return;
    vm_close(r->vm);
    free(r);
}
