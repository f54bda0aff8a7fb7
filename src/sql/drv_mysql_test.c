/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of the MySQL driver that need no server: the rotation over hosts, ports and sockets,
 * the classification of error numbers, TLS and compression options.
 */
#include <stdlib.h>

#include "sql/drv_mysql.h"
#include "sql/sql.h"

#include "base/test.h"
#include "base/test_capture.h"

static char *hosts[] = {(char *)"A", (char *)"B"};
static char *ports[] = {(char *)"1", (char *)"2", (char *)"3"};
static char *sources[] = {(char *)"127.0.0.2", (char *)"127.0.0.3"};
static char *sockets[] = {(char *)"/s1", (char *)"/s2"};

static void test_round(void)
{
    static const char *const want[] = {"A1", "A2", "A3", "B1", "B2", "B3", "A1", "A2"};
    struct mydrv_cfg cfg = {0};
    char got[16];

    cfg.login = (struct sql_login_mysql){.hosts = hosts, .nhosts = 2, .ports = ports, .nports = 3};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct mydrv_endpoint at = mydrv_endpoint_at(&cfg, i);
        snprintf(got, sizeof got, "%s%u", at.host, at.port);
        CHECK_STR(got, want[i]);
        CHECK(at.socket == NULL);
    }
    cfg.sources = sources; /* each server gets connections from all of them */
    cfg.nsources = 2;
    for (size_t i = 0; i < 24; i++)
        CHECK_STR(mydrv_endpoint_at(&cfg, i).source, sources[i / 6 % 2]);
    cfg.login.sockets = sockets; /* overrides hosts and ports */
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
        char *list[3];
        unsigned errnum;
        enum sql_outcome want;
    } t[] = {
        {{(char *)"1213", (char *)"1020", (char *)"1205"}, 1213, SQL_IGNORABLE},
        {{(char *)"1213", (char *)"1020", (char *)"1205"}, 1205, SQL_IGNORABLE},
        {{(char *)"1213", (char *)"1020", (char *)"1205"}, 1062, SQL_FATAL},
        {{(char *)"1213", (char *)"1020", (char *)"1205"}, 2013, SQL_FATAL},
        {{(char *)"2013", (char *)"2006"}, 2013, SQL_LOST},
        {{(char *)"2013", (char *)"2006"}, 2055, SQL_FATAL},
        {{(char *)"2055", (char *)"2011"}, 2055, SQL_LOST},
        {{(char *)"2055", (char *)"2011"}, 2011, SQL_LOST},
        {{(char *)"all"}, 2006, SQL_LOST},
        {{(char *)"all"}, 2014, SQL_LOST}, /* nobody knows what it will send next */
        {{(char *)"all"}, 1927, SQL_LOST}, /* killed: the server's last message */
        {{(char *)"all"}, 1053, SQL_LOST},
        {{(char *)"all"}, 1146, SQL_IGNORABLE},
        {{(char *)"all"}, 0, SQL_FATAL},
        {{NULL}, 1213, SQL_FATAL},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char *list[3] = {t[i].list[0], t[i].list[1], t[i].list[2]};
        struct mydrv_cfg cfg = {.login.ignore_errors = list};
        while (cfg.login.nignore < 3 && list[cfg.login.nignore])
            cfg.login.nignore++;
        CHECK_INT(mydrv_classify(&cfg, t[i].errnum), t[i].want);
    }
}

static void test_queue_full(void)
{
    CHECK(mydrv_queue_full(2002, "Can't connect to local server through socket '/x' (11)"));
    CHECK(!mydrv_queue_full(2002, "Can't connect to local server through socket '/x' (111)"));
    CHECK(!mydrv_queue_full(2002, "Can't connect to local server through socket '/x' (2)"));
    CHECK(!mydrv_queue_full(2003, "Can't connect to server on 'h' (11)"));
}

