/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a run is called in the files for programs: --label=KEY=VALUE, as labels of every metric,
 * members of JSON, columns of csv.  Keys are names that metrics allow, and none that the program
 * uses itself.
 */
#ifndef SB_REPORT_LABELS_H
#define SB_REPORT_LABELS_H

#include <stddef.h>

#include "base/err.h"
#include "report/report.h"

/* `text` is "KEY=VALUE,KEY=VALUE"; empty pieces are passed over.  -1: one sentence that names
 * --label; there are none then. */
int report_labels_parse(struct report_label **out, size_t *n, const char *text, struct err *e);

void report_labels_free(struct report_label *list, size_t n);

#endif
