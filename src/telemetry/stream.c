/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See stream.h.  One table per struct defines the keys; both directions use it.
 */
#include "telemetry/stream.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { I64, U64, INT, UNSIGNED };

struct field {
    const char *key;
    enum kind kind;
    size_t offset;
};

#define SAMPLE(key, kind, member)                                                                  \
    {                                                                                              \
        key, kind, offsetof(struct sample, member)                                                 \
    }
#define HOST(key, kind, member)                                                                    \
    {                                                                                              \
        key, kind, offsetof(struct host_reading, member)                                           \
    }

static const struct field sample_fields[] = {
    SAMPLE("at", I64, at),
    SAMPLE("cost", I64, cost_ns),
    SAMPLE("processes", INT, processes),
    SAMPLE("ended", UNSIGNED, ended),
    SAMPLE("found", UNSIGNED, found),
    SAMPLE("whole", UNSIGNED, whole),
    SAMPLE("kept", UNSIGNED, kept),
    SAMPLE("changed", I64, changed),
    SAMPLE("was", INT, was),
    SAMPLE("is", INT, is),
    SAMPLE("have", UNSIGNED, have),
    SAMPLE("lower", UNSIGNED, lower),
    SAMPLE("cpu", I64, cpu_ns),
    SAMPLE("user", I64, user_ns),
    SAMPLE("sys", I64, sys_ns),
    SAMPLE("vol", U64, vol_switches),
    SAMPLE("invol", U64, invol_switches),
    SAMPLE("minflt", U64, minor_faults),
    SAMPLE("majflt", U64, major_faults),
    SAMPLE("read", U64, read_bytes),
    SAMPLE("written", U64, write_bytes),
    SAMPLE("runq", I64, runq_wait_ns),
    SAMPLE("rss", U64, rss_bytes),
    SAMPLE("threads", U64, threads),
};

static const struct field host_fields[] = {
    HOST("at", I64, at),
    HOST("have", UNSIGNED, have),
    HOST("cpus", INT, stat.online_cpus),
    HOST("user", U64, stat.cpu.user),
    HOST("nice", U64, stat.cpu.nice),
    HOST("system", U64, stat.cpu.system),
    HOST("idle", U64, stat.cpu.idle),
    HOST("iowait", U64, stat.cpu.iowait),
    HOST("irq", U64, stat.cpu.irq),
    HOST("softirq", U64, stat.cpu.softirq),
    HOST("steal", U64, stat.cpu.steal),
    HOST("in", U64, stat.interrupts),
    HOST("cs", U64, stat.switches),
    HOST("r", U64, stat.running),
    HOST("b", U64, stat.blocked),
    HOST("swpd", U64, swapped_kib),
    HOST("free", U64, free_kib),
    HOST("buff", U64, buffers_kib),
    HOST("cache", U64, cache_kib),
    HOST("si", U64, swapped_in_kib),
    HOST("so", U64, swapped_out_kib),
    HOST("bi", U64, paged_in_kib),
    HOST("bo", U64, paged_out_kib),
    HOST("rd", U64, disk_read_bytes),
    HOST("wr", U64, disk_written_bytes),
    HOST("rx", U64, net_received_bytes),
    HOST("tx", U64, net_sent_bytes),
    HOST("psi_cpu", U64, stalled_us[HOST_PSI_CPU]),
    HOST("psi_io", U64, stalled_us[HOST_PSI_IO]),
    HOST("psi_mem", U64, stalled_us[HOST_PSI_MEMORY]),
    HOST("khz", U64, frequency_khz),
    HOST("throttled_us", U64, throttled_us),
    HOST("throttled_n", U64, throttled_periods),
    HOST("n_stat", U64, sum.stats),
    HOST("sum_r", U64, sum.running),
    HOST("sum_b", U64, sum.blocked),
    HOST("n_memory", U64, sum.memories),
    HOST("sum_swpd", U64, sum.swapped_kib),
    HOST("sum_free", U64, sum.free_kib),
    HOST("sum_buff", U64, sum.buffers_kib),
    HOST("sum_cache", U64, sum.cache_kib),
    HOST("n_battery", U64, sum.batteries),
    HOST("sum_battery_uw", U64, sum.battery_uw),
    HOST("power", UNSIGNED, power.have),
    HOST("power_gaps", UNSIGNED, power.gaps),
    HOST("cpu_uj", U64, power.energy_uj[POWER_CPU]),
    HOST("memory_uj", U64, power.energy_uj[POWER_MEMORY]),
};

static void append_record(struct str *out, const char *word, const struct field *f, size_t n,
                          const void *from)
{
    str_adds(out, word);
    for (size_t i = 0; i < n; i++) {
        const char *p = (const char *)from + f[i].offset;
        int64_t v = f[i].kind == INT ? *(const int *)(const void *)p : 0;
        if (f[i].kind == UNSIGNED)
            v = *(const unsigned *)(const void *)p;
        else if (f[i].kind == I64 || f[i].kind == U64)
            memcpy(&v, p, sizeof v);
        if (f[i].kind == U64)
            str_printf(out, " %s=%llu", f[i].key, (unsigned long long)v);
        else
            str_printf(out, " %s=%lld", f[i].key, (long long)v);
    }
    str_adds(out, "\n");
}

