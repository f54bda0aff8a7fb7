/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_source.h.  An address is tried out on a socket, because only the kernel knows which ones
 * are this host's: all of 127.0.0.0/8 is, and with net.ipv4.ip_nonlocal_bind any.
 */
#include "sql/sql_source.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int refuse(struct err *e, const char *address, const char *why)
{
    return err_set(e, ERR_USAGE, "Invalid value for --source-address: '%s' %s", address, why);
}

/* 0, or errno.  That all its ports are taken at the moment does not make it a wrong one. */
static int try_bind(const struct addrinfo *a)
{
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), rc;

    if (fd < 0)
        return errno;
    rc = bind(fd, a->ai_addr, a->ai_addrlen) && errno != EADDRINUSE ? errno : 0;
    close(fd);
    return rc;
}

static int check_address(const char *address, struct err *e)
{
    const struct addrinfo wanted = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
    struct addrinfo *a;
    int rc;

    if (getaddrinfo(address, NULL, &wanted, &a))
        return refuse(e, address, "is not an IP address");
    rc = try_bind(a);
    freeaddrinfo(a);
    if (rc == EADDRNOTAVAIL)
        return refuse(e, address, "is not an address of this host");
    return rc ? refuse(e, address, strerror(rc)) : 0;
}

/* The client library connects to "localhost" through its default socket. */
static int check_tcp(const struct sql_options *o, struct err *e)
{
    const struct sql_login_mysql *m = &o->mysql;

    if (m->nsockets)
        return err_set(e, ERR_USAGE,
                       "--source-address=%s needs a TCP connection, and --mysql-socket=%s is none",
                       o->sources[0], m->sockets[0]);
    for (size_t i = 0; i < m->nhosts; i++)
        if (strcmp(m->hosts[i], "localhost") == 0)
            return err_set(e, ERR_USAGE,
                           "--source-address=%s needs a TCP connection, and --mysql-host=localhost "
                           "is none: did you mean --mysql-host=127.0.0.1?",
                           o->sources[0]);
    return 0;
}

int sql_source_check(const struct sql_options *o, struct err *e)
{
    if (o->nsources == 0)
        return 0;
    if (strcmp(o->driver, "pgsql") == 0)
        return err_set(e, ERR_USAGE, SQL_SOURCE_PGSQL);
    for (size_t i = 0; i < o->nsources; i++)
        if (check_address(o->sources[i], e))
            return -1;
    return check_tcp(o, e);
}
