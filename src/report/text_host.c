/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_host.h.  One table serves the interval line and the block, so they cannot name a figure
 * differently.
 */
#include "report/text_host.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* What the columns are taken from. */
struct figures {
    struct host_delta d;
    /* of a transaction; NaN: there was none */
    double in, cs, joules[POWER_KINDS], battery_joules;
};

struct column {
    const char *name;
    size_t offset; /* of a double in struct figures */
    int decimals;
};

#define TX(name, member, decimals)                                                                 \
    {                                                                                              \
        name, offsetof(struct figures, member), decimals                                           \
    }
#define COLUMN(name, member, decimals) TX(name, d.member, decimals)

struct line {
    unsigned group; /* HOST_* */
    /* in an interval line: what comes before the columns; NULL: they are not part of it */
    const char *before;
    const char *label;
    struct column column[7];
};

static const struct line lines[] = {
    {HOST_STAT,
     " | host",
     "threads at the end:",
     {COLUMN("r", running, 0), COLUMN("b", blocked, 0)}},
    {HOST_STAT,
     NULL,
     "threads, mean:",
     {COLUMN("r", running_mean, 2), COLUMN("b", blocked_mean, 2)}},
    {HOST_MEMORY,
     "",
     "memory at the end, KiB:",
     {COLUMN("swpd", swpd, 0), COLUMN("free", free, 0), COLUMN("buff", buff, 0),
      COLUMN("cache", cache, 0)}},
    {HOST_MEMORY,
     NULL,
     "memory, KiB, mean:",
     {COLUMN("swpd", swpd_mean, 0), COLUMN("free", free_mean, 0), COLUMN("buff", buff_mean, 0),
      COLUMN("cache", cache_mean, 0)}},
    {HOST_PAGING,
     "",
     "paging, KiB per sec.:",
     {COLUMN("si", si, 0), COLUMN("so", so, 0), COLUMN("bi", bi, 0), COLUMN("bo", bo, 0)}},
    {HOST_STAT, "", "per sec.:", {COLUMN("in", in, 0), COLUMN("cs", cs, 0)}},
    {HOST_STAT, NULL, "per transaction:", {TX("in", in, 3), TX("cs", cs, 3)}},
    {HOST_STAT,
     "",
     "CPU, %:",
     {COLUMN("us", us, 1), COLUMN("sy", sy, 1), COLUMN("id", id, 1), COLUMN("wa", wa, 1),
      COLUMN("st", st, 1)}},
    {HOST_DISK,
     " | disk",
     "disks, bytes per sec.:",
     {COLUMN("rd", disk_read, 0), COLUMN("wr", disk_written, 0)}},
    {HOST_NET,
     " | net",
     "network, bytes per sec.:",
     {COLUMN("rx", net_received, 0), COLUMN("tx", net_sent, 0)}},
    {HOST_PRESSURE,
     " | psi",
     "pressure, % of the time:",
     {COLUMN("cpu", stalled_pct[HOST_PSI_CPU], 2), COLUMN("io", stalled_pct[HOST_PSI_IO], 2),
      COLUMN("mem", stalled_pct[HOST_PSI_MEMORY], 2)}},
    {HOST_FREQUENCY, " |", "CPU frequency at the end:", {COLUMN("mhz", mhz, 0)}},
    {HOST_THROTTLE, "", "server's quota, % throttled:", {COLUMN("throttled", throttled_pct, 2)}},
    {HOST_POWER,
     " | W",
     "power, W:",
     {COLUMN("pkg", watts[POWER_CPU], 2), COLUMN("dram", watts[POWER_MEMORY], 2),
      COLUMN("bat", battery_watts, 2)}},
    {HOST_POWER,
     NULL,
     "energy per transaction, J:",
     {TX("pkg", joules[POWER_CPU], 6), TX("dram", joules[POWER_MEMORY], 6),
      TX("bat", battery_joules, 6)}},
};

static struct figures figures_of(const struct snapshot *s)
{
    struct figures f = {.d = s->probe->host};
    uint64_t n = snapshot_sampled(s);
    double each = n ? dur_sec(f.d.wall_ns) / (double)n : NAN;

    f.in = f.d.in * each;
    f.cs = f.d.cs * each;
    for (int i = 0; i < POWER_KINDS; i++)
        f.joules[i] = f.d.watts[i] * each;
    f.battery_joules = f.d.battery_watts * each;
    return f;
}

/* `blank` is between name and figure. */
static void columns(struct str *out, const struct line *l, const struct figures *f, char blank)
{
    for (const struct column *c = l->column; c->name; c++) {
        double v;
        memcpy(&v, (const char *)f + c->offset, sizeof v);
        if (!(f->d.have & l->group) || isnan(v))
            str_printf(out, " %s%cn/a", c->name, blank);
        else
            str_printf(out, " %s%c%.*f", c->name, blank, c->decimals, v);
    }
}

void text_interval_host(struct str *out, const struct snapshot *s)
{
    struct figures f = figures_of(s);

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!lines[i].before)
            continue;
        str_adds(out, lines[i].before);
        columns(out, &lines[i], &f, ' ');
    }
}

static void host_line(struct text_lines *l, const struct line *line, const struct figures *f)
{
    static const char ended[] = "the load had ended before this interval";
    struct str s = STR_INIT;

    columns(&s, line, f, l->detail == TEXT_FULL ? ' ' : TEXT_BOUND);
    if (!(f->d.have & line->group))
        text_missing(l, line->label, f->d.wall_ns > 0 ? host_why(line->group) : ended);
    else if (l->detail == TEXT_FULL)
        str_printf(l->out, "    %-36s%s\n", line->label, str_cstr(&s));
    else
        text_item(l->out, line->label, "%s", str_cstr(&s));
    str_free(&s);
}

void text_host(struct str *out, const struct snapshot *s, enum text_detail detail)
{
    struct text_lines l = {.out = out, .detail = detail};
    const char *governor = s->probe->governor;
    struct figures f = figures_of(s);

    str_printf(out, "Host: %d CPUs", f.d.cpus ? f.d.cpus : s->ncpu);
    if (detail == TEXT_FULL || strcmp(governor, "n/a") != 0)
        str_printf(out, ", governor %s", governor);
    str_adds(out, "\n");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        host_line(&l, &lines[i], &f);
    text_lines_end(&l);
}
