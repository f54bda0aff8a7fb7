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

static void set_events(lua_State *L, const struct probe_delta *p)
{
    lua_newtable(L);
    for (size_t i = 0; i < p->events; i++)
        if (p->perf.f[i].have)
            set(L, p->event[i].name, p->perf.f[i].count);
    set(L, "ipc", p->perf.d.ipc);
    set(L, "icache_misses_per_instruction", p->perf.d.icache_per_instruction);
    set(L, "itlb_misses_per_instruction", p->perf.d.itlb_per_instruction);
    set(L, "branch_miss_pct", p->perf.d.branch_miss_pct);
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

static void set_host(lua_State *L, const struct host_delta *d)
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
    };

    lua_newtable(L);
    for (size_t i = 0; i < sizeof column / sizeof *column; i++)
        if (d->have & column[i].group)
            set(L, column[i].name, column[i].v);
    lua_setfield(L, -2, "host");
}

void lua_probe_set(lua_State *L, const struct snapshot *s)
{
    if (!s->probe)
        return;
    if (s->probe->events)
        set_events(L, s->probe);
    if (s->probe->statuses)
        set_status(L, s->probe);
    if (s->probe->has_host)
        set_host(L, &s->probe->host);
}
