/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sysbench.cmdline.options -> rows of the option table -> sysbench.opt.
 *
 * sysbench.cmdline.read_cmdline_options() (Lua) returns the declarations as sorted rows.  They are
 * added to the table of the process and to a table of the script, from which its help is printed: a
 * script option with the name of a general one has no row in the former.  Options that were
 * declared through C (test_args.h) are treated the same.
 */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "script/api.h"
#include "script/host.h"
#include "script/shared/shared.h"
#include "script/test_args.h"

static const char rows_key[] = "sysbench.options";
static const char watch_key[] = "sysbench.watch"; /* sysbench.noted.lua's function */

/* The field of the table on top as a C string that lives as long as the table; NULL for nil. */
static const char *text_field(lua_State *L, const char *name)
{
    lua_getfield(L, -1, name);
    const char *text = lua_tostring(L, -1);
    lua_pop(L, 1);
    return text;
}

/* Adds the script's rows to both option tables.  They stay in the registry: they hold the
 * validators. */
static int declare_options(struct script *s, struct err *e)
{
    lua_State *L = s->main->L;

    vm_push_api(s->main, "cmdline", "read_cmdline_options");
    if (vm_call(s->main, "sysbench.cmdline.read_cmdline_options", 0, 1, e))
        return -1;
    if (lua_istable(L, -1)) {
        test_args_free(s->args);
        s->args = NULL;
    } else {
        lua_pop(L, 1);
        if (!test_args_push(L, s))
            return 0;
    }
    size_t n = lua_objlen(L, -1);
    struct opt_row *rows = mem_array(n ? n : 1, sizeof *rows);
    for (size_t i = 0; i < n; i++) {
        lua_rawgeti(L, -1, (int)i + 1);
        lua_getfield(L, -1, "type");
        rows[i].type = (enum opt_type)lua_tointeger(L, -1);
        lua_pop(L, 1);
        rows[i].name = text_field(L, "name");
        rows[i].help = text_field(L, "description");
        rows[i].def = text_field(L, "default");
        rows[i].flags = OPT_MAY_BE_EMPTY | OPT_COUNT;
        lua_pop(L, 1);
    }
    s->own = opts_new();
    opts_add(s->own, OPT_GROUP_TEST, rows, n);
    /* as in stock, a flag without a default is on, and its help shows none */
    for (size_t i = 0; i < n; i++)
        if (rows[i].type == OPT_BOOL && !rows[i].def)
            rows[i].def = "on";
    opts_add(s->env.opts, OPT_GROUP_TEST, rows, n);
    free(rows);
    lua_setfield(L, LUA_REGISTRYINDEX, rows_key);
    return 0;
}

/* A script's validator refused the value: the argument as the user typed it, unless it came from a
 * file. */
static int refused_option(const struct script_env *env, const struct opt_view *v, struct err *e)
{
    for (int i = env->argc - 1; i > 0; i--) {
        const char *arg = env->argv[i];
        char *name = strncmp(arg, "--", 2) ? NULL : mem_strndup(arg + 2, strcspn(arg + 2, "="));
        bool is = name && opt_same_word(name, v->name);
        free(name);
        if (is)
            return err_set(e, ERR_SYNTAX, "invalid option: %s", arg);
    }
    return err_set(e, ERR_SYNTAX, "invalid option: --%s=%s", v->shown, v->value);
}

/* Passes the values that the user gave to the script's validators. */
static int validate(struct script *s, struct err *e)
{
    lua_State *L = s->main->L;
    int rc = 0, top = lua_gettop(L);

    lua_getfield(L, LUA_REGISTRYINDEX, rows_key);
    for (int i = 1, n = (int)lua_objlen(L, -1); i <= n && !rc; i++) {
        struct opt_view v;
        lua_rawgeti(L, top + 1, i);
        opts_view(s->env.opts, text_field(L, "name"), &v);
        lua_getfield(L, -1, "accepts");
        if (!lua_isnil(L, -1) && v.given) {
            lua_pushstring(L, v.value);
            rc = vm_call(s->main, "sysbench.cmdline.options", 1, 1, e);
            if (!rc && !lua_toboolean(L, -1))
                rc = refused_option(&s->env, &v, e);
        }
        lua_settop(L, top + 1);
    }
    lua_settop(L, top);
    return rc;
}

int script_options(struct script *s, struct err *e)
{
    if (declare_options(s, e) || opts_finish(s->env.opts, !s->own, e) ||
        opts_check(s->env.opts, e) || bundled_limits_check(s->env.opts, s->env.testname, e))
        return -1;
    if (s->own && validate(s, e))
        return -1;
    s->options_known = true;
    lua_options_export(s->main);
    return 0;
}

