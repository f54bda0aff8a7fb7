/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which FATAL lines of clients are printed, and which are counted (base/client_errors.h).
 */
#include "base/client_errors.h"

#include <stdio.h>

#include "base/log.h"
#include "base/test_capture.h"
#include "base/test_golden.h"

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
    golden_text(captured(), "many: at once");
    capture();
    client_errors_print();
    client_errors_print();
    golden_text(captured(), "many: counts");
    capture();
    refused(402, 1040);
    client_errors_end();
    golden_text(captured(), "many: at the end");
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
    golden_text(captured(), "scripts: at once");
    capture();
    client_errors_end();
    golden_text(captured(), "scripts: counts");
}

/* More codes than there is room for: all in words. */
static void test_different(void)
{
    capture();
    client_errors_begin(who);
    for (int i = 0; i < 40; i++)
        refused(i, 1000 + i);
    client_errors_end();
    CHECK(strstr(captured(), "FATAL: error 1039: Too many connections\n"));
}

static void test_hushed(void)
{
    capture();
    client_errors_begin(who);
    client_errors_hush(3);
    lost(3);
    lost(4);
    client_errors_end();
    golden_text(captured(), "hushed");
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
    golden_text(captured(), "left behind");
    capture();
    client_errors_begin(who);
    CHECK_INT(client_errors_here(), -1);
    lost(1);
    client_errors_end();
    lost(2);
    golden_text(captured(), "none is left");
}

TEST_MAIN(client_errors_test)
{
    test_many();
    test_scripts();
    test_different();
    test_hushed();
    test_verbose();
    test_left();
    golden_done("client_errors");
    return test_done("client_errors");
}
