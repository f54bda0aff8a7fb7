/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of the MySQL driver that need no server: the round over hosts, ports and sockets, and
 * what an error number means under a list of ignored ones.
 */
#include "sql/drv_mysql.h"

#include "base/test.h"

static char *hosts[] = {(char *)"A", (char *)"B"};
static char *ports[] = {(char *)"1", (char *)"2", (char *)"3"};
static char *sockets[] = {(char *)"/s1", (char *)"/s2"};

static void test_round(void)
{
    static const char *const want[] = {"A1", "A2", "A3", "B1", "B2", "B3", "A1", "A2"};
    unsigned numbers[] = {1, 2, 3};
    struct mydrv_cfg cfg = {.ports = numbers};
    char got[16];

    cfg.login = (struct sql_login_mysql){.hosts = hosts, .nhosts = 2, .ports = ports, .nports = 3};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct mydrv_endpoint at = mydrv_endpoint_at(&cfg, i);
        snprintf(got, sizeof got, "%s%u", at.host, at.port);
        CHECK_STR(got, want[i]);
        CHECK(at.socket == NULL);
    }
    cfg.login.sockets = sockets; /* from now on hosts and ports do not matter */
    cfg.login.nsockets = 2;
    for (size_t i = 0; i < 5; i++) {
        struct mydrv_endpoint at = mydrv_endpoint_at(&cfg, i);
        CHECK_STR(at.host, "localhost");
        CHECK_STR(at.socket, sockets[i % 2]);
        CHECK_INT(at.port, 0);
    }
}

static void test_judge(void)
{
    static const struct {
        bool all;
        unsigned list[3];
        unsigned errnum;
        enum sql_verdict want;
    } t[] = {
        {false, {1213, 1020, 1205}, 1213, SQL_IGNORABLE},
        {false, {1213, 1020, 1205}, 1205, SQL_IGNORABLE},
        {false, {1213, 1020, 1205}, 1062, SQL_FATAL},
        {false, {1213, 1020, 1205}, 2013, SQL_FATAL},
        {false, {2013, 2006, 0}, 2013, SQL_LOST},
        {false, {2013, 2006, 0}, 2055, SQL_FATAL},
        {false, {2055, 2011, 0}, 2055, SQL_LOST},
        {false, {2055, 2011, 0}, 2011, SQL_LOST},
        {true, {0}, 2006, SQL_LOST},
        {true, {0}, 1927, SQL_LOST}, /* killed: the server's last words */
        {true, {0}, 1053, SQL_LOST},
        {true, {0}, 1146, SQL_IGNORABLE},
        {true, {0}, 0, SQL_FATAL},
        {false, {0}, 1213, SQL_FATAL},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        unsigned list[3] = {t[i].list[0], t[i].list[1], t[i].list[2]};
        struct mydrv_cfg cfg = {.ignore_all = t[i].all, .ignored = list};
        while (cfg.nignored < 3 && list[cfg.nignored])
            cfg.nignored++;
        CHECK_INT(mydrv_judge(&cfg, t[i].errnum), t[i].want);
    }
}

static void test_queue_full(void)
{
    CHECK(mydrv_queue_full(2002, "Can't connect to local server through socket '/x' (11)"));
    CHECK(!mydrv_queue_full(2002, "Can't connect to local server through socket '/x' (111)"));
    CHECK(!mydrv_queue_full(2002, "Can't connect to local server through socket '/x' (2)"));
    CHECK(!mydrv_queue_full(2003, "Can't connect to server on 'h' (11)"));
}

int main(void)
{
    test_round();
    test_judge();
    test_queue_full();
    return test_done("drv_mysql");
}
