/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of the PostgreSQL driver that need no server: the classification of SQLSTATEs, invalid
 * lists, and the connection parameters that follow from the options.
 */
#include "sql/drv_pgsql.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/test.h"
#include "sql/sql.h"

static void test_judge(void)
{
    static const struct {
        const char *list[3];
        const char *state;
        bool lost;
        enum sql_outcome want;
    } t[] = {
        {{"40P01", "40001", "23505"}, "40P01", false, SQL_IGNORABLE},
        {{"40P01", "40001", "23505"}, "23505", false, SQL_IGNORABLE},
        {{"40p01", "40001", "23505"}, "40P01", false, SQL_IGNORABLE},
        {{"40P01", "40001", "23505"}, "23503", false, SQL_FATAL},
        {{"40P01", "40001", "23505"}, "", false, SQL_FATAL},
        {{"40P01", "40001", "23505"}, PGDRV_LOST, true, SQL_FATAL},
        {{PGDRV_LOST}, PGDRV_LOST, true, SQL_LOST},
        {{PGDRV_LOST}, "57P01", true, SQL_FATAL},
        {{"57P01"}, "57P01", true, SQL_LOST},
        {{"57P01"}, "57P01", false, SQL_IGNORABLE}, /* only raised by somebody */
        {{"connection"}, "57P01", true, SQL_LOST},
        {{"connection"}, PGDRV_LOST, true, SQL_LOST},
        {{"connection"}, "40P01", false, SQL_FATAL},
        {{"all"}, "42P01", false, SQL_IGNORABLE},
        {{"all"}, "25P03", true, SQL_LOST},
        {{NULL}, "40P01", false, SQL_FATAL},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char text[3][12], *list[3] = {text[0], text[1], text[2]};
        struct pgdrv_cfg cfg = {.login.ignore_errors = list};
        for (size_t *n = &cfg.login.nignore; *n < 3 && t[i].list[*n]; ++*n)
            snprintf(text[*n], sizeof text[*n], "%s", t[i].list[*n]);
        CHECK_INT(pgdrv_classify(&cfg, t[i].state, t[i].lost), t[i].want);
    }
}

/* libpq passes on only the text of a failed connect. */
static void test_connect_class(void)
{
    static const struct {
        const char *msg;
        enum error_class want;
    } t[] = {
        {"connection to server on socket \"/s\" failed: Connection refused\n", ERROR_CONNECTION},
        {"server closed the connection unexpectedly\n", ERROR_CONNECTION},
        {"could not translate host name \"db1\" to address\n", ERROR_CONNECTION},
        {"x failed: FATAL:  sorry, too many clients already\n", ERROR_OVERLOAD},
        {"x failed: FATAL:  too many connections for role \"sbtest\"\n", ERROR_OVERLOAD},
        {"x failed: FATAL:  remaining connection slots are reserved for\n", ERROR_OVERLOAD},
        {"x failed: FATAL:  the database system is starting up\n", ERROR_SHUTDOWN},
        {"x failed: FATAL:  password authentication failed for user \"u\"\n", ERROR_ACCESS},
        {"x failed: FATAL:  role \"u\" does not exist\n", ERROR_ACCESS},
        {"x failed: FATAL:  no pg_hba.conf entry for host \"h\", SSL off\n", ERROR_ACCESS},
        {"x failed: FATAL:  database \"d\" does not exist\n", ERROR_MISSING},
        {"server does not support SSL, but SSL was required\n", ERROR_TLS},
        {"x failed: could not calculate client proof: no OpenSSL error reported\n",
         ERROR_CONNECTION},
    };
    static const struct sql_policy listed; /* no action of its own */
    struct sql_conn c = {.policy = &listed};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char queue_full[] = "Resource temporarily unavailable";
        struct pgdrv_cfg cfg = {.queue_full = queue_full, .login.db = "sbtest", .scram_limit = 10};
        c.cfg = &cfg;
        CHECK_INT(pgdrv_connect_failed(&c, t[i].msg), SQL_FATAL);
        CHECK_STR(error_class_name(c.fail.class), error_class_name(t[i].want));
    }
    CHECK_STR(c.fail.msg, "x failed: the server asks for so many iterations of SCRAM that 10 s of "
                          "CPU time are not enough (see --connect-timeout)");
}

