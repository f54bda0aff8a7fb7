/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The general option groups together: rows that no single module owns (random numbers, database,
 * server), and the two readers that turn them into what the floors below want.
 */
#ifndef SB_CLI_OPTIONS_H
#define SB_CLI_OPTIONS_H

#include "base/dist.h"
#include "base/err.h"
#include "opt/opt.h"
#include "sql/sql.h"

/* All general groups into an empty table. */
void options_declare(struct opts *o);

/* The deprecated names of spec 2.2 take effect and say so on stdout. */
void options_apply_deprecated(struct opts *o);

/* --tx-rate was a deprecated alias of --rate in 1.0; here it holds a steady rate.  A run with it
 * and no other option of ours may mean either: says on stderr what it does now. */
void options_note_tx_rate(const struct opts *o, const char *command);

/* Strings and lists stay owned by the table, which takes up what password and option files say
 * (once: standard input cannot be read again). */
int options_sql(struct sql_options *s, struct opts *o, struct err *e);
int options_dist(struct dist_params *d, const struct opts *o, struct err *e);

#endif
