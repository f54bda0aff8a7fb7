/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See lua_probe.h.  Names are those of the text: events as they were written, vmstat's columns, the
 * server's own counters.
 */
#include "script/lua_probe.h"

#include <math.h>

static void set(lua_State *L, const char *name, double v)
{
    if (isnan(v))
        return;
    lua_pushnumber(L, v);
    lua_setfield(L, -2, name);
}

static void set_events(lua_State *L, const struct snapshot *s)
{
    const struct probe_delta *p = s->probe;

    lua_newtable(L);
    for (size_t i = 0; i < p->events; i++)
        if (p->perf.f[i].have)
            set(L, p->event[i].name, p->perf.f[i].count);
    set(L, "ipc", p->perf.d.ipc);
    set(L, "icache_misses_per_instruction", p->perf.d.icache_per_instruction);
    set(L, "itlb_misses_per_instruction", p->perf.d.itlb_per_instruction);
    set(L, "branch_miss_pct", p->perf.d.branch_miss_pct);
    set(L, "transactions_per_billion_cycles", snapshot_work(s));
    lua_setfield(L, -2, "server_events");
}

static void set_status(lua_State *L, const struct probe_delta *p)
{
    lua_newtable(L);
    for (size_t i = 0; i < p->statuses; i++)
        if (p->status.have & UINT32_C(1) << i)
            set(L, p->status_name[i].name, p->status.v[i]);
    lua_setfield(L, -2, "server_status");
}

/* A list, the most frequent ones first. */
static void set_syscalls(lua_State *L, const struct syscalls_delta *d)
{
    char name[24];

    lua_newtable(L);
    for (size_t i = 0; i < d->n; i++) {
        lua_newtable(L);
        lua_pushstring(L, syscall_name(d->f[i].number, name));
        lua_setfield(L, -2, "name");
        set(L, "number", d->f[i].number);
        set(L, "count", (double)d->f[i].c.began);
        set(L, "ended", (double)d->f[i].c.ended);
        set(L, "errors", (double)d->f[i].c.errors);
        set(L, "sum", (double)d->f[i].c.ns / 1e9);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_setfield(L, -2, "server_syscalls");
}

/* `each`: seconds of the interval for a transaction; NaN without one. */
static void set_host(lua_State *L, const struct host_delta *d, double each)
{
    const struct {
        const char *name;
        unsigned group;
        double v;
    } column[] = {
        {"r", HOST_STAT, d->running},
        {"b", HOST_STAT, d->blocked},
        {"swpd", HOST_MEMORY, d->swpd},
        {"free", HOST_MEMORY, d->free},
        {"buff", HOST_MEMORY, d->buff},
        {"cache", HOST_MEMORY, d->cache},
        {"si", HOST_PAGING, d->si},
        {"so", HOST_PAGING, d->so},
        {"bi", HOST_PAGING, d->bi},
        {"bo", HOST_PAGING, d->bo},
        {"interrupts", HOST_STAT, d->in}, /* "in" is a word of Lua */
        {"cs", HOST_STAT, d->cs},
        {"us", HOST_STAT, d->us},
        {"sy", HOST_STAT, d->sy},
        {"id", HOST_STAT, d->id},
        {"wa", HOST_STAT, d->wa},
        {"st", HOST_STAT, d->st},
        {"disk_read", HOST_DISK, d->disk_read},
        {"disk_written", HOST_DISK, d->disk_written},
        {"net_received", HOST_NET, d->net_received},
        {"net_sent", HOST_NET, d->net_sent},
        {"psi_cpu", HOST_PRESSURE, d->stalled_pct[HOST_PSI_CPU]},
        {"psi_io", HOST_PRESSURE, d->stalled_pct[HOST_PSI_IO]},
        {"psi_memory", HOST_PRESSURE, d->stalled_pct[HOST_PSI_MEMORY]},
        {"mhz", HOST_FREQUENCY, d->mhz},
        {"throttled_pct", HOST_THROTTLE, d->throttled_pct},
        {"r_mean", HOST_STAT, d->running_mean},
        {"b_mean", HOST_STAT, d->blocked_mean},
        {"swpd_mean", HOST_MEMORY, d->swpd_mean},
        {"free_mean", HOST_MEMORY, d->free_mean},
        {"buff_mean", HOST_MEMORY, d->buff_mean},
        {"cache_mean", HOST_MEMORY, d->cache_mean},
        {"interrupts_per_transaction", HOST_STAT, d->in * each},
        {"cs_per_transaction", HOST_STAT, d->cs * each},
        {"power_cpu_w", HOST_POWER, d->watts[POWER_CPU]},
        {"power_memory_w", HOST_POWER, d->watts[POWER_MEMORY]},
        {"power_battery_w", HOST_POWER, d->battery_watts},
        {"energy_cpu_j_per_transaction", HOST_POWER, d->watts[POWER_CPU] * each},
        {"energy_memory_j_per_transaction", HOST_POWER, d->watts[POWER_MEMORY] * each},
        {"energy_battery_j_per_transaction", HOST_POWER, d->battery_watts * each},
    };

    lua_newtable(L);
    for (size_t i = 0; i < sizeof column / sizeof *column; i++)
        if (d->have & column[i].group)
            set(L, column[i].name, column[i].v);
    lua_setfield(L, -2, "host");
}

void lua_probe_set(lua_State *L, const struct snapshot *s)
{
    uint64_t n = snapshot_sampled(s);

    if (!s->probe)
        return;
    if (s->probe->events)
        set_events(L, s);
    if (s->probe->has_syscalls && !s->probe->syscalls.why)
        set_syscalls(L, &s->probe->syscalls);
    if (s->probe->statuses)
        set_status(L, s->probe);
    if (s->probe->has_host)
        set_host(L, &s->probe->host, n ? dur_sec(s->probe->host.wall_ns) / (double)n : NAN);
}
