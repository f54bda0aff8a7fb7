/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every figure of a snapshot by name: one table that all formats for programs (csv, json, jsonl,
 * openmetrics) walk, so that they cannot disagree and a new figure is one line in fields_table.c.
 *
 * Names end in their unit: _s seconds, _per_s, _bytes, _pct per cent, _per_transaction; a name
 * without one is a number of things.  Times are seconds as doubles (a duration in ns comes back
 * exact).  A figure that does not exist has a reason; one that is a lower bound says so.  Pure: no
 * I/O, no state; any thread may call.
 *
 * The names are interface: docs/results.md lists them, docs/schema has them all.
 */
#ifndef SB_REPORT_FIELDS_H
#define SB_REPORT_FIELDS_H

#include "report/snapshot.h"

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
    bool grows;     /* counts from the start of the run (a counter to those who collect metrics) */
    bool level;     /* of FIELD_STATUS: the level at the end, not growth */
    uint64_t count; /* FIELD_COUNT */
    double number;  /* FIELD_NUMBER */
    const char *missing; /* NULL, or why there is no value */
    const char *lower;   /* NULL, or why the truth is at least the value */
};

/* Names of sections as JSON members and column prefixes: "" for FIELD_LOAD. */
const char *field_section_name(enum field_section section);

/* NULL: the snapshot has it.  Else why all of its figures are missing. */
const char *field_section_missing(const struct snapshot *s, enum field_section section);

/* Why a latency of no transaction does not exist. */
extern const char field_no_sample[];

/* Is this why a figure is missing from this interval alone, rather than one that cannot be had? */
bool field_passing(const char *missing);

/* Why a figure that is made of several events is missing: the reason that all missing events have.
 */
const char *field_not_derived(const struct probe_delta *p);

/* Calls f for each figure, sections in their order, always the same figures for the same list of
 * percentiles, events and counters of the server (those two sections are empty unless asked for; a
 * server on another host that is not reached at first may change them). What f is handed lives
 * during the call. */
typedef void field_visit(void *arg, const struct field *f);
void fields_each(const struct snapshot *s, field_visit *f, void *arg);

#endif