/* The value as a script sees it.  The text decides, not the typed readers: a script option named
 * like a general one has a default of its own. */
static void push_value(lua_State *L, const struct opt_view *v)
{
    const char *t = v->value;

    switch (v->type) {
    case OPT_BOOL:
        /* what the user gave may be a mode (opt.h), a default that the script declared is a word */
        lua_pushboolean(L, v->given ? v->whole != 0
                                    : !strcmp(t, "on") || !strcmp(t, "true") || !strcmp(t, "1"));
        break;
    case OPT_INT:
    case OPT_DOUBLE: lua_pushnumber(L, v->number); break;
    case OPT_SIZE: lua_pushnumber(L, (lua_Number)v->whole); break;
    case OPT_STRING: lua_pushstring(L, t); break;
    case OPT_LIST:
        if (v->flags & OPT_FIRST_NUMBER) {
            lua_pushnumber(L, strtod(t, NULL));
            break;
        }
        lua_newtable(L);
        for (size_t n; *t; t += n + (t[n] == ','))
            if ((n = strcspn(t, ",")) > 0) {
                lua_pushlstring(L, t, n);
                lua_rawseti(L, -2, (int)lua_objlen(L, -2) + 1);
            }
        break;
    default: lua_pushnil(L);
    }
}

/* --- --options-read --- */

static bool is_noted(const struct vm *vm)
{
    return opts_notes_reads(vm->script->env.opts) && !vm->cx.shared;
}

static int note(lua_State *L)
{
    const struct opts *o = lua_touserdata(L, lua_upvalueindex(1));

    if (lua_type(L, 1) == LUA_TSTRING)
        opt_note(o, lua_tostring(L, 1));
    return 0;
}

/* Protected: runs sysbench.noted.lua. */
static int note_reads(lua_State *L)
{
    struct vm *vm = lua_touserdata(L, 1);
    const struct internal_lua *m = api_text("sysbench.noted.lua");

    if (chunks_load_text(&vm->script->chunks, L, m->text, m->len, m->name, 1))
        lua_error(L);
    lua_pushlightuserdata(L, vm->script->env.opts);
    lua_pushcclosure(L, note, 1);
    lua_call(L, 1, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, watch_key);
    return 0;
}

void lua_options_note_reads(struct vm *vm)
{
    if (is_noted(vm) && lua_cpcall(vm->L, note_reads, vm)) {
        log_warn("--options-read: %s", vm_error_text(vm->L));
        lua_pop(vm->L, 1);
    }
}

/* Watches the table at index `t`, and there the values of the table at `values`, 0: its own. */
static void watch(lua_State *L, int t, int values)
{
    lua_getfield(L, LUA_REGISTRYINDEX, watch_key);
    lua_pushvalue(L, t);
    if (values)
        lua_pushvalue(L, values);
    lua_call(L, values ? 2 : 1, 0);
}

/* The table that gets the globals of 0.5: that of the script, or one that is watched in its place.
 */
static int push_globals(lua_State *L, const struct vm *vm)
{
    if (is_noted(vm))
        lua_newtable(L);
    else
        lua_pushvalue(L, LUA_GLOBALSINDEX);
    return lua_gettop(L);
}

/* --- globals, sysbench.opt --- */

/* Whose value the global of that name gets: its own, or the number of threads under its new name.
 */
static struct opt_view source_of(const struct opts *o, const struct opt_view *v)
{
    struct opt_view other;

    return strcmp(v->name, "num_threads") == 0 && !v->given && opts_view(o, "threads", &other)
               ? other
               : *v;
}

/* Protected: the globals of 0.5 as the top level of a script finds them. */
static int export_early(lua_State *L)
{
    const struct vm *vm = lua_touserdata(L, 1);
    const struct opts *o = vm->script->env.opts;
    struct opt_view v;
    const char *arg;
    int globals = push_globals(L, vm);

    for (size_t i = 0; opts_at(o, i, &v); i++) {
        lua_getglobal(L, v.name);
        if (v.given || lua_isnil(L, -1)) {
            struct opt_view source = source_of(o, &v);
            push_value(L, &source);
            lua_setfield(L, globals, v.name);
        }
        lua_pop(L, 1);
    }
    for (size_t i = 0; (arg = opts_aside_at(o, i)); i++) { /* not known as an option yet: text */
        size_t len = strcspn(arg + 2, "=");
        char *name = mem_strndup(arg + 2, len);
        for (char *p = name; *p; p++)
            if (*p == '-')
                *p = '_';
        lua_pushstring(L, arg[2 + len] ? arg + 2 + len + 1 : "");
        lua_setfield(L, globals, name);
        free(name);
    }
    if (is_noted(vm))
        watch(L, LUA_GLOBALSINDEX, globals);
    return 0;
}

