/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Standard output as observers of a run.  A report has three parts, so that the script's hooks
 * (result_files.h) can replace the middle one:
 *     console_head    the header of the run; marks, the stamp of a checkpoint, the histogram
 *     console_body    an interval as a line or a row of the table; stock's cumulative report
 *     console_tail    our blocks after a cumulative report
 *
 * Each part is rendered into one buffer and written at once, so that lines of the ticker and of the
 * main thread cannot mix.
 *
 * struct render is what standard output and text files share.  The workload may render its own
 * figures (engine's struct workload_ops); the report floor renders everything else.
 */
#ifndef SB_SESSION_CONSOLE_H
#define SB_SESSION_CONSOLE_H

#include <stdbool.h>

#include "base/str.h"
#include "engine/plan.h"
#include "engine/run.h"
#include "engine/workload.h"
#include "opt/opt.h"
#include "report/run_info.h"
#include "report/snapshot.h"
#include "report/text.h"
#include "report/text_table.h"
#include "engine/observer.h"
#include "telemetry/environment.h"

/* All borrowed. */
struct render {
    const struct workload *workload;
    const struct report_info *info;
    const struct run_result *result; /* for the verdict of the final report */
    const struct plan *plan;
    bool histogram; /* --histogram */
    bool debug;     /* --debug: the threads of a report one by one */
    bool validate;  /* --validate: the header says so */
};

/* Stock's blocks of a checkpoint or the final report.  true: the workload's own figures come
 * first. */
bool render_cumulative(const struct render *r, struct str *out, const struct snapshot *s);

/* For text files, `arg` is a struct render: what standard output shows without a script's hooks. */
void render_header(const void *arg, struct str *out);
void render_report(const void *arg, const struct snapshot *s, struct str *out);

bool screen_is_terminal(void);

/*
 * The present state.  The width is that of the terminal; if there is none, or its width is unknown,
 * COLUMNS of the environment; else 80.  Colours on a terminal only, and not with NO_COLOR or
 * TERM=dumb.  `arg` is not used.
 */
struct text_screen screen_ask(void *arg);

/* Adds an interval to all since the start, and appends the line of --batch.  `service`: latencies
 * begin with the actual start. */
void batch_line(struct hist_counts *all, struct str *out, const struct snapshot *s, bool service);

struct console {
    const struct render *render;
    const struct environment *environment;   /* printed when it is complete; NULL: not at all */
    struct text_table *table;                /* of the intervals; NULL: they are lines */
    struct text_fit fit;                     /* of the lines; most 0: they may have any length */
    size_t told;                             /* how many figures they lack */
    struct hist_counts batch;                /* --batch of 0.4.12; size 0: not requested */
    bool hooked_interval, hooked_cumulative; /* a script's hook has the body of these reports */
};

/* All three have a struct console as `self`. */
extern const struct observer_ops console_head, console_body, console_tail;

/* --report-style: true when the intervals are rows of a table. */
bool console_wants_table(const struct opts *o);
struct text_fit console_fit(const struct opts *o);

void console_free(struct console *c);

#endif
