/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_policy.h.  The tables hold numbers, not the names of the client library's headers:
 * libmariadb and libmysqlclient each lack names of the other's servers, and drivers that are not
 * compiled in need none.
 *
 * A preset is a list of the syntax of --on-error, so that docs/reliability.md, --help and the
 * program cannot mean different things by it, and so that a user can begin with one and change some
 * of its classes.
 */
#include "sql/sql_policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"

/* --- classes --- */

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

/* MySQL, MariaDB and what speaks their protocol; a row ends with 0. */
static const struct {
    enum error_class class;
    unsigned short errnum[28];
} numbers[] = {
    {ERROR_DEADLOCK, {1213, 1614 /* XA */, 3058 /* GET_LOCK() */}},
    {ERROR_LOCK_WAIT, {1205, 1613 /* XA */, 3572 /* NOWAIT */}},
    {ERROR_SERIALIZATION,
     {1020 /* changed since it was read */, 8002 /* TiDB: SELECT FOR UPDATE met a newer write */,
      8005 /* TiDB: write conflict found before the commit */,
      8022 /* TiDB: the commit failed, may be repeated */,
      8027 /* TiDB: the schema is out of date */, 8028 /* TiDB: the schema has changed */,
      9007 /* TiDB: write conflict */}},
    {ERROR_DUPLICATE, {1022, 1062, 1169, 1586}},
    {ERROR_READ_ONLY, {1792 /* the transaction is */, 1836}},
    {ERROR_CLUSTER,
     {1047 /* Galera: the node is not ready */,
      1180 /* "Got error 0 during COMMIT", or after a conflict elsewhere */,
      3098 /* Group Replication refuses the table */,
      3100 /* Group Replication: a hook of the commit failed */,
      3101 /* Group Replication: conflict found at the commit */,
      9001 /* TiDB: PD does not answer */, 9002 /* TiDB: TiKV does not answer */,
      9004 /* TiDB: locks were not resolved in time */, 9005 /* TiDB: the region has no leader */}},
    {ERROR_CANCELLED,
     {1028 /* within a sort */, 1317, 1969 /* MariaDB's max_statement_time */,
      3024 /* MySQL's max_execution_time */}},
    {ERROR_SHUTDOWN, {1053, 3032 /* offline mode */, 3168 /* not yet available */}},
    {ERROR_OVERLOAD,
     {1040, 1041 /* out of memory */, 1135 /* no new thread */, 1203 /* of this user */,
      1226 /* the account's limits */, 1637 /* transactions */, 9003 /* TiDB: TiKV is busy */}},
    {ERROR_STATEMENT_LIMIT, {1461}},
    {ERROR_MISSING, {1049, 1051, 1054 /* a column */, 1146, 1305 /* a procedure */}},
    {ERROR_ACCESS,
     {1044, 1045, 1129 /* the host is blocked */, 1130 /* the host is not allowed */, 1142, 1143,
      1227, 1251 /* the client's library is too old */, 1370, 1698,
      1820 /* the password must be changed */, 1862 /* the password has expired */,
      2059 /* no plugin for this way to authenticate */, 2061,
      3118 /* MySQL: the account is locked */, 4151 /* MariaDB: the account is locked */}},
    {ERROR_TLS, {2026, 3159 /* the server requires it */}},
    {ERROR_CONNECTION,
     {1042 /* the server cannot resolve the client's address */, 1043 /* bad handshake */, 1152,
      1158, 1159, 1160, 1161, 1184, 1927 /* MariaDB: killed */, 3169 /* MySQL: killed */,
      4031 /* MySQL: idle for too long */}},
    /* the client's library */
    {ERROR_CONNECTION,
     {2002, 2003, 2004, 2005 /* unknown host */, 2006, 2008 /* no memory for an answer */, 2009,
      2011, 2012, 2013, 2014 /* an answer that belongs to no statement */,
      2027 /* malformed packet: also a 2003 from MySQL Router */, 2055}},
};

/* Numbers that mean several things, by their message: 1290 names the option that forbids the
 * statement, 1105 is whatever a proxy or a distributed server had no number for. */
