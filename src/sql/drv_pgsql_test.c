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

#include "base/mem.h"
#include "base/test_capture.h"
#include "base/test_golden.h"
#include "sql/sql.h"

static const struct sql_login_pgsql usual = {.host = "localhost",
                                             .port = "5432",
                                             .user = "sbtest",
                                             .password = "",
                                             .sslmode = "",
                                             .db = "sbtest"};
static struct str text;

/* A list of errors to ignore, and what it makes of SQLSTATEs; of those that begin with '-', the
 * connection is lost. */
static void show_list(const char *list, const char *states)
{
    char *copy = mem_strdup(list), *all = mem_strdup(states), *next = all, *rest = NULL, *item[3];
    static const char *const what[] = {
        [SQL_IGNORABLE] = "ignorable", [SQL_LOST] = "lost", [SQL_FATAL] = "fatal"};
    struct pgdrv_cfg cfg = {.login.ignore_errors = item};

    for (char *at = strtok_r(copy, ",", &rest); at; at = strtok_r(NULL, ",", &rest))
        item[cfg.login.nignore++] = at;
    str_printf(&text, "%s\n", list);
    for (char *state; (state = strsep(&next, " ")) != NULL;) {
        bool lost = *state == '-';
        enum sql_outcome v = pgdrv_classify(&cfg, state + lost, lost);
        str_printf(&text, "    %s%s: %s\n", state + lost, lost ? ", lost" : "", what[v]);
    }
    free(all);
    free(copy);
}

static void test_judge(void)
{
    show_list("40P01,40001,23505", "40P01 23505 23503  -08006");
    show_list("40p01,40001,23505", "40P01");
    show_list("08006", "-08006 -57P01");
    show_list("57P01", "-57P01 57P01"); /* only raised by somebody */
    show_list("connection", "-57P01 -08006 40P01");
    show_list("all", "42P01 -25P03");
    show_list("", "40P01");
    golden(&text, "errors to ignore");
}

/* libpq passes on only the text of a failed connect. */
static void test_connect_class(void)
{
    static const char *const t[] = {
        "connection to server on socket \"/s\" failed: Connection refused\n",
        "server closed the connection unexpectedly\n",
        "could not translate host name \"db1\" to address\n",
        "x failed: FATAL:  sorry, too many clients already\n",
        "x failed: FATAL:  too many connections for role \"sbtest\"\n",
        "x failed: FATAL:  remaining connection slots are reserved for\n",
        "x failed: FATAL:  the database system is starting up\n",
        "x failed: FATAL:  password authentication failed for user \"u\"\n",
        "x failed: FATAL:  role \"u\" does not exist\n",
        "x failed: FATAL:  no pg_hba.conf entry for host \"h\", SSL off\n",
        "x failed: FATAL:  database \"d\" does not exist\n",
        "server does not support SSL, but SSL was required\n",
        "x failed: could not calculate client proof: no OpenSSL error reported\n",
    };
    static const struct sql_policy listed; /* no action of its own */
    struct sql_conn c = {.policy = &listed};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char queue_full[] = "Resource temporarily unavailable";
        struct pgdrv_cfg cfg = {.queue_full = queue_full, .login.db = "sbtest", .scram_limit = 10};
        c.cfg = &cfg;
        CHECK_INT(pgdrv_connect_failed(&c, t[i]), SQL_FATAL);
        str_printf(&text, "%s: %s\n", error_class_name(c.fail.class), c.fail.msg);
    }
    golden(&text, "refused connects");
}

static void show_item(const char *item)
{
    char *list[] = {(char *)(uintptr_t)item};
    struct sql_options o = {.pgsql = {.ignore_errors = list, .nignore = 1}};
    struct err e = {0};
    int rc = sql_class_pgsql.check(&o, &e);

    str_printf(&text, "%s\n", rc ? e.msg : item);
}

static void show_dbname(const char *db)
{
    char *got = pgdrv_dbname(db);

    str_printf(&text, "%s -> %s\n", db, got);
    free(got);
}

static uint64_t first; /* host of the list */