/* The mode that follows from the options, and whether the library gets a CA. */
static void test_tls(void)
{
    static const struct {
        enum sql_ssl_mode asked;
        const char *ca, *version;
        enum sql_ssl_mode mode;
        bool gets_ca;
        const char *plain, *warned; /* what is said of a connection without TLS, and at once */
    } t[] = {
#define UNUSED(mode)                                                                               \
    "WARNING: --mysql-ssl=" mode " does not verify the server's certificate, so --mysql-ssl-ca "   \
    "is not used (--mysql-ssl=verify-ca verifies it)\n"
        {SQL_SSL_DISABLED, "/dev/null", "", SQL_SSL_DISABLED, false, NULL, ""},
        {SQL_SSL_ON, "", "", SQL_SSL_PREFERRED, false, "on", ""},
        {SQL_SSL_ON, "", "TLSv1.2", SQL_SSL_REQUIRED, false, "on", ""},
        {SQL_SSL_ON, "/dev/null", "", SQL_SSL_VERIFY_CA, true, "on", ""},
        {SQL_SSL_PREFERRED, "", "", SQL_SSL_PREFERRED, false, "preferred", ""},
        {SQL_SSL_PREFERRED, "", "TLSv1.2", SQL_SSL_PREFERRED, false, "preferred", ""},
        {SQL_SSL_PREFERRED, "/dev/null", "", SQL_SSL_PREFERRED, false, "preferred",
         UNUSED("preferred")},
        {SQL_SSL_REQUIRED, "", "", SQL_SSL_REQUIRED, false, NULL, ""},
        {SQL_SSL_REQUIRED, "/dev/null", "", SQL_SSL_REQUIRED, false, NULL, UNUSED("required")},
        {SQL_SSL_VERIFY_CA, "/dev/null", "", SQL_SSL_VERIFY_CA, true, NULL, ""},
        {SQL_SSL_VERIFY_IDENTITY, "/dev/null", "", SQL_SSL_VERIFY_IDENTITY, true, NULL, ""},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct sql_login_mysql l = {
            .ssl = t[i].asked, .tls[SQL_TLS_CA] = t[i].ca, .tls[SQL_TLS_VERSION] = t[i].version};
        struct mydrv_tls tls;
        struct err e = {0};
        CHECK_INT(mydrv_tls_check(&l, &e), 0);
        capture_errors();
        mydrv_tls_open(&tls, &l);
        CHECK_STR(captured(), t[i].warned);
        CHECK_INT(tls.mode, t[i].mode);
        CHECK_INT(tls.text[SQL_TLS_CA] != NULL, t[i].gets_ca);
        CHECK_STR(tls.warn_plain ? tls.warn_plain : "", t[i].plain ? t[i].plain : "");
        CHECK(tls.compression == NULL);
#if SB_LIBMARIADB
        MYSQL *m = mysql_init(NULL);
        mydrv_tls_apply(&tls, m);
        CHECK_INT(m->options.ssl_ca != NULL, t[i].gets_ca);
        mysql_close(m);
#endif
    }
}