static const struct {
    int errnum;
    enum error_class class;
    const char *text;
} texts[] = {
    {1105, ERROR_SERIALIZATION, "Write conflict"},
    {1105, ERROR_SERIALIZATION, "try again later"},
    {1290, ERROR_READ_ONLY, "read-only"}, /* --read-only, --super-read-only */
    {1290, ERROR_READ_ONLY, "read_only"},
    {1105, ERROR_CLUSTER, "code = Unavailable"}, /* Vitess */
    {1105, ERROR_CLUSTER, "code = Aborted"},
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

enum error_class error_class_of(int errnum, const char *state, const char *msg)
{
    for (size_t i = 0; errnum && i < COUNT(numbers); i++)
        for (const unsigned short *n = numbers[i].errnum; *n; n++)
            if (*n == errnum)
                return numbers[i].class;
    for (size_t i = 0; errnum && msg && i < COUNT(texts); i++)
        if (texts[i].errnum == errnum && strstr(msg, texts[i].text))
            return texts[i].class;
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

/* --- actions --- */

static const char *const actions[] = {[ACTION_RETRY] = "retry",
                                      [ACTION_RECONNECT] = "reconnect",
                                      [ACTION_FAIL] = "fail",
                                      [ACTION_FATAL] = "fatal"};

#define CONFLICTS "deadlock:retry,lock-wait:retry,serialization:retry"
#define LOSSES    "connection:reconnect,shutdown:reconnect"

static const struct {
    const char *name, *items;
} presets[] = {
    /* a conflict with another node appears as a deadlock, as 1180 at the commit, or as 1317, when
     * the write set of the other node interrupts the statement */
    {"galera", CONFLICTS ",cluster:retry,cancelled:retry," LOSSES},
    /* a member that is no longer primary is super-read-only */
    {"group-replication", CONFLICTS ",cluster:retry,read-only:reconnect," LOSSES},
    {"failover", "read-only:reconnect," LOSSES},
    /* as failover; the old writer may answer until its name points to the new one */
    {"aurora", "read-only:reconnect,overload:retry," LOSSES},
    /* conflicts of optimistic transactions, regions without a leader, busy stores */
    {"tidb", CONFLICTS ",cluster:retry,overload:retry," LOSSES},
};

/* What the item should have been: the actions, or all presets and classes. */
static int not_known(const char *item, const char *typed, bool action, struct err *e)
{
    struct near n;

    err_set(e, ERR_USAGE, "Invalid value for --on-error: '%s' (%s", item,
            action ? "actions:" : "CLASS:ACTION, or one of:");
    near_begin(&n, typed);
    for (size_t a = ACTION_RETRY; action && a < COUNT(actions); a++) {
        err_append(e, "%s %s", a > ACTION_RETRY ? "," : "", actions[a]);
        near_offer(&n, actions[a]);
    }
    for (size_t i = 0; !action && i < COUNT(presets); i++) {
        err_append(e, "%s %s", i ? "," : "", presets[i].name);
        near_offer(&n, presets[i].name);
    }
    for (int k = 1; !action && k <= ERROR_CLASSES; k++) { /* "other" is the last */
        const char *name = names[k % ERROR_CLASSES];
        err_append(e, "%s %s", k > 1 ? "," : "; classes:", name);
        near_offer(&n, name);
    }
    err_append(e, ")");
    return near_suggest(&n, e);
}

static int read_item(struct sql_policy *p, const char *item, struct err *e)
{
    const char *colon = strchr(item, ':'), *preset = NULL;
    char class[32] = "", *rest = NULL;
    size_t a = ACTION_RETRY;
    int rc = 0;

    for (size_t i = 0; i < COUNT(presets); i++)
        if (strcmp(presets[i].name, item) == 0)
            preset = presets[i].items;
    if (preset) {
        char *list = mem_strdup(preset);
        for (char *one = strtok_r(list, ",", &rest); one && rc == 0;
             one = strtok_r(NULL, ",", &rest))
            rc = read_item(p, one, e);
        free(list);
        return rc;
    }
    if (colon && (size_t)(colon - item) < sizeof class)
        memcpy(class, item, (size_t)(colon - item));
    enum error_class k = error_class_find(class);
    if (k == ERROR_CLASSES)
        return not_known(item, colon ? class : item, false, e);
    while (a < COUNT(actions) && strcmp(actions[a], colon + 1) != 0)
        a++;
    if (a == COUNT(actions))
        return not_known(item, colon + 1, true, e);
    p->action[k] = (unsigned char)a;
    return 0;
}

int sql_policy_read(struct sql_policy *p, char **items, size_t n, struct err *e)
{
    *p = (struct sql_policy){0};
    for (size_t i = 0; i < n; i++)
        if (read_item(p, items[i], e))
            return -1;
    return 0;
}
