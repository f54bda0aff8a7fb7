/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See stream.h.  A table per struct defines the keys of both directions (base/record.h): those of a
 * process are in sample.c, those of the machine in host.c.
 */
#include "telemetry/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/record.h"

static void put_record(struct str *out, const struct record *r, const void *from)
{
    str_adds(out, r->name);
    record_write(r, out, from);
    str_adds(out, "\n");
}

void stream_put_sample(struct str *out, const struct sample *s)
{
    put_record(out, &sample_record, s);
    if (s->reason[0])
        str_printf(out, "reason %s\n", s->reason);
}

void stream_put_host(struct str *out, const struct host_reading *h)
{
    put_record(out, &host_reading_record, h);
    for (int k = 0; k < DISK_ROLES; k++)
        str_printf(out, "disk %d %s\n", k, h->disk[k].text);
}

void stream_put_perf(struct str *out, const struct perf_reading *p, size_t n)
{
    str_printf(out, "perf at=%lld cost=%lld\n", (long long)p->at, (long long)p->cost_ns);
    for (size_t i = 0; i < n; i++)
        if (p->have & UINT32_C(1) << i)
            str_printf(out, "count %zu %llu %llu %llu\n", i, (ull)p->v[i].value,
                       (ull)p->v[i].enabled_ns, (ull)p->v[i].running_ns);
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
                       (ull)c->began, (ull)c->ended, (ull)c->ns, (ull)c->errors);
    }
}

static void take_syscall(struct syscalls_reading *r, const char *text)
{
    struct syscall_count v;
    char name[64];

    if (sscanf(text, "%63s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, name, &v.began, &v.ended,
               &v.ns, &v.errors) == 5)
        syscall_count_add(&r->v[syscall_number(name)], v, 1);
}

/* No time that the other side sends may be so large that a difference of two overflows. */
#define NUMBER_MOST (((int64_t)1 << 62) - 1)

bool stream_number(const char *line, const char *key, int64_t *v)
{
    size_t len = strlen(key);

    for (const char *p = line; (p = strstr(p, key)); p += len)
        if (p > line && p[-1] == ' ' && p[len] == '=') {
            long long n = strtoll(p + len + 1, NULL, 10);
            *v = n < -NUMBER_MOST ? -NUMBER_MOST : n > NUMBER_MOST ? NUMBER_MOST : n;
            return true;
        }
    return false;
}

void stream_take(struct stream_reading *r, const char *line)
{
    int64_t v;

    if (strncmp(line, "process ", 8) == 0) {
        record_parse(&sample_record, &r->sample, line + 8);
    } else if (strncmp(line, "reason ", 7) == 0) {
        snprintf(r->sample.reason, sizeof r->sample.reason, "%s", line + 7);
    } else if (strncmp(line, "host ", 5) == 0) {
        record_parse(&host_reading_record, &r->host, line + 5);
        r->has_host = true;
    } else if (strncmp(line, "disk ", 5) == 0 && (line[5] == '0' || line[5] == '1') && line[6]) {
        snprintf(r->host.disk[line[5] - '0'].text, DISK_TEXT, "%s", line + 7);
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
