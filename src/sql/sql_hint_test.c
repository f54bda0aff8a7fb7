/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Errors of both servers, in the words in which they come, and what is said to them.
 */
#include "sql/sql_hint.h"

#include "base/test.h"

TEST_MAIN(sql_hint_test)
{
    static const struct {
        int errnum;
        const char *state, *msg, *part; /* part NULL: nothing is said */
    } t[] = {
        {1146, "42S02", "Table 'sbtest.sbtest1' doesn't exist", "'prepare' first"},
        {1050, "42S01", "Table 'sbtest1' already exists", "'cleanup'"},
        {1049, "42000", "Unknown database 'x'", "--mysql-db"},
        {1044, "42000", "Access denied for user 'a'@'b' to database 'x'", "--mysql-db"},
        {1045, "28000", "Access denied for user 'a'@'b' (using password: NO)", "--mysql-password"},
        {2002, "HY000", "Can't connect to local server through socket '/x' (2)", "--mysql-socket"},
        {2003, "HY000", "Can't connect to server on 'h' (111)", "--mysql-host"},
        {2003, "HY000", "Can't connect to server on 'h' (99)", "--source-address, widen net.ipv4"},
        {2004, "HY000", "Can't create TCP/IP socket (98)", "--source-address, widen net.ipv4"},
        {1130, "HY000", "Host 'h' is not allowed to connect", "CREATE USER"},
        {0, "08001",
         "connection to server at \"h\", port 1 failed: Cannot assign requested address",
         "ip_local_port_range"},
        {2005, "HY000", "Unknown server host 'h' (-2)", "--mysql-host"},
        {1040, "08004", "Too many connections", "max_connections"},
        {1461, "42000", "Can't create more than max_prepared_stmt_count statements",
         "--db-ps-mode"},
        {1213, "40001", "Deadlock found when trying to get lock", NULL},
        /* a text of PostgreSQL's */
        {1064, "42000", "You have an error in your SQL syntax; database \"x\"", NULL},
        {0, "42P01", "relation \"sbtest1\" does not exist", "'prepare' first"},
        {0, "42P07", "relation \"sbtest1\" already exists", "'cleanup'"},
        {0, "42501", "permission denied for schema public", "GRANT"},
        {0, "08001", "FATAL:  database \"x\" does not exist", "--pgsql-db"},
        {0, "08001", "FATAL:  role \"x\" does not exist", "--pgsql-user"},
        {0, "08001", "FATAL:  password authentication failed for user \"x\"", "--pgsql-password"},
        {0, "08001", "fe_sendauth: no password supplied", "--pgsql-password"},
        {0, "08001", "FATAL:  no pg_hba.conf entry for host \"h\", user \"u\", database \"d\"",
         "pg_hba.conf"},
        {0, "08001", "FATAL:  sorry, too many clients already", "max_connections"},
        {0, "08001", "connection to server at \"::1\", port 1 failed: Connection refused",
         "--pgsql-host"},
        {0, "08001", "connection to server on socket \"/x\" failed: No such file or directory",
         "--pgsql-host"},
        {0, "40P01", "deadlock detected", NULL},
        {0, "", "the run ended before the connection was made", NULL},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        const char *hint = sql_hint_for(t[i].errnum, t[i].state, t[i].msg);
        if (t[i].part)
            TEST_REPORT(hint && strstr(hint, t[i].part), "%s: \"%s\"", t[i].msg,
                        hint ? hint : "(nothing)");
        else
            TEST_REPORT(!hint, "%s: \"%s\"", t[i].msg, hint);
    }
    return test_done("sql_hint_test");
}
