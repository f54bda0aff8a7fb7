/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The counters of --server-status: their names, the query for them, the values in its answer, and
 * what options add.  Pure.
 */
#ifndef SB_SESSION_STATUS_NAMES_H
#define SB_SESSION_STATUS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "sql/sql_types.h"
#include "telemetry/status.h"

struct status_names {
    struct status_name name[STATUS_MAX];
    struct status_ask {   /* how name i, which options added, is asked for */
        const char *ways; /* a variable, or a query, which has a blank; several, the last empty */
        const char *way;  /* the present one */
        bool answered;    /* ever */
    } ask[STATUS_MAX];
    size_t n, own; /* how many of them no option added, the first; dropped ones are behind all */
    bool rows; /* the answer has a row for each name (MySQL), or one row with a column for each */
};

/* All counters that a driver's servers may have.  False: servers of that driver have no such
 * counters. */
bool status_names_init(struct status_names *s, const char *driver);

/* Adds the variables, columns and presets of --server-status=+NAME,..., or a --server-query;
 * -1: one sentence. */
int status_names_add(struct status_names *s, const char *names, struct err *e);
int status_names_add_query(struct status_names *s, const char *query, struct err *e);
void status_names_free(struct status_names *s);

/* The query for name i; NULL: it is a variable. */
const char *status_names_query(const struct status_names *s, size_t i);

/* Name i did not answer: the next way, if it never did; false: there is none, the first is next. */
bool status_names_turn(struct status_names *s, size_t i);

void status_names_question(const struct status_names *s, struct str *out);

/* What the answer tells beside the counters that are shown. */
struct status_more {
    double up;      /* for how many seconds the server has run */
    double counted; /* what it counts of sql_sessions.h; 0: not known */
};

/* One row of the answer.  Values that are no numbers are left out. */
void status_names_take(const struct status_names *s, struct status_reading *r,
                       const sql_value *column, size_t columns, struct status_more *more);

/* Drops the names whose bit is not set, but for those that options added. */
void status_names_keep(struct status_names *s, uint64_t have);

#endif
