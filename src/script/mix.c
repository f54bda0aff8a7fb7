/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See mix.h.  Each draw is that of the Lua function which it stands for (oltp_common.lua), with
 * that function's arithmetic in doubles, and in its order: a part draws a table, then for each
 * execution the values of all parameters, and only then executes.
 */
#include "script/mix.h"

#include <lauxlib.h>
#include <string.h>

#include "script/api.h"
#include "script/shared/shared.h"

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
    unsigned nparts;
    struct part part[MOST_PARTS];
    sql_statement *stmt[];
};

/* Of the table that the registry has for each vm with a mix. */
enum { MEMORY = 1, ON_FAILURE };

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

/* The statement that has failed; NULL: none. */
static sql_statement *const *run_parts(const struct mix *m, const struct script_context *cx)
{
    for (const struct part *p = m->part; p < m->part + m->nparts; p++) {
        sql_statement *const *s = m->stmt + p->first;
        if (p->of_table)
            s += (dist_uniform(cx->dist, cx->rng, 1, m->tables) - 1) * p->statements;
        for (unsigned i = 0; i < p->times; i++) {
            double id = 0;
            for (unsigned k = 0; p->of_table && k < p->statements; k++)
                set_params(m, cx, sql_params(s[k]), p->params[k], &id);
            for (unsigned k = 0; k < p->statements; k++) {
                sql_execute(s[k]);
                if (s[k]->connection->error != DB_ERROR_NONE)
                    return s + k;
            }
        }
    }
    return NULL;
}

bool mix_attempt(lua_State *L, struct vm *vm)
{
    const struct mix *m = vm->mix;
    bool begun = vm->cx.shared && shared_begin_wait(L);
    sql_statement *const *failed = run_parts(m, &vm->cx);

    shared_end_wait(begun);
    if (!failed)
        return true;
    lua_pushlightuserdata(L, vm);
    lua_rawget(L, LUA_REGISTRYINDEX);
    lua_rawgeti(L, -1, ON_FAILURE);
    lua_pushinteger(L, failed - m->stmt + 1);
    return lua_pcall(L, 1, 0, 0) == 0;
}

/* --- what Lua says --- */

static double number_of(lua_State *L, const char *field)
{
    lua_getfield(L, 1, field);
    double value = luaL_checknumber(L, -1);
    lua_pop(L, 1);
    return value;
}

/* {times, params, more, first = number of its first statement}, on top of the stack */
static void read_part(lua_State *L, struct part *p)
{
    int at = lua_gettop(L);

    lua_rawgeti(L, at, 1);
    p->times = (unsigned)luaL_checknumber(L, -1);
    lua_getfield(L, at, "first");
    p->first = (unsigned)luaL_checkinteger(L, -1) - 1;
    for (int i = 0; i < MOST_STATEMENTS; i++) {
        lua_rawgeti(L, at, 2 + i);
        const char *params = lua_tostring(L, -1);
        p->statements += i == 0 || params;
        p->of_table |= params != NULL;
        strncpy(p->params[i], params ? params : "", MOST_PARAMS);
    }
    lua_settop(L, at);
}

/*
 * sysbench.mix(nil): until more is said, the client's events are Lua's.
 * sysbench.mix{tables =, rows =, range_size =, statements =, failed =, part, ...}: they are C's, if
 * that may be.  `statements` are addresses, failed(i) raises the error of statement i.  A part
 * {times, params, more, first = i} executes a statement, or with `more` two, so many times; they
 * are those from i on, of table 1, then of table 2 and so on; without params one, of no table.
 */
int mix_say(lua_State *L)
{
    const struct script_context *cx = context_get();
    struct vm *vm = vm_of(L);

    if (!cx || !cx->client || !vm->script->run.in_c)
        return 0;
    vm->mix = NULL;
    if (lua_isnoneornil(L, 1))
        return 0;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_getfield(L, 1, "statements");
    size_t n = lua_objlen(L, -1);
    struct mix *m = lua_newuserdata(L, sizeof *m + n * sizeof m->stmt[0]);
    memset(m, 0, sizeof *m);
    lua_insert(L, -2);
    m->tables = dist_argument(number_of(L, "tables"));
    m->rows = dist_argument(number_of(L, "rows"));
    m->range_size = number_of(L, "range_size");
    for (size_t i = 0; i < n; i++) {
        lua_rawgeti(L, -1, (int)i + 1);
        m->stmt[i] = (sql_statement *)(uintptr_t)lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    while (m->nparts < MOST_PARTS && m->nparts < lua_objlen(L, 1)) {
        lua_rawgeti(L, 1, (int)m->nparts + 1);
        read_part(L, &m->part[m->nparts++]);
        lua_pop(L, 1);
    }
    lua_pushlightuserdata(L, vm); /* keeps both as long as the client is there */
    lua_createtable(L, 2, 0);
    lua_pushvalue(L, -4);
    lua_rawseti(L, -2, MEMORY);
    lua_getfield(L, 1, "failed");
    lua_rawseti(L, -2, ON_FAILURE);
    lua_rawset(L, LUA_REGISTRYINDEX);
    vm->mix = m;
    return 0;
}
