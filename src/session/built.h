/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Checks whether the command line needs a feature that this program was built without.  A missing
 * optional library leaves out a driver, an option or part of the figures.  The check comes before
 * all others; its message names the option, the library and the package.
 *
 * What was built in is plain data, so that tests can describe any other program.
 */
#ifndef SB_SESSION_BUILT_H
#define SB_SESSION_BUILT_H

#include <stdbool.h>

#include "base/err.h"
#include "opt/opt.h"
#include "session/attach.h"

struct built {
    bool mysql;      /* libmariadb or libmysqlclient: the MySQL driver */
    bool pgsql;      /* libpq: the PostgreSQL driver */
    bool microhttpd; /* --metrics-listen */
    bool elfutils;   /* --server-profile */
    bool libpfm;     /* names of CPU-specific events, in --server-events */
    bool libaio;     /* --file-io-mode=async */
};

/* This program. */
struct built built_here(void);

/* The general options; `is_script`: not a built-in test, `run`: the command is run. */
int built_check(const struct built *b, const struct opts *o, const struct server_options *server,
                bool is_script, bool run, struct err *e);

/* The options of the fileio test, which are known later than the others. */
int built_check_fileio(const struct built *b, const struct opts *o, struct err *e);

#endif
