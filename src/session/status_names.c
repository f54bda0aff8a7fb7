/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See status_names.h.
 */
#include "session/status_names.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "report/fields.h"
#include "session/answers.h"
#include "session/sql_texts.h"

/* What a server is asked for without an option.  Rows_read and Handler_* are MariaDB's, which has
 * no Innodb_rows_* from 10.8 on. */
static const char mysql_own[] =
    "Threads_running,Threads_connected,Queries,Rows_read,Handler_write,Handler_update,"
    "Handler_delete,Innodb_rows_read,Innodb_rows_inserted,Innodb_rows_updated,Innodb_rows_deleted,"
    "Innodb_row_lock_waits,Innodb_row_lock_time,Innodb_buffer_pool_read_requests,"
    "Innodb_buffer_pool_reads,Innodb_data_written,Bytes_received,Bytes_sent";
static const char pgsql_own[] =
    "active:gauge,numbackends:gauge,xact_commit,xact_rollback,tup_returned,tup_fetched,"
    "tup_inserted,tup_updated,tup_deleted,blks_hit,blks_read,temp_bytes,conflicts,deadlocks";

/* What people look at, by names of our own (session/sql), as NAME[:gauge]=WAYS.  Behind "--" is
 * what mends it when there is no value. */
static const char *const mysql_presets[] = {SQL_PRESETS_MYSQL NULL};
static const char *const pgsql_presets[] = {SQL_PRESETS_PGSQL NULL};

#define OF_DATABASE " FROM pg_stat_database WHERE datname = current_database()"

/* Which of MySQL's and MariaDB's variables are levels, unless the user says it. */
static const char levels[] =
    "^(innodb_(.*_(current|pending)_.*|buffer_pool_(bytes_.*|pages_([^flm].*|free))|"
    "checkpoint_.*age|history_list_length|mem_.*|num_open_files|row_lock_time_[am].*)|"
    "key_blocks_.*|max_.*used.*|memory_used.*|open_.*|prepared_stmt_count|"
    "qcache_(.*_blocks|free_memory)|threads_([^c]|c[ao]).*|wsrep_(.*_queue|cluster_size))$";

static const char *const ends[] = {"", "", "_per_s", "_per_transaction"};

bool status_names_init(struct status_names *s, const char *driver)
{
    *s = (struct status_names){.rows = strcmp(driver, "mysql") == 0};
    if (s->rows || strcmp(driver, "pgsql") == 0)
        status_names_add(s, s->rows ? mysql_own : pgsql_own, NULL);
    s->own = s->n;
    return s->n > 0;
}

void status_names_free(struct status_names *s)
{
    for (size_t i = 0; i < STATUS_MAX; i++)
        free((void *)s->name[i].name); /* and `ways` behind it */
    *s = (struct status_names){0};
}

/* NAME[:UNIT]: how many bytes it has, what the figure is called, and what it is, unless no UNIT
 * says it.  0: there is none. */
static size_t read_name(const char *text, char shown[FIELD_NAME_SIZE], enum status_kind *kind)
{
    static const char *const unit[] = {"", ":gauge", ":/s", ":/tx"};
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789."),
           len = n;

    for (int k = STATUS_LEVEL; k <= STATUS_PER_TX; k++)
        if (strncmp(text + len, unit[k], strlen(unit[k])) == 0) {
            *kind = (enum status_kind)k;
            n = len + strlen(unit[k]);
        }
    int all = snprintf(shown, FIELD_NAME_SIZE, "%.*s%s", (int)len, text, ends[*kind]);
    for (char *p = shown; (p = strchr(p, '.')) != NULL;) /* a figure's name has none */
        *p = '_';
    return all < FIELD_NAME_SIZE && !strspn(text, "0123456789.") && len ? n : 0;
}

/* NULL, or why not. */
static const char *add(struct status_names *s, const char *shown, enum status_kind kind,
                       const char *ways)
{
    bool taken = false;

    for (const struct figure *r = status_figures; !figure_ends(r); r++)
        taken |= strcasecmp(r->name, shown) == 0;
    for (size_t i = 0; i < s->n; i++) {
        size_t len = strlen(s->name[i].name);
        taken |= strncasecmp(s->name[i].name, shown, len) == 0 &&
                 (!shown[len] || strcmp(shown + len, ends[kind]) == 0);
    }
    if (taken || s->n == STATUS_MAX)
        return taken ? "there is another figure of that name" : "there are too many figures";
    char *kept = mem_printf("%s%c%s%c", shown, '\0', ways, '\0');
    ways = kept + strlen(kept) + 1;
    for (char *p = kept + strlen(kept) + 1; (p = strchr(p, '\1')) != NULL;)
        *p++ = '\0';
    free((void *)s->name[s->n].name); /* one that was dropped */
    s->ask[s->n] = (struct status_ask){.ways = ways, .way = ways};
    s->name[s->n++] = (struct status_name){kept, kind};
    return NULL;
}

static bool is_level(const char *variable)
{
    regex_t r;

    if (regcomp(&r, levels, REG_EXTENDED | REG_ICASE | REG_NOSUB))
        return false;
    bool is = regexec(&r, variable, 0, NULL, 0) == 0;
    regfree(&r);
    return is;
}

