/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/ps: pstime's command line as plain data.
 */
#ifndef SB_PS_ARGS_H
#define SB_PS_ARGS_H

#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "ps/render.h"
#include "ps/table.h"

struct ps_args {
    dur_ns interval;
    uint64_t count; /* 0: until stopped */
    bool counted;   /* by -c */
    bool stream;    /* the rest has no meaning */
    struct ps_select select;
    struct ps_style style;
};

/*
 * 0; 1: --help or --version was printed and there is nothing to do; -1: a sentence.  ps_args_free
 * in every case.  proc_root: "/proc" outside tests.
 */
int ps_args_read(struct ps_args *a, int argc, char **argv, const char *proc_root, struct err *e);
void ps_args_free(struct ps_args *a);

#endif
