/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What follows from an error, by its class.
 *
 *     --on-error=failover,duplicate:fail
 *
 * A class that the user says nothing about is left to the lists of stock, --mysql-ignore-errors and
 * --pgsql-ignore-errors: an error on the list is retried, or reconnected if the connection is lost;
 * any other ends the run.  An action that the user names overrides the lists, both ways.
 *
 * A driver knows what its library said and what is on its list; sql_decide() is where that becomes
 * an outcome, for all drivers and all calls.
 */
#ifndef SB_SQL_SQL_POLICY_H
#define SB_SQL_SQL_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "sql/error_class.h"

enum error_action {
    ACTION_LISTED, /* the lists decide */
    ACTION_RETRY,  /* roll back, run the same transaction again */
    /* replace the connection, whether or not it is lost, and run the transaction again */
    ACTION_RECONNECT,
    ACTION_FAIL, /* roll back, count the transaction as failed, go on with the next */
    ACTION_FATAL /* end the run */
};

struct sql_policy {
    unsigned char action[ERROR_CLASSES]; /* enum error_action; all 0: stock's */
};

/* The items of --on-error: CLASS:ACTION or a preset; a later item overrides an earlier one.  -1: a
 * sentence about the first invalid item. */
int sql_policy_read(struct sql_policy *p, char **items, size_t n, struct err *e);

/* "galera|group-replication|..." */
#define SQL_POLICY_PRESETS "galera|group-replication|failover|aurora|tidb"

/* What a preset stands for: "cluster:retry,..."; NULL: there is none of this name. */
const char *sql_policy_preset(const char *name);

/* "retry"; ACTION_LISTED has no name. */
const char *error_action_name(enum error_action a);

#endif
