/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See render.h.  User names are not cached: a table has few owners, and getpwuid() caches.
 */
#include "ps/render.h"

#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "telemetry/sample.h"

const char *ps_figure(char buf[32], double v)
{
    if (isnan(v))
        return strcpy(buf, "n/a");
    snprintf(buf, 32, "%.*f", v < 9.9995 ? 3 : v < 99.995 ? 2 : v < 999.95 ? 1 : 0, v);
    return buf;
}

static int by_number(double a, double b)
{
    return a < b ? 1 : a > b ? -1 : 0;
}

static int by_id(const struct ps_row *x, const struct ps_row *y)
{
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static double part(int64_t ns, const struct ps_row *r)
{
    return r->wall_ns > 0 ? (double)ns / (double)r->wall_ns : 0;
}

#define COMPARE(name, what)                                                                        \
    static int name(const void *a, const void *b)                                                  \
    {                                                                                              \
        const struct ps_row *x = a, *y = b;                                                        \
        int c = what;                                                                              \
        return c ? c : by_id(x, y);                                                                \
    }

COMPARE(compare_pid, 0)
COMPARE(compare_cpu, by_number(part(x->user_ns + x->sys_ns, x), part(y->user_ns + y->sys_ns, y)))
COMPARE(compare_user, by_number(part(x->user_ns, x), part(y->user_ns, y)))
COMPARE(compare_system, by_number(part(x->sys_ns, x), part(y->sys_ns, y)))
COMPARE(compare_name, strcmp(x->name, y->name))

size_t ps_arrange(struct ps_row *rows, size_t n, const struct ps_style *s)
{
    static int (*const compare[])(const void *, const void *) = {[PS_BY_PID] = compare_pid,
                                                                 [PS_BY_CPU] = compare_cpu,
                                                                 [PS_BY_USER] = compare_user,
                                                                 [PS_BY_SYSTEM] = compare_system,
                                                                 [PS_BY_NAME] = compare_name};
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (!s->busy || rows[i].user_ns + rows[i].sys_ns > 0)
            rows[kept++] = rows[i];
    if (kept)
        qsort(rows, kept, sizeof *rows, compare[s->sort]);
    return s->top && s->top < kept ? s->top : kept;
}

static double in_unit(int64_t ns, const struct ps_row *r, const struct ps_style *s)
{
    if (s->unit == PS_SECONDS)
        return (double)ns / 1e9;
    return 100 * part(ns, r) / (s->unit == PS_OF_SYSTEM && s->ncpu > 0 ? s->ncpu : 1);
}

static const char *user_name(uid_t uid, char buf[40])
{
    const struct passwd *pw = getpwuid(uid);

    if (pw)
        snprintf(buf, 40, "%.39s", pw->pw_name);
    else
        snprintf(buf, 40, "%u", (unsigned)uid);
    return buf;
}

/* --- text ------------------------------------------------------------------------- */

static void text_row(struct str *out, const struct ps_row *r, const struct ps_style *s)
{
    char user[40], usr[32], sys[32], id[32];
    size_t n = strlen(r->command);

    if (s->threads)
        snprintf(id, sizeof id, "%d/%d", (int)r->pid, (int)r->tid);
    else
        snprintf(id, sizeof id, "%d", (int)r->pid);
    str_printf(out, "%-8s %*s %6s %6s ", user_name(r->uid, user), s->threads ? 15 : 7, id,
               ps_figure(usr, in_unit(r->user_ns, r, s)), ps_figure(sys, in_unit(r->sys_ns, r, s)));
    if (s->threads) /* threads have names of their own, and one command for all */
        str_printf(out, "%s\n", r->name);
    else
        str_printf(out, "%.*s\n", (int)(s->command && n > s->command ? s->command : n), r->command);
}

static void text(struct str *out, const struct ps_row *rows, size_t n, const struct ps_style *s,
                 bool first)
{
    bool seconds = s->unit == PS_SECONDS;

    if (!first)
        str_adds(out, "\n");
    str_printf(out, "%-8s %*s %6s %6s %s\n", "UID", s->threads ? 15 : 7,
               s->threads ? "PID/TID" : "PID", seconds ? "USR" : "%USR", seconds ? "SYS" : "%SYS",
               s->threads ? "THREAD" : "COMMAND");
    for (size_t i = 0; i < n; i++)
        text_row(out, &rows[i], s);
}

/* ---
 * csv --------------------------------------------------------------------------------------- */

static void csv_text(struct str *out, const char *s)
{
    str_adds(out, "\"");
    for (; *s; s++)
        str_printf(out, *s == '"' ? "\"%c" : "%c", *s);
    str_adds(out, "\"");
}

/* Empty where it does not exist. */
static void csv_number(struct str *out, bool have, double v, int decimals)
{
    if (have)
        str_printf(out, ",%.*f", decimals, v);
    else
        str_adds(out, ",");
}

static void csv(struct str *out, const struct ps_row *rows, size_t n, const struct ps_style *s,
                wall_ns now, bool first)
{
    char user[40];

    if (first)
        str_adds(
            out,
            "time,seconds,user,pid,tid,usr_pct,sys_pct,usr_s,sys_s,threads,rss_bytes,vol_switches,"
            "invol_switches,runq_wait_s,command\n");
    for (size_t i = 0; i < n; i++) {
        const struct ps_row *r = &rows[i];
        double share = r->wall_ns > 0
                           ? 100.0 / (double)r->wall_ns / (s->unit == PS_OF_ONE_CPU ? 1 : s->ncpu)
                           : 0;
        str_printf(out, "%.3f,%.6f,", (double)now / 1e9, dur_sec(r->wall_ns));
        csv_text(out, user_name(r->uid, user));
        str_printf(out, ",%d", (int)r->pid);
        csv_number(out, r->tid, r->tid, 0);
        str_printf(out, ",%.6f,%.6f,%.9f,%.9f", (double)r->user_ns * share,
                   (double)r->sys_ns * share, (double)r->user_ns / 1e9, (double)r->sys_ns / 1e9);
        csv_number(out, r->have & SAMPLE_THREADS && !r->tid, (double)r->threads, 0);
        csv_number(out, r->have & SAMPLE_MEMORY && !r->tid, (double)r->rss_bytes, 0);
        csv_number(out, r->have & SAMPLE_SWITCHES, (double)r->vol_switches, 0);
        csv_number(out, r->have & SAMPLE_SWITCHES, (double)r->invol_switches, 0);
        csv_number(out, r->have & SAMPLE_RUNQ, (double)r->runq_wait_ns / 1e9, 9);
        str_adds(out, ",");
        csv_text(out, r->tid ? r->name : r->command);
        str_adds(out, "\n");
    }
}

/* ---
 * json -------------------------------------------------------------------------------------- */

/* Bytes that are no UTF-8 are shown as '?': a command line may contain any bytes. */
static size_t utf8_length(const unsigned char *s)
{
    size_t n = *s < 0x80                 ? 1
               : *s >= 0xc2 && *s < 0xe0 ? 2
               : *s >= 0xe0 && *s < 0xf0 ? 3
               : *s >= 0xf0 && *s < 0xf5 ? 4
                                         : 0;

    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) || (*s == 0xf0 && s[1] < 0x90) ||
        (*s == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

static void json_text(struct str *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    str_adds(out, "\"");
    while (*s) {
        size_t n = utf8_length(s);
        if (*s == '"' || *s == '\\')
            str_printf(out, "\\%c", *s);
        else if (*s < 0x20)
            str_printf(out, "\\u%04x", *s);
        else if (n)
            str_add(out, (const char *)s, n);
        else
            str_adds(out, "?");
        s += n ? n : 1;
    }
    str_adds(out, "\"");
}

static void json_number(struct str *out, const char *name, bool have, double v, int decimals)
{
    if (have)
        str_printf(out, ",\"%s\":%.*f", name, decimals, v);
    else
        str_printf(out, ",\"%s\":null", name);
}

static void json_row(struct str *out, const struct ps_row *r, const struct ps_style *s)
{
    double share =
        r->wall_ns > 0 ? 100.0 / (double)r->wall_ns / (s->unit == PS_OF_ONE_CPU ? 1 : s->ncpu) : 0;
    char user[40];

    str_printf(out, "{\"pid\":%d", (int)r->pid);
    if (r->tid)
        str_printf(out, ",\"tid\":%d", (int)r->tid);
    str_adds(out, ",\"user\":");
    json_text(out, user_name(r->uid, user));
    json_number(out, "seconds", true, dur_sec(r->wall_ns), 6);
    json_number(out, "usr_pct", true, (double)r->user_ns * share, 6);
    json_number(out, "sys_pct", true, (double)r->sys_ns * share, 6);
    json_number(out, "usr_s", true, (double)r->user_ns / 1e9, 9);
    json_number(out, "sys_s", true, (double)r->sys_ns / 1e9, 9);
    if (!r->tid) {
        json_number(out, "threads", r->have & SAMPLE_THREADS, (double)r->threads, 0);
        json_number(out, "rss_bytes", r->have & SAMPLE_MEMORY, (double)r->rss_bytes, 0);
    }
    json_number(out, "vol_switches", r->have & SAMPLE_SWITCHES, (double)r->vol_switches, 0);
    json_number(out, "invol_switches", r->have & SAMPLE_SWITCHES, (double)r->invol_switches, 0);
    json_number(out, "runq_wait_s", r->have & SAMPLE_RUNQ, (double)r->runq_wait_ns / 1e9, 9);
    str_adds(out, ",\"name\":");
    json_text(out, r->name);
    str_adds(out, ",\"command\":");
    json_text(out, r->command);
    str_adds(out, "}");
}

static void json(struct str *out, const struct ps_row *rows, size_t n, const struct ps_style *s,
                 wall_ns now)
{
    str_printf(out, "{\"time\":%.3f,\"cpus\":%d,\"%s\":[", (double)now / 1e9, s->ncpu,
               s->threads ? "threads" : "processes");
    for (size_t i = 0; i < n; i++) {
        str_adds(out, i ? "," : "");
        json_row(out, &rows[i], s);
    }
    str_adds(out, "]}\n");
}

void ps_render(struct str *out, const struct ps_row *rows, size_t n, const struct ps_style *s,
               wall_ns now, bool first)
{
    if (s->format == PS_TEXT)
        text(out, rows, n, s, first);
    else if (s->format == PS_CSV)
        csv(out, rows, n, s, now, first);
    else
        json(out, rows, n, s, now);
}
