/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The counters of --server-status: their names, the query for them, and the values in its answer.
 * Pure.
 */
#ifndef SB_SESSION_STATUS_NAMES_H
#define SB_SESSION_STATUS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "sql/sql_types.h"
#include "telemetry/status.h"

struct status_names {
    struct status_name name[STATUS_MAX];
    size_t n;
    bool rows; /* the answer has a row for each name (MySQL), or one row with a column for each */
};

/* All counters that a driver's servers may have.  False: servers of that driver have no such
 * counters. */
bool status_names_init(struct status_names *s, const char *driver);

void status_names_question(const struct status_names *s, struct str *out);

/* What the answer tells beside the counters that are shown. */
struct status_more {
    double up;      /* for how many seconds the server has run */
    double counted; /* what it counts of sql_sessions.h; 0: not known */
};

/* One row of the answer.  Values that are no numbers are left out. */
void status_names_take(const struct status_names *s, struct status_reading *r,
                       const sql_value *column, size_t columns, struct status_more *more);

/* Drops the names whose bit is not set. */
void status_names_keep(struct status_names *s, uint32_t have);

#endif
