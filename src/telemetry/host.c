/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See host.h.  Each reading opens its files again: a dozen, once per interval.
 */
#include "telemetry/host.h"

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "telemetry/cgroup.h"
#include "telemetry/proc.h"

struct host {
    int proc_fd, sys_fd, group_fd;
    bool group_v2;
    char *proc_root;
    uint64_t page_kib;
    struct power *power;
    struct host_sums sum;
};

static int open_dir(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

struct host *host_open(const char *proc_root, const char *sys_root)
{
    struct host *h = mem_alloc(sizeof *h);

    h->proc_fd = open_dir(proc_root);
    h->sys_fd = open_dir(sys_root);
    h->group_fd = -1;
    h->proc_root = mem_strdup(proc_root);
    h->page_kib = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
    h->power = power_open(h->sys_fd);
    return h;
}

void host_close(struct host *h)
{
    if (!h)
        return;
    power_close(h->power);
    if (h->proc_fd >= 0)
        close(h->proc_fd);
    if (h->sys_fd >= 0)
        close(h->sys_fd);
    if (h->group_fd >= 0)
        close(h->group_fd);
    free(h->proc_root);
    free(h);
}

void host_attach(struct host *h, pid_t server)
{
    char path[CGROUP_PATH_MAX];

    if (h->group_fd >= 0)
        close(h->group_fd);
    h->group_fd = cgroup_open(h->proc_root, server, "cpu", path, &h->group_v2);
}

/* Reads the wanted lines of a file of lines "name: value" or "name value". */
struct wanted {
    const char *name;
    uint64_t value;
    bool seen;
};

struct lines {
    struct wanted *w;
    size_t n;
};

static bool take_line(char *line, void *arg)
{
    struct lines *l = arg;
    size_t len = strcspn(line, ": ");
    const char *p = line + len + strspn(line + len, ":");

    for (size_t i = 0; i < l->n; i++)
        if (strlen(l->w[i].name) == len && memcmp(l->w[i].name, line, len) == 0)
            l->w[i].seen = proc_number(&p, &l->w[i].value);
    return true;
}

/* True when all of them were there. */
static bool read_lines(int root_fd, const char *path, struct wanted *w, size_t n)
{
    struct lines l = {w, n};
    bool all = true;

    if (root_fd < 0 || proc_each_line(root_fd, path, take_line, &l) != 0)
        return false;
    for (size_t i = 0; i < n; i++)
        all &= w[i].seen;
    return all;
}

static void take_memory(const struct host *h, struct host_reading *r)
{
    struct wanted w[] = {{.name = "MemFree"},   {.name = "Buffers"},  {.name = "Cached"},
                         {.name = "SwapTotal"}, {.name = "SwapFree"}, {.name = "SReclaimable"}};

    if (!read_lines(h->proc_fd, "meminfo", w, sizeof w / sizeof *w))
        return;
    r->free_kib = w[0].value;
    r->buffers_kib = w[1].value;
    r->cache_kib = w[2].value + w[5].value;
    r->swapped_kib = w[3].value - w[4].value;
    r->have |= HOST_MEMORY;
}

/* pgpgin and pgpgout are in KiB, pswpin and pswpout in pages. */
static void take_paging(const struct host *h, struct host_reading *r)
{
    struct wanted w[] = {
        {.name = "pswpin"}, {.name = "pswpout"}, {.name = "pgpgin"}, {.name = "pgpgout"}};

    /* a kernel without swap has no lines of it, and nothing was swapped */
    if (!read_lines(h->proc_fd, "vmstat", w, 4) && !(w[2].seen && w[3].seen))
        return;
    r->swapped_in_kib = w[0].value * h->page_kib;
    r->swapped_out_kib = w[1].value * h->page_kib;
    r->paged_in_kib = w[2].value;
    r->paged_out_kib = w[3].value;
    r->have |= HOST_PAGING;
}

struct devices {
    const struct host *h;
    struct host_reading *r;
    unsigned real;                /* interfaces with a device */
    uint64_t other_in, other_out; /* those without, if there is nothing else */
    bool any;
};

static bool has_device(const struct host *h, const char *folder, const char *name)
{
    char path[160];
    struct stat st;

    snprintf(path, sizeof path, "%s/%s/device", folder, name);
    return h->sys_fd >= 0 && fstatat(h->sys_fd, path, &st, 0) == 0;
}

/* major minor name reads merged sectors ms writes merged sectors ...; a sector is 512 bytes here */
static bool take_disk(char *line, void *arg)
{
    struct devices *d = arg;
    uint64_t v[7], skip;
    const char *p = line;
    char name[64];
    size_t n;

    if (!proc_number(&p, &skip) || !proc_number(&p, &skip))
        return true;
    p += strspn(p, " ");
    n = strcspn(p, " ");
    snprintf(name, sizeof name, "%.*s", (int)(n < 63 ? n : 63), p);
    p += n;
    for (int i = 0; i < 7; i++)
        if (!proc_number(&p, &v[i]))
            return true;
    if (!has_device(d->h, "block", name))
        return true;
    d->r->disk_read_bytes += v[2] * 512;
    d->r->disk_written_bytes += v[6] * 512;
    d->any = true;
    return true;
}

static void take_disks(const struct host *h, struct host_reading *r)
{
    struct devices d = {.h = h, .r = r};

    if (h->proc_fd >= 0 && proc_each_line(h->proc_fd, "diskstats", take_disk, &d) == 0 && d.any)
        r->have |= HOST_DISK;
}

/* name: bytes packets errs drop fifo frame compressed multicast bytes ... */
static bool take_interface(char *line, void *arg)
{
    struct devices *d = arg;
    char *colon = strchr(line, ':'), *name = line + strspn(line, " ");
    const char *p = colon ? colon + 1 : NULL;
    uint64_t v[9];

    if (!colon)
        return true;
    *colon = '\0';
    for (int i = 0; i < 9; i++)
        if (!proc_number(&p, &v[i]))
            return true;
    if (strcmp(name, "lo") == 0)
        return true;
    if (has_device(d->h, "class/net", name)) {
        d->real++;
        d->r->net_received_bytes += v[0];
        d->r->net_sent_bytes += v[8];
    } else {
        d->other_in += v[0];
        d->other_out += v[8];
        d->any = true;
    }
    return true;
}

static void take_net(const struct host *h, struct host_reading *r)
{
    struct devices d = {.h = h, .r = r};

    if (h->proc_fd < 0 || proc_each_line(h->proc_fd, "net/dev", take_interface, &d) != 0)
        return;
    if (!d.real) { /* a container: its only interfaces are virtual */
        r->net_received_bytes = d.other_in;
        r->net_sent_bytes = d.other_out;
    }
    if (d.real || d.any)
        r->have |= HOST_NET;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345" */
static bool take_stall(const struct host *h, const char *path, uint64_t *us)
{
    char line[256];
    const char *total;
    size_t len;

    if (h->proc_fd < 0 || proc_read(h->proc_fd, path, line, sizeof line, &len) != 0)
        return false;
    total = strncmp(line, "some ", 5) == 0 ? strstr(line, "total=") : NULL;
    if (!total)
        return false;
    total += 6;
    return proc_number(&total, us);
}

static bool sys_number(int sys_fd, const char *path, uint64_t *v)
{
    char text[64];
    const char *p = text;
    size_t len;

    return sys_fd >= 0 && proc_read(sys_fd, path, text, sizeof text, &len) == 0 &&
           proc_number(&p, v);
}

static void take_frequency(const struct host *h, struct host_reading *r)
{
    uint64_t khz, sum = 0, n = 0;

    for (int cpu = 0; cpu < r->stat.online_cpus; cpu++) {
        char path[80];
        snprintf(path, sizeof path, "devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
        if (!sys_number(h->sys_fd, path, &khz)) {
            if (cpu == 0)
                return;
            continue;
        }
        sum += khz;
        n++;
    }
    if (n) {
        r->frequency_khz = sum / n;
        r->have |= HOST_FREQUENCY;
    }
}

/* Only a group with a quota has these lines (version 2), or values other than 0 in them (version
 * 1, ns). */
static void take_throttle(const struct host *h, struct host_reading *r)
{
    struct wanted w[] = {{.name = "nr_throttled"},
                         {.name = h->group_v2 ? "throttled_usec" : "throttled_time"}};

    if (h->group_fd < 0 || !read_lines(h->group_fd, "cpu.stat", w, 2))
        return;
    r->throttled_periods = w[0].value;
    r->throttled_us = h->group_v2 ? w[1].value : w[1].value / 1000;
    r->have |= HOST_THROTTLE;
}

/* r without the reader itself, as vmstat shows it. */
static uint64_t runnable(const struct host_reading *r)
{
    return r->stat.running > 0 ? r->stat.running - 1 : 0;
}

void host_read(struct host *h, struct host_reading *r)
{
    static const char *const path[HOST_PSI] = {"pressure/cpu", "pressure/io", "pressure/memory"};
    bool all = true;

    *r = (struct host_reading){.at = clock_mono()};
    if (h->proc_fd >= 0 && proc_host_read(h->proc_fd, &r->stat, NULL) == 0)
        r->have |= HOST_STAT;
    take_memory(h, r);
    take_paging(h, r);
    take_disks(h, r);
    take_net(h, r);
    for (int i = 0; i < HOST_PSI; i++)
        all &= take_stall(h, path[i], &r->stalled_us[i]);
    if (all)
        r->have |= HOST_PRESSURE;
    if (r->have & HOST_STAT)
        take_frequency(h, r);
    take_throttle(h, r);
    power_read(h->power, r->at, &r->power);
    if (r->power.have || r->power.discharging)
        r->have |= HOST_POWER;
    if (r->have & HOST_STAT) {
        h->sum.stats++;
        h->sum.running += runnable(r);
        h->sum.blocked += r->stat.blocked;
    }
    if (r->have & HOST_MEMORY) {
        h->sum.memories++;
        h->sum.swapped_kib += r->swapped_kib;
        h->sum.free_kib += r->free_kib;
        h->sum.buffers_kib += r->buffers_kib;
        h->sum.cache_kib += r->cache_kib;
    }
    if (r->power.discharging) {
        h->sum.batteries++;
        h->sum.battery_uw += r->power.battery_uw;
    }
    r->sum = h->sum;
}

void host_governor(const char *sys_root, char *buf, size_t size)
{
    int fd = open_dir(sys_root);
    size_t len;

    if (fd < 0 ||
        proc_read(fd, "devices/system/cpu/cpu0/cpufreq/scaling_governor", buf, size, &len) != 0)
        snprintf(buf, size, "n/a");
    buf[strcspn(buf, "\n")] = '\0';
    if (fd >= 0)
        close(fd);
}

/* --- the difference of two readings ---------------------------------------------------------- */

/*
 * The difference of two readings of the machine (host.h): rates, shares and means.  Pure
 * arithmetic; a figure that cannot be computed is NaN.
 */

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
    d->running_mean = mean(b->sum.stats, a->sum.stats, b->sum.running, a->sum.running);
    d->blocked_mean = mean(b->sum.stats, a->sum.stats, b->sum.blocked, a->sum.blocked);
    d->swpd_mean = mean(b->sum.memories, a->sum.memories, b->sum.swapped_kib, a->sum.swapped_kib);
    d->free_mean = mean(b->sum.memories, a->sum.memories, b->sum.free_kib, a->sum.free_kib);
    d->buff_mean = mean(b->sum.memories, a->sum.memories, b->sum.buffers_kib, a->sum.buffers_kib);
    d->cache_mean = mean(b->sum.memories, a->sum.memories, b->sum.cache_kib, a->sum.cache_kib);
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
