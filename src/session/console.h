/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Standard output as observers of a run.  A report has three parts, so that the script's hooks
 * (hooks.h) can replace the middle one:
 *     console_head    the header of the run; marks, the stamp of a checkpoint, the histogram
 *     console_body    an interval as a line or a row of the table; stock's cumulative report
 *     console_tail    our blocks after a cumulative report
 *
 * Each part is rendered into one buffer and written at once, so that lines of the ticker and of the
 * main thread cannot mix.
 */
#ifndef SB_SESSION_CONSOLE_H
#define SB_SESSION_CONSOLE_H

#include <stdbool.h>

#include "opt/opt.h"
#include "report/text_table.h"
#include "session/batch.h"
#include "session/observer.h"
#include "session/render.h"
#include "telemetry/environment.h"

struct console {
    const struct render *render;
    const struct environment *environment;   /* printed when it is complete; NULL: not at all */
    struct text_table *table;                /* of the intervals; NULL: they are lines */
    struct batch *batch;                     /* --batch of 0.4.12; NULL: not requested */
    bool hooked_interval, hooked_cumulative; /* a script's hook has the body of these reports */
};

/* All three have a struct console as `self`. */
extern const struct observer_ops console_head, console_body, console_tail;

/* --report-style: true when the intervals are rows of a table. */
bool console_wants_table(const struct opts *o);

void console_free(struct console *c);

#endif
