/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The facts about a run that result files contain besides its figures: the command line and
 * options, the machine, labels, commands, the profile, and how the run ended.  Plain data for the
 * writers.
 */
#ifndef SB_REPORT_RUN_INFO_H
#define SB_REPORT_RUN_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/str.h"
#include "report/snapshot.h"

/* --- commands of --do, and what came of them --- */

#define ACTION_OUTPUT_MAX 65536 /* bytes kept of a command's output */

enum action_state {
    ACTION_WAITING, /* its instant has not come */
    ACTION_RUNNING,
    ACTION_ENDED,
    ACTION_FAILED,  /* it could not be started */
    ACTION_NOT_RUN, /* the run ended before its instant */
};

struct report_action {
    enum action_state state;
    double at_s; /* as the user gave it; seconds after the start of measuring, as all that follow */
    const char *name; /* of its marks; NULL: they have the command */
    const char *command;
    double begin_s;      /* RUNNING, ENDED */
    double duration_s;   /* ENDED, as all below */
    int exit_status;     /* -1: ended by a signal */
    int signal;          /* 0: none */
    bool stopped;        /* it was still running at the end of the run, which ended it */
    bool left;           /* it left processes in its group, which the run ended */
    const char *output;  /* no NUL in it */
    size_t output_bytes; /* all bytes printed; those beyond ACTION_OUTPUT_MAX were not kept */
    const char *why;     /* FAILED */
};

/* --- steps of --settle, and what came of them --- */

struct report_settle {
    const char *host; /* of several servers; NULL: there is one */
    const char *step;
    const char *outcome; /* "done", "no longer falling", "limit" (the time was over), "not done" */
    const char *of;      /* what the numbers count; NULL: nothing */
    double took_s, limit_s; /* limit: what was left of it */
    double before, after;   /* NAN: there is none */
    char why[160];          /* of what was not done; "" */
};

/* --- the results of --server-profile, filled once when the profile has ended --- */

/* Texts are borrowed. */
struct report_profile {
    bool ended;           /* everything below is known */
    bool cpu, off_cpu;    /* the kinds that the user chose */
    int hz;               /* samples per second and CPU */
    dur_ns start, length; /* the window; length 0: to the end of the run */
    const char *why;      /* why nothing was watched; NULL: the figures below are valid */
    const char *name;     /* the processes that were watched */
    dur_ns watched;
    uint64_t samples, stacks; /* on CPU; stacks: distinct ones */
    dur_ns off_cpu_time;      /* sum over threads */
    uint64_t threads, off_cpu_stacks;
    const char *estimate; /* what the stacks' times are estimated from; "": exact */
    uint64_t switches, involuntary, sampled; /* sampled: switches with a stack */
    uint64_t by_cfi, by_pointers;            /* stacks, by how they were unwound */
    uint64_t partial;                        /* stacks that do not reach the start of a thread */
    const char *no_cfi; /* why no stack could be unwound by_cfi; NULL: it was possible */
    uint64_t degraded;  /* stacks by frame pointers alone: the profiler had used up its CPU share */
    uint64_t lost;      /* records that the kernel dropped for lack of room */
    uint64_t truncated; /* frames left out: too many different stacks */
    bool no_names, no_kernel_names; /* the server's code, the kernel's cannot be named */
    dur_ns cost;                    /* CPU time of the profiler */
    const char *prefix;             /* of the files' names */
    const char *file[4];            /* written completely */
    size_t files;
    bool files_incomplete; /* others could not be written */
};

/* --- the run --- */

struct environment; /* telemetry/environment.h */

struct report_option {
    const char *name;  /* as declared, with dashes */
    const char *given; /* as the user gave it; NULL: not given */
    const char *value; /* in effect, as text; passwords are hidden */
    enum { REPORT_TEXT, REPORT_NUMBER, REPORT_FLAG, REPORT_LIST } type;
    double number; /* REPORT_NUMBER, REPORT_FLAG */
};

/* A fact of the surroundings: "kernel", "Linux 6.1.0 ...".  Unknown values are NULL. */
struct report_fact {
    const char *name;
    const char *value;
    const char *missing; /* why there is no value */
    bool number;         /* the value is written without quotes */
};

/* --label=KEY=VALUE (report_options.h). */
struct report_label {
    char *name, *value;
};

/* The facts before the run; all borrowed until report_files_close. */
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
    /* empty until the connections are up; whole before the first report */
    const struct environment *record;
    /* filled in before the final report; NULL: not requested */
    const struct report_profile *profile;
    /* of --do, with their state at each report and at the end */
    const struct report_action *action;
    size_t actions;
    const struct report_settle *settle; /* of --settle, before the run */
    size_t settles;
    wall_ns wall; /* now */
    /* there will be interval snapshots; otherwise only checkpoints, if any */
    bool intervals;
    const void *arg; /* of the two below */
    /* writes the beginning of the text report */
    void (*header)(const void *arg, struct str *out);
    void (*text)(const void *arg, const struct snapshot *s,
                 struct str *out); /* one report as text */
};

/* How the run ended. */
struct report_end {
    const char *status; /* "completed", "interrupted", "forced" (shutdown), "failed" */
    int signal;         /* 0: none */
    const char *error;  /* one sentence, NULL: none */
    bool measured;      /* there was a final snapshot */
    bool has_rate;      /* the three that follow mean something */
    bool searched;      /* --tx-find: `why` is its answer, and no rate was to be sustained */
    bool sustained, unknown, accounts_balance; /* unknown: too short to tell */
    const char *why;                           /* the verdict's reason or hint; "" */
    /* the first stage of the rate that was not sustained, and what it was; 0: none */
    int since_stage;
    const char *since;
    const char *interrupted; /* "SIGINT after 2.9 s of 600 s"; "" */
    uint64_t offered;
    double achieved; /* per second; NaN: not judged */
    wall_ns wall;
};

/* The metrics of one report in both formats. */
typedef void report_publish(void *arg, const struct str *prometheus, const struct str *openmetrics);

#endif
