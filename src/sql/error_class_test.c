/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The class of numbers and SQLSTATEs.
 */
#include "sql/sql_policy.h"

#include <string.h>

#include "base/mem.h"
#include "base/test.h"

static const struct {
    int errnum;
    const char *state, *msg;
    enum error_class want;
} cases[] = {
    /* MySQL and MariaDB: the number decides, whatever the SQLSTATE; sql_policy_test has all */
    {1213, "40001", "Deadlock found when trying to get lock", ERROR_DEADLOCK},
    {1205, "HY000", "Lock wait timeout exceeded", ERROR_LOCK_WAIT},
    {1290, "HY000", "The MariaDB server is running with the --read-only option so it cannot",
     ERROR_READ_ONLY},
    {1290, "HY000", "The MySQL server is running with the --super-read-only option",
     ERROR_READ_ONLY},
    {1290, "HY000", "The MySQL server is running with the --secure-file-priv option", ERROR_OTHER},
    {1290, "HY000", NULL, ERROR_OTHER},
    {1792, "25006", "Cannot execute statement in a READ ONLY transaction", ERROR_READ_ONLY},
    {1180, "HY000", "Got error 0 during COMMIT", ERROR_CLUSTER},
    {3101, "40000", "Plugin instructed the server to rollback", ERROR_CLUSTER},
    {1317, "70100", "Query execution was interrupted", ERROR_CANCELLED},
    {1044, "42000", "Access denied for user", ERROR_ACCESS},
    {1927, "70100", "Connection was killed", ERROR_CONNECTION},
    {1064, "42000", "You have an error in your SQL syntax", ERROR_OTHER},
    /* what else speaks that protocol */
    {1105, "HY000", "Information schema is changed, try again later", ERROR_SERIALIZATION},
    {1105, "HY000", "vttablet: rpc error: code = Unavailable desc = x", ERROR_CLUSTER},
    {1105, "HY000", "unknown error", ERROR_OTHER},
    {7777, "40001", "a number that nobody knows", ERROR_SERIALIZATION},
    {7777, "08S01", NULL, ERROR_CONNECTION},
    /* PostgreSQL has no numbers */
    {0, "40P01", "deadlock detected", ERROR_DEADLOCK},
    {0, "55P03", "could not obtain lock", ERROR_LOCK_WAIT},
    {0, "40001", "could not serialize access", ERROR_SERIALIZATION},
    {0, "23505", "duplicate key value", ERROR_DUPLICATE},
    {0, "23503", "foreign key", ERROR_OTHER},
    {0, "25006", "cannot execute UPDATE in a read-only transaction", ERROR_READ_ONLY},
    {0, "25P02", "current transaction is aborted", ERROR_OTHER},
    {0, "57014", "canceling statement due to statement timeout", ERROR_CANCELLED},
    {0, "57P01", "terminating connection due to administrator command", ERROR_SHUTDOWN},
    {0, "57P02", NULL, ERROR_SHUTDOWN},
    {0, "57P03", "the database system is starting up", ERROR_SHUTDOWN},
    {0, "57P05", "terminating connection due to idle-session timeout", ERROR_CONNECTION},
    {0, "53300", "sorry, too many clients already", ERROR_OVERLOAD},
    {0, "53200", "out of memory", ERROR_OVERLOAD},
    {0, "42P01", "relation \"sbtest1\" does not exist", ERROR_MISSING},
    {0, "3D000", "database \"x\" does not exist", ERROR_MISSING},
    {0, "28000", NULL, ERROR_ACCESS},
    {0, "28P01", "password authentication failed", ERROR_ACCESS},
    {0, "42501", "permission denied", ERROR_ACCESS},
    {0, "08006", NULL, ERROR_CONNECTION},
    {0, "40003", NULL, ERROR_CONNECTION},
    {0, "42601", "syntax error", ERROR_OTHER},
    {0, "", NULL, ERROR_OTHER},
    {0, NULL, NULL, ERROR_OTHER},
};

static void test_classes(void)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        int before = test_failures;
        CHECK_STR(error_class_name(error_class_of(cases[i].errnum, cases[i].state, cases[i].msg)),
                  error_class_name(cases[i].want));
        if (test_failures > before)
            printf("in: %d %s\n", cases[i].errnum, cases[i].state ? cases[i].state : "NULL");
    }
}

static void test_names(void)
{
    for (int k = 0; k < ERROR_CLASSES; k++)
        CHECK_INT(error_class_find(error_class_name((enum error_class)k)), k);
    CHECK_INT(error_class_find("lock-wait"), ERROR_LOCK_WAIT);
    CHECK_INT(error_class_find("Deadlock"), ERROR_CLASSES);
    CHECK_INT(error_class_find(""), ERROR_CLASSES);
}

TEST_MAIN(error_class_test)
{
    test_classes();
    test_names();
    return test_done("error_class");
}
