/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Report hooks: a snapshot as the Lua table that scripts get.  Stock's fields are at the top (times
 * and latencies in seconds, counts as differences over time_interval).  What stock does not have is
 * in tables that pairs() does not meet: stat.percentiles, stat.rate, stat.server ...  A figure that
 * does not exist is nil, with the reason beside it.  docs/hooks.md lists all fields; most are the
 * rows of report/fields.h that have a name for hooks.
 *
 * rate_periods_note: counts and percentiles that stand side by side cover the same time.  In
 * stat.rate that is the interval, the time since the last checkpoint, or, in the final report, the
 * run, as in the text reports.  stat.rate.total covers the time since the run began and includes
 * what is open at this moment; there, the identity of report/snapshot.h holds in every report.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "report/fields.h"
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

static void set_text(lua_State *L, const char *name, const char *value)
{
    lua_pushstring(L, value);
    lua_setfield(L, -2, name);
}

static void set_ns(lua_State *L, const char *name, int64_t ns)
{
    if (ns >= 0)
        set_number(L, name, dur_sec(ns));
}

/* The rows of a record that have a name here. */
static void set_record(lua_State *L, const struct figure *t, const struct snapshot *s,
                       const void *of)
{
    struct str buf = STR_INIT;

    for (const struct figure *f = t; !figure_ends(f); f++) {
        if (f->inside.of && !f->name)
            set_record(L, f->inside.of, s, figures_inside(f, s, of));
        if (!f->lua)
            continue;
        struct value v = figures_value(f, s, of, &buf);
        if (v.kind == VALUE_TEXT)
            set_text(L, f->lua, v.text);
        else if (v.kind != VALUE_NONE)
            set_number(L, f->lua, v.number);
    }
    str_free(&buf);
}

/* {{kind = "stopped", time = 12.5, text = "..."}, ...} */
static void set_list(lua_State *L, const char *name, const struct figure *t,
                     const struct snapshot *s, const void *record, size_t n, size_t size,
                     figure_when *keep)
{
    int k = 0;

    lua_newtable(L);
    for (size_t i = 0; i < n; i++) {
        const void *of = (const char *)record + i * size;
        if (keep && !keep(s, of))
            continue;
        lua_newtable(L);
        set_record(L, t, s, of);
        lua_rawseti(L, -2, ++k);
    }
    lua_setfield(L, -2, name);
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
    set_record(L, series_figures, s, r);
    set_percentiles(L, s, NULL, r->pct);
    lua_setfield(L, -2, name);
}

/* See rate_periods_note.  Names of rows that begin with "total." count since the run began, those
 * with "open." are what is open now. */
static void set_rate(lua_State *L, const struct snapshot *s)
{
    const struct figure *t = section_figures[FIELD_RATE];
    bool final = s->kind == SNAPSHOT_FINAL;

    lua_newtable(L);
    lua_newtable(L);
    for (const struct figure *f = t; !figure_ends(f); f++) {
        const struct value v = figures_value(f, s, &s->rate, NULL);
        const char *dot = f->lua ? strchr(f->lua, '.') : NULL, *name = dot ? dot + 1 : f->lua;
        bool total = dot && strncmp(f->lua, "total.", 6) == 0;
        if (!f->lua || v.kind == VALUE_NONE)
            continue;
        if (dot)
            set_number(L, name, v.number);
        if (total && !final)
            continue;
        lua_pushnumber(L, v.number);
        lua_setfield(L, -3, name);
    }
    lua_setfield(L, -2, "total");
    if (s->kind != SNAPSHOT_INTERVAL) {
        set_count(L, "events_least", s->rate.events_least);
        set_count(L, "events_most", s->rate.events_most);
    }
    set_series(L, "response", s, &s->rate.response);
    set_series(L, "service", s, &s->rate.service);
    set_series(L, "lag", s, &s->rate.lag);
    lua_setfield(L, -2, "rate");
}

/* The figures of a section. */
struct section {
    lua_State *L;
    enum field_section section;
    unsigned have; /* of a process */
};

static void set_field(void *arg, const struct field *f)
{
    const struct section *v = arg;
    const enum figure_unit in = f->row ? f->row->value.unit : PLAIN;
    double unit = in == KIB ? 1024 : in == MHZ ? 1e6 : 1;

    if (f->section != v->section || !f->row || !f->row->lua)
        return;
    if (!f->missing)
        set_number(v->L, f->row->lua, f->value.number / unit);
    else if (f->missing == field_no_time && v->have & f->row->gap.have)
        set_number(v->L, f->row->lua, NAN);
}

static void set_process(lua_State *L, enum field_section section, const struct snapshot_server *v,
                        const struct snapshot *s)
{
    static const char *const name[SAMPLE_FIGURES] = {
        "cpu", "switches", "faults", "rss_bytes", "threads", "bytes", "run_queue_wait"};

    lua_newtable(L);
    if (v->d.wall_ns > 0)
        set_ns(L, "interval", v->d.wall_ns);
    lua_newtable(L); /* {switches = true}: figures that are lower bounds; see `reason` */
    for (int i = 0; i < SAMPLE_FIGURES; i++)
        if (v->d.lower & 1u << i) {
            lua_pushboolean(L, 1);
            lua_setfield(L, -2, name[i]);
        }
    lua_setfield(L, -2, "at_least");
    set_text(L, "name", v->describe);
    fields_each(s, set_field, &(struct section){L, section, v->d.have});
    if (v->d.reason[0])
        set_text(L, "reason", v->d.reason);
    lua_setfield(L, -2, field_section_name(section));
}

