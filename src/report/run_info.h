/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The facts about a run that result files contain besides its figures: the command line and
 * options, the machine, labels, commands, the profile, and how the run ended.  Plain data for the
 * writers.
 */
#ifndef SB_REPORT_RUN_INFO_H
#define SB_REPORT_RUN_INFO_H

#include "base/str.h"
#include "report/action.h"
#include "report/profile_record.h"
#include "report/snapshot.h"

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

/* --label=KEY=VALUE (labels.h). */
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
    wall_ns wall; /* now */
    /* there will be interval snapshots; otherwise only checkpoints, if any */
    bool intervals;
    void *arg; /* of the two below */
    /* writes the beginning of the text report */
    void (*header)(void *arg, struct str *out);
    void (*text)(void *arg, const struct snapshot *s, struct str *out); /* one report as text */
};

/* How the run ended. */
struct report_end {
    const char *status; /* "completed", "interrupted", "forced" (shutdown), "failed" */
    int signal;         /* 0: none */
    const char *error;  /* one sentence, NULL: none */
    bool measured;      /* there was a final snapshot */
    bool has_rate;      /* the three that follow mean something */
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
