/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the rows of sections.c and records.c are written with.  Private to src/report
 */
#ifndef SB_REPORT_ROWS_H
#define SB_REPORT_ROWS_H

#include <math.h>

#include "report/fields.h"

/* clang-format off */

/* A figure that is computed: one expression over the record `v` and the snapshot `s`.  NaN or NULL:
 * it does not exist. */
#define UNUSED __attribute__((unused))
#define GET(name, type, expr)                                                                      \
    static double name(const struct snapshot *s UNUSED, const void *of)                            \
    {                                                                                              \
        const type *v UNUSED = of;                                                                 \
        return (double)(expr);                                                                     \
    }
#define TEXT(name, type, expr)                                                                     \
    static const char *name(const struct snapshot *s UNUSED, const void *of,                       \
                            struct str *buf UNUSED)                                                \
    {                                                                                              \
        const type *v UNUSED = of;                                                                 \
        return (expr);                                                                             \
    }
#define WHEN(name, type, expr)                                                                     \
    static bool name(const struct snapshot *s UNUSED, const void *of)                              \
    {                                                                                              \
        const type *v UNUSED = of;                                                                 \
        return (expr);                                                                             \
    }
#define BASE(name, type, expr)                                                                     \
    static const void *name(const struct snapshot *s UNUSED, const void *of)                       \
    {                                                                                              \
        const type *v UNUSED = of;                                                                 \
        return (expr);                                                                             \
    }
/* A member of the record that V stands for. */
#define AT(member) RECORD_AT(V, member)
#define LEVEL(family_, about_) .metric = METRIC_LEVEL, .family = family_, .about = about_
#define SINCE(family_, about_) .metric = METRIC_SINCE, .family = family_, .about = about_
#define END {.name = NULL} /* of a table */
#define INSIDE(of_, member, table) .offset = offsetof(of_, member), .of = table

/* clang-format on */

#endif