static void test_check(void)
{
    static const struct {
        const char *item;
        bool good;
    } t[] = {{"40P01", true},  {"40p01", true}, {"all", true},     {"connection", true},
             {"08006", true},  {"1213", false}, {"40P011", false}, {"ALL", false},
             {"40-01", false}, {"lost", false}, {"08006 ", false}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char item[16], *list[] = {item};
        struct sql_options o = {.pgsql = {.ignore_errors = list, .nignore = 1}};
        struct err e = {0};
        snprintf(item, sizeof item, "%s", t[i].item);
        CHECK_INT(sql_class_pgsql.check(&o, &e), t[i].good ? 0 : -1);
        CHECK_INT(strstr(e.msg, "--pgsql-ignore-errors") != NULL, !t[i].good);
    }
}

static void test_dbname(void)
{
    static const char *const t[][2] = {
        {"", ""},
        {"sbtest", "sbtest"},
        {"two words", "two words"},
        {"dbname=x", "dbname=x"},
        {"dbname = x host=y", "dbname = x host=y"},
        {"service=s", "service=s"},
        {"sbtest connect_timeout=3", "dbname=sbtest connect_timeout=3"},
        {"'my db' sslmode = require", "dbname='my db' sslmode = require"},
        {"postgresql://h/db?sslmode=require", "postgresql://h/db?sslmode=require"},
        {"postgres://h/db", "postgres://h/db"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char *got = pgdrv_dbname(t[i][0]);
        CHECK_STR(got, t[i][1]);
        free(got);
    }
}

static uint64_t first; /* host of the list */

/* Every parameter in the order libpq gets them, as "keyword=value keyword=value". */
static const char *params(const struct sql_login_pgsql *l, unsigned seconds)
{
    static char text[1024];
    struct sql_options o = {.pgsql = *l};
    const struct sql_ops *ops;
    struct pgdrv_params p;
    const struct pgdrv_cfg *own;
    void *cfg;
    size_t n = 0;

    CHECK_INT(sql_class_pgsql.open(&o, &ops, &cfg), 0);
    own = cfg;
    pgdrv_connect_params(cfg, &own->from[first % own->nhosts], seconds, &p);
    text[0] = '\0';
    for (size_t i = 0; i < p.n; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s=%s", i ? " " : "", p.keyword[i],
                              p.value[i]);
    CHECK(p.keyword[p.n] == NULL && p.value[p.n] == NULL);
    sql_class_pgsql.close(cfg);
    return text;
}

static void test_params(void)
{
    struct sql_login_pgsql l = {.host = "localhost",
                                .port = "5432",
                                .user = "sbtest",
                                .password = "",
                                .sslmode = "",
                                .db = "sbtest"};

    unsetenv("PGCONNECT_TIMEOUT");
    CHECK_STR(params(&l, 0), "host=localhost port=5432 user=sbtest dbname=sbtest "
                             "fallback_application_name=sysbench");
    CHECK_STR(params(&l, 10), "connect_timeout=10 host=localhost port=5432 user=sbtest "
                              "dbname=sbtest fallback_application_name=sysbench");
    setenv("PGCONNECT_TIMEOUT", "30", 1);
    CHECK(strncmp(params(&l, 10), "host=localhost", 14) == 0); /* the user's own limit */
    l.user_given = l.port_given = l.host_given = true;
    l.host = "a,b,";
    CHECK(strstr(params(&l, 0), "host=a,b, port"));
    first = 4; /* the list as it is from its second host on */
    CHECK(strstr(params(&l, 0), "host=b,,a port"));
    l.db = "dbname=x port=1,2,3"; /* lists that go together are libpq's */
    CHECK(strstr(params(&l, 0), "host=a,b, port"));
    l.host = "localhost";
    l.host = "a,b,";
    l.port = "1,2,3"; /* each host keeps its port */
    l.db = "sbtest";
    CHECK(strstr(params(&l, 0), "host=b,,a port=2,3,1 "));
    l.host = "a";
    CHECK(strstr(params(&l, 0), "host=a,a,a port=2,3,1 "));
    l.host = "localhost";
    l.port = "5432";
    first = 0;
    l.db = "db connect_timeout=3";
    l.password = "secret";
    l.sslmode = "require";
    unsetenv("PGCONNECT_TIMEOUT");
    CHECK_STR(params(&l, 10),
              "connect_timeout=10 dbname=dbname=db connect_timeout=3 host=localhost port=5432 "
              "user=sbtest password=secret sslmode=require fallback_application_name=sysbench");
    l.password = l.sslmode = l.host = l.port = l.user = l.db = "";
    CHECK_STR(params(&l, 0), "fallback_application_name=sysbench");
    l = (struct sql_login_pgsql){.host = "localhost",
                                 .port = "7777",
                                 .port_given = true,
                                 .user = "sbtest",
                                 .password = "",
                                 .sslmode = "",
                                 .db = "service=s"};
    CHECK_STR(params(&l, 0), "dbname=service=s port=7777 fallback_application_name=sysbench");
    l.db = "postgresql:///db?service=s";
    CHECK_STR(params(&l, 0),
              "dbname=postgresql:///db?service=s port=7777 fallback_application_name=sysbench");
    l.db = "dbname='no end"; /* libpq says what is wrong with it when we connect */
    CHECK_STR(params(&l, 0), "host=localhost user=sbtest dbname=dbname='no end port=7777 "
                             "fallback_application_name=sysbench");
}

/* A queue that is full for the moment is told from a server that is not there. */
static void test_queue_full(void)
{
    char directory[] = "/tmp/sb_pgsql_XXXXXX";
    struct sql_login_pgsql l = {.host = directory,
                                .port = "1",
                                .user = "x",
                                .password = "",
                                .sslmode = "",
                                .db = "connect_timeout=5 dbname=x"};
    struct sql_options o = {.pgsql = l};
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), waiting[8];
    struct sql_limits none = {.hosts = 1};
    static const struct sql_policy listed;
    struct sql_conn c = {.limits = &none, .policy = &listed};
    const struct sql_ops *ops;

    CHECK(mkdtemp(directory) != NULL);
    snprintf(at.sun_path, sizeof at.sun_path, "%s/.s.PGSQL.1", directory);
    CHECK_INT(sql_class_pgsql.open(&o, &ops, &c.cfg), 0);
    CHECK_INT(ops->connect(&c, false), SQL_FATAL);
    CHECK_STR(c.fail.state, PGDRV_REFUSED);
    CHECK_INT(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    CHECK_INT(listen(fd, 0), 0);
    for (int i = 0; i < 8; i++) { /* nobody accepts */
        waiting[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        connect(waiting[i], (struct sockaddr *)&at, sizeof at);
    }
    CHECK_INT(ops->connect(&c, false), SQL_BUSY);
    CHECK(c.handle == NULL);
    for (int i = 0; i < 8; i++)
        close(waiting[i]);
    close(fd);
    CHECK_INT(ops->connect(&c, true), SQL_FATAL); /* refused */
    CHECK(strstr(c.fail.msg, at.sun_path) != NULL);
    CHECK(c.fail.msg[strlen(c.fail.msg) - 1] != '\n');
    sql_class_pgsql.close(c.cfg);
    unlink(at.sun_path);
    rmdir(directory);
}

/* One attempt to connect tries so many hosts: of this driver, whose library takes a list. */
static void test_hosts_of_an_attempt(void)
{
    static const struct {
        const char *hosts;
        int n;
    } t[] = {{"", 1}, {"a", 1}, {"a,b", 2}, {"a,,c,d", 4}, {NULL, 1}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct sql_options o = {.driver = "pgsql",
                                .connect_timeout = 1.5,
                                .query_timeout = 2.5,
                                .reconnect_rate = 3,
                                .watched = -1,
                                .pgsql = {.host = t[i].hosts,
                                          .port = "5432",
                                          .user = "u",
                                          .password = "",
                                          .sslmode = "",
                                          .db = "d"}};
        struct err e = {0};
        CHECK_INT(sql_setup(&o, &e), 0);
        const struct sql_driver_slot *d = (const struct sql_driver_slot *)sql_driver_get(NULL);
        CHECK(d != NULL);
        if (d) {
            CHECK_INT(d->limits.hosts, t[i].n);
            CHECK_INT(d->limits.connect, 3 * NS_PER_SEC / 2);
            CHECK_INT(d->limits.statement, 5 * NS_PER_SEC / 2);
            CHECK(d->limits.reconnects == 3 && d->watched == -1);
            CHECK(!d->ps_server && !d->ps_lazy && d->ready);
        }
        sql_teardown();
    }
}

TEST_MAIN(drv_pgsql_test)
{
    test_hosts_of_an_attempt();
    test_judge();
    test_connect_class();
    test_check();
    test_dbname();
    test_params();
    test_queue_full();
    return test_done("drv_pgsql");
}
