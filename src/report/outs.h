/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All the paths that a run will write to, and the options that name them: two that lead to the same
 * file would destroy each other's content, so the second is refused before anything is opened.
 */
#ifndef SB_REPORT_OUTS_H
#define SB_REPORT_OUTS_H

#include <stddef.h>

#include "base/err.h"

struct outs_path {
    char *option, *path;
};

/* {0} is an empty list. */
struct outs {
    struct outs_path *list;
    size_t n;
};

/* Adds a path ("": none).  -1: one that was added before is the same file, or standard output is
 * redirected into it. */
int outs_add(struct outs *o, const char *option, const char *path, struct err *e);
void outs_free(struct outs *o);

#endif
