/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See host.h.  Each reading opens its files again: a dozen, once per interval.
 *
 * A package of CPUs is a zone intel-rapl:N named "package-N", whatever the vendor; its memory, if
 * that has a counter, is a zone below it named "dram".  The other zones are parts of a package
 * (core, uncore) or hold all packages (psys), and the same packages appear once more as
 * intel-rapl-mmio:N: none of them is added.
 */
#include "telemetry/host.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/record.h"
#include "base/mem.h"
#include "telemetry/cgroup.h"
#include "telemetry/proc.h"

/* --- power ----------------------------------------------------------------------------------- */

#define ZONES     "class/powercap"
#define SUPPLIES  "class/power_supply"
#define MOST_UW   1e9 /* no package uses more than 1 kW: how soon a counter can wrap */
#define PATH_SIZE 320

struct zone {
    char path[PATH_SIZE]; /* of its counter */
    enum power_kind kind;
    struct energy energy;
};

struct power {
    int sys_fd;
    struct zone *zone;
    size_t zones;
    unsigned gaps;
};

bool energy_add(struct energy *e, uint64_t now_uj, mono_ns at)
{
    bool first = e->at == 0, wrapped = now_uj < e->last_uj;
    double most_uj = dur_sec(at - e->at) * MOST_UW;
    bool known = first || most_uj < (double)e->range_uj;

    if (!first && known)
        e->sum_uj += wrapped ? e->range_uj - e->last_uj + now_uj : now_uj - e->last_uj;
    e->last_uj = now_uj;
    e->at = at;
    return known;
}

/* The word of a file; "" when it cannot be read. */
static const char *read_word(int sys_fd, const char *directory, const char *name, const char *file,
                             char word[64])
{
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "%s/%.200s/%s", directory, name, file);
    if (!proc_word(sys_fd, path, word, 64))
        word[0] = '\0';
    return word;
}

static bool read_number(int sys_fd, const char *directory, const char *name, const char *file,
                        uint64_t *v)
{
    char word[64];
    const char *p = read_word(sys_fd, directory, name, file, word);

    return proc_number(&p, v);
}

struct power *power_open(int sys_fd)
{
    struct power *p = mem_alloc(sizeof *p);
    DIR *d = proc_open_dir(sys_fd, ZONES);
    struct dirent *ent;

    p->sys_fd = sys_fd;
    while (d && (ent = readdir(d))) {
        char word[64];
        if (strncmp(ent->d_name, "intel-rapl:", 11) != 0)
            continue;
        bool package =
            strncmp(read_word(sys_fd, ZONES, ent->d_name, "name", word), "package-", 8) == 0;
        if (!package && strcmp(word, "dram") != 0)
            continue;
        p->zone = mem_append(p->zone, p->zones, sizeof *p->zone);
        struct zone *z = &p->zone[p->zones++];
        *z = (struct zone){.kind = package ? POWER_CPU : POWER_MEMORY};
        snprintf(z->path, sizeof z->path, ZONES "/%.200s/energy_uj", ent->d_name);
        if (!read_number(sys_fd, ZONES, ent->d_name, "max_energy_range_uj", &z->energy.range_uj))
            z->energy.range_uj = UINT32_MAX;
    }
    if (d)
        closedir(d);
    return p;
}

void power_close(struct power *p)
{
    if (!p)
        return;
    free(p->zone);
    free(p);
}

/* Microwatts; some drivers give the power, others voltage (uV) and current (uA). */
static bool read_battery(int fd, const char *name, uint64_t *uw)
{
    char word[64];
    uint64_t uv, ua;

    if (strcmp(read_word(fd, SUPPLIES, name, "type", word), "Battery") != 0 ||
        strcmp(read_word(fd, SUPPLIES, name, "scope", word), "Device") == 0 ||
        strcmp(read_word(fd, SUPPLIES, name, "status", word), "Discharging") != 0)
        return false;
    if (read_number(fd, SUPPLIES, name, "power_now", uw))
        return true;
    if (!read_number(fd, SUPPLIES, name, "voltage_now", &uv) ||
        !read_number(fd, SUPPLIES, name, "current_now", &ua))
        return false;
    *uw = (uint64_t)((double)uv * (double)ua / 1e6);
    return true;
}

