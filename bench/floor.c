/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The minimum CPU of a point select for a client, and the minimum memory of a connection.  One
 * thread serves many connections; each sends its next prepared statement as soon as the previous
 * one is answered.  It uses the client library's own non-blocking calls, epoll, and nothing else:
 * no script, no statistics, and one clock reading per look at the sockets.  bench/rate.py compares
 * it with --workers=1: the difference is the load generator's overhead.
 *
 *     floor SOCKET USER DB ROWS CONNECTIONS SECONDS [RATE [TABLES [KINDS]]]
 *
 * With a rate, a timer starts a transaction every 1/RATE s, on the connections in turn, and skips a
 * connection that is still busy.  The cost is two wake-ups (timer and answer) and the statement.
 * RATE 0: at full speed.
 *
 * A connection prepares the statements of KINDS for each of TABLES tables (sbtest1, ...), as
 * oltp_point_select (KINDS 1, the default) and oltp_read_only (KINDS 5: BEGIN, the five kinds of
 * SELECT, COMMIT) do, and executes one of each kind per transaction, on a random table.
 *
 * Prints interval lines in sysbench's format, and the number of transactions.  Requires libmariadb:
 * libmysqlclient has no such calls.
 */
#include <errno.h>
#include <mysql.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define EVENTS 256

#define RANGE_SIZE 100

/* A transaction: its kinds of statements in their order. */
static const char *const point_select[] = {"SELECT c FROM sbtest%d WHERE id=?"};
static const char *const read_only[] = {
    "BEGIN",
    "SELECT c FROM sbtest%d WHERE id=?",
    "SELECT c FROM sbtest%d WHERE id BETWEEN ? AND ?",
    "SELECT SUM(k) FROM sbtest%d WHERE id BETWEEN ? AND ?",
    "SELECT c FROM sbtest%d WHERE id BETWEEN ? AND ? ORDER BY c",
    "SELECT DISTINCT c FROM sbtest%d WHERE id BETWEEN ? AND ? ORDER BY c",
    "COMMIT",
};

enum step { IDLE, EXECUTE, STORE };

struct connection {
    MYSQL *mysql;
    MYSQL_STMT **stmts; /* of each table, those of a transaction */
    MYSQL_STMT *stmt;   /* that is under way */
    long long ids[2];   /* parameters of every statement */
    int table, part;
    enum step step; /* the call that waits */
};

static uint64_t done, seed = 1, rows;
static const char *const *kinds = point_select;
static int parts = 1, tables = 1;
static long rate; /* statements a second; 0: each connection goes on at once */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what, const char *why)
{
    fprintf(stderr, "floor: %s: %s\n", what, why);
    exit(1);
}

static MYSQL_STMT *prepare_one(struct connection *c, const char *kind, int table)
{
    MYSQL_BIND binds[2] = {{.buffer_type = MYSQL_TYPE_LONGLONG, .buffer = &c->ids[0]},
                           {.buffer_type = MYSQL_TYPE_LONGLONG, .buffer = &c->ids[1]}};
    MYSQL_STMT *s = mysql_stmt_init(c->mysql);
    char text[128];

    snprintf(text, sizeof text, kind, table);
    if (mysql_stmt_prepare(s, text, strlen(text)))
        die("prepare", mysql_stmt_error(s));
    if (mysql_stmt_param_count(s) && mysql_stmt_bind_param(s, binds))
        die("bind", mysql_stmt_error(s));
    return s;
}

/* BEGIN and COMMIT are the same for all tables. */
static void prepare(struct connection *c)
{
    c->stmts = calloc((size_t)tables * (size_t)parts, sizeof *c->stmts);
    if (!c->stmts)
        die("memory", strerror(errno));
    for (int i = 0; i < tables * parts; i++) {
        const char *kind = kinds[i % parts];
        bool shared = i >= parts && !strchr(kind, '%');
        c->stmts[i] = shared ? c->stmts[i % parts] : prepare_one(c, kind, 1 + i / parts);
    }
}

static void open_connection(struct connection *c, char **login, int epoll)
{
    struct epoll_event ev = {.events = EPOLLIN | EPOLLET, .data.ptr = c};

    c->mysql = mysql_init(NULL);
    mysql_options(c->mysql, MYSQL_OPT_NONBLOCK, NULL);
    if (!mysql_real_connect(c->mysql, NULL, login[1], NULL, login[2], 0, login[0], 0))
        die("connect", mysql_error(c->mysql));
    prepare(c);
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, (int)mysql_get_socket(c->mysql), &ev))
        die("epoll_ctl", strerror(errno));
}

/* One step of it; what the library waits for, 0: it is done. */
static int begin(struct connection *c, enum step step, int *failed)
{
    c->step = step;
    if (step == STORE)
        return mysql_stmt_store_result_start(failed, c->stmt);
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    if (c->part == 0)
        c->table = (int)((seed >> 13) % (unsigned)tables);
    c->stmt = c->stmts[c->table * parts + c->part];
    c->ids[0] = 1 + (long long)((seed >> 33) % rows);
    c->ids[1] = c->ids[0] + RANGE_SIZE - 1;
    return mysql_stmt_execute_start(failed, c->stmt);
}

