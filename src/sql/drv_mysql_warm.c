/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which memory of the client library a statement touches (base/warm.h), as far as its public
 * structures lead to it.  Found with valgrind's lackey: of a point select's memory the lines that
 * no other client's transactions touched, all but a tenth.  In a version of the library that uses a
 * field otherwise it is a useless fetch and nothing else: what a field points to is never read
 * here.
 */
#include "sql/drv_mysql.h"

/* Of the library's larger blocks (rows, their description) and of our own structures: what a small
 * result needs. */
#define BLOCK 256

/* From the start of one member to the end of another. */
#define ADD(l, object, from, to)                                                                   \
    warm_add(l, &(object)->from,                                                                   \
             (size_t)((const char *)(&(object)->to + 1) - (const char *)&(object)->from))

/* Why these sizes: counted for Connector/C 3.3. */
#if SB_LIBMARIADB

void mydrv_warm(const struct sql_conn *c, struct warm_list *l)
{
    const MYSQL *m = mydrv_lib(c);

    warm_add(l, c, BLOCK);
    ADD(l, m, net.pvio, net.last_errno);
    ADD(l, m, net.extension, extension);
    warm_add(l, m->net.pvio, 384); /* with the buffer that it reads into, which is allocated next */
    warm_add(l, m->net.buff, 128);
    warm_add(l, m->net.extension, CACHE_LINE);
    warm_add(l, m->fields, BLOCK);
    warm_add(l, m->options.extension, 128);
    warm_add(l, m->extension, CACHE_LINE);
}

void mydrv_warm_stmt(const struct sql_stmt *s, struct warm_list *l)
{
    const struct mydrv_stmt *ms = s->handle;
    const MYSQL_STMT *st = ms->st;

    warm_add(l, s, 128);
    warm_add(l, ms, sizeof *ms);
    ADD(l, st, mem_root, last_errno);
    ADD(l, st, update_max_length, request_buffer);
    warm_add(l, st->mem_root.free, 128);
    warm_add(l, st->params, CACHE_LINE);
    warm_add(l, st->fields, BLOCK);
    warm_add(l, st->result.alloc.free, BLOCK);
}

#else

void mydrv_warm(const struct sql_conn *c, struct warm_list *l)
{
    const MYSQL *m = mydrv_lib(c);

    warm_add(l, c, BLOCK);
    warm_add(l, m, sizeof *m);
    warm_add(l, m->net.buff, BLOCK);
}

void mydrv_warm_stmt(const struct sql_stmt *s, struct warm_list *l)
{
    const struct mydrv_stmt *ms = s->handle;

    warm_add(l, s, 128);
    warm_add(l, ms, sizeof *ms);
    warm_add(l, ms->st, sizeof *ms->st);
}

#endif