/* stat.server_events, stat.server_syscalls, stat.server_status and stat.host, each only when it was
 * asked for.  Names are those of the text: events as they were written, vmstat's columns, the
 * server's own counters. */
static void set_probe(lua_State *L, const struct snapshot *s)
{
    const struct probe_delta *p = s->probe;

    if (p->events) {
        lua_newtable(L);
        for (size_t i = 0; i < p->events; i++)
            if (p->perf.f[i].have && !isnan(p->perf.f[i].count))
                set_number(L, p->event[i].name, p->perf.f[i].count);
        set_record(L, derived_figures, s, &p->perf.d);
        lua_setfield(L, -2, "server_events");
    }
    if (p->has_syscalls && !p->syscalls.why)
        set_list(L, "server_syscalls", syscall_figures, s, p->syscalls.f, p->syscalls.n,
                 sizeof *p->syscalls.f, NULL);
    if (p->statuses || p->has_waits) {
        lua_newtable(L);
        for (size_t i = 0; i < p->statuses; i++)
            if (status_has(&p->status, i) && !isnan(p->status.v[i]))
                set_number(L, p->status_name[i].name, p->status.v[i]);
        set_record(L, status_figures, s, &p->status);
        lua_setfield(L, -2, "server_status");
    }
    if (p->has_host) {
        lua_newtable(L);
        fields_each(s, set_field, &(struct section){L, FIELD_HOST, 0});
        lua_setfield(L, -2, "host");
    }
}

static bool occurred(const struct snapshot *s, const void *of)
{
    (void)s;
    return ((const struct snapshot_error *)of)->count > 0;
}

static void set_counts(lua_State *L, const uint64_t n[6])
{
    static const char *const name[] = {"events", "reads",  "writes",
                                       "other",  "errors", "reconnects"};

    for (int i = 0; i < 6; i++)
        set_count(L, name[i], n[i]);
}

/* What stock does not have can be read but is not met by pairs(): scripts that print every field of
 * stat find stock's numbers and nothing else. */
static void set_unlisted(lua_State *L, const struct snapshot *s)
{
    static const char *const kind[] = {[SNAPSHOT_INTERVAL] = "interval",
                                       [SNAPSHOT_CHECKPOINT] = "checkpoint",
                                       [SNAPSHOT_FINAL] = "summary"};

    size_t told = s->kind == SNAPSHOT_FINAL ? 0 : s->incidents_told;

    lua_newtable(L);
    lua_newtable(L);
    set_number(L, "percentile", s->percentiles ? s->percentile[0] : 0);
    set_percentiles(L, s, s->latency_pct_ms, NULL);
    set_text(L, "kind", kind[s->kind]);
    set_count(L, "failed", s->count[CNT_FAILED]);
    set_number(L, "wall_time", (double)s->wall / 1e9);
    set_count(L, "time_decimals", (uint64_t)s->stamp_decimals);
    lua_newtable(L); /* counted since measuring began, whatever was reported meanwhile */
    set_counts(L, (const uint64_t[]){s->total[CNT_DONE] + s->total[CNT_EVENT], s->total[CNT_READ],
                                     s->total[CNT_WRITE], s->total[CNT_OTHER], s->total[CNT_ERROR],
                                     s->total[CNT_RECONNECT]});
    set_count(L, "failed", s->total[CNT_FAILED]);
    lua_setfield(L, -2, "total");
    set_list(L, "marks", mark_figures, s, s->marks, s->nmarks, sizeof *s->marks, NULL);
    if (s->statements)
        set_list(L, "statements", statement_figures, s, s->statements, s->nstatements,
                 sizeof *s->statements, NULL);
    set_list(L, "errors_by_code", error_figures, s, s->by_code, s->nby_code, sizeof *s->by_code,
             occurred);
    set_list(L, "incidents", incident_figures, s, s->incident + told, s->incidents - told,
             sizeof *s->incident, NULL);
    if (s->has_latency)
        set_series(L, "latency", s, &s->latency);
    if (s->has_rate)
        set_rate(L, s);
    if (s->server.on)
        set_process(L, FIELD_SERVER, &s->server, s);
    else if (s->server.why_off)
        set_text(L, "server_missing", s->server.why_off);
    if (s->self.on)
        set_process(L, FIELD_CLIENT, &s->self, s);
    if (s->probe)
        set_probe(L, s);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
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
    lua_State *L = vm->L;

    if (r && !r->usable)
        return -1;
    vm_push_api(vm, "hooks", hook_name[hook]);
    lua_newtable(L);
    set_unlisted(L, snap);
    set_count(L, "threads_running", snap->threads_running);
    set_number(L, "time_interval", dur_sec(snap->interval_ns));
    set_number(L, "time_total", dur_sec(snap->elapsed_ns));
    set_number(L, "latency_pct", snap->percentiles ? snap->latency_pct_ms[0] / 1000 : 0);
    set_counts(L, (const uint64_t[]){snap->events, snap->reads, snap->writes, snap->other,
                                     snap->errors, snap->reconnects});
    if (snap->kind == SNAPSHOT_INTERVAL) {
        set_count(L, "queue_length", snap->queue_length);
        set_count(L, "concurrency", snap->concurrency);
    } else {
        set_number(L, "latency_min", snap->latency_min_ms / 1000);
        set_number(L, "latency_max", snap->latency_max_ms / 1000);
        set_number(L, "latency_avg", snap->latency_avg_ms / 1000);
        set_number(L, "latency_sum", snap->latency_sum_ms / 1000);
    }
    int rc = vm_call(vm, hook_name[hook], 1, 0, NULL);
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