void power_read(struct power *p, mono_ns at, struct power_reading *out)
{
    DIR *d = proc_open_dir(p->sys_fd, SUPPLIES);
    struct dirent *ent;
    unsigned failed = 0;
    uint64_t v;

    *out = (struct power_reading){0};
    /* A kind of which one zone cannot be read is not known: part of a sum would mislead. */
    for (size_t i = 0; i < p->zones; i++) {
        struct zone *z = &p->zone[i];
        if (!proc_file_number(p->sys_fd, z->path, &v)) {
            failed |= 1u << z->kind;
            continue;
        }
        if (!energy_add(&z->energy, v, at))
            p->gaps++;
        out->energy_uj[z->kind] += z->energy.sum_uj;
        out->have |= 1u << z->kind;
    }
    out->have &= ~failed;
    out->gaps = p->gaps;
    while (d && (ent = readdir(d)))
        if (ent->d_name[0] != '.' && read_battery(p->sys_fd, ent->d_name, &v)) {
            out->battery_uw += v;
            out->discharging = true;
        }
    if (d)
        closedir(d);
}

/* --- a reading ------------------------------------------------------------------------------- */

struct host {
    int proc_fd, sys_fd, group_fd;
    bool group_v2;
    char *proc_root;
    uint64_t page_kib;
    struct power *power;
    struct disks disks;
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
    disks_find(&h->disks, h->proc_fd, h->sys_fd, 0);
    return h;
}

void host_close(struct host *h)
{
    if (!h)
        return;
    power_close(h->power);
    fd_close(h->proc_fd);
    fd_close(h->sys_fd);
    fd_close(h->group_fd);
    free(h->proc_root);
    free(h);
}

void host_attach(struct host *h, pid_t server)
{
    char path[CGROUP_PATH_MAX];

    fd_close(h->group_fd);
    h->group_fd = cgroup_open(h->proc_root, server, "cpu", path, &h->group_v2);
    disks_find(&h->disks, h->proc_fd, h->sys_fd, server);
}

struct devices {
    struct host *h;
    struct host_reading *r;
    unsigned real;                /* interfaces with a device */
    uint64_t other_in, other_out; /* those without, if there is nothing else */
    bool any;
};

static bool has_device(const struct host *h, const char *directory, const char *name)
{
    char path[160];
    struct stat st;

    snprintf(path, sizeof path, "%s/%s/device", directory, name);
    return h->sys_fd >= 0 && fstatat(h->sys_fd, path, &st, 0) == 0;
}

