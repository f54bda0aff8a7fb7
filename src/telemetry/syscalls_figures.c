/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See syscalls_figures.h.
 */
#include "telemetry/syscalls_figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "telemetry/syscall_names.h"

static struct syscall_count sub(const struct syscall_count *b, const struct syscall_count *a)
{
    return (struct syscall_count){.began = a->began - b->began,
                                  .ended = a->ended - b->ended,
                                  .ns = a->ns - b->ns,
                                  .errors = a->errors - b->errors};
}

/* Ties in the order of their numbers. */
static int by_count(const void *x, const void *y)
{
    const struct syscall_figure *a = x, *b = y;

    if (a->c.began != b->c.began)
        return a->c.began < b->c.began ? 1 : -1;
    return a->number < b->number ? -1 : a->number > b->number;
}

void syscalls_diff(const struct syscalls_reading *before, const struct syscalls_reading *after,
                   size_t most, struct syscalls_delta *out)
{
    struct syscall_figure f[SYSCALLS_NUMBERS];

    *out = (struct syscalls_delta){.why = NULL};
    if (!before->have || !after->have) {
        out->why = "system calls were not counted in this interval";
        return;
    }
    if (before->generation != after->generation) {
        out->why = "the counts began anew in this interval";
        return;
    }
    for (unsigned i = 0; i < SYSCALLS_NUMBERS; i++) {
        struct syscall_count c = sub(&before->v[i], &after->v[i]);
        if (c.began == 0 && c.ended == 0)
            continue;
        f[out->kinds++] = (struct syscall_figure){i, c};
        out->all.began += c.began;
        out->all.ended += c.ended;
        out->all.ns += c.ns;
        out->all.errors += c.errors;
    }
    qsort(f, out->kinds, sizeof *f, by_count);
    most = most < SYSCALLS_LISTED ? most : SYSCALLS_LISTED;
    out->n = out->kinds < most ? out->kinds : most;
    for (size_t i = 0; i < out->n; i++)
        out->f[i] = f[i];
}

const char *syscall_name(unsigned number, char buf[24])
{
    for (size_t i = 0; i < syscall_names_count; i++)
        if (syscall_names[i].number == (long)number)
            return syscall_names[i].name;
    snprintf(buf, 24, "syscall_%u", number);
    return buf;
}

unsigned syscall_number(const char *name)
{
    unsigned number;

    for (size_t i = 0; i < syscall_names_count; i++)
        if (strcmp(syscall_names[i].name, name) == 0 && syscall_names[i].number < SYSCALLS_NUMBERS)
            return (unsigned)syscall_names[i].number;
    return sscanf(name, "syscall_%u", &number) == 1 && number < SYSCALLS_NUMBERS
               ? number
               : SYSCALLS_NUMBERS - 1;
}