static int go_on(struct connection *c, int *failed)
{
    return c->step == STORE ? mysql_stmt_store_result_cont(failed, c->stmt, MYSQL_WAIT_READ)
                            : mysql_stmt_execute_cont(failed, c->stmt, MYSQL_WAIT_READ);
}

/* The statement is answered: whether the connection goes on at once. */
static bool next_part(struct connection *c)
{
    mysql_stmt_free_result(c->stmt);
    c->part = (c->part + 1) % parts;
    if (c->part > 0)
        return true;
    done++;
    if (rate)
        c->step = IDLE;
    return !rate;
}

/* Statements on this connection until one has to wait for its answer. */
static void run(struct connection *c, int wait, int failed)
{
    while (!failed && !wait) {
        bool rows_follow = c->step == EXECUTE && mysql_stmt_field_count(c->stmt) > 0;
        if (!rows_follow && !next_part(c))
            return;
        wait = begin(c, rows_follow ? STORE : EXECUTE, &failed);
    }
    if (failed)
        die("select", mysql_stmt_error(c->stmt));
    if (wait & ~MYSQL_WAIT_READ)
        die("select", "the request does not fit into the socket");
}

static void start(struct connection *c)
{
    int failed = 0, wait = begin(c, EXECUTE, &failed);

    run(c, wait, failed);
}

/* The timer has expired: a statement for each time, on whose turn it is. */
static void expired(int timer, struct connection *c, int connections)
{
    static int turn;
    uint64_t times;

    if (read(timer, &times, sizeof times) != sizeof times)
        return;
    while (times-- > 0) {
        for (int i = 0; i < connections && c[turn].step != IDLE; i++)
            turn = (turn + 1) % connections;
        if (c[turn].step == IDLE)
            start(&c[turn]);
        turn = (turn + 1) % connections;
    }
}

static int open_timer(int epoll)
{
    struct itimerspec every = {
        .it_interval = {.tv_sec = 1 / rate, .tv_nsec = 1000000000 / rate % 1000000000}};
    struct epoll_event ev = {.events = EPOLLIN, .data.ptr = NULL};
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);

    every.it_value = every.it_interval;
    if (timer < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &ev) ||
        timerfd_settime(timer, 0, &every, NULL))
        die("timer", strerror(errno));
    return timer;
}

/* For so many seconds, a line after each. */
static void measure(int epoll, int timer, struct connection *c, int connections, int seconds)
{
    struct epoll_event ev[EVENTS];
    double start = now(), line = start, at = start;
    uint64_t before = 0;

    for (int second = 1; second <= seconds;) {
        int n = epoll_wait(epoll, ev, EVENTS, 1000);
        for (int i = 0; i < n; i++) {
            int failed = 0, wait;
            if (!ev[i].data.ptr) {
                expired(timer, c, connections);
                continue;
            }
            wait = go_on(ev[i].data.ptr, &failed);
            run(ev[i].data.ptr, wait, failed);
        }
        at = now();
        if (at < start + second)
            continue;
        printf("[ %ds ] thds: %d tps: %.2f\n", second, connections,
               (double)(done - before) / (at - line));
        fflush(stdout);
        before = done;
        line = at;
        second = (int)(at - start) + 1;
    }
    printf("transactions: %llu seconds: %.4f\n", (unsigned long long)done, at - start);
}

static void use_read_only(void)
{
    kinds = read_only;
    parts = sizeof read_only / sizeof *read_only;
}

int main(int argc, char **argv)
{
    bool told = argc >= 7 && argc <= 10;
    int n = told ? atoi(argv[5]) : 0, seconds = n ? atoi(argv[6]) : 0, epoll = epoll_create1(0),
        timer = -1;
    struct connection *c = calloc((size_t)(n > 0 ? n : 1), sizeof *c);

    rows = told ? strtoull(argv[4], NULL, 10) : 0;
    rate = argc >= 8 ? atol(argv[7]) : 0;
    tables = argc >= 9 ? atoi(argv[8]) : 1;
    if (argc == 10 && strcmp(argv[9], "5") == 0)
        use_read_only();
    if (n < 1 || seconds < 1 || rows < 1 || rate < 0 || tables < 1 || !c || epoll < 0) {
        fprintf(stderr, "usage: floor SOCKET USER DB ROWS CONNECTIONS SECONDS [RATE [TABLES "
                        "[KINDS]]]\n");
        return 1;
    }
    prctl(PR_SET_TIMERSLACK, 1UL); /* the timer, and nothing with it */
    for (int i = 0; i < n; i++)
        open_connection(&c[i], argv + 1, epoll);
    printf("Threads started!\n");
    fflush(stdout);
    if (rate)
        timer = open_timer(epoll);
    for (int i = 0; i < n && !rate; i++)
        start(&c[i]);
    measure(epoll, timer, c, n, seconds);
    return 0; /* the connections go with the process */
}
