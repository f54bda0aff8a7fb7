/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The figures of the run between its marks, as a table of the final report: figures down, phases
 * across, so that before and after can be compared.  A phase is made of whole intervals
 * (engine/phases.c).  Pure rendering; any thread may call.  Private to src/report
 */
#ifndef SB_REPORT_TEXT_PHASES_H
#define SB_REPORT_TEXT_PHASES_H

#include "base/str.h"
#include "report/snapshot.h"

/* Nothing when there is no phase. */
void text_phases(struct str *out, const struct snapshot *s);

/* The tables alone.  `more`, if not NULL, adds its lines at the top of each: `first` is the number
 * of its first column, counted from 0. */
struct text_phase_lines {
    void (*add)(const struct text_phase_lines *l, struct str *out, size_t first, size_t n);
    const struct snapshot_stage *stage;
};
void text_phase_tables(struct str *out, const struct snapshot_phase *p, size_t n,
                       const struct text_phase_lines *more);

#endif
