/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lists of servers: their names, which position is which server; where connections begin, go after
 * a failure and come back to, with the scripted driver.
 */
#include <stdlib.h>

#include "base/str.h"
#include "base/test.h"
#include "sql/sql_conn.h"
#include "sql/test_driver.h"

static char *list_of(char **items, size_t n)
{
    static char text[200];

    text[0] = '\0';
    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", items[i]);
    return text;
}

static const char *numbers(const struct sql_servers *s)
{
    static char text[64];

    text[0] = '\0';
    for (size_t i = 0; i < s->positions; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d", sql_servers_at(s, i));
    return text;
}

static void mysql_names(void)
{
    char *hosts[] = {(char *)"a", (char *)"::1", (char *)"a"};
    char *ports[] = {(char *)"1", (char *)"2"}, *sockets[] = {(char *)"/s", (char *)"/t"};
    struct sql_options o = {.mysql = {.hosts = hosts, .nhosts = 3, .ports = ports, .nports = 2}};
    struct sql_servers s;

    sql_servers_read(&s, &o, "mysql");
    CHECK_STR(list_of(s.name, s.n), "a:1 a:2 [::1]:1 [::1]:2");
    CHECK_STR(numbers(&s), "012301"); /* twice in the list, once in reports */
    CHECK_INT(sql_servers_at(&s, 6 * 1000 + 3), 3);
    CHECK_INT(sql_servers_find(&s, "[::1]:2"), 3);
    CHECK_INT(sql_servers_find(&s, "::1"), 2);
    CHECK_INT(sql_servers_find(&s, "b"), -1);
    sql_servers_free(&s);
    hosts[0] = hosts[2] = (char *)"localhost"; /* a socket, whatever the port */
    sql_servers_read(&s, &o, "mysql");
    CHECK_STR(list_of(s.name, s.n), "localhost [::1]:1 [::1]:2");
    CHECK_STR(numbers(&s), "001200");
    sql_servers_free(&s);
    o.mysql.sockets = sockets;
    o.mysql.nsockets = 2;
    sql_servers_read(&s, &o, "mysql");
    CHECK_STR(list_of(s.name, s.n), "/s /t");
    sql_servers_free(&s);
    o.mysql.dry_run = true;
    sql_servers_read(&s, &o, "mysql");
    CHECK_INT(s.n, 0);
    CHECK_INT(sql_servers_at(&s, 5), -1);
    CHECK_INT(sql_servers_find(&s, "/s"), -1);
    sql_servers_free(&s);
}

static void pgsql_names(void)
{
    static const struct {
        const char *host, *db, *names, *port;
    } t[] = {
        {"a", "x", "a:5432", "5432"},
        {"a", "x", "a:1 a:2", "1,2"},
        {"a,::1,a", "x", "a:1 [::1]:2 a:3", "1,2,3"},
        {"a,b,a", "x", "a:1 b:2", "1,2,1"},
        {"/s,@t,", "x", "/s/.s.PGSQL.1 @t/.s.PGSQL.2 (default):3", "1,2,3"},
        {"a", "host=b,c", "", "1,2"},
        {"a", "postgresql://b,c/x", "", "1,2"},
        {"a,b,a", "x", "a:5432 b:5432", "5432"},
        {" a,\tb , a ", "x", "a:5432 b:5432", "5432"},
        {"a, b", "x", "a:1 b:2", "1, 2"},
        {"a, ,b", "x", "a:5432 (default) b:5432", "5432"},
        {"/s,@t,,::1", "x", "/s @t (default) [::1]:5432", "5432"},
        {"", "x", "(default)", "5432"},
        {"a,b", "dbname=x port=1", "a:5432 b:5432", "5432"},
        {"a,b", "dbname=x port=1,2", "", "5432"},
        {"a,b", "dbname=x port = 1,2", "", "5432"},
        {"a,b", "postgresql:///x?hostaddr=::1,::2&a=b", "", "5432"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct sql_options o = {.pgsql = {.host = t[i].host, .port = t[i].port, .db = t[i].db}};
        struct sql_servers s;

        sql_servers_read(&s, &o, "pgsql");
        CHECK_STR(list_of(s.name, s.n), t[i].names);
        sql_servers_free(&s);
        sql_servers_read(&s, &o, "other");
        CHECK_INT(s.n, 0);
    }
}

/* --- connections --- */

static char at[8][16];
static unsigned nat;
static uint64_t begins_at;

static uint64_t place(void *arg)
{
    (void)arg;
    return begins_at++;
}

static void presence(void *arg, const void *connection, enum sql_presence p, int server, int fd)
{
    (void)arg;
    (void)connection;
    CHECK_INT(fd >= 0, p == SQL_ARRIVED);
    snprintf(at[nat++ % 8], sizeof *at, "%c%d", "+-x"[p], server);
}

/* The calls of presence() since the last time: + arrived, - left, x closed. */
static const char *moves(void)
{
    static char text[200];

    text[0] = '\0';
    for (unsigned i = 0; i < nat && i < 8; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", at[i]);
    nat = 0;
    return text;
}

static struct sql_driver_slot *slot_with_three(void)
{
    char *hosts[] = {(char *)"a", (char *)"b", (char *)"c"}, *ports[] = {(char *)"1"};
    struct sql_options o = {.mysql = {.hosts = hosts, .nhosts = 3, .ports = ports, .nports = 1}};
    struct sql_driver_slot *d;

    test_begin();
    test_world.host.place = place;
    test_world.host.presence = presence;
    d = (struct sql_driver_slot *)sql_driver_get(NULL);
    sql_servers_read(&d->servers, &o, "mysql");
    return d;
}

/* A client begins at its own server, goes on to the next one when that refuses, stays, and comes
 * back after the next loss. */
static void home(void)
{
    struct test_answer lost = {TEST_QUERY, SQL_LOST, .errnum = 2013, .msg = "Lost"};
    sql_connection *c;

    slot_with_three();
    begins_at = 4;
    c = test_connect();
    CHECK_STR(moves(), "+1");
    ANSWERS(lost, {TEST_CONNECT, SQL_IGNORABLE, .errnum = 2003, .msg = "refused"});
    test_query(c, "SELECT 1");
    CHECK_STR(moves(), "-1 +2");
    CHECK_INT(test_world.error.server, 1); /* that refused */
    ANSWERS(lost);
    test_query(c, "SELECT 1");
    CHECK_INT(test_world.error.server, 2); /* that was lost */
    CHECK_STR(moves(), "-2 +1");
    CHECK_INT(sql_reconnect(c), 0); /* where it is */
    CHECK_STR(moves(), "-1 +1");
    CHECK(test_end(c));
    CHECK_STR(moves(), "x1");
}

/* Connections of nobody in particular take turns. */
static void turns(void)
{
    sql_connection *c[4];

    slot_with_three();
    test_world.host.place = NULL;
    for (int i = 0; i < 4; i++)
        c[i] = test_connect();
    CHECK_STR(moves(), "+0 +1 +2 +0");
    for (int i = 0; i < 3; i++)
        sql_connection_free(c[i]);
    CHECK(test_end(c[3]));
    CHECK_STR(moves(), "x0 x1 x2 x0");
}

/* Without a list, that a connection is lost is not told. */
static void no_list(void)
{
    sql_connection *c;

    test_begin();
    test_world.host.presence = presence;
    c = test_connect();
    ANSWERS({TEST_QUERY, SQL_LOST, .errnum = 2013, .msg = "Lost"});
    test_query(c, "SELECT 1");
    CHECK_INT(test_world.error.server, -1);
    CHECK_STR(moves(), "+-1 +-1");
    CHECK(test_end(c));
    CHECK_STR(moves(), "x-1");
}

static const char *chosen_host, *chosen_port;

static const char *chosen(struct sql_conn *c, const char **port)
{
    (void)c;
    *port = chosen_port;
    return chosen_host;
}

/* libpq tries the whole list in one attempt: what counts is where it arrived.  Servers of one host
 * differ by their port. */
static void library_chooses(void)
{
    static const struct {
        const char *hosts, *ports, *host, *port, *want;
    } t[] = {
        {"a,b,c", "1", "c", NULL, "+2 x2"}, {"a,b,c", "1", "a", NULL, "+0 x0"},
        {"a,b,c", "1", "b", NULL, "+1 x1"}, {"a,b,c", "1", "elsewhere", NULL, "+1 x1"},
        {"a", "7,8", "a", "7", "+0 x0"},    {"a", "7,8", "a", "8", "+1 x1"},
        {"a", "7,8", "a", "9", "+1 x1"},    {"a", "7,8", "a", NULL, "+1 x1"},
    };

    for (size_t i = 0; i < COUNT(t); i++) {
        struct sql_options o = {.pgsql = {.host = t[i].hosts, .port = t[i].ports, .db = "x"}};
        struct sql_driver_slot *d = slot_with_three();
        struct sql_ops own = *d->ops;
        sql_servers_free(&d->servers);
        sql_servers_read(&d->servers, &o, "pgsql");
        own.chosen = chosen;
        d->ops = &own;
        begins_at = 1;
        chosen_host = t[i].host;
        chosen_port = t[i].port;
        sql_connection_free(test_connect());
        CHECK_STR(moves(), t[i].want);
        CHECK(test_end(NULL));
    }
}

TEST_MAIN(sql_servers_test)
{
    mysql_names();
    pgsql_names();
    home();
    turns();
    no_list();
    library_chooses();
    return test_done("sql_servers");
}