/* Every parameter in the order libpq gets them, as "keyword=value keyword=value". */
static void show_params(const struct sql_login_pgsql *l, unsigned seconds)
{
    struct sql_options o = {.pgsql = *l};
    const struct sql_ops *ops;
    struct pgdrv_params p;
    const struct pgdrv_cfg *own;
    void *cfg;

    CHECK_INT(sql_class_pgsql.open(&o, &ops, &cfg), 0);
    own = cfg;
    pgdrv_connect_params(cfg, &own->from[first % own->nhosts], seconds, &p);
    for (size_t i = 0; i < p.n; i++)
        str_printf(&text, "%s%s=%s", i ? " " : "", p.keyword[i], p.value[i]);
    str_adds(&text, "\n");
    CHECK(p.keyword[p.n] == NULL && p.value[p.n] == NULL);
    sql_class_pgsql.close(cfg);
}

static void test_params(void)
{
    struct sql_login_pgsql l = usual;

    unsetenv("PGCONNECT_TIMEOUT");
    show_params(&l, 0);
    show_params(&l, 10);
    setenv("PGCONNECT_TIMEOUT", "30", 1);
    show_params(&l, 10); /* the user's own limit */
    l.user_given = l.port_given = l.host_given = true;
    l.host = "a,b,";
    show_params(&l, 0);
    first = 4; /* the list as it is from its second host on */
    show_params(&l, 0);
    l.db = "dbname=x port=1,2,3"; /* lists that go together are libpq's */
    show_params(&l, 0);
    l.port = "1,2,3"; /* each host keeps its port */
    l.db = "sbtest";
    show_params(&l, 0);
    l.host = "a";
    show_params(&l, 0);
    l.host = "localhost";
    l.port = "5432";
    first = 0;
    l.db = "db connect_timeout=3";
    l.password = "secret";
    l.sslmode = "require";
    unsetenv("PGCONNECT_TIMEOUT");
    show_params(&l, 10);
    l.password = l.sslmode = l.host = l.port = l.user = l.db = "";
    show_params(&l, 0);
    l = usual;
    l.port = "7777";
    l.port_given = true;
    l.db = "service=s";
    show_params(&l, 0);
    l.db = "postgresql:///db?service=s";
    show_params(&l, 0);
    l.db = "dbname='no end"; /* libpq says what is wrong with it when we connect */
    show_params(&l, 0);
    golden(&text, "parameters of a connect");

    struct sql_options o = {.nsources = 1};
    const struct sql_ops *ops;
    void *cfg;
    capture();
    CHECK_INT(sql_class_pgsql.open(&o, &ops, &cfg), -1);
    CHECK_STR(captured(), "FATAL: " SQL_SOURCE_PGSQL "\n");
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
                                .pgsql = usual};
        struct err e = {0};
        o.pgsql.host = t[i].hosts;
        CHECK_INT(sql_setup(&o, &e), 0);
        const struct sql_driver_slot *d = (const struct sql_driver_slot *)sql_driver_get(NULL);
        CHECK(d != NULL);
        if (d) {
            CHECK_INT(d->limits.hosts, t[i].n);
            CHECK_INT(d->limits.connect, 3 * NS_PER_SEC / 2);
            CHECK_INT(d->limits.statement, 5 * NS_PER_SEC / 2);
            CHECK(d->limits.reconnects == 3 && d->options->watched == -1);
            CHECK(!d->options->ps_server && d->ready);
        }
        sql_teardown();
    }
}

TEST_MAIN(drv_pgsql_test)
{
    test_hosts_of_an_attempt();
    test_judge();
    test_connect_class();
    golden_each("40P01|40p01|all|connection|08006|1213|40P011|ALL|40-01|lost|08006 ", show_item);
    golden(&text, "items of --pgsql-ignore-errors");
    golden_each("|sbtest|two words|dbname=x|dbname = x host=y"
                "|service=s|sbtest connect_timeout=3"
                "|'my db' sslmode = require|postgresql://h/db?sslmode=require|postgres://h/db",
                show_dbname);
    golden(&text, "names of databases");
    test_params();
    test_queue_full();
    golden_done("drv_pgsql_test");
    return test_done("drv_pgsql");
}