static void test_tls_refused(void)
{
    static char *zstd[] = {(char *)"zstd"}, *bad[] = {(char *)"zlib", (char *)"gzip"};
    static const struct {
        struct sql_login_mysql login;
        const char *want;
    } t[] = {
        {{.ssl = SQL_SSL_VERIFY_CA},
         "--mysql-ssl=verify-ca needs --mysql-ssl-ca or --mysql-ssl-capath"},
        {{.ssl = SQL_SSL_REQUIRED, .tls[SQL_TLS_KEY] = "/dev/null"},
         "--mysql-ssl-key and --mysql-ssl-cert need each other"},
        {{.ssl = SQL_SSL_ON, .tls[SQL_TLS_CA] = "/nowhere/ca"},
         "--mysql-ssl-ca: cannot read '/nowhere/ca': No such file or directory"},
        {{.ssl = SQL_SSL_ON, .tls[SQL_TLS_CA] = "/dev"},
         "--mysql-ssl-ca: '/dev' is a directory (--mysql-ssl-capath takes one)"},
        {{.ssl = SQL_SSL_ON, .tls[SQL_TLS_CAPATH] = "/dev/null"},
         "--mysql-ssl-capath: '/dev/null' is no directory (--mysql-ssl-ca takes a file)"},
        {{.ssl = SQL_SSL_ON, .tls[SQL_TLS_VERSION] = "TLSv1.3,SSLv3"},
         "Invalid value for --mysql-tls-version: 'SSLv3' is no version that this client library ("},
        {{.algorithms = bad, .nalgorithms = 2},
         "Invalid value for --mysql-compression-algorithms: 'gzip' is none of zlib, zstd and "
         "uncompressed"},
    };
    struct sql_login_mysql l = {.compression = true, .algorithms = zstd, .nalgorithms = 1};
    struct err e = {0};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        CHECK_INT(mydrv_tls_check(&t[i].login, &e), -1);
        CHECK(strncmp(e.msg, t[i].want, strlen(t[i].want)) == 0);
    }
    CHECK_INT(mydrv_tls_check(&l, &e),
              SB_LIBMARIADB ? -1 : 0); /* the algorithm is used, or refused */
    l.compression = false;
    CHECK_INT(mydrv_tls_check(&l, &e), 0);
}

static void test_compression(void)
{
    static char *both[] = {(char *)"zstd", (char *)"zlib"}, *none[] = {(char *)"uncompressed"};
    static const struct {
        char **algorithms;
        size_t n;
        const char *want;
    } t[] = {{NULL, 0, "zlib"},
             {both, 2, SB_LIBMARIADB ? "zlib" : "zstd,zlib"},
             {none, 1, SB_LIBMARIADB ? "" : "uncompressed"}};

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct sql_login_mysql l = {
            .compression = true, .algorithms = t[i].algorithms, .nalgorithms = t[i].n};
        struct mydrv_tls tls;
        mydrv_tls_open(&tls, &l);
        CHECK_STR(tls.compression ? tls.compression : "", t[i].want);
        free(tls.compression);
    }
}

static void test_explain(void)
{
    char msg[256];
    unsigned errnum = 1045;

    mydrv_tls_explain(msg, sizeof msg, &errnum,
                      "TLS/SSL error: Validation of SSL server certificate failed", "h");
    CHECK_STR(msg, "TLS/SSL error: Validation of SSL server certificate failed: it is not for 'h'");
    mydrv_tls_explain(msg, sizeof msg, &errnum, "Access denied", "h");
    CHECK_STR(msg, "Access denied");
    CHECK_INT(errnum, 1045);
}