/* No time that the other side sends may be so large that a difference of two overflows. */
#define NUMBER_MOST (((int64_t)1 << 62) - 1)

static int64_t bounded(int64_t v, int64_t least, int64_t most)
{
    return v < least ? least : v > most ? most : v;
}

static int64_t read_number(const char *text)
{
    return bounded(strtoll(text, NULL, 10), -NUMBER_MOST, NUMBER_MOST);
}

static void set(void *to, const struct field *f, const char *text)
{
    char *p = (char *)to + f->offset;
    int64_t v = f->kind == U64 ? (int64_t)strtoull(text, NULL, 10) : read_number(text);

    if (f->kind == INT)
        *(int *)(void *)p = (int)bounded(v, INT_MIN, INT_MAX);
    else if (f->kind == UNSIGNED)
        *(unsigned *)(void *)p = (unsigned)v;
    else
        memcpy(p, &v, sizeof v);
}

/* " key=value key=value"; a handful of words of our own, once an interval: speed does not matter */
static void parse_field(const char *line, const struct field *f, size_t n, void *to)
{
    while (*(line += strspn(line, " "))) {
        size_t len = strcspn(line, "= ");
        if (line[len] == '=')
            for (size_t i = 0; i < n; i++)
                if (strlen(f[i].key) == len && memcmp(f[i].key, line, len) == 0)
                    set(to, &f[i], line + len + 1);
        line += strcspn(line, " ");
    }
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

void stream_put_sample(struct str *out, const struct sample *s)
{
    append_record(out, "process", sample_fields, COUNT(sample_fields), s);
    if (s->reason[0])
        str_printf(out, "reason %s\n", s->reason);
}

void stream_put_host(struct str *out, const struct host_reading *h)
{
    append_record(out, "host", host_fields, COUNT(host_fields), h);
}

void stream_put_perf(struct str *out, const struct perf_reading *p, size_t n)
{
    str_printf(out, "perf at=%lld cost=%lld\n", (long long)p->at, (long long)p->cost_ns);
    for (size_t i = 0; i < n; i++)
        if (p->have & UINT32_C(1) << i)
            str_printf(out, "count %zu %llu %llu %llu\n", i, (unsigned long long)p->v[i].value,
                       (unsigned long long)p->v[i].enabled_ns,
                       (unsigned long long)p->v[i].running_ns);
}

static void take_count(struct perf_reading *p, const char *text)
{
    unsigned long long value, enabled, running;
    unsigned i;

    if (sscanf(text, "%u %llu %llu %llu", &i, &value, &enabled, &running) != 4 ||
        i >= PERF_MAX_EVENTS)
        return;
    p->v[i] = (struct perf_value){value, enabled, running};
    p->have |= UINT32_C(1) << i;
}

void stream_put_syscalls(struct str *out, const struct syscalls_reading *r)
{
    char name[24];

    if (!r->have)
        return;
    str_adds(out, "syscalls\n");
    for (unsigned i = 0; i < SYSCALLS_NUMBERS; i++) {
        const struct syscall_count *c = &r->v[i];
        if (c->began || c->ended)
            str_printf(out, "syscall %s %llu %llu %llu %llu\n", syscall_name(i, name),
                       (unsigned long long)c->began, (unsigned long long)c->ended,
                       (unsigned long long)c->ns, (unsigned long long)c->errors);
    }
}

static void take_syscall(struct syscalls_reading *r, const char *text)
{
    unsigned long long v[4];
    struct syscall_count *c;
    char name[64];

    if (sscanf(text, "%63s %llu %llu %llu %llu", name, &v[0], &v[1], &v[2], &v[3]) != 5)
        return;
    c = &r->v[syscall_number(name)];
    c->began += v[0];
    c->ended += v[1];
    c->ns += v[2];
    c->errors += v[3];
}

bool stream_number(const char *line, const char *key, int64_t *v)
{
    size_t len = strlen(key);

    for (const char *p = line; (p = strstr(p, key)); p += len)
        if (p > line && p[-1] == ' ' && p[len] == '=') {
            *v = read_number(p + len + 1);
            return true;
        }
    return false;
}

void stream_take(struct stream_reading *r, const char *line)
{
    int64_t v;

    if (strncmp(line, "process ", 8) == 0) {
        parse_field(line + 8, sample_fields, COUNT(sample_fields), &r->sample);
    } else if (strncmp(line, "reason ", 7) == 0) {
        snprintf(r->sample.reason, sizeof r->sample.reason, "%s", line + 7);
    } else if (strncmp(line, "host ", 5) == 0) {
        parse_field(line + 5, host_fields, COUNT(host_fields), &r->host);
        r->has_host = true;
    } else if (strncmp(line, "perf ", 5) == 0) {
        r->perf.at = stream_number(line, "at", &v) ? v : 0;
        r->perf.cost_ns = stream_number(line, "cost", &v) ? v : 0;
    } else if (strncmp(line, "count ", 6) == 0) {
        take_count(&r->perf, line + 6);
    } else if (strcmp(line, "syscalls") == 0) {
        r->syscalls.have = true;
    } else if (strncmp(line, "syscall ", 8) == 0) {
        take_syscall(&r->syscalls, line + 8);
    }
}
