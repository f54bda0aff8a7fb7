/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The data of the live page (--metrics-listen): the figures of the last ten minutes in a ring, the
 * latest marks and the state of the run, as one JSON document.  A page asks for what is new:
 *
 *     GET /live.json?after=41   ->  {"state":"running", "figures":["elapsed_s", ...],
 *                                    "rows":[[42, 12.0, ...], ...], "marks":[...], ...}
 *
 * The reporting thread adds a row per report, as text; the thread of the web server puts the
 * document together, and holds the lock between them for the copying.  Clients are not involved.
 */
#ifndef SB_REPORT_LIVE_H
#define SB_REPORT_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "report/run_info.h"

/* Rows that are kept: ten minutes, and no more than this many. */
#define LIVE_ROWS    2400
#define LIVE_KEEP_NS (600 * NS_PER_SEC)
#define LIVE_MARKS   100

struct live; /* opaque */

/* `info` and `marks`, the run's list, are borrowed.  `may_mark`: the page offers to set a mark. */
struct live *live_new(const struct report_info *info, struct marks *marks, bool may_mark);
void live_free(struct live *l); /* NULL is allowed */

/* LIVE_WARMING_UP: measuring begins at `from`, and from then on it means running; LIVE_ENDING: all
 * clients have ended, no more marks */
enum live_state { LIVE_STARTING, LIVE_WARMING_UP, LIVE_RUNNING, LIVE_ENDING, LIVE_ENDED };
void live_enter(struct live *l, enum live_state state, mono_ns from);

/* Adds an interval, or a checkpoint if the run reports no intervals, and takes the final report. */
void live_snapshot(struct live *l, const struct snapshot *s);
void live_end(struct live *l, const struct report_end *end);

/* The document, with the rows whose numbers are above `after`.  Any thread. */
void live_json(struct live *l, uint64_t after, struct str *out);

/* Waits until a reader that asked a moment ago has the end, at most two seconds. */
void live_linger(struct live *l);

/* Sets a mark.  NULL, or the reason why it was not kept.  Any thread. */
const char *live_mark(struct live *l, const char *text, size_t len);

/*
 * The live page as one HTML document; the build makes live_page.c from src/report/live/, from the
 * charts of the laboratory (scripts/sysbench_lab/page/) and, if it was found, from Chart.js.
 */

extern const unsigned char live_page[]; /* UTF-8 */
extern const size_t live_page_size;

extern const char live_chart_library[]; /* version of Chart.js, or "no" */

#endif
