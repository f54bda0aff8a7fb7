/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which FATAL lines of clients are printed, and which are counted (base/client_errors.h).
 */
#include "base/client_errors.h"

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
    client_errors_code(errnum, "HY000");
    log_fatal("unable to connect to MySQL server on socket '/s', aborting...");
    log_fatal("error %d: Too many connections", errnum);
    log_fatal("`thread_init' function failed: x.lua:1: connection creation failed");
    here = -1;
}

#define REFUSED(code)                                                                              \
    "FATAL: unable to connect to MySQL server on socket '/s', aborting...\n"                       \
    "FATAL: error " code ": Too many connections\n"                                                \
    "FATAL: `thread_init' function failed: x.lua:1: connection creation failed\n"

/* As the PostgreSQL driver does. */
static void lost(int client)
{
    here = client;
    client_errors_code(0, "08006");
    log_fatal("PQexec() failed: 7 the connection was lost by %d", client);
    here = -1;
}

/* The first of each code in words, at once; then the counts, in the order of the first ones. */
static void test_many(void)
{
    capture();
    client_errors_begin(who);
    for (int i = 0; i < 400; i++)
        refused(i, i < 399 ? 1040 : 1203);
    log_fatal("of no client");
    lost(400);
    lost(401);
    CHECK_STR(captured(),
              REFUSED("1040")
                  REFUSED("1203") "FATAL: of no client\n"
                                  "FATAL: PQexec() failed: 7 the connection was lost by 400\n");
    capture();
    client_errors_print();
    client_errors_print();
    CHECK_STR(captured(), "FATAL: 398 more clients met error 1040\n"
                          "FATAL: 1 more client met error 08006\n");
    capture();
    refused(402, 1040);
    client_errors_end();
    CHECK_STR(captured(), "FATAL: 1 more client met error 1040\n");
}

/* A script's error has no code, not even that of what its thread reported before.  Clients that go
 * on count once, by their first error. */
static void test_scripts(void)
{
    capture();
    client_errors_begin(who);
    refused(0, 1040);
    for (here = 1; here < 5; here++)
        log_fatal("`event' function failed: boom %d", here);
    lost(2);
    lost(0);
    CHECK_STR(captured(),
              REFUSED("1040") "FATAL: `event' function failed: boom 1\n"
                              "FATAL: PQexec() failed: 7 the connection was lost by 0\n");
    capture();
    client_errors_end();
    CHECK_STR(captured(), "FATAL: 3 more clients met an error\n");
}

/* More codes than there is room for: all in words. */
static void test_different(void)
{
    capture();
    client_errors_begin(who);
    for (int i = 0; i < 40; i++)
        refused(i, 1000 + i);
    client_errors_end();
    CHECK(strstr(captured(), REFUSED("1039")));
}

static void test_hushed(void)
{
    capture();
    client_errors_begin(who);
    client_errors_hush(3);
    lost(3);
    lost(4);
    client_errors_end();
    CHECK_STR(captured(), "FATAL: PQexec() failed: 7 the connection was lost by 4\n");
}

/* --verbosity=5 shows everything. */
static void test_verbose(void)
{
    capture();
    log_set_verbosity(LOG_DEBUG);
    client_errors_begin(who);
    for (int i = 0; i < 5; i++)
        lost(i);
    log_set_verbosity(LOG_NOTICE);
    client_errors_end();
    CHECK(strstr(captured(), "lost by 4\n"));
}

/* Clients that were left behind go on failing while the process ends; nobody counts them. */
static void test_left(void)
{
    capture();
    client_errors_begin(who);
    for (int i = 0; i < 4; i++)
        lost(i);
    client_errors_leave();
    for (int i = 4; i < 8; i++)
        lost(i);
    log_fatal("of no client");
    CHECK_STR(captured(), "FATAL: PQexec() failed: 7 the connection was lost by 0\n"
                          "FATAL: 3 more clients met error 08006\n"
                          "FATAL: of no client\n");
    capture();
    client_errors_begin(who);
    CHECK_INT(client_errors_here(), -1);
    lost(1);
    client_errors_end();
    lost(2);
    CHECK_STR(captured(), "FATAL: PQexec() failed: 7 the connection was lost by 1\n"
                          "FATAL: PQexec() failed: 7 the connection was lost by 2\n");
}

TEST_MAIN(client_errors_test)
{
    test_many();
    test_scripts();
    test_different();
    test_hushed();
    test_verbose();
    test_left();
    return test_done("client_errors");
}
