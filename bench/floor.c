/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The minimum CPU of a point select for a client.  One thread serves many connections; each sends
 * the same prepared statement again as soon as it is answered.  It uses the client library's own
 * non-blocking calls, epoll, and nothing else: no script, no statistics, and one clock reading per
 * look at the sockets.  bench/rate.py compares it with --workers=1: the difference is the load
 * generator's overhead.
 *
 *     floor SOCKET USER DB ROWS CONNECTIONS SECONDS [RATE]     table sbtest1 of oltp_point_select
 *
 * With a rate, a timer starts a statement every 1/RATE s, on the connections in turn, and skips a
 * connection that still waits for its answer.  The cost is two wake-ups (timer and answer) and the
 * statement.
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

static const char query[] = "SELECT c FROM sbtest1 WHERE id=?";

enum step { IDLE, EXECUTE, STORE };

struct connection {
    MYSQL *mysql;
    MYSQL_STMT *stmt;
    MYSQL_BIND bind;
    long long id;
    enum step step; /* the call that waits */
};

static uint64_t done, seed = 1, rows;
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

static void open_connection(struct connection *c, char **login, int epoll)
{
    struct epoll_event ev = {.events = EPOLLIN | EPOLLET, .data.ptr = c};

    c->mysql = mysql_init(NULL);
    mysql_options(c->mysql, MYSQL_OPT_NONBLOCK, NULL);
    if (!mysql_real_connect(c->mysql, NULL, login[1], NULL, login[2], 0, login[0], 0))
        die("connect", mysql_error(c->mysql));
    c->stmt = mysql_stmt_init(c->mysql);
    if (mysql_stmt_prepare(c->stmt, query, sizeof query - 1))
        die("prepare", mysql_stmt_error(c->stmt));
    c->bind.buffer_type = MYSQL_TYPE_LONGLONG;
    c->bind.buffer = &c->id;
    if (mysql_stmt_bind_param(c->stmt, &c->bind))
        die("bind", mysql_stmt_error(c->stmt));
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
    c->id = 1 + (long long)((seed >> 33) % rows);
    return mysql_stmt_execute_start(failed, c->stmt);
}

static int go_on(struct connection *c, int *failed)
{
    return c->step == STORE ? mysql_stmt_store_result_cont(failed, c->stmt, MYSQL_WAIT_READ)
                            : mysql_stmt_execute_cont(failed, c->stmt, MYSQL_WAIT_READ);
}

/* Statements on this connection until one has to wait for its answer. */
static void run(struct connection *c, int wait, int failed)
{
    while (!failed && !wait) {
        if (c->step == STORE) {
            mysql_stmt_free_result(c->stmt);
            done++;
            if (rate) {
                c->step = IDLE;
                return;
            }
        }
        wait = begin(c, c->step == STORE ? EXECUTE : STORE, &failed);
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

int main(int argc, char **argv)
{
    bool told = argc == 7 || argc == 8;
    int n = told ? atoi(argv[5]) : 0, seconds = n ? atoi(argv[6]) : 0, epoll = epoll_create1(0),
        timer = -1;
    struct connection *c = calloc((size_t)(n > 0 ? n : 1), sizeof *c);

    rows = told ? strtoull(argv[4], NULL, 10) : 0;
    rate = argc == 8 ? atol(argv[7]) : 0;
    if (n < 1 || seconds < 1 || rows < 1 || rate < 0 || (argc == 8 && !rate) || !c || epoll < 0) {
        fprintf(stderr, "usage: floor SOCKET USER DB ROWS CONNECTIONS SECONDS [RATE]\n");
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
