/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which of a server's own counters are read for --server-status: their names, the query for them,
 * and the rows of its answer as a reading.  No I/O.  Private to src/session
 */
#ifndef SB_SESSION_STATUS_NAMES_H
#define SB_SESSION_STATUS_NAMES_H

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

/* One row of the answer.  Values that are no numbers are left out.  *up is set by the row that says
 * for how many seconds the server has run. */
void status_names_take(const struct status_names *s, struct status_reading *r,
                       const sql_value *column, size_t columns, double *up);

/* Drops the names whose bit is not set. */
void status_names_keep(struct status_names *s, uint32_t have);

#endif
