/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See idle_connections.h.  They are opened one after the other by the main thread: one takes a
 * fraction of a millisecond, and nothing is measured yet.
 */
#include "session/idle_connections.h"

#include <poll.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "sql/sql.h"

struct idle_connections {
    struct sql_host host;
    struct counters *counters; /* never read */
    size_t n;
    sql_connection **connection;
    int *fd;
    size_t nfd;
};

static void note_fd(void *arg, const void *connection, enum sql_presence p, int server, int fd)
{
    struct idle_connections *i = arg;

    (void)connection;
    (void)server;
    if (p == SQL_ARRIVED)
        i->fd[i->nfd++] = fd;
}

int idle_connections_open(struct idle_connections **out, sql_driver *driver, size_t n,
                          struct err *e)
{
    struct idle_connections *i;

    *out = NULL;
    if (n == 0)
        return 0;
    if (!driver && !(driver = sql_driver_get(NULL)))
        return err_set(e, ERR_REPORTED, "no driver");
    *out = i = mem_alloc(sizeof *i);
    log_notice("Opening %zu idle connections...\n", n);
    i->counters = mem_array_aligned(1, sizeof *i->counters);
    i->connection = mem_array(n, sizeof(sql_connection *));
    i->fd = mem_array(n, sizeof *i->fd);
    i->host = (struct sql_host){.arg = i, .counters = i->counters, .presence = note_fd};
    for (; i->n < n; i->n++) {
        i->connection[i->n] = sql_connect(driver, &i->host);
        if (!i->connection[i->n])
            return err_set(e, ERR_FAILED, "only %zu of %zu idle connections could be opened", i->n,
                           n);
    }
    return 0;
}

/* The server sends nothing on an idle connection, unless it closes it. */
void idle_connections_check(const struct idle_connections *i)
{
    size_t closed = 0;

    for (size_t k = 0; i && k < i->nfd; k++) {
        struct pollfd p = {.fd = i->fd[k], .events = POLLIN};
        closed += p.fd >= 0 && poll(&p, 1, 0) > 0;
    }
    if (closed)
        log_warn("%zu of %zu idle connections were closed by the server during the run", closed,
                 i->n);
}

void idle_connections_close(struct idle_connections *i)
{
    if (!i)
        return;
    for (size_t k = 0; k < i->n; k++)
        sql_connection_free(i->connection[k]);
    free(i->connection);
    free(i->counters);
    free(i->fd);
    free(i);
}
