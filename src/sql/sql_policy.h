/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What kind of failure is this, and what follows from it?  Servers and client libraries know some
 * thousand numbers and SQLSTATEs; what to do about a failure depends on a handful of classes:
 *
 *     1213, 40P01 -> deadlock         2013, 08006 -> connection         1290, 25006 -> read-only
 *
 * What follows is up to the user, by class:
 *
 *     --on-error=failover,duplicate:fail
 *
 * A class that the user says nothing about is left to the lists of stock, --mysql-ignore-errors and
 * --pgsql-ignore-errors: an error on the list is retried, or reconnected if the connection is lost;
 * any other ends the run.  An action that the user names overrides the lists, both ways.  Whether
 * the connection survived is a third thing, which only the driver knows.
 *
 * A driver knows what its library said and what is on its list; sql_decide() is where that becomes
 * an outcome, for all drivers and all calls.
 */
#ifndef SB_SQL_SQL_POLICY_H
#define SB_SQL_SQL_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Names in error_class_name() and in --on-error. */
enum error_class {
    ERROR_OTHER,
    ERROR_CONNECTION,      /* refused, or lost */
    ERROR_OVERLOAD,        /* too many connections, no resources */
    ERROR_DEADLOCK,        /* the server chose this transaction as the victim */
    ERROR_LOCK_WAIT,       /* a lock was not granted in time */
    ERROR_SERIALIZATION,   /* a concurrent transaction was faster */
    ERROR_DUPLICATE,       /* a key that exists */
    ERROR_READ_ONLY,       /* a replica, or a demoted primary */
    ERROR_CLUSTER,         /* the node, or the cluster, cannot take it now */
    ERROR_CANCELLED,       /* KILL QUERY, a statement timeout */
    ERROR_SHUTDOWN,        /* the server stops, starts or recovers */
    ERROR_STATEMENT_LIMIT, /* too many prepared statements */
    ERROR_MISSING,         /* a table or database that does not exist */
    ERROR_ACCESS,          /* wrong password, no privilege */
    ERROR_TLS,
    ERROR_CLASSES
};

/* By the native number, where the server has one, otherwise by the SQLSTATE.  state and msg may be
 * NULL; msg is looked at only where one number has several meanings. */
enum error_class error_class_of(int errnum, const char *state, const char *msg);

/* "lock-wait" */
const char *error_class_name(enum error_class k);
/* ERROR_CLASSES: there is no class of this name. */
enum error_class error_class_find(const char *name);

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

#endif
