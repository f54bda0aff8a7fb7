/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See test_args.h.  States of several threads may set options at their top level, so what is set is
 * replaced as a whole, under a lock.
 */
#include "script/test_args.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "script/exports.h"

struct test_args {
    size_t n;
    struct opt_row *row;          /* its texts are ours */
    sb_opt_validate_t **validate; /* one a row; NULL: none */
};

/* Of script.args: an application has one script. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void test_args_free(struct test_args *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->n; i++) {
        free((char *)(uintptr_t)a->row[i].name);
        free((char *)(uintptr_t)a->row[i].help);
        free((char *)(uintptr_t)a->row[i].def);
    }
    free(a->row);
    free(a->validate);
    free(a);
}

/* What the option lacks; NULL: nothing. */
static const char *missing(const sb_arg_t *arg)
{
    unsigned type = (unsigned)arg->type;

    if (!arg->name || !*arg->name)
        return "name";
    if (!arg->desc)
        return "description";
    return type > SB_ARG_TYPE_NULL && type < SB_ARG_TYPE_MAX ? NULL : "known type";
}

static bool refused(const sb_arg_t *args, size_t n)
{
    for (size_t i = 0; args && i < n; i++) {
        const char *what = missing(&args[i]);
        if (what) {
            log_alert("sb_lua_set_test_args: option %zu of %zu has no %s", i + 1, n, what);
            return true;
        }
    }
    return n > 0 && !args;
}

static struct test_args *copy(const sb_arg_t *args, size_t n)
{
    struct test_args *a = mem_alloc(sizeof *a);

    a->n = n;
    a->row = mem_array(n ? n : 1, sizeof *a->row);
    a->validate = mem_array(n ? n : 1, sizeof(sb_opt_validate_t *));
    for (size_t i = 0; i < n; i++) {
        a->row[i].name = mem_strdup(args[i].name);
        a->row[i].help = mem_strdup(args[i].desc);
        a->row[i].def = args[i].value ? mem_strdup(args[i].value) : NULL;
        a->row[i].type = (enum opt_type)args[i].type;
        a->validate[i] = args[i].validate;
    }
    return a;
}

int sb_lua_set_test_args(sb_arg_t *args, size_t n)
{
    struct script_context *cx = context_get();
    struct test_args *old, *now;
    struct script *s;

    if (!cx || refused(args, n))
        return 1;
    s = vm_of_context(cx)->script;
    now = copy(args, n);
    pthread_mutex_lock(&lock);
    old = s->args;
    s->args = now;
    pthread_mutex_unlock(&lock);
    test_args_free(old);
    return 0;
}

void sb_print_test_options(void)
{
    struct script_context *cx = context_get();

    if (cx)
        script_print_options(vm_of_context(cx)->script);
}

/* accepts(value), upvalues: the validator and the option's name.  The validator may be a callback
 * of FFI. */
static int accepts(lua_State *L)
{
    sb_opt_validate_t *const *validate = lua_touserdata(L, lua_upvalueindex(1));

    lua_pushboolean(L, (*validate)(lua_tostring(L, lua_upvalueindex(2)), lua_tostring(L, 1)));
    return 1;
}

static void push_row(lua_State *L, const struct opt_row *row, sb_opt_validate_t *validate)
{
    lua_createtable(L, 0, 5);
    lua_pushstring(L, row->name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, row->help);
    lua_setfield(L, -2, "description");
    lua_pushstring(L, row->def); /* nil for NULL */
    lua_setfield(L, -2, "default");
    lua_pushinteger(L, (lua_Integer)row->type);
    lua_setfield(L, -2, "type");
    if (!validate)
        return;
    *(sb_opt_validate_t **)lua_newuserdata(L, sizeof(sb_opt_validate_t *)) = validate;
    lua_pushstring(L, row->name);
    lua_pushcclosure(L, accepts, 2);
    lua_setfield(L, -2, "accepts");
}

/* On the main thread, before other threads have the script: no lock, as Lua may raise an error
 * here. */
bool test_args_push(lua_State *L, struct script *s)
{
    const struct test_args *a = s->args;

    if (!a)
        return false;
    lua_createtable(L, (int)a->n, 0);
    for (size_t i = 0; i < a->n; i++) {
        push_row(L, &a->row[i], a->validate[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return true;
}

bool test_args_help(struct script *s, struct str *out)
{
    struct opts *o = opts_new();
    bool is;

    pthread_mutex_lock(&lock);
    is = s->args != NULL;
    if (is)
        opts_add(o, OPT_GROUP_TEST, s->args->row, s->args->n);
    pthread_mutex_unlock(&lock);
    if (is)
        opts_help(o, OPT_GROUP_TEST, false, NULL, out);
    opts_free(o);
    return is;
}
