/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --raw-log: every transaction in a compact file.  Clients put records into rings of their own
 * (stats/raw_ring.h); one thread empties the rings fifty times a second, encodes and writes.
 * Format (docs/raw-log.md describes it for users):
 *
 *     a line of JSON that ends in "\n", then chunks; all numbers are LEB128, signed ones ZigZag
 *     chunk:   'R', client, n, lost (records of this client dropped so far), bytes of what
 *              follows, n records: begun (signed, ns after the previous record's; the first: after
 *              the header's mono_ns), lag (signed, ns), service * 4 + outcome
 *     mark:    'M', when (signed, ns after mono_ns), bytes of what follows, its text
 *     end:     'E', measured from (signed, ns after mono_ns), measured until, records, lost
 *
 * A file without its end is incomplete; all chunks before the cut are valid.
 */
#ifndef SB_REPORT_RAW_LOG_H
#define SB_REPORT_RAW_LOG_H

#include "base/err.h"
#include "pace/share.h"
#include "report/snapshot.h"
#include "stats/marks.h"
#include "stats/raw_ring.h"

struct raw_log; /* opaque */

/* Touches nothing.  -1: the file could not be written. */
int raw_log_check(const char *path, struct err *e);

struct raw_log_spec {
    const char *path; /* borrowed */
    int clients;      /* of this process */
    /* which of them; a client's number in the file is that among the clients of all ranks */
    struct share share;
    struct clock *clock; /* of the records; NULL: CLOCK_MONOTONIC */
    bool has_rate;       /* are lags measured? */
    struct marks *marks; /* of the run, written as they are made; NULL: there are none */
    const char *version;
};

/* Creates the file and starts the thread. */
int raw_log_open(struct raw_log **out, const struct raw_log_spec *spec, struct err *e);

/* The ring of client 0, 1, ... of this process; only that client may add records. */
struct raw_ring *raw_log_ring(struct raw_log *l, int client);

/* Call it when all clients have ended, or will not be waited for: writes the remaining records.
 * `final`: NULL when nothing was measured.  -1: records are missing, which has been reported. */
int raw_log_close(struct raw_log *l, const struct snapshot *final);

/* After close; not while clients may still add records. */
void raw_log_free(struct raw_log *l);

#endif
