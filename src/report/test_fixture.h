/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the tests of reports render: a report that has something of every kind, in which every
 * figure has a value of its own, and the facts of its run.  A test changes what it is about.
 */
#ifndef SB_REPORT_TEST_FIXTURE_H
#define SB_REPORT_TEST_FIXTURE_H

#include "report/run_info.h"
#include "report/snapshot.h"

/* `s` points to the rest, and to constants. */
struct fixture {
    struct snapshot s;
    struct probe_delta probe;
    struct snapshot_client client[3];
    struct error_row error_row[3];
    struct snapshot_error error[3];
    struct snapshot_outages outages;
    struct snapshot_host host[2];
    struct snapshot_rank rank[3];
    struct snapshot part[3];
    struct probe_delta part_probe[3]; /* of statements alone */
    struct snapshot_phase phase[2];
    struct snapshot_stage stage[3];
    struct stmt_figures statement[4];
    struct find_record find;
};

/* One and the same, as new.  Its figures are `k` times as large; those that are text, and the
 * machine's, are always the same. */
struct fixture *fixture(enum snapshot_kind kind, uint64_t k);

/* Just a rate, a server and the load generator, for a second on 2 CPUs, at second n of the run. */
struct snapshot fixture_second(int n);

extern const struct report_info fixture_info;
extern const struct report_profile fixture_profile;
/* One in each state. */
enum { FIXTURE_ACTIONS = 7 };
extern const struct report_action fixture_action[FIXTURE_ACTIONS];

#endif
