/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The words that the rows of sections.c and records.c are written with.  Private to src/report
 *
 *     TRUTH_OF(servers, snapshot_server, v != &s->self)
 *     ...
 *     FIGURE("cpu_user_s", "CPU time in user mode", AT(snapshot_server, d.user_ns), IN(NS),
 *            NEEDS(SAMPLE_CPU), HOOK("cpu_user"), GROWS("cpu_seconds", "CPU time used, by mode"),
 *            LABEL("mode", "user")),
 *
 * A row is a name, half a sentence (NULL: the name says it), where the value is, and what else
 * there is to say, in any order.
 */
#ifndef SB_REPORT_ROWS_H
#define SB_REPORT_ROWS_H

#include <math.h>

#include "report/fields.h"

/* --- functions: one expression over the record `v` and the snapshot `s` --- */

#define UNUSED __attribute__((unused))
struct any; /* of every record */

#define EXPRESSION(type, name, record, expr, ...)                                                  \
    static type name(const struct snapshot *s UNUSED, const void *of __VA_ARGS__)                  \
    {                                                                                              \
        const struct record *v UNUSED = of;                                                        \
        return (expr);                                                                             \
    }
/* NaN or NULL: it does not exist. */
#define NUMBER_OF(name, record, expr) EXPRESSION(double, name, record, (double)(expr), )
#define TEXT_OF(name, record, expr)                                                                \
    EXPRESSION(const char *, name, record, expr, , struct str *buf UNUSED)
#define TRUTH_OF(name, record, expr) EXPRESSION(bool, name, record, expr, )
#define PLACE_OF(name, record, expr) EXPRESSION(const void *, name, record, expr, )

/* --- rows --- */

/* clang-format off */
#define FIGURE(name_, help_, ...) {.name = name_, .help = help_, __VA_ARGS__}
#define MEMBER(name_, ...) {.name = name_, __VA_ARGS__} /* of a record: its name says it */
/* hooks call them the same */
#define HOOKED(name_, help_, ...) {.name = name_, .help = help_, .lua = name_, __VA_ARGS__}
#define HOOKED_MEMBER(name_, ...) {.name = name_, .lua = name_, __VA_ARGS__}
#define UNNAMED(...) {__VA_ARGS__} /* in metrics or hooks only; an object whose members are ours */
#define END {.name = NULL} /* of a table */
/* clang-format on */

/* where it is */
#define AT(record, member) .value.at = {RECORD_AT(struct record, member)}
#define GET(function)      .value.get = function
#define TEXT(function)     .value.text = function
/* objects: a member of the record, or elsewhere; lists: a pointer and its count, or an array */
#define OBJECT(record, member, table)                                                              \
    .value.at.offset = offsetof(struct record, member), .inside.of = table
#define OBJECT_HERE(table)      .inside.of = table
#define OBJECT_AT(place, table) .inside.base = place, .inside.of = table
#define LIST(record, list, n, table)                                                               \
    .value.at.offset = offsetof(struct record, list), .inside.of = table,                          \
    .inside.count_at = offsetof(struct record, n) + 1,                                             \
    .inside.stride = sizeof *((struct record *)0)->list
#define ARRAY(record, list, most_, table)                                                          \
    .value.at.offset = offsetof(struct record, list), .inside.of = table, .inside.most = most_,    \
    .inside.stride = sizeof *((struct record *)0)->list
#define KEEP(function)  .inside.keep = function
#define WRITE(function) .json = function

/* what it is */
#define IN(unit_)             .value.unit = unit_
#define AS(kind)              .value.as = AS_##kind /* NUMBER, COUNT, TRUTH */
#define PER(function)         .value.per = function
#define MINUS(record, member) .value.minus = offsetof(struct record, member) + 1

/* why it may be missing */
#define NEEDS(bits)           .gap.have = bits
#define WHY(text)             .gap.why = text
#define WHEN(function)        .gap.when = function
#define GIVEN(record, member) .gap.given = offsetof(struct record, member) + 1
#define ABSENT(function)      .gap.absent = function

/* in csv and in hooks */
#define NO_CSV          .csv.kept = NOT_IN_CSV
#define NO_JSON         .csv.kept = NOT_IN_JSON
#define ONLY_TEXT       .csv.kept = ONLY_IN_TEXT
#define COLUMN(name_)   .csv.name = name_
#define COLUMNS(names)  .csv.only = names
#define CELLS(function) .csv.cells = function
#define HOOK(name_)     .lua = name_

/* the metric; without a text of its own it has the help of the figure */
#define IS_METRIC(how_, family_, about_)                                                           \
    .metric.how = METRIC_##how_, .metric.family = family_, .metric.about = about_
#define LEVEL(family_, about_)   IS_METRIC(LEVEL, family_, about_)
#define SINCE(family_, about_)   IS_METRIC(SINCE, family_, about_)
#define GROWS(family_, about_)   IS_METRIC(GROWS, family_, about_)
#define PER_S(family_, about_)   IS_METRIC(PER_S, family_, about_)
#define POINTS(family_, about_)  IS_METRIC(POINTS, family_, about_)
#define SUMMARY(family_, about_) IS_METRIC(SUMMARY, family_, about_)
#define LABEL(label_, value_)    .metric.label = label_, .metric.value = value_
#define FACTOR(factor_)          .metric.factor = factor_

#endif
