/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The difference of two readings of the machine (host.h): rates, shares and means.  Pure
 * arithmetic; a figure that cannot be computed is NaN.
 */
#include <math.h>

#include "telemetry/host.h"

/* NaN if a counter decreased, as it does when a network interface or a disk is removed. */
static double rate(uint64_t before, uint64_t after, double seconds)
{
    return after >= before ? (double)(after - before) / seconds : NAN;
}

static void diff_stat(const struct host_reading *b, const struct host_reading *a, double s,
                      struct host_delta *d)
{
    const struct proc_cpu_ticks *x = &b->stat.cpu, *y = &a->stat.cpu;
    double all = rate(proc_cpu_total(x), proc_cpu_total(y), 1);

    d->cpus = a->stat.online_cpus;
    d->running = a->stat.running > 0 ? (double)a->stat.running - 1 : 0;
    d->blocked = (double)a->stat.blocked;
    d->in = rate(b->stat.interrupts, a->stat.interrupts, s);
    d->cs = rate(b->stat.switches, a->stat.switches, s);
    if (!(all > 0)) {
        d->us = d->sy = d->id = d->wa = d->st = NAN;
        return;
    }
    d->us = 100 * rate(x->user + x->nice, y->user + y->nice, all);
    d->sy = 100 * rate(x->system + x->irq + x->softirq, y->system + y->irq + y->softirq, all);
    d->id = 100 * rate(x->idle, y->idle, all);
    d->wa = 100 * rate(x->iowait, y->iowait, all);
    d->st = 100 * rate(x->steal, y->steal, all);
}

/* NaN without a reading in between: as from a peer that does not send sums. */
static double mean(uint64_t n_before, uint64_t n, uint64_t before, uint64_t after)
{
    return n > n_before && after >= before ? (double)(after - before) / (double)(n - n_before)
                                           : NAN;
}

static void diff_means(const struct host_sums *b, const struct host_sums *a, struct host_delta *d)
{
    d->running_mean = mean(b->stats, a->stats, b->running, a->running);
    d->blocked_mean = mean(b->stats, a->stats, b->blocked, a->blocked);
    d->swpd_mean = mean(b->memories, a->memories, b->swapped_kib, a->swapped_kib);
    d->free_mean = mean(b->memories, a->memories, b->free_kib, a->free_kib);
    d->buff_mean = mean(b->memories, a->memories, b->buffers_kib, a->buffers_kib);
    d->cache_mean = mean(b->memories, a->memories, b->cache_kib, a->cache_kib);
}

static void diff_power(const struct host_reading *b, const struct host_reading *a, double s,
                       struct host_delta *d)
{
    const struct power_reading *x = &b->power, *y = &a->power;

    for (int i = 0; i < POWER_KINDS; i++)
        d->watts[i] = x->have & y->have & 1u << i && x->gaps == y->gaps
                          ? rate(x->energy_uj[i], y->energy_uj[i], s) / 1e6
                          : NAN;
    d->battery_watts =
        mean(b->sum.batteries, a->sum.batteries, b->sum.battery_uw, a->sum.battery_uw) / 1e6;
}

/* What one reader has added up; another one (host_reading.generation) began at 0. */
static void diff_sums(const struct host_reading *b, const struct host_reading *a, double s,
                      struct host_delta *d)
{
    static const struct host_reading none;

    if (b->generation != a->generation)
        b = a = &none;
    diff_means(&b->sum, &a->sum, d);
    diff_power(b, a, s, d);
}

void host_diff(const struct host_reading *before, const struct host_reading *after,
               struct host_delta *d)
{
    const struct host_reading *b = before, *a = after;
    double s = dur_sec(a->at - b->at);

    *d = (struct host_delta){.wall_ns = a->at - b->at, .have = b->have & a->have};
    if (d->wall_ns <= 0) {
        d->have = 0;
        return;
    }
    diff_stat(b, a, s, d);
    diff_sums(b, a, s, d);
    d->swpd = (double)a->swapped_kib;
    d->free = (double)a->free_kib;
    d->buff = (double)a->buffers_kib;
    d->cache = (double)a->cache_kib;
    d->si = rate(b->swapped_in_kib, a->swapped_in_kib, s);
    d->so = rate(b->swapped_out_kib, a->swapped_out_kib, s);
    d->bi = rate(b->paged_in_kib, a->paged_in_kib, s);
    d->bo = rate(b->paged_out_kib, a->paged_out_kib, s);
    d->disk_read = rate(b->disk_read_bytes, a->disk_read_bytes, s);
    d->disk_written = rate(b->disk_written_bytes, a->disk_written_bytes, s);
    d->net_received = rate(b->net_received_bytes, a->net_received_bytes, s);
    d->net_sent = rate(b->net_sent_bytes, a->net_sent_bytes, s);
    for (int i = 0; i < HOST_PSI; i++)
        d->stalled_pct[i] = 100 * rate(b->stalled_us[i], a->stalled_us[i], s * 1e6);
    d->mhz = (double)a->frequency_khz / 1e3;
    d->throttled_pct = 100 * rate(b->throttled_us, a->throttled_us, s * 1e6);
    d->throttled_periods = rate(b->throttled_periods, a->throttled_periods, 1);
}

const char *host_why(unsigned group)
{
    switch (group) {
    case HOST_STAT: return "/proc/stat cannot be read";
    case HOST_MEMORY: return "/proc/meminfo cannot be read";
    case HOST_PAGING: return "/proc/vmstat cannot be read";
    case HOST_DISK: return "no disk is visible";
    case HOST_NET: return "no network interface but loopback is visible";
    case HOST_PRESSURE: return "this kernel keeps no pressure stall information";
    case HOST_FREQUENCY: return "no cpufreq: not reported by this machine";
    case HOST_POWER: return "no RAPL energy counter can be read, and no battery is in use";
    case HOST_THROTTLE: return "the server is not in a control group with a CPU quota";
    default: return "";
    }
}
