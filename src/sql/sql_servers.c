/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_servers.h.
 */
#include "sql/sql_servers.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

char **sql_hosts_split(const char *list, size_t *n)
{
    char **host = NULL;
    size_t len;

    *n = 0;
    for (const char *p = list;; p += len + 1) {
        len = strcspn(p, ",");
        host = mem_grow(host, *n + 2, sizeof *host);
        host[(*n)++] = mem_printf("%.*s", (int)len, p);
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

/* Takes over `name`. */
static void add(struct sql_servers *s, char *name, const char *host)
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
    s->name[i] = name;
    s->host[i] = mem_strdup(host);
    s->n = i + 1;
}

/* A folder of sockets (PostgreSQL) has no port of its own here, for the list has only one. */
static void add_host(struct sql_servers *s, const char *host, const char *port)
{
    bool numeric = strchr(host, ':') != NULL;

    if (host[0] == '/' || host[0] == '@')
        add(s, mem_strdup(host), host);
    else if (!*host)
        add(s, mem_strdup("(default)"), host);
    else
        add(s, mem_printf(numeric ? "[%s]:%s" : "%s:%s", host, port), host);
}

static void read_mysql(struct sql_servers *s, const struct sql_login_mysql *m)
{
    for (size_t i = 0; i < m->nsockets; i++)
        add(s, mem_strdup(m->sockets[i]), m->sockets[i]);
    for (size_t i = 0; m->nsockets == 0 && i < m->nhosts; i++)
        for (size_t j = 0; j < m->nports; j++)
            add_host(s, m->hosts[i], m->ports[j]);
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

static void read_pgsql(struct sql_servers *s, const struct sql_login_pgsql *p)
{
    size_t n;
    char **host = sql_hosts_split(p->host ? p->host : "", &n);

    if (n > 1 && p->db && (has_list(p->db, "port") || has_list(p->db, "hostaddr")))
        n = 0; /* the two lists go together */
    for (size_t i = 0; i < n; i++)
        add_host(s, host[i], p->port);
    sql_hosts_free(host);
}

void sql_servers_read(struct sql_servers *s, const struct sql_options *o, const char *driver)
{
    memset(s, 0, sizeof *s);
    if (strcmp(driver, "mysql") == 0 && !o->mysql.dry_run)
        read_mysql(s, &o->mysql);
    else if (strcmp(driver, "pgsql") == 0)
        read_pgsql(s, &o->pgsql);
}

void sql_servers_free(struct sql_servers *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->name[i]);
        free(s->host[i]);
    }
    free(s->name);
    free(s->host);
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
