/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Does the command line ask for something that this program was built without?  An optional
 * library that was not there when the program was built leaves out a driver, an option or a part
 * of the figures; whoever asks for it is told before anything else is looked at, in one sentence
 * that names the option, the library and its package.
 *
 * What was built in is a value of its own, so that tests can ask about any other program.
 */
#ifndef SB_CLI_BUILT_H
#define SB_CLI_BUILT_H

#include <stdbool.h>

#include "base/err.h"
#include "opt/opt.h"

struct built {
    bool mysql;      /* libmariadb or libmysqlclient: the MySQL driver */
    bool pgsql;      /* libpq: the PostgreSQL driver */
    bool microhttpd; /* --metrics-listen */
    bool elfutils;   /* complete stacks in --server-profile */
    bool libpfm;     /* names of events that are particular to a CPU, in --server-events */
    bool libaio;     /* --file-io-mode=async */
};

/* This program. */
struct built built_here(void);

/* The general options; `is_script`: not a built-in test, `run`: the command is run. */
int built_check(const struct built *b, const struct opts *o, bool is_script, bool run,
                struct err *e);

/* The options of the fileio test, which are known later than the others. */
int built_check_fileio(const struct built *b, const struct opts *o, struct err *e);

/* What a run goes on with, and less than it could: warnings in the log. */
void built_warn(const struct built *b, const struct opts *o);

#endif
