/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/ps: rows as a table for people, csv or json (an object a line).  Pure rendering.
 */
#ifndef SB_PS_RENDER_H
#define SB_PS_RENDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/str.h"
#include "ps/table.h"

enum ps_format { PS_TEXT, PS_CSV, PS_JSON };
enum ps_unit { PS_OF_SYSTEM, PS_OF_ONE_CPU, PS_SECONDS };
enum ps_sort { PS_BY_PID, PS_BY_CPU, PS_BY_USER, PS_BY_SYSTEM, PS_BY_NAME };

struct ps_style {
    enum ps_format format;
    enum ps_unit unit;
    enum ps_sort sort;
    size_t top;     /* 0: all */
    bool busy;      /* leave out those that used no CPU */
    size_t command; /* characters of the command, 0: whole; text only */
    bool threads;   /* rows are threads: PID/TID */
    int ncpu;
};

/* Sorts the rows, and returns how many to show. */
size_t ps_arrange(struct ps_row *rows, size_t n, const struct ps_style *s);

/* `first`: a header comes before it, where the format has one. */
void ps_render(struct str *out, const struct ps_row *rows, size_t n, const struct ps_style *s,
               wall_ns now, bool first);

/* Four significant digits, at least "0.001" fine: 44.17, 3.391, 0.000, 412.5.  Returns buf. */
const char *ps_figure(char buf[32], double v);

#endif
