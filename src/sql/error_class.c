/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See error_class.h.  The tables hold numbers, not the names of the client library's headers:
 * libmariadb and libmysqlclient each lack names of the other's servers, and drivers that are not
 * compiled in need none.
 *
 * A number means the same on all servers of the protocol, with few exceptions, which `text` tells
 * apart: 1290 names the option that forbids the statement, 1105 is whatever a proxy or a
 * distributed server had no number for.
 */
#include "sql/error_class.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const names[ERROR_CLASSES] = {
    [ERROR_OTHER] = "other",
    [ERROR_CONNECTION] = "connection",
    [ERROR_OVERLOAD] = "overload",
    [ERROR_DEADLOCK] = "deadlock",
    [ERROR_LOCK_WAIT] = "lock-wait",
    [ERROR_SERIALIZATION] = "serialization",
    [ERROR_DUPLICATE] = "duplicate",
    [ERROR_READ_ONLY] = "read-only",
    [ERROR_CLUSTER] = "cluster",
    [ERROR_CANCELLED] = "cancelled",
    [ERROR_SHUTDOWN] = "shutdown",
    [ERROR_STATEMENT_LIMIT] = "statement-limit",
    [ERROR_MISSING] = "missing",
    [ERROR_ACCESS] = "access",
    [ERROR_TLS] = "tls",
};

/* MySQL, MariaDB and what speaks their protocol.  The first row that fits holds. */
static const struct {
    int errnum;
    enum error_class class;
    const char *text; /* in the message; NULL: any */
} numbers[] = {
    {1213, ERROR_DEADLOCK, NULL},
    {1614, ERROR_DEADLOCK, NULL}, /* of an XA transaction */
    {3058, ERROR_DEADLOCK, NULL}, /* of GET_LOCK() */

    {1205, ERROR_LOCK_WAIT, NULL},
    {1613, ERROR_LOCK_WAIT, NULL}, /* of an XA transaction */
    {3572, ERROR_LOCK_WAIT, NULL}, /* NOWAIT */

    {1020, ERROR_SERIALIZATION, NULL}, /* the record has changed since it was read */
    {8002, ERROR_SERIALIZATION, NULL}, /* TiDB: SELECT FOR UPDATE met a newer write */
    {8005, ERROR_SERIALIZATION, NULL}, /* TiDB: write conflict found before the commit */
    {8022, ERROR_SERIALIZATION, NULL}, /* TiDB: the commit failed, may be repeated */
    {8027, ERROR_SERIALIZATION, NULL}, /* TiDB: the schema is out of date */
    {8028, ERROR_SERIALIZATION, NULL}, /* TiDB: the schema has changed */
    {9007, ERROR_SERIALIZATION, NULL}, /* TiDB: write conflict */
    {1105, ERROR_SERIALIZATION, "Write conflict"},
    {1105, ERROR_SERIALIZATION, "try again later"},

    {1022, ERROR_DUPLICATE, NULL},
    {1062, ERROR_DUPLICATE, NULL},
    {1169, ERROR_DUPLICATE, NULL},
    {1586, ERROR_DUPLICATE, NULL},

    {1290, ERROR_READ_ONLY, "read-only"}, /* --read-only, --super-read-only */
    {1290, ERROR_READ_ONLY, "read_only"},
    {1792, ERROR_READ_ONLY, NULL}, /* the transaction is */
    {1836, ERROR_READ_ONLY, NULL},

    {1047, ERROR_CLUSTER, NULL}, /* Galera: the node is not ready */
    {1180, ERROR_CLUSTER, NULL}, /* "Got error 0 during COMMIT", or after a conflict elsewhere */
    {3098, ERROR_CLUSTER, NULL}, /* Group Replication refuses the table */
    {3100, ERROR_CLUSTER, NULL}, /* Group Replication: a hook of the commit failed */
    {3101, ERROR_CLUSTER, NULL}, /* Group Replication: conflict found at the commit */
    {9001, ERROR_CLUSTER, NULL}, /* TiDB: PD does not answer */
    {9002, ERROR_CLUSTER, NULL}, /* TiDB: TiKV does not answer */
    {9004, ERROR_CLUSTER, NULL}, /* TiDB: locks were not resolved in time */
    {9005, ERROR_CLUSTER, NULL}, /* TiDB: the region has no leader */
    {1105, ERROR_CLUSTER, "code = Unavailable"}, /* Vitess */
    {1105, ERROR_CLUSTER, "code = Aborted"},

    {1028, ERROR_CANCELLED, NULL}, /* within a sort */
    {1317, ERROR_CANCELLED, NULL},
    {1969, ERROR_CANCELLED, NULL}, /* MariaDB's max_statement_time */
    {3024, ERROR_CANCELLED, NULL}, /* MySQL's max_execution_time */

    {1053, ERROR_SHUTDOWN, NULL},
    {3032, ERROR_SHUTDOWN, NULL}, /* offline mode */
    {3168, ERROR_SHUTDOWN, NULL}, /* not yet available */

    {1040, ERROR_OVERLOAD, NULL},
    {1041, ERROR_OVERLOAD, NULL}, /* out of memory */
    {1135, ERROR_OVERLOAD, NULL}, /* no new thread */
    {1203, ERROR_OVERLOAD, NULL}, /* of this user */
    {1226, ERROR_OVERLOAD, NULL}, /* the account's limits */
    {1637, ERROR_OVERLOAD, NULL}, /* transactions */
    {9003, ERROR_OVERLOAD, NULL}, /* TiDB: TiKV is busy */

    {1461, ERROR_STATEMENT_LIMIT, NULL},

    {1049, ERROR_MISSING, NULL},
    {1051, ERROR_MISSING, NULL},
    {1054, ERROR_MISSING, NULL}, /* a column */
    {1146, ERROR_MISSING, NULL},
    {1305, ERROR_MISSING, NULL}, /* a procedure */

    {1044, ERROR_ACCESS, NULL},
    {1045, ERROR_ACCESS, NULL},
    {1129, ERROR_ACCESS, NULL}, /* the host is blocked */
    {1130, ERROR_ACCESS, NULL}, /* the host is not allowed */
    {1142, ERROR_ACCESS, NULL},
    {1143, ERROR_ACCESS, NULL},
    {1227, ERROR_ACCESS, NULL},
    {1251, ERROR_ACCESS, NULL}, /* the client's library is too old */
    {1370, ERROR_ACCESS, NULL},
    {1698, ERROR_ACCESS, NULL},
    {1820, ERROR_ACCESS, NULL}, /* the password must be changed */
    {1862, ERROR_ACCESS, NULL}, /* the password has expired */
    {2059, ERROR_ACCESS, NULL}, /* no plugin for this way to authenticate */
    {2061, ERROR_ACCESS, NULL},
    {3118, ERROR_ACCESS, NULL}, /* MySQL: the account is locked */
    {4151, ERROR_ACCESS, NULL}, /* MariaDB: the account is locked */

    {2026, ERROR_TLS, NULL},
    {3159, ERROR_TLS, NULL}, /* the server requires it */

    {1042, ERROR_CONNECTION, NULL}, /* the server cannot resolve the client's address */
    {1043, ERROR_CONNECTION, NULL}, /* bad handshake */
    {1152, ERROR_CONNECTION, NULL},
    {1158, ERROR_CONNECTION, NULL},
    {1159, ERROR_CONNECTION, NULL},
    {1160, ERROR_CONNECTION, NULL},
    {1161, ERROR_CONNECTION, NULL},
    {1184, ERROR_CONNECTION, NULL},
    {1927, ERROR_CONNECTION, NULL}, /* MariaDB: killed */
    {2002, ERROR_CONNECTION, NULL}, /* from here on the client's library */
    {2003, ERROR_CONNECTION, NULL},
    {2004, ERROR_CONNECTION, NULL},
    {2005, ERROR_CONNECTION, NULL}, /* unknown host */
    {2006, ERROR_CONNECTION, NULL},
    {2009, ERROR_CONNECTION, NULL},
    {2011, ERROR_CONNECTION, NULL},
    {2012, ERROR_CONNECTION, NULL},
    {2013, ERROR_CONNECTION, NULL},
    {2055, ERROR_CONNECTION, NULL},
    {3169, ERROR_CONNECTION, NULL}, /* MySQL: killed */
    {4031, ERROR_CONNECTION, NULL}, /* MySQL: idle for too long */
};

