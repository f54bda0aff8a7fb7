/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Labels of a run in the files for programs: --label=KEY=VALUE, as labels of every metric, members
 * of JSON, columns of csv.  Keys are names that metrics allow and that the program does not use
 * itself.
 */
#ifndef SB_REPORT_LABELS_H
#define SB_REPORT_LABELS_H

#include <stddef.h>

#include "base/err.h"
#include "report/run_info.h"

/* `text` is "KEY=VALUE,KEY=VALUE"; empty pieces are skipped.  -1: one sentence that names --label;
 * the list is empty then. */
int report_labels_parse(struct report_label **out, size_t *n, const char *text, struct err *e);

void report_labels_free(struct report_label *list, size_t n);

#endif
