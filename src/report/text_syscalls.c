/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_syscalls.h.  A call is counted where it begins; times and errors are those of calls that
 * ended.  The last line has what the others lack, so that the columns add up to the first line.
 */
#include "report/text_syscalls.h"

static void add_line(struct str *out, const struct snapshot *s, const char *name,
                     const struct syscall_count *c)
{
    uint64_t events = snapshot_sampled(s);

    str_printf(out, "  %12llu", (unsigned long long)c->began);
    if (events)
        str_printf(out, " %10.3f", (double)c->began / (double)events);
    else
        str_printf(out, " %10s", "n/a");
    str_printf(out, " %10llu", (unsigned long long)c->errors);
    if (c->ended)
        str_printf(out, " %11.2f", (double)c->ns / 1e3 / (double)c->ended);
    else
        str_printf(out, " %11s", "n/a");
    str_printf(out, " %10.3f  %s\n", (double)c->ns / 1e9, name);
}

static struct syscall_count not_listed(const struct syscalls_delta *d)
{
    struct syscall_count c = d->all;

    for (size_t i = 0; i < d->n; i++) {
        c.began -= d->f[i].c.began;
        c.ended -= d->f[i].c.ended;
        c.ns -= d->f[i].c.ns;
        c.errors -= d->f[i].c.errors;
    }
    return c;
}

static void table(struct str *out, const struct snapshot *s, const struct syscalls_delta *d)
{
    struct syscall_count rest = not_listed(d);
    char name[24];

    str_printf(out, "  %12s %10s %10s %11s %10s  %s\n", "count", "per tx", "errors", "mean us",
               "total s", "name");
    for (size_t i = 0; i < d->n; i++)
        add_line(out, s, syscall_name(d->f[i].number, name), &d->f[i].c);
    if (d->kinds > d->n)
        add_line(out, s, d->kinds - d->n == 1 ? "(1 other)" : "(all others)", &rest);
}

void text_syscalls(struct str *out, const struct snapshot *s, enum text_detail detail)
{
    struct text_lines l = {.out = out, .detail = detail};
    const struct syscalls_delta *d = &s->probe->syscalls;

    str_adds(out, "System calls of the server:");
    if (d->why) {
        str_adds(out, "\n");
        text_missing(&l, "system calls:", d->why);
    } else {
        str_printf(out, " %llu of %zu kinds\n", (unsigned long long)d->all.began, d->kinds);
        table(out, s, d);
    }
    text_lines_end(&l);
}
