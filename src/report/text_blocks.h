/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/report: what the files of the text report offer each other.  Each block is empty
 * when it was not requested, or there is nothing to say; where the report is stock's alone, most
 * are.
 */
#ifndef SB_REPORT_TEXT_BLOCKS_H
#define SB_REPORT_TEXT_BLOCKS_H

#include "report/text.h"

/* Within our end of an interval line: what follows is the words of a group, or a figure.  Where
 * there is no room for all, those of LINE_FIRST are left out last, and within a class those that
 * stand first. */
#define LINE_GROUP  "\001"
#define LINE_FIRST  "\002" /* late, failed, lag */
#define LINE_SERVER "\003" /* its CPU */
#define LINE_CLIENT "\004" /* the load generator's, and what sessions wait for */
#define LINE_NEXT   "\005"
#define LINE_EVENT  "\006"
#define LINE_STATUS "\007"
#define LINE_HOST   "\010"
#define LINE_REST   "\011"
#define LINE_MARKS  "\001\002\003\004\005\006\007\010\011"

/* text_ours.c */
/* The line begins at `start` of `out`. */
void text_interval_additions(struct str *out, const struct snapshot *s, size_t start,
                             struct text_fit *fit);
void text_rate(struct str *out, const struct snapshot *s); /* without its last line: */
void text_verdict(struct str *out, const struct snapshot *s, const struct report_end *v);
void text_outages(struct str *out, const struct snapshot *s);
void text_failed(struct str *out, const struct snapshot *s);
void text_retries(struct str *out, const struct snapshot *s);
void text_connections(struct str *out, const struct snapshot *s);
void text_hosts(struct str *out, const struct snapshot *s);
void text_ranks(struct str *out, const struct snapshot *s);

#define TEXT_WATCHING 0.02 /* of the server's CPU per transaction: so much to watch it is told */

/* text_figures.c: " | srv-usr 0.75% ... | ipc 0.60 ... | host r 2 ..." with those marks, and the
 * blocks of the server, the load generator, counters, system calls, machine and status */
void text_interval_figures(struct str *out, const struct snapshot *s);
void text_processes(struct str *out, const struct snapshot *s, enum text_detail detail);

/* text_phases.c */
/* `info`: its commands, of which some may have failed. */
void text_phases(struct str *out, const struct snapshot *s, const struct report_info *info,
                 size_t width);
/* of fewer than two: nothing */
void text_stages(struct str *out, const struct snapshot *s, size_t width);

/* text_blocks.c */
void text_warmup(struct str *out, const struct snapshot *s);
void text_errors(struct str *out, const struct snapshot *s, enum text_detail detail);
void text_incidents(struct str *out, const struct snapshot *s, enum text_detail detail);
void text_statements(struct str *out, const struct snapshot *s, enum text_detail detail,
                     size_t width);
void text_actions(struct str *out, const struct report_action *a, size_t n);
void text_profile(struct str *out, const struct report_profile *p);
void text_by_server(struct str *out, const struct snapshot *s, enum text_detail d, size_t width);
/* Lines of it: `n` statements of the run; or of so many parts, each of which begins with a pointer
 * to its snapshot, the one that took longest. */
void text_server_table(struct str *out, const struct snapshot *s, bool full, size_t width,
                       const void *part, size_t stride, size_t n);
void text_budget(struct str *out, const struct snapshot *s);

/* text_find.c: the block "Highest rate:" */
void text_find(struct str *out, const struct find_record *r);

#endif
