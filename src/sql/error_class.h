/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What kind of failure is this?  Servers and client libraries know some thousand numbers and
 * SQLSTATEs; what to do about a failure depends on a handful of classes:
 *
 *     1213, 40P01 -> deadlock         2013, 08006 -> connection         1290, 25006 -> read-only
 *
 * The class says what happened, not what follows from it: sql_policy.h decides that.  Whether the
 * connection survived is a third thing, which only the driver knows.
 */
#ifndef SB_SQL_ERROR_CLASS_H
#define SB_SQL_ERROR_CLASS_H

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

#endif