/* PostgreSQL's, and those that MySQL's protocol sends with numbers unknown here.  A whole SQLSTATE
 * before its class of two characters. */
static const struct {
    const char *state;
    enum error_class class;
} states[] = {
    {"40P01", ERROR_DEADLOCK},   {"55P03", ERROR_LOCK_WAIT},
    {"40003", ERROR_CONNECTION}, /* CockroachDB: it is unknown whether the commit was done */
    {"40", ERROR_SERIALIZATION}, {"23505", ERROR_DUPLICATE},
    {"23P01", ERROR_DUPLICATE},                              /* exclusion constraint */
    {"25006", ERROR_READ_ONLY},  {"25P04", ERROR_CANCELLED}, /* transaction_timeout */
    {"25P03", ERROR_CONNECTION}, /* idle in a transaction for too long */
    {"57014", ERROR_CANCELLED},  {"57P05", ERROR_CONNECTION}, /* idle for too long */
    {"57P", ERROR_SHUTDOWN},     {"70100", ERROR_CANCELLED},  /* MySQL's protocol: interrupted */
    {"53", ERROR_OVERLOAD},                                   /* insufficient resources */
    {"42P01", ERROR_MISSING},    {"42703", ERROR_MISSING},    /* a column */
    {"3D000", ERROR_MISSING},    {"3F000", ERROR_MISSING},    /* a schema */
    {"42501", ERROR_ACCESS},     {"28", ERROR_ACCESS},
    {"08", ERROR_CONNECTION},
};

static bool by_number(int errnum, const char *msg, enum error_class *out)
{
    for (size_t i = 0; i < COUNT(numbers); i++) {
        if (numbers[i].errnum != errnum)
            continue;
        if (numbers[i].text && !(msg && strstr(msg, numbers[i].text)))
            continue;
        *out = numbers[i].class;
        return true;
    }
    return false;
}

enum error_class error_class_of(int errnum, const char *state, const char *msg)
{
    enum error_class k;

    if (errnum && by_number(errnum, msg, &k))
        return k;
    for (size_t i = 0; state && i < COUNT(states); i++)
        if (strncmp(state, states[i].state, strlen(states[i].state)) == 0)
            return states[i].class;
    return ERROR_OTHER;
}

const char *error_class_name(enum error_class k)
{
    return names[k];
}

enum error_class error_class_find(const char *name)
{
    for (int k = 0; k < ERROR_CLASSES; k++)
        if (strcmp(names[k], name) == 0)
            return (enum error_class)k;
    return ERROR_CLASSES;
}