static const char *add_name(struct status_names *s, const char *text, size_t *n)
{
    const char *const *p = s->rows ? mysql_presets : pgsql_presets;
    char shown[FIELD_NAME_SIZE], *name = mem_strndup(text, strcspn(text, ":,")), *ways = name;
    const char *column = strchr(name, '.'), *why = "allowed: on, off, +NAME[:gauge|:/s|:/tx],...";
    enum status_kind kind = s->rows && is_level(name) ? STATUS_LEVEL : STATUS_GROWTH;

    while (*p && (strncasecmp(*p, name, strlen(name)) != 0 || !strchr(":=", (*p)[strlen(name)])))
        p++;
    if (*p)
        read_name(*p, shown, &kind);
    *n = read_name(text, shown, &kind);
    if (!*p && !s->rows) /* of a view with several rows the server says that it has them */
        ways = column ? mem_printf("SELECT (SELECT %s FROM %.*s)", column + 1, (int)(column - name),
                                   name)
                      : mem_printf("SELECT %s" OF_DATABASE, name);
    if (*n && (!text[*n] || text[*n] == ','))
        why = add(s, shown, kind, *p ? strchr(*p, '=') + 1 : ways);
    if (ways != name)
        free(ways);
    free(name);
    return why;
}

int status_names_add(struct status_names *s, const char *names, struct err *e)
{
    const char *why = NULL;
    size_t n = 0;

    for (const char *p = names; !why && (p == names || p[-1]); p += n + 1) {
        p += p != names && *p == '+'; /* +a,+b is +a,b */
        why = add_name(s, p, &n);
    }
    return why ? err_set(e, ERR_USAGE, "Invalid value for --server-status: '+%s' (%s)", names, why)
               : 0;
}

int status_names_add_query(struct status_names *s, const char *query, struct err *e)
{
    enum status_kind kind = STATUS_LEVEL;
    char shown[FIELD_NAME_SIZE];
    size_t n = read_name(query, shown, &kind);
    const char *why = !n || query[n] != '=' || !strpbrk(query + n, " (") || strcspn(query, ".") < n
                          ? "it is NAME[:gauge|:/s|:/tx]=SQL"
                          : add(s, shown, kind, query + n + 1);

    return why ? err_set(e, ERR_USAGE, "Invalid value for --server-query: '%s' (%s)", query, why)
               : 0;
}

const char *status_names_query(const struct status_names *s, size_t i)
{
    return strpbrk(s->ask[i].way, " (") ? s->ask[i].way : NULL;
}

bool status_names_turn(struct status_names *s, size_t i)
{
    struct status_ask *a = &s->ask[i];
    const char *next = a->way + strlen(a->way) + 1;
    bool more = !a->answered && *next;

    if (!a->answered)
        a->way = more ? next : a->ways;
    return more;
}

/* NULL: it has a query of its own. */
static const char *variable(const struct status_names *s, size_t i)
{
    if (i < s->own)
        return s->name[i].name;
    return status_names_query(s, i) ? NULL : s->ask[i].way;
}

void status_names_question(const struct status_names *s, struct str *out)
{
    str_adds(out, s->rows ? "SHOW GLOBAL STATUS WHERE Variable_name IN (" : "SELECT ");
    for (size_t i = 0; i < s->n; i++) {
        const char *name = variable(s, i);
        if (name && strcmp(name, "active") == 0)
            str_adds(out, SQL_ACTIVE ","); /* of another view */
        else if (name)
            str_printf(out, s->rows ? "'%s'," : "%s,", name);
    }
    str_adds(out, s->rows ? "'Uptime','Questions')" : SQL_UP OF_DATABASE);
}

static bool is_named(const sql_value *v, const char *name)
{
    return v->ptr && v->len == strlen(name) && strncasecmp(name, v->ptr, v->len) == 0;
}

void status_names_take(const struct status_names *s, struct status_reading *r,
                       const sql_value *column, size_t columns, struct status_more *more)
{
    const bool row = s->rows && columns >= 2; /* Variable_name, Value */

    for (size_t i = 0; i < s->n; i++) {
        const char *name = variable(s, i);
        const sql_value *v = row && name && is_named(column, name)   ? &column[1]
                             : !s->rows && i < s->own && i < columns ? &column[i]
                                                                     : NULL;
        if (!v || !answer_number(v, &r->v[i]))
            continue;
        r->have |= UINT64_C(1) << i;
        if (!s->rows && strncmp(s->name[i].name, "xact_", 5) == 0)
            more->counted += r->v[i];
    }
    if (row && is_named(column, "Uptime"))
        answer_number(&column[1], &more->up);
    if (row && is_named(column, "Questions"))
        answer_number(&column[1], &more->counted);
    if (!s->rows && columns > s->own)
        answer_number(&column[s->own], &more->up);
}

void status_names_keep(struct status_names *s, uint64_t have)
{
    const struct status_names was = *s;
    size_t kept = 0, dropped = was.n; /* which go behind the others */

    for (size_t i = 0; i < was.n; i++) {
        bool keep = i >= was.own || have >> i & 1;
        size_t to = keep ? kept++ : --dropped;
        s->own -= !keep;
        s->ask[to] = was.ask[i];
        s->name[to] = was.name[i];
    }
    s->n = kept;
}
