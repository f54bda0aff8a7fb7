/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which FATAL lines of clients are printed, and which become sentences (base/faults.h).
 */
#include "base/faults.h"

#include <stdio.h>

#include "base/log.h"
#include "base/test.h"
#include "base/test_capture.h"

static int here = -1;

static int who(void)
{
    return here;
}

/* As the MySQL driver and the script floor do. */
static void refused(int client, int errnum)
{
    here = client;
    log_fatal("unable to connect to MySQL server on socket '/s', aborting...");
    log_fatal("error %d: Too many connections", errnum);
    log_fatal("`thread_init' function failed: x.lua:%d: connection creation failed", 1);
    here = -1;
}

static void lost(int client, int id)
{
    here = client;
    log_fatal("mysql_drv_query() returned error 2013 (Lost connection) for query 'SELECT %d'", id);
    log_fatal("`thread_run' function failed: x.lua:1: SQL error");
    here = -1;
}

static void test_few(void)
{
    capture();
    faults_begin(who);
    refused(4, 1040);
    refused(7, 1040);
    log_fatal("of no client");
    lost(9, 1);
    CHECK_STR(captured(), "FATAL: of no client\n");
    capture();
    faults_end();
    CHECK_STR(
        captured(),
        "FATAL: unable to connect to MySQL server on socket '/s', aborting...\n"
        "FATAL: error 1040: Too many connections\n"
        "FATAL: `thread_init' function failed: x.lua:1: connection creation failed\n"
        "FATAL: unable to connect to MySQL server on socket '/s', aborting...\n"
        "FATAL: error 1040: Too many connections\n"
        "FATAL: `thread_init' function failed: x.lua:1: connection creation failed\n"
        "FATAL: mysql_drv_query() returned error 2013 (Lost connection) for query 'SELECT 1'\n"
        "FATAL: `thread_run' function failed: x.lua:1: SQL error\n");
}

/* One sentence for each different error. */
static void test_many(void)
{
    capture();
    faults_begin(who);
    for (int i = 0; i < 400; i++)
        refused(i, i < 399 ? 1040 : 1203);
    CHECK_STR(captured(), "");
    capture();
    faults_end();
    CHECK_STR(captured(), "FATAL: 399 clients failed: unable to connect to MySQL server on socket "
                          "'/s': error 1040: Too many connections\n"
                          "FATAL: 1 client failed: unable to connect to MySQL server on socket "
                          "'/s': error 1203: Too many connections\n");
}

/* While clients run, the first one is printed at once; queries and numbers do not differ. */
static void test_running(void)
{
    capture();
    faults_begin(who);
    faults_running();
    for (int i = 0; i < 512; i++)
        lost(i, i);
    CHECK_STR(
        captured(),
        "FATAL: mysql_drv_query() returned error 2013 (Lost connection) for query 'SELECT 0'\n"
        "FATAL: `thread_run' function failed: x.lua:1: SQL error\n");
    capture();
    faults_say();
    faults_say();
    lost(600, 600);
    faults_end();
    CHECK_STR(
        captured(),
        "FATAL: 511 more clients failed: mysql_drv_query() returned error 2013 (Lost "
        "connection) for query 'SELECT 1'\n"
        "FATAL: 1 more client failed: mysql_drv_query() returned error 2013 (Lost connection) "
        "for query 'SELECT 600'\n");
}

/* A script's own error is the only line; a client may end without the last line. */
static void test_scripts(void)
{
    capture();
    faults_begin(who);
    for (here = 0; here < 5; here++)
        log_fatal("`event' function failed: boom\n\tagain");
    log_fatal("PQexec() failed: 7 no table sbtest%d\n", here);
    log_fatal("failed query was: SELECT %d", here);
    here = -1;
    faults_end();
    CHECK_STR(captured(),
              "FATAL: 5 clients failed: `event' function failed: boom; again\n"
              "FATAL: 1 client had an error: PQexec() failed: 7 no table sbtest5: failed "
              "query was: SELECT 5\n");
}

/* More different errors than there is room for. */
static void test_different(void)
{
    char text[] = "`event' function failed: a";

    capture();
    faults_begin(who);
    for (here = 0; here < 20; here++) {
        text[sizeof text - 2] = (char)('a' + here);
        log_fatal("%s", text);
    }
    here = -1;
    faults_end();
    CHECK(
        strstr(captured(), "function failed: p\nFATAL: 4 more clients failed with other errors\n"));
}

static void test_hushed(void)
{
    capture();
    faults_begin(who);
    faults_running();
    faults_hush(3);
    lost(3, 1);
    lost(4, 1);
    faults_end();
    CHECK_STR(
        captured(),
        "FATAL: mysql_drv_query() returned error 2013 (Lost connection) for query 'SELECT 1'\n"
        "FATAL: `thread_run' function failed: x.lua:1: SQL error\n");
}

/* --verbosity=5 shows everything at once. */
static void test_verbose(void)
{
    capture();
    log_set_verbosity(LOG_DEBUG);
    faults_begin(who);
    for (int i = 0; i < 5; i++)
        lost(i, i);
    log_set_verbosity(LOG_NOTICE);
    CHECK(strstr(captured(), "'SELECT 4'"));
    capture();
    faults_end();
    CHECK_STR(captured(), "");
}

/* Clients that were left behind go on failing while the process ends; nobody counts them. */
static void test_left(void)
{
    capture();
    faults_begin(who);
    for (int i = 0; i < 4; i++)
        lost(i, i);
    faults_leave();
    for (int i = 4; i < 8; i++)
        lost(i, i);
    log_fatal("of no client");
    CHECK_STR(captured(), "FATAL: 4 clients failed: mysql_drv_query() returned error 2013 (Lost "
                          "connection) for query 'SELECT 0'\n"
                          "FATAL: of no client\n");
    faults_begin(who);
    lost(1, 1);
    capture();
    faults_end();
    CHECK(strstr(captured(), "'SELECT 1'"));
    capture();
    lost(2, 2);
    CHECK(strstr(captured(), "'SELECT 2'"));
}

int main(void)
{
    test_few();
    test_many();
    test_running();
    test_scripts();
    test_different();
    test_hushed();
    test_verbose();
    test_left();
    return test_done("faults");
}
