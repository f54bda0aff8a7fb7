/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Every figure that reports know, described once: a row of sections.c or records.c says what it is
 * called in files, what it means, where it is or how it is computed, why it may be missing, which
 * metric it is and what hooks call it.  json, jsonl, all tables of csv, metrics, hooks, the live
 * page and the schema are loops over these rows.
 *
 * The figures of an interval or a run are in sections, which fields_each() walks.  All else of a
 * report (load hosts, stages, errors by code ...) are records with tables of their own, which
 * figures_value() reads.
 *
 * Names end in their unit: _s seconds, _per_s, _bytes, _pct per cent, _per_transaction; a name
 * without one is a number of things.  Times are seconds as doubles (a duration in ns comes back
 * exact).  A missing figure has a reason; a lower bound is marked as one.  Pure: no I/O, no state;
 * any thread may call.  The names are interface: docs/schema describes them, docs/figures.md their
 * groups.
 */
#ifndef SB_REPORT_FIELDS_H
#define SB_REPORT_FIELDS_H

#include "base/record.h"
#include "report/snapshot.h"

/* --- rows --- */

/* What the member holds.  An instant that did not come and a time that was not measured are
 * negative in NS, and have no value. */
enum figure_unit { PLAIN, NS, SIGNED_NS, MS, KIB, MHZ, OR_NONE /* 0 or "": no value */ };

enum figure_as { AS_NUMBER, AS_COUNT, AS_TRUTH }; /* what get() returns */

enum metric_how {
    METRIC_NONE,   /* a query can compute it, or the latency series have it */
    METRIC_LEVEL,  /* a gauge */
    METRIC_SINCE,  /* a counter: the figure counts since measuring began */
    METRIC_GROWS,  /* a counter: figures of all reports added up */
    METRIC_PER_S,  /* the same, and the figure is per second of its section's interval_s */
    METRIC_POINTS, /* a series: a gauge for each of its percentiles */
    METRIC_SUMMARY /* a series */
};

/* `of` is the record; texts may be put together in `buf`. */
typedef double figure_get(const struct snapshot *s, const void *of);
typedef const char *figure_text(const struct snapshot *s, const void *of, struct str *buf);
typedef bool figure_when(const struct snapshot *s, const void *of);
typedef const void *figure_base(const struct snapshot *s, const void *of);
typedef void figure_write(struct str *out, const struct snapshot *s, const void *of);
/* What is made of a value: of a transaction, per cent of the CPUs.  NaN: nothing can be. */
typedef double figure_per(double v, const struct snapshot *s, const void *of);

/* rows.h has the words that rows are written with. */
struct figure {
    const char *name; /* NULL: in metrics and hooks only; of an object: its members are ours */
    const char *help; /* what it is, half a sentence */
    const char *lua;  /* in the table that hooks get; KiB and MHz stay as they are */

    /* where it is, or how it is computed */
    struct figure_value {
        struct record_field at; /* the member of the record */
        enum figure_unit unit;
        uint32_t minus;  /* the difference to the member at minus - 1; of an instant that came */
        figure_get *get; /* in place of the member; NaN: no value */
        figure_text *text;
        enum figure_as as;
        figure_per *per; /* NULL: it is the value itself */
    } value;

    /* why it may be missing */
    struct figure_gap {
        unsigned have;       /* SAMPLE_*, HOST_*: what must have been read */
        const char *why;     /* else; NULL: no transaction ended */
        figure_when *when;   /* false: there is no such member in this record */
        uint32_t given;      /* only if the bool at given - 1 is set */
        figure_text *absent; /* why it has no value here; "" for no reason, NULL: it has one */
    } gap;

    /* an object within: at the member's place, or where `base` says (NULL: null) */
    struct figure_inside {
        const struct figure *of; /* a table; NULL: it is none */
        figure_base *base;
        /* a list of them: a pointer and its count, at count_at - 1, or an array of `most` */
        uint32_t count_at, stride, most;
        figure_when *keep; /* which of the list; NULL: all */
    } inside;

    /* in files */
    figure_write *json; /* neither a value nor an object */
    struct figure_csv {
        enum { EVERYWHERE, NOT_IN_CSV, NOT_IN_JSON, ONLY_IN_TEXT } kept;
        const char *name;    /* of its column; NULL: prefix and name */
        const char *only;    /* of an object: these columns, names and blanks; NULL: all */
        figure_write *cells; /* several columns; `of` NULL: their names */
    } csv;

