/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A run's reports as text: the common part of standard output and text files.  The workload may
 * render its own figures (engine's struct workload_ops); the report floor renders everything else.
 */
#ifndef SB_SESSION_RENDER_H
#define SB_SESSION_RENDER_H

#include <stdbool.h>

#include "base/str.h"
#include "engine/plan.h"
#include "engine/run.h"
#include "engine/workload.h"
#include "report/report_options.h"
#include "report/run_info.h"
#include "report/text_header.h"
#include "report/text_lines.h"

/* All borrowed. */
struct render {
    const struct workload *workload;
    const struct report_info *info;
    const struct run_result *result; /* for the verdict of the final report */
    enum generation generation;
    bool histogram, debug;
    struct text_header header;
};

/* The lines of the header that the options decide. */
struct text_header render_plan_header(const struct plan *p, const struct report_options *o);

/* True when a database is in use: reports then have its figures. */
bool render_uses_sql(void);

/* True when the run has a final report only, as built-in tests of old generations. */
bool render_end_only(const struct render *r);

void render_interval(const struct render *r, struct str *out, const struct snapshot *s);

/* Stock's blocks of a checkpoint or the final report.  true: the workload's own figures come
 * first. */
bool render_cumulative(const struct render *r, struct str *out, const struct snapshot *s);

/* Our blocks after them. */
void render_additions(const struct render *r, struct str *out, const struct snapshot *s,
                      enum text_detail detail);

/* For text files, `arg` is a struct render: what standard output shows without a script's hooks. */
void render_file_header(void *arg, struct str *out);
void render_file_report(void *arg, const struct snapshot *s, struct str *out);

#endif
