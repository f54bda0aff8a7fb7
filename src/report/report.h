/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The result files of a run (--report-file).  Each has a writer (writer.h), and all writers are
 * handed the same: what is known before the run, every snapshot, and how it ended.
 *
 *     report_files_parse     names and formats; touches nothing
 *     report_files_check     will they have something to tell?
 *     report_files_open      creates the files, writes what comes first
 *     report_files_snapshot  at each interval, checkpoint and at the end
 *     report_files_close     what comes last; -1 when a file is incomplete
 *
 * A failure to write is said once, ends that file and nothing else.  One call at a time; the
 * threads may differ.
 */
#ifndef SB_REPORT_REPORT_H
#define SB_REPORT_REPORT_H

#include "base/err.h"
#include "base/str.h"
#include "report/action.h"
#include "report/snapshot.h"

struct report_option {
    const char *name;  /* as declared, with dashes */
    const char *given; /* as the user gave it; NULL: he did not */
    const char *value; /* in effect, as text; passwords are hidden */
    enum { REPORT_TEXT, REPORT_NUMBER, REPORT_FLAG, REPORT_LIST } type;
    double number; /* REPORT_NUMBER, REPORT_FLAG */
};

struct environment; /* telemetry/environment.h */

/* A fact of the surroundings: "kernel", "Linux 6.1.0 ...".  Values are NULL where they are not
 * known. */
struct report_fact {
    const char *name;
    const char *value;
    const char *missing; /* why there is no value */
    bool number;         /* the value is written without quotes */
};

/* --label=KEY=VALUE (labels.h). */
struct report_label {
    char *name, *value;
};

/* What --server-profile did; all borrowed. */
struct report_profile {
    bool ended;        /* all that follows is known */
    bool cpu, off_cpu; /* what was asked for */
    int hz;
    double start_s, length_s; /* the window; length 0: to the end of the run */
    const char *why;          /* nothing was watched, and why; NULL: the figures mean something */
    const char *name;         /* who was watched */
    double watched_s;
    uint64_t samples, stacks;
    double off_cpu_s;
    uint64_t threads, off_cpu_stacks, switches, involuntary, switches_with_stack;
    uint64_t by_cfi, by_pointers,
        in_part;        /* stacks; the last: that do not reach the start of a thread */
    const char *no_cfi; /* why none could be by_cfi; NULL: they could */
    uint64_t hurried, lost, left_out;
    double profiler_cpu_s;
    const char *file[4]; /* written whole */
    size_t files;
    bool files_incomplete; /* others could not be written */
};

/* What is known before the run; all borrowed until report_files_close. */
struct report_info {
    const char *version, *test, *command;
    char *const *argv; /* passwords hidden */
    int argc;
    const struct report_label *label;
    size_t labels;
    const struct report_option *option;
    size_t options;
    const struct report_fact *fact;
    size_t facts;
    const struct environment
        *record; /* empty until the connections are up; whole before the first report */
    const struct report_profile
        *profile; /* filled in before the final report; NULL: not asked for */
    const struct report_action
        *action; /* of --do, as they are known at each report and at the end */
    size_t actions;
    wall_ns wall;   /* now */
    bool intervals; /* interval snapshots will come; else checkpoints, if any, are all that lies
                       between */
    void *arg;      /* of the two below */
    void (*header)(void *arg, struct str *out); /* what the text report begins with */
    void (*text)(void *arg, const struct snapshot *s, struct str *out); /* one report as text */
};

/* How the run ended. */
struct report_end {
    const char *status; /* "completed", "interrupted", "forced" (shutdown), "failed" */
    int signal;         /* 0: none */
    const char *error;  /* one sentence, NULL: none */
    bool measured;      /* there was a final snapshot */
    bool has_rate;      /* the three that follow mean something */
    bool sustained, accounts_balance;
    const char *why; /* the verdict's reason or hint; "" */
    uint64_t offered;
    wall_ns wall;
};

struct report_files; /* opaque */

/* Each name is "PATH", whose suffix says the format, or "FORMAT:PATH".  -1: unknown format, a file
 * twice, or one that could not be written; one sentence. */
int report_files_parse(struct report_files **out, char *const *name, size_t n, struct err *e);

/* Is there anything to write?  A table of intervals or checkpoints needs some.  -1: a sentence. */
int report_files_check(const struct report_files *r, bool intervals, bool checkpoints,
                       struct err *e);

/* The metrics of one report in both formats. */
typedef void report_publish(void *arg, const struct str *prometheus, const struct str *openmetrics);

/* One more, which is no file: the metrics of each report go to `publish`.  *r may be NULL, and is
 * made then. */
void report_files_publish(struct report_files **r, report_publish *publish, void *arg);

int report_files_open(struct report_files *r, const struct report_info *info, struct err *e);
void report_files_snapshot(struct report_files *r, const struct snapshot *s);
int report_files_close(struct report_files *r, const struct report_end *end);
/* Is there a file that holds report_info.record? */
bool report_files_want_record(const struct report_files *r);
void report_files_free(struct report_files *r); /* NULL is allowed */

/* "csv, json, ..." */
void report_formats(struct str *out);

#endif
