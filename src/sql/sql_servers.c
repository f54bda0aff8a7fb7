/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_servers.h.
 */
#include "sql/sql_servers.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BLANKS " \t"

void sql_host_trim(char *host)
{
    size_t blanks = strspn(host, BLANKS), n = strlen(host + blanks);

    while (n && strchr(BLANKS, host[blanks + n - 1]))
        n--;
    memmove(host, host + blanks, n);
    host[n] = '\0';
}

char **sql_hosts_split(const char *list, size_t *n)
{
    char **host = NULL;
    size_t len;

    *n = 0;
    for (const char *p = list;; p += len + 1) {
        len = strcspn(p, ",");
        host = mem_grow(host, *n + 2, sizeof *host);
        host[*n] = mem_printf("%.*s", (int)len, p);
        sql_host_trim(host[(*n)++]);
        host[*n] = NULL;
        if (!p[len])
            return host;
    }
}

void sql_hosts_free(char **host)
{
    for (char **p = host; p && *p; p++)
        free(*p);
    free(host);
}

int sql_hosts_check(const char *option, char *const *host, size_t n, struct err *e)
{
    struct in6_addr is;

    for (size_t i = 0; i < n; i++) {
        const char *h = host[i];
        char *address = mem_printf("%.*s", (int)strcspn(h, "%"), h); /* of fe80::1%eth0 */
        bool ipv6 = inet_pton(AF_INET6, address, &is) == 1;
        free(address);
        if (*h == '/' || *h == '@' || (*h && !strpbrk(h, ":[]")) || ipv6)
            continue;
        if (!*h && strcmp(option, "pgsql") == 0) /* libpq's default */
            continue;
        return err_set(e, ERR_USAGE,
                       "Invalid value for --%s-host: '%s' is neither a name nor an address (a "
                       "port is given with "
                       "--%s-port, and IPv6 without brackets)",
                       option, h, option);
    }
    return 0;
}

void sql_hosts_pgsql(const struct sql_login_pgsql *p, char ***host, size_t *nhosts, char ***port,
                     size_t *nports)
{
    *host = sql_hosts_split(p->host ? p->host : "", nhosts);
    *port = sql_hosts_split(p->port ? p->port : "", nports);
    if (*nhosts > 1 || *nports == 1)
        return;
    *host = mem_grow(*host, *nports + 1, sizeof **host);
    for (; *nhosts < *nports; ++*nhosts)
        (*host)[*nhosts] = mem_strdup((*host)[0]);
    (*host)[*nhosts] = NULL;
}

/* Takes over `name`.  `port`: NULL, or one of several. */
static void add(struct sql_servers *s, char *name, const char *host, const char *port)
{
    size_t i = 0;

    while (i < s->n && strcmp(s->name[i], name) != 0)
        i++;
    s->number = mem_grow(s->number, s->positions + 1, sizeof *s->number);
    s->number[s->positions++] = (unsigned)i;
    if (i < s->n) {
        free(name);
        return;
    }
    s->name = mem_grow(s->name, i + 1, sizeof *s->name);
    s->host = mem_grow(s->host, i + 1, sizeof *s->host);
    s->port = mem_grow(s->port, i + 1, sizeof *s->port);
    s->name[i] = name;
    s->host[i] = mem_strdup(host);
    s->port[i] = port ? mem_strdup(port) : NULL;
    s->n = i + 1;
}

/* A directory of sockets (PostgreSQL) has a port of its own only in a list of ports (`several`):
 * part of the socket's name. */
static void add_host(struct sql_servers *s, const char *host, const char *port, bool several)
{
    bool numeric = strchr(host, ':') != NULL;
    const char *own = several ? port : NULL;

    if (host[0] == '/' || host[0] == '@')
        add(s, mem_printf(several ? "%s/.s.PGSQL.%s" : "%s", host, port), host, own);
    else if (!*host)
        add(s, mem_printf(several ? "(default):%s" : "(default)", port), host, own);
    else
        add(s, mem_printf(numeric ? "[%s]:%s" : "%s:%s", host, port), host, own);
}

/* The value of `key` in a connection string is a list. */
static bool has_list(const char *text, const char *key)
{
    size_t n = strlen(key);

    for (const char *p = text; (p = strstr(p, key)) != NULL; p += n) {
        const char *value = p + n + strspn(p + n, " =");
        if (value > p + n && memchr(value, ',', strcspn(value, " &")))
            return true;
    }
    return false;
}

void sql_servers_read(struct sql_servers *s, const struct sql_options *o, const char *driver)
{
    const struct sql_login_mysql *m = &o->mysql;
    const struct sql_login_pgsql *p = &o->pgsql;
    size_t n, nports;
    char **host, **port;

    memset(s, 0, sizeof *s);
    if (strcmp(driver, "mysql") == 0 && !m->dry_run) {
        for (size_t i = 0; i < m->nsockets; i++)
            add(s, mem_strdup(m->sockets[i]), m->sockets[i], NULL);
        for (size_t i = 0; m->nsockets == 0 && i < m->nhosts; i++)
            for (size_t j = 0; j < m->nports; j++)
                /* to the client libraries localhost is a socket, whatever the port: one server */
                if (strcmp(m->hosts[i], "localhost") == 0 && m->nports > 1)
                    add(s, mem_strdup("localhost"), "localhost", NULL);
                else
                    add_host(s, m->hosts[i], m->ports[j], false);
    } else if (strcmp(driver, "pgsql") == 0) {
        sql_hosts_pgsql(p, &host, &n, &port, &nports);
        /* lists of which one is in the connection string go together: they are libpq's alone */
        if (n > 1 && p->db &&
            (has_list(p->db, "port") || has_list(p->db, "hostaddr") ||
             (nports > 1 && !p->host_given && strpbrk(p->db, "=/"))))
            n = 0;
        for (size_t i = 0; i < n; i++)
            add_host(s, host[i], port[nports > 1 ? i : 0], nports > 1);
        sql_hosts_free(host);
        sql_hosts_free(port);
    }
}

void sql_servers_free(struct sql_servers *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->name[i]);
        free(s->host[i]);
        free(s->port[i]);
    }
    free(s->name);
    free(s->host);
    free(s->port);
    free(s->number);
    memset(s, 0, sizeof *s);
}

int sql_servers_at(const struct sql_servers *s, uint64_t position)
{
    return s->positions ? (int)s->number[position % s->positions] : -1;
}

int sql_servers_find(const struct sql_servers *s, const char *name)
{
    for (size_t i = 0; i < s->positions; i++)
        if (strcmp(s->name[s->number[i]], name) == 0 || strcmp(s->host[s->number[i]], name) == 0)
            return (int)i;
    return -1;
}
