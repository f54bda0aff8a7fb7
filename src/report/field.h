/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One figure of a snapshot, as fields.h passes it on.
 */
#ifndef SB_REPORT_FIELD_H
#define SB_REPORT_FIELD_H

#include <stdbool.h>
#include <stdint.h>

enum field_section {
    FIELD_LOAD,  /* of the interval; no prefix */
    FIELD_TOTAL, /* since measuring began */
    FIELD_LATENCY,
    FIELD_THREADS, /* exact, over the threads: in checkpoints and the summary */
    FIELD_RATE,
    FIELD_SERVER,
    FIELD_CLIENT, /* the load generator */
    FIELD_HOST,   /* the server's machine: --host-stats */
    FIELD_EVENTS, /* --server-events: figures by the names that the user gave */
    FIELD_STATUS, /* --server-status: by the server's own names */
    FIELD_SECTIONS
};

enum field_type {
    FIELD_COUNT, /* a whole number */
    FIELD_NUMBER
};

#define FIELD_NAME_SIZE 64

struct field {
    enum field_section section;
    const char *name; /* within its section: "p99_s" */
    const char *help; /* what it is, half a sentence */
    enum field_type type;
    /* counts from the start of the run (a counter for metric collectors) */
    bool grows;
    bool level;          /* of FIELD_STATUS: the level at the end, not growth */
    uint64_t count;      /* FIELD_COUNT */
    double number;       /* FIELD_NUMBER */
    const char *missing; /* NULL, or why there is no value */
    const char *lower;   /* NULL, or why the truth is at least the value */
};

/* Why there is no latency without a transaction. */
extern const char field_no_sample[];
/* In place of it, for figures of a transaction: the processes were read too late. */
extern const char field_read_late[];

#endif