static void test_named_file(void)
{
    static const struct {
        const char *text, *name;
        bool want;
    } t[] = {
        {"LOAD DATA LOCAL INFILE 'a.txt' INTO TABLE t", "a.txt", true},
        {"load data low_priority local infile\"a.txt\"into table t", "a.txt", true},
        {" /* c */\n-- c\n# c\nLOAD/**/XML CONCURRENT\tLOCAL /* c */ INFILE'a.txt'", "a.txt", true},
        {"LOAD DATA LOCAL INFILE 'a.txt' INTO TABLE t", "a.tx", false},
        {"LOAD DATA LOCAL INFILE 'a.txt' INTO TABLE t", "'a.txt", false},
        {"LOAD DATA LOCAL INFILE 'a.txt", "a.txt", false},
        {"LOAD DATA LOCAL INFILE 'a''b'", "a", false},
        {"LOAD DATA LOCAL INFILE", "", false},
        {"LOAD DATA LOCALINFILE 'a.txt'", "a.txt", false},
        {"", "", false},
        {"LOAD DATA INFILE 'a.txt' INTO TABLE t", "a.txt", false},
        {"INSERT INTO t VALUES (\"LOAD DATA LOCAL INFILE 'a.txt'\")", "a.txt", false},
        {"/* LOAD DATA LOCAL INFILE 'a.txt' */ SELECT 1", "a.txt", false},
        {"-- LOAD DATA LOCAL INFILE 'a.txt'\nSELECT 1", "a.txt", false},
        {"# LOAD DATA LOCAL INFILE 'a.txt'\nSELECT 1", "a.txt", false},
        {"LOAD DATA /* LOCAL INFILE 'a.txt' */ LOCAL INFILE 'b.txt' INTO TABLE t", "a.txt", false},
        {"LOAD DATA /* LOCAL INFILE 'a.txt' */ LOCAL INFILE 'b.txt' INTO TABLE t", "b.txt", true},
        {"SELECT 1; LOAD DATA LOCAL INFILE 'a.txt' INTO TABLE t", "a.txt", false},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        CHECK_INT(mydrv_names_file(t[i].text, strlen(t[i].text), t[i].name), t[i].want);
}

/* Threads that need one do not load it at the same time. */
static void test_plugins_loaded(void)
{
#if SB_LIBMARIADB
    struct mydrv_cfg cfg = {0};
    MYSQL *m;

    CHECK_INT(mysql_library_init(0, NULL, NULL), 0);
    m = mysql_init(NULL);
    CHECK_INT(mydrv_auth_open(&cfg), 0);
    CHECK(mysql_load_plugin(m, "client_ed25519", 2, 0) == NULL);
    CHECK(mysql_load_plugin(m, "dialog", 2, 0) == NULL); /* nor anything in place of ours */
    mysql_close(m);
    mysql_library_end();
#endif
}

/* What a connection without TLS means, and that --mysql-ssl=on says so once. */
static void test_tls_missing(void)
{
    struct mydrv_cfg cfg = {.tls = {.mode = SQL_SSL_REQUIRED}};
    MYSQL *m = mysql_init(NULL);

    CHECK(mydrv_tls_missing(&cfg, m) != NULL);
    capture_errors();
    cfg.tls.mode = SQL_SSL_DISABLED;
    CHECK(mydrv_tls_missing(&cfg, m) == NULL);
    cfg.tls.mode = SQL_SSL_PREFERRED;
    CHECK(mydrv_tls_missing(&cfg, m) == NULL);
    CHECK_STR(captured(), "");
    cfg.tls.warn_plain = "on";
    for (int i = 0; i < 2; i++) {
        capture_errors();
        CHECK(mydrv_tls_missing(&cfg, m) == NULL);
        CHECK_STR(captured(),
                  i ? ""
                    : "WARNING: --mysql-ssl=on, but the server has no TLS: connections are not "
                      "encrypted (--mysql-ssl=required refuses that)\n");
    }
    mysql_close(m);
}

/* What mydrv_stmt_detach() knows of the library: its list of a connection's statements is as the
 * library's own end of a connection leaves it, wherever the statement was in it. */
static void test_detach(void)
{
#if SB_LIBMARIADB
    for (size_t which = 0; which < 3; which++) {
        MYSQL *m = mysql_init(NULL);
        MYSQL_STMT *st[3];
        size_t n = 0;

        for (size_t i = 0; i < 3; i++)
            st[i] = mysql_stmt_init(m);
        mydrv_stmt_detach(st[which]);
        for (LIST *at = m->stmts, *before = NULL; at; before = at, at = at->next, n++) {
            CHECK(at->data != st[which] && ((MYSQL_STMT *)at->data)->mysql == m);
            CHECK(at->prev == before);
        }
        CHECK_INT(n, 2);
        CHECK_INT(mysql_stmt_close(st[which]), 0);
        mysql_close(m); /* of the others it lets go in the same way */
        for (size_t i = 0; i < 3; i++)
            if (i != which) {
                CHECK(st[i]->mysql == NULL);
                CHECK_INT(mysql_stmt_close(st[i]), 0);
            }
    }
#endif
}

/* Ports and numbers of errors; NULL: fine. */
static void test_bad_options(void)
{
    static const char *const t[][3] = {
        {"3306", "1213", NULL},
        {"0", "all", NULL},
        {"3306", "0", NULL},
        {"65536", "1213", "--mysql-port: '65536' is not a port number"},
        {"33o6", "1213", "--mysql-port: '33o6' is not a port number"},
        {"-1", "1213", "--mysql-port: '-1' is not a port number"},
        {"+1", "1213", "--mysql-port: '+1' is not a port number"},
        {"", "1213", "--mysql-port: '' is not a port number"},
        {"3306", "1213x", "--mysql-ignore-errors: '1213x' is neither an error number nor 'all'"},
        {"3306", "ALL", "--mysql-ignore-errors: 'ALL' is neither an error number nor 'all'"},
        {"3306", " 1213", "--mysql-ignore-errors: ' 1213' is neither an error number nor 'all'"},
        {"3306", "65536", "--mysql-ignore-errors: '65536' is neither an error number nor 'all'"},
    };

    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char *port = (char *)(uintptr_t)t[i][0], *ignore = (char *)(uintptr_t)t[i][1];
        struct sql_options o = {
            .mysql = {.ports = &port, .nports = 1, .ignore_errors = &ignore, .nignore = 1}};
        struct err e = {0};
        CHECK_INT(sql_class_mysql.check(&o, &e), t[i][2] ? -1 : 0);
        CHECK(!t[i][2] || strcmp(e.msg + strlen("Invalid value for "), t[i][2]) == 0);
    }
}