void lua_options_export_early(struct vm *vm)
{
    const struct script *s = vm->script;

    if (!s->env.generation->options_are_globals || s->own)
        return;
    if (lua_cpcall(vm->L, export_early, vm))
        lua_pop(vm->L, 1); /* out of memory: the script will say so */
}

/* Our options that nobody asked for can be read but are not met by pairs(): scripts that print or
 * pass on all options find stock's.  tx_rate is the old name of 1.0's rate, too. */
static bool is_listed(const struct opt_view *v)
{
    return v->given || strcmp(v->name, "tx_rate") == 0 || v->group == OPT_GROUP_TEST ||
           !(v->flags & (OPT_OWN | OPT_OLD));
}

/* sysbench.opt on the stack. */
static void push_opt(lua_State *L, const struct vm *vm)
{
    struct shared_state *shared = vm->cx.shared;
    const struct opts *o = vm->script->env.opts;
    struct opt_view v;
    int listed = 0, n = 0;

    if (shared && shared_push_opt(L, shared))
        return;
    for (; opts_at(o, (size_t)n, &v); n++)
        listed += is_listed(&v);
    /* created at full size: a table that grows leaves garbage in every state */
    lua_createtable(L, 0, listed);
    lua_createtable(L, 0, 1);
    lua_createtable(L, 0, n - listed);
    for (size_t i = 0; opts_at(o, i, &v); i++) {
        push_value(L, &v);
        lua_setfield(L, is_listed(&v) ? -4 : -2, v.name);
    }
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    if (shared)
        shared_keep_opt(L, shared);
}

/* Protected: sysbench.opt, and for scripts of the 0.5 generation, which declare no options, the
 * globals that they read them as. */
static int export_all(lua_State *L)
{
    const struct vm *vm = lua_touserdata(L, 1);
    const struct opts *o = vm->script->env.opts;
    bool old = vm->script->env.generation->options_are_globals;
    struct opt_view v;

    lua_getglobal(L, "sysbench");
    push_opt(L, vm);
    int opt = lua_gettop(L), globals = push_globals(L, vm);
    lua_pushvalue(L, opt);
    lua_setfield(L, opt - 1, "opt");
    for (size_t i = 0; !vm->script->own && opts_at(o, i, &v); i++) {
        /* Of the options that 1.0 does not have, its scripts find those of databases of 0.4 and
         * 0.5, which old scripts build tables of.  The others stay nil unless given: `batch` or
         * `at` may be the script's own. */
        bool absent = !old && !is_listed(&v) && !(v.flags & OPT_OLD && v.group == OPT_GROUP_DB);
        lua_pushstring(L, v.name);
        if (old && is_noted(vm)) /* what is held back there is not to be noted */
            lua_rawget(L, LUA_GLOBALSINDEX);
        else
            lua_gettable(L, LUA_GLOBALSINDEX);
        /* What the script has made of such a name stays if it is a function, or if 1.0 has no such
         * option and the user gave none.  In 0.5 itself globals are there before the script, which
         * may change them. */
        if (!absent && !lua_isfunction(L, -1) && (lua_isnil(L, -1) || !(old || !is_listed(&v)))) {
            lua_getfield(L, opt, source_of(o, &v).name);
            lua_setfield(L, globals, v.name);
        }
        lua_pop(L, 1);
    }
    if (is_noted(vm)) {
        watch(L, opt, 0);
        watch(L, LUA_GLOBALSINDEX, globals);
    }
    return 0;
}

void lua_options_export(struct vm *vm)
{
    if (lua_cpcall(vm->L, export_all, vm)) {
        log_warn("sysbench.opt: %s", vm_error_text(vm->L));
        lua_pop(vm->L, 1);
    }
}

void script_options_help(struct script *s, struct str *out)
{
    const struct bundled_script *b = script_bundled(script_base_name(s));
    bool ours = b && s->env.generation->suggests_commands && script_is_bundled(s->env.testname);

    if (!test_args_help(s, out) && s->own)
        opts_help(s->own, OPT_GROUP_TEST, true, ours ? b->reads : NULL, out);
    if (!ours)
        return;
    str_adds(out, "\nFor example:\n");
    for (int i = 0; i < 3; i++)
        str_printf(out, "  sysbench %s%s%s %s\n", b->name, *b->example ? " " : "", b->example,
                   (const char *[]){"prepare", "--threads=16 --time=60 --report-interval=1 run",
                                    "cleanup"}[i]);
}

void script_print_options(struct script *s)
{
    struct str text = STR_INIT;

    script_options_help(s, &text);
    log_print("%s\n", str_cstr(&text));
    str_free(&text);
}

int lua_options_print(lua_State *L)
{
    script_print_options(vm_of(L)->script);
    return 0;
}
