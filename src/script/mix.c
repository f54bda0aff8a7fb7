/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See mix.h.  Each draw is that of the Lua function which it stands for (oltp_common.lua), with
 * that function's arithmetic in doubles, and in its order: a part draws a table, then for each
 * execution the values of all parameters, and only then executes.
 */
#include "script/mix.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "script/exports.h"
#include "script/vm.h"

#define MOST_PARTS      12
#define MOST_STATEMENTS 2
#define MOST_PARAMS     4

/* get_c_value() and get_pad_value() */
#define FIVE_GROUPS "###########-###########-###########-###########-###########"
static const char c_value[] = FIVE_GROUPS "-" FIVE_GROUPS, pad_value[] = FIVE_GROUPS;

struct part {
    unsigned times, statements, first; /* the statements of table 1 in mix.stmt; others follow */
    bool of_table;                     /* else they are of none */
    char params[MOST_STATEMENTS][MOST_PARAMS + 1];
};

struct mix {
    uint64_t tables, rows;
    double range_size;
    struct rng begun, failed; /* the client's stream when the event began, and after its failure */
    sql_error_t error;        /* that of the failure */
    unsigned executed;        /* statements of the event, the one that fails included */
    bool ready;
    unsigned nparts, nstmts;
    sql_statement **stmt;
    struct part part[MOST_PARTS];
};

/* --- what Lua says --- */

static struct vm *vm_here(void)
{
    struct script_context *cx = context_get();

    return cx && cx->client && vm_of_context(cx)->script->run.in_c ? vm_of_context(cx) : NULL;
}

bool sb_mix_begin(double tables, double rows, double range_size)
{
    struct vm *vm = vm_here();

    if (!vm)
        return false;
    struct mix *m = vm->mix = vm->mix ? vm->mix : mem_alloc(sizeof *m);
    m->ready = false;
    m->nparts = m->nstmts = 0;
    m->tables = dist_argument(tables);
    m->rows = dist_argument(rows);
    m->range_size = range_size;
    return true;
}

void sb_mix_part(double times, const char *params, const char *more)
{
    struct vm *vm = vm_here();
    struct mix *m = vm ? vm->mix : NULL;
    const char *const texts[MOST_STATEMENTS] = {params, more};

    if (!m || m->nparts == MOST_PARTS)
        return;
    struct part *p = &m->part[m->nparts++];
    *p = (struct part){.times = (unsigned)times,
                       .first = m->nstmts,
                       .of_table = params != NULL,
                       .statements = more ? 2 : 1};
    for (int i = 0; i < MOST_STATEMENTS; i++)
        if (texts[i])
            strncpy(p->params[i], texts[i], MOST_PARAMS);
}

void sb_mix_statement(sql_statement *stmt)
{
    struct vm *vm = vm_here();
    struct mix *m = vm ? vm->mix : NULL;

    if (!m)
        return;
    m->stmt = mem_grow(m->stmt, m->nstmts + 1, sizeof *m->stmt);
    m->stmt[m->nstmts++] = stmt;
}

void sb_mix_end(void)
{
    struct vm *vm = vm_here();

    if (vm && vm->mix)
        vm->mix->ready = true;
}

bool mix_ready(const struct mix *m)
{
    return m && m->ready;
}

void mix_free(struct mix *m)
{
    if (m)
        free(m->stmt);
    free(m);
}

void mix_note_memory(const struct mix *m, struct prefetch_list *l)
{
    prefetch_add(l, m, offsetof(struct mix, part) + m->nparts * sizeof m->part[0]);
    prefetch_add(l, m->stmt, m->nstmts * sizeof *m->stmt);
}

/* --- an event --- */

static void set_params(const struct mix *m, const struct script_context *cx, const sql_bind *b,
                       const char *params, double *id)
{
    for (; *params; params++, b++) {
        double value = *id;
        *b->is_null = 0;
        switch (*params) {
        case 'c':
        case 'p':
            *b->data_len = (*params == 'c' ? sizeof c_value : sizeof pad_value) - 1;
            dist_string(cx->rng, *params == 'c' ? c_value : pad_value, *b->data_len, b->buffer);
            continue;
        case 'i': value = *id = (double)dist_default(cx->dist, cx->rng, 1, m->rows); break;
        case 'l': value = *id + m->range_size - 1; break;
        default: break; /* '=' */
        }
        *(int64_t *)b->buffer = (int64_t)value;
    }
}

bool mix_event(struct mix *m, struct script_context *cx)
{
    m->begun = *cx->rng;
    m->executed = 0;
    for (const struct part *p = m->part; p < m->part + m->nparts; p++) {
        sql_statement *const *s = m->stmt + p->first;
        if (p->of_table)
            s += (dist_uniform(cx->dist, cx->rng, 1, m->tables) - 1) * p->statements;
        for (unsigned i = 0; i < p->times; i++) {
            double id = 0;
            for (unsigned k = 0; p->of_table && k < p->statements; k++)
                set_params(m, cx, sql_params(s[k]), p->params[k], &id);
            for (unsigned k = 0; k < p->statements; k++) {
                m->executed++;
                sql_execute(s[k]);
                if (s[k]->connection->error != DB_ERROR_NONE) {
                    m->error = s[k]->connection->error;
                    return false;
                }
            }
        }
    }
    return true;
}

/* --- a failure --- */

void mix_fail(struct mix *m, struct script_context *cx)
{
    m->failed = *cx->rng; /* a pause before the next attempt to connect may have drawn, too */
    *cx->rng = m->begun;
    cx->failed = m;
}

sql_result *mix_execute(struct script_context *cx, sql_statement *s)
{
    struct mix *m = cx->failed;

    if (m->executed == 0)
        return sql_execute(s); /* of another attempt */
    if (--m->executed == 0)
        *cx->rng = m->failed;
    s->connection->error = m->executed ? DB_ERROR_NONE : m->error;
    return NULL;
}