/* major minor name reads merged sectors ms writes merged sectors ...; a sector is 512 bytes here */
static bool take_disk(char *line, void *arg)
{
    struct devices *d = arg;
    uint64_t v[7], skip;
    const char *p = line;
    char name[64];

    disks_line(&d->h->disks, line);
    if (!proc_number(&p, &skip) || !proc_number(&p, &skip))
        return true;
    p += strspn(p, " ");
    size_t n = strcspn(p, " ");
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

/* r without the reader itself, as vmstat shows it. */
static uint64_t runnable(const struct host_reading *r)
{
    return r->stat.running > 0 ? r->stat.running - 1 : 0;
}

static void read_pressure(const struct host *h, struct host_reading *r)
{
    static const char *const path[HOST_PSI] = {"pressure/cpu", "pressure/io", "pressure/memory"};
    unsigned stalls = 0;

    for (int i = 0; i < HOST_PSI; i++)
        stalls += proc_pressure(h->proc_fd, path[i], &r->stalled_us[i]);
    if (stalls == HOST_PSI)
        r->have |= HOST_PRESSURE;
}

static void read_frequency(const struct host *h, struct host_reading *r)
{
    uint64_t khz, sum = 0, n = 0;
    char text[80];

    for (int cpu = 0; r->have & HOST_STAT && cpu < r->stat.online_cpus; cpu++) {
        snprintf(text, sizeof text, "devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
        if (proc_file_number(h->sys_fd, text, &khz))
            sum += khz, n++;
        else if (cpu == 0)
            break;
    }
    if (n) {
        r->frequency_khz = sum / n;
        r->have |= HOST_FREQUENCY;
    }
}

/* What is no total is added up, for means between two readings. */
static void add_sums(struct host *h, const struct host_reading *r)
{
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
}

void host_read(struct host *h, struct host_reading *r)
{
    uint64_t reclaimable, swap, swap_free, pages_in = 0, pages_out = 0;
    const struct proc_key memory[] = {{"MemFree", &r->free_kib}, {"Buffers", &r->buffers_kib},
                                      {"Cached", &r->cache_kib}, {"SwapTotal", &swap},
                                      {"SwapFree", &swap_free},  {"SReclaimable", &reclaimable}};
    /* the first two are in KiB, the others in pages */
    const struct proc_key paging[] = {{"pgpgin", &r->paged_in_kib},
                                      {"pgpgout", &r->paged_out_kib},
                                      {"pswpin", &pages_in},
                                      {"pswpout", &pages_out}};
    struct devices disks = {.h = h, .r = r}, nets = disks;
    struct quota q;
    unsigned seen = 0;

    *r = (struct host_reading){.at = clock_mono()};
    if (proc_host_read(h->proc_fd, &r->stat, NULL) == 0)
        r->have |= HOST_STAT;
    if (proc_keys(h->proc_fd, "meminfo", memory, 6, NULL) == 0) {
        r->cache_kib += reclaimable;
        r->swapped_kib = swap - swap_free;
        r->have |= HOST_MEMORY;
    }
    /* a kernel without swap has no lines of it, and nothing was swapped */
    if (proc_keys(h->proc_fd, "vmstat", paging, 4, &seen) == 0 || (seen & 3) == 3) {
        r->swapped_in_kib = pages_in * h->page_kib;
        r->swapped_out_kib = pages_out * h->page_kib;
        r->have |= HOST_PAGING;
    }
    if (proc_each_line(h->proc_fd, "diskstats", take_disk, &disks) == 0 && disks.any)
        r->have |= HOST_DISK;
    disks_end(&h->disks, r->disk);
    if (proc_each_line(h->proc_fd, "net/dev", take_interface, &nets) == 0) {
        if (!nets.real) { /* a container: its only interfaces are virtual */
            r->net_received_bytes = nets.other_in;
            r->net_sent_bytes = nets.other_out;
        }
        if (nets.real || nets.any)
            r->have |= HOST_NET;
    }
    read_pressure(h, r);
    read_frequency(h, r);
    /* only a group with a quota has these lines (version 2), or values other than 0 in them */
    if (h->group_fd >= 0 && quota_counts(h->group_fd, h->group_v2, &q)) {
        r->throttled_periods = q.periods;
        r->throttled_us = (uint64_t)q.throttled_ns / NS_PER_US;
        r->have |= HOST_THROTTLE;
    }
    power_read(h->power, r->at, &r->power);
    if (r->power.have || r->power.discharging)
        r->have |= HOST_POWER;
    add_sums(h, r);
    r->sum = h->sum;
}

void host_governor(const char *sys_root, char *buf, size_t size)
{
    int fd = open_dir(sys_root);

    if (!proc_word(fd, "devices/system/cpu/cpu0/cpufreq/scaling_governor", buf, size))
        snprintf(buf, size, "n/a");
    fd_close(fd);
}

/* --- the difference of two readings ---------------------------------------------------------- */

/* Rates, shares and means; a figure that cannot be computed is NaN. */

/* NaN if a counter decreased, as it does when a network interface or a disk is removed. */
static double rate(uint64_t before, uint64_t after, double seconds)
{
    return after >= before ? (double)(after - before) / seconds : NAN;
}

/* NaN without a reading in between: as from a peer that does not send sums. */
static double mean(uint64_t n_before, uint64_t n, uint64_t before, uint64_t after)
{
    return n > n_before && after >= before ? (double)(after - before) / (double)(n - n_before)
                                           : NAN;
}

/* The mean of a gauge over the readings of one reader; another one (host_reading.generation) began
 * at 0. */
#define MEAN(count, gauge) mean(x.count, y.count, x.gauge, y.gauge)

void host_diff(const struct host_reading *before, const struct host_reading *after,
               struct host_delta *d)
{
    const struct host_reading *b = before, *a = after;
    const union proc_cpu_ticks *u = &b->stat.cpu, *v = &a->stat.cpu;
    bool same = b->generation == a->generation;
    const struct host_sums none = {0}, x = same ? b->sum : none, y = same ? a->sum : none;
    double s = dur_sec(a->at - b->at), all = rate(proc_cpu_total(u), proc_cpu_total(v), 1);

    *d = (struct host_delta){.wall_ns = a->at - b->at, .have = b->have & a->have};
    for (int k = 0; k < DISK_ROLES; k++)
        disk_diff(&b->disk[k], same ? &a->disk[k] : &(struct disk_reading){0}, s, &d->disk[k]);
    if (d->wall_ns <= 0) {
        d->have = 0;
        return;
    }
    all = all > 0 ? all : NAN;
    d->us = 100 * rate(u->user + u->nice, v->user + v->nice, all);
    d->sy = 100 * rate(u->system + u->irq + u->softirq, v->system + v->irq + v->softirq, all);
    d->id = 100 * rate(u->idle, v->idle, all);
    d->wa = 100 * rate(u->iowait, v->iowait, all);
    d->st = 100 * rate(u->steal, v->steal, all);
    d->cpus = a->stat.online_cpus;
    d->running = (double)runnable(a);
    d->blocked = (double)a->stat.blocked;
    d->in = rate(b->stat.interrupts, a->stat.interrupts, s);
    d->cs = rate(b->stat.switches, a->stat.switches, s);
    d->running_mean = MEAN(stats, running);
    d->blocked_mean = MEAN(stats, blocked);
    d->swpd_mean = MEAN(memories, swapped_kib);
    d->free_mean = MEAN(memories, free_kib);
    d->buff_mean = MEAN(memories, buffers_kib);
    d->cache_mean = MEAN(memories, cache_kib);
    d->battery_watts = MEAN(batteries, battery_uw) / 1e6;
    for (int i = 0; i < POWER_KINDS; i++)
        d->watts[i] =
            same && b->power.have & a->power.have & 1u << i && b->power.gaps == a->power.gaps
                ? rate(b->power.energy_uj[i], a->power.energy_uj[i], s) / 1e6
                : NAN;
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
    static const char *const why[] = {
        "/proc/stat cannot be read",
        "/proc/meminfo cannot be read",
        "/proc/vmstat cannot be read",
        "no disk is visible",
        "no network interface but loopback is visible",
        "this kernel keeps no pressure stall information",
        "no cpufreq: not reported by this machine",
        "the server is not in a control group with a CPU quota",
        "no RAPL energy counter can be read, and no battery is in use"};

    return group && group <= HOST_ALL ? why[__builtin_ctz(group)] : "";
}

/* The keys of a reading in the stream of another host: vmstat's where it has one. */
#define HOST(key, member)                                                                          \
    {                                                                                              \
        RECORD_AT(struct host_reading, member), .name = key                                        \
    }
static const struct record_field host_fields[] = {
    HOST("at", at),
    HOST("have", have),
    HOST("cpus", stat.online_cpus),
    HOST("user", stat.cpu.user),
    HOST("nice", stat.cpu.nice),
    HOST("system", stat.cpu.system),
    HOST("idle", stat.cpu.idle),
    HOST("iowait", stat.cpu.iowait),
    HOST("irq", stat.cpu.irq),
    HOST("softirq", stat.cpu.softirq),
    HOST("steal", stat.cpu.steal),
    HOST("in", stat.interrupts),
    HOST("cs", stat.switches),
    HOST("r", stat.running),
    HOST("b", stat.blocked),
    HOST("swpd", swapped_kib),
    HOST("free", free_kib),
    HOST("buff", buffers_kib),
    HOST("cache", cache_kib),
    HOST("si", swapped_in_kib),
    HOST("so", swapped_out_kib),
    HOST("bi", paged_in_kib),
    HOST("bo", paged_out_kib),
    HOST("rd", disk_read_bytes),
    HOST("wr", disk_written_bytes),
    HOST("rx", net_received_bytes),
    HOST("tx", net_sent_bytes),
    HOST("psi_cpu", stalled_us[HOST_PSI_CPU]),
    HOST("psi_io", stalled_us[HOST_PSI_IO]),
    HOST("psi_mem", stalled_us[HOST_PSI_MEMORY]),
    HOST("khz", frequency_khz),
    HOST("throttled_us", throttled_us),
    HOST("throttled_n", throttled_periods),
    HOST("n_stat", sum.stats),
    HOST("sum_r", sum.running),
    HOST("sum_b", sum.blocked),
    HOST("n_memory", sum.memories),
    HOST("sum_swpd", sum.swapped_kib),
    HOST("sum_free", sum.free_kib),
    HOST("sum_buff", sum.buffers_kib),
    HOST("sum_cache", sum.cache_kib),
    HOST("n_battery", sum.batteries),
    HOST("sum_battery_uw", sum.battery_uw),
    HOST("power", power.have),
    HOST("power_gaps", power.gaps),
    HOST("cpu_uj", power.energy_uj[POWER_CPU]),
    HOST("memory_uj", power.energy_uj[POWER_MEMORY]),
    HOST("data_known", disk[DISK_DATA].known),
    HOST("data_life", disk[DISK_DATA].life),
    HOST("data_counts", disk[DISK_DATA].count),
    HOST("log_known", disk[DISK_LOG].known),
    HOST("log_life", disk[DISK_LOG].life),
    HOST("log_counts", disk[DISK_LOG].count),
};

const struct record host_reading_record = RECORD("host", host_fields);