    /* the metric: family (without "sysbench_" and "_total"), its help, a label and its value */
    struct figure_metric {
        enum metric_how how;
        const char *family, *about, *label, *value;
        double factor; /* to the base unit; 0: 1 */
    } metric;
};

/* A table ends with such a row. */
static inline bool figure_ends(const struct figure *f)
{
    return !f->name && !f->metric.family && !f->inside.of;
}

struct value {
    enum { VALUE_NONE, VALUE_COUNT, VALUE_NUMBER, VALUE_TRUTH, VALUE_TEXT } kind;
    uint64_t count;
    double number; /* of a count and a truth, too */
    const char *text;
    const char *why; /* VALUE_NONE: NULL or "" if there is no reason to tell */
};

struct value figures_number(double v); /* VALUE_NONE: it is not finite */
struct value figures_whole(uint64_t n);
struct value figures_value(const struct figure *f, const struct snapshot *s, const void *of,
                           struct str *buf);

/* The row of this name, which there is. */
const struct figure *figures_named(const struct figure *table, const char *name);

/* The record within of a row with `of`, or element i of its list; NULL: none, beyond its end. */
const void *figures_inside(const struct figure *f, const struct snapshot *s, const void *of);
const void *figures_item(const struct figure *f, const void *of, size_t i);

/* records.c: the members of a record that reports show as an object or a row. */
extern const struct figure series_figures[], snapshot_figures[], error_figures[], host_figures[],
    rank_figures[], stage_figures[], stage_rate_figures[], stage_series_figures[], step_figures[],
    phase_figures[], mark_figures[], incident_figures[], outage_figures[], statement_figures[],
    server_statement_figures[], syscall_figures[], calls_figures[], connections_figures[],
    batch_figures[], find_figures[], profile_figures[], action_figures[], settle_figures[],
    verdict_figures[], end_figures[], live_report_figures[], live_info_figures[],
    live_part_figures[];

/* --- the sections --- */

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

#define FIELD_NAME_SIZE 64

/* A figure of a section. */
struct field {
    enum field_section section;
    const char *name;         /* within its section: "p99_s" */
    const char *help;         /* what it is, half a sentence */
    const struct figure *row; /* NULL: by a name that the user or the server gave */
    bool whole;               /* it is a count, if it is there */
    bool level;               /* of FIELD_STATUS: the level at the end, not growth */
    struct value value;       /* VALUE_COUNT, VALUE_NUMBER, VALUE_TEXT */
    const char *missing;      /* NULL, or why there is no value */
    const char *lower;        /* NULL, or why the truth is at least the value */
};

/* A row of a section, as fields_each() has it; also one that is made of such a row. */
struct field fields_row(const struct snapshot *s, enum field_section section,
                        const struct figure *row);

/* Why there is no latency without a transaction. */
extern const char field_no_sample[];
/* In place of it, for figures of a transaction: the processes were read too late. */
extern const char field_read_late[];
extern const char field_no_transaction[], field_no_time[], field_no_power[], field_no_blocker[],
    field_untold[], field_no_request[];

/* What is made of a figure of the processes: per transaction, % of all CPUs of the machine, % of
 * one; of their run-queue wait, % of the time in which they were runnable; itself. */
figure_per per_transaction, per_system, per_cpu, per_runnable, per_nothing;

/* Their rows: private to src/report. */
extern const struct figure *const section_figures[FIELD_SECTIONS];
extern const struct figure derived_figures[]; /* of several events; `have`: their bit in derived */

extern const struct figure status_figures[]; /* of --server-status, beside the server's own */

/* Names of sections as JSON members and column prefixes: "" for FIELD_LOAD. */
const char *field_section_name(enum field_section section);

/* NULL: the snapshot has it.  Else why all of its figures are missing. */
const char *field_section_missing(const struct snapshot *s, enum field_section section);

/* True when `why` explains a figure that is missing only from this interval, false when the figure
 * is unavailable throughout. */
bool field_passing(const char *missing);

/* Calls f for each figure, sections in their order, always the same figures for the same list of
 * percentiles, events and counters of the server (those two sections are empty unless requested; a
 * server on another host that is not reached at first may change them).  The arguments of f are
 * valid during the call. */
typedef void field_visit(void *arg, const struct field *f);
void fields_each(const struct snapshot *s, field_visit *f, void *arg);

/* The figure "rate.late", or of FIELD_LOAD "errors".  One that this report does not know by name is
 * missing, and has no help. */
struct field fields_find(const struct snapshot *s, const char *path);

#endif
