/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What does a point select cost a client at least?  Many connections on one thread, each sending the
 * same prepared statement again as soon as it is answered: the client library's own non-blocking
 * calls, epoll, and nothing else: no script, no statistics, and the clock is read once for each look at
 * the sockets.  bench/rate.py sets --workers=1 beside it: the difference is what a load generator adds.
 *
 *     floor SOCKET USER DB ROWS CONNECTIONS SECONDS      table sbtest1 of oltp_point_select
 *
 * Prints interval lines in sysbench's form, and the number of transactions.  libmariadb only:
 * libmysqlclient has no such calls.
 */
#include <errno.h>
#include <mysql.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

#define EVENTS 256

static const char query[] = "SELECT c FROM sbtest1 WHERE id=?";

enum step { EXECUTE, STORE };

struct connection {
    MYSQL *mysql;
    MYSQL_STMT *stmt;
    MYSQL_BIND bind;
    long long id;
    enum step step; /* the call that waits */
};

static uint64_t done, seed = 1, rows;

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
        }
        wait = begin(c, c->step == STORE ? EXECUTE : STORE, &failed);
    }
    if (failed)
        die("select", mysql_stmt_error(c->stmt));
    if (wait & ~MYSQL_WAIT_READ)
        die("select", "the request does not fit into the socket");
}

/* For so many seconds, a line after each. */
static void measure(int epoll, int connections, int seconds)
{
    struct epoll_event ev[EVENTS];
    double start = now(), line = start, at = start;
    uint64_t before = 0;

    for (int second = 1; second <= seconds;) {
        int n = epoll_wait(epoll, ev, EVENTS, 1000);
        for (int i = 0; i < n; i++) {
            int failed = 0, wait = go_on(ev[i].data.ptr, &failed);
            run(ev[i].data.ptr, wait, failed);
        }
        at = now();
        if (at < start + second)
            continue;
        printf("[ %ds ] thds: %d tps: %.2f\n", second, connections, (double)(done - before) / (at - line));
        fflush(stdout);
        before = done;
        line = at;
        second = (int)(at - start) + 1;
    }
    printf("transactions: %llu seconds: %.4f\n", (unsigned long long)done, at - start);
}

int main(int argc, char **argv)
{
    int n = argc == 7 ? atoi(argv[5]) : 0, seconds = n ? atoi(argv[6]) : 0, epoll = epoll_create1(0);
    struct connection *c = calloc((size_t)(n > 0 ? n : 1), sizeof *c);

    rows = argc == 7 ? strtoull(argv[4], NULL, 10) : 0;
    if (n < 1 || seconds < 1 || rows < 1 || !c || epoll < 0) {
        fprintf(stderr, "usage: floor SOCKET USER DB ROWS CONNECTIONS SECONDS\n");
        return 1;
    }
    for (int i = 0; i < n; i++)
        open_connection(&c[i], argv + 1, epoll);
    printf("Threads started!\n");
    fflush(stdout);
    for (int i = 0; i < n; i++) {
        int failed = 0, wait = begin(&c[i], EXECUTE, &failed);
        run(&c[i], wait, failed);
    }
    measure(epoll, n, seconds);
    return 0; /* the connections go with the process */
}