/* Dry run: every call succeeds, every statement is "other", nothing has rows. */
static void test_dry_run(void)
{
    struct sql_options o = {.driver = "", .ps_server = false};
    struct counters counters = {0};
    struct sql_host host = {.counters = &counters};
    struct err e;
    sql_connection *c;
    sql_statement *s;

    o.mysql = (struct sql_login_mysql){
        .hosts = hosts, .nhosts = 1, .ports = ports, .nports = 1, .user = "u", .dry_run = true};
    CHECK_INT(sql_setup(&o, &e), 0);
    CHECK(!sql_in_use());
    c = sql_connect(sql_driver_get("mysql"), &host);
    CHECK_STR(c->driver->sname, "mysql");
    CHECK(sql_in_use());
    CHECK(sql_query(c, "SELECT 1", 8) == NULL);
    CHECK_INT(c->error, DB_ERROR_NONE);
    s = sql_prepare(c, "SELECT ?", 8);
    CHECK(s != NULL);
    CHECK_INT(sql_bind_param(s, NULL, 0), 0);
    CHECK(sql_execute(s) == NULL);
    CHECK_INT(c->error, DB_ERROR_NONE);
    CHECK(!sql_more_results(c));
    CHECK_INT(sql_reconnect(c), 0);
    CHECK(sql_execute(s) == NULL);
    sql_rollback(c);
    CHECK_INT(sql_ops_null.lex((struct sql_conn *)c), 0);
    CHECK_INT(sql_close(s), 0);
    capture();
    CHECK(sql_execute(s) == NULL);
    CHECK_STR(captured(), "ALERT: attempt to use an already closed statement\n");
    CHECK_INT(c->error, DB_ERROR_FATAL); /* misuse stays misuse */
    CHECK(c->sql_state == NULL);
    CHECK_INT(counters_get(&counters, CNT_OTHER), 3);
    CHECK_INT(counters_get(&counters, CNT_RECONNECT), 1);
    CHECK_INT(counters_get(&counters, CNT_READ), 0);
    sql_connection_free(c); /* before its statement: any order is allowed */
    sql_statement_free(s);
    sql_teardown();
}

TEST_MAIN(drv_mysql_test)
{
    test_bad_options();
    test_dry_run();
    test_tls();
    test_tls_missing();
    test_tls_refused();
    test_compression();
    test_explain();
    test_plugins_loaded();
    test_named_file();
    test_round();
    test_detach();
    test_judge();
    test_queue_full();
    return test_done("drv_mysql");
}
