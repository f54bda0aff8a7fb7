/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Report hooks: a snapshot as the Lua table that scripts get.  Stock's fields at the top (times and
 * latencies in seconds, counts as differences over time_interval); what stock does not have in
 * tables of their own: stat.rate, stat.server, stat.client.  A figure that does not exist is nil,
 * with the reason beside it.
 */
#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "script/host.h"

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

static void set_series(lua_State *L, const char *name, const struct snapshot_series *r)
{
    lua_newtable(L);
    set_count(L, "n", r->n);
    set_ns(L, "p50", r->p50);
    set_ns(L, "p95", r->p95);
    set_ns(L, "p99", r->p99);
    set_ns(L, "max", r->max);
    if (!isnan(r->mean))
        set_number(L, "mean", r->mean / 1e9);
    lua_setfield(L, -2, name);
}

static void set_rate(lua_State *L, const struct snapshot_rate *r, bool total)
{
    lua_newtable(L);
    set_number(L, "target", r->target);
    set_count(L, "offered", total ? r->total_offered : r->offered);
    set_count(L, "done", total ? r->total_done : r->done);
    set_count(L, "failed", total ? r->total_failed : r->failed);
    set_count(L, "dropped", total ? r->total_dropped : r->dropped);
    set_count(L, "late", total ? r->total_late : r->late);
    set_count(L, "unfinished", r->unfinished);
    set_count(L, "waiting", r->waiting);
    set_count(L, "in_flight", r->in_flight);
    set_ns(L, "oldest", r->oldest_ns);
    set_series(L, "response", &r->response);
    set_series(L, "service", &r->service);
    set_series(L, "lag", &r->lag);
    lua_setfield(L, -2, "rate");
}

static void set_cpu(lua_State *L, const struct sample_delta *d, int ncpu)
{
    set_ns(L, "cpu", d->cpu_ns);
    set_ns(L, "cpu_user", d->user_ns);
    set_ns(L, "cpu_system", d->sys_ns);
    set_number(L, "pct_user", sample_pct_system(d->user_ns, d->wall_ns, ncpu));
    set_number(L, "pct_system", sample_pct_system(d->sys_ns, d->wall_ns, ncpu));
}

static void set_process(lua_State *L, const char *name, const struct snapshot_server *s, int ncpu)
{
    const struct sample_delta *d = &s->d;

    lua_newtable(L);
    lua_pushstring(L, s->describe);
    lua_setfield(L, -2, "name");
    set_number(L, "processes", d->processes);
    if (d->have & SAMPLE_CPU)
        set_cpu(L, d, ncpu);
    if (d->have & SAMPLE_SWITCHES) {
        set_count(L, "voluntary_switches", d->vol_switches);
        set_count(L, "involuntary_switches", d->invol_switches);
    }
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

/* Leaves the table on the stack. */
static void push_stat(lua_State *L, const struct snapshot *s)
{
    bool interval = s->kind == SNAPSHOT_INTERVAL;

    lua_newtable(L);
    set_count(L, "threads_running", s->threads_running);
    set_number(L, "time_interval", dur_sec(s->interval_ns));
    set_number(L, "time_total", dur_sec(s->elapsed_ns));
    set_number(L, "latency_pct", s->latency_pct_ms / 1000);
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
        set_rate(L, &s->rate, !interval);
    if (s->server.on)
        set_process(L, "server", &s->server, s->ncpu);
    if (s->self.on)
        set_process(L, "client", &s->self, s->ncpu);
}

struct script_reporter {
    struct vm *vm;
    bool usable; /* its top level ran */
};

int script_reporter_open(struct script *s, const struct rng *rng, struct script_reporter **out,
                         struct err *e)
{
    struct script_reporter *r = mem_alloc(sizeof *r);
    int tid = (int)opt_int(s->env.opts, "threads");

    *out = r;
    if (vm_open(&r->vm, s, tid, rng, NULL, e) || vm_load(r->vm, e)) {
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
