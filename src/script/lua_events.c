/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See lua_events.h.
 */
#include "script/lua_events.h"

#include "report/text.h"

static void set_text(lua_State *L, const char *name, const char *text)
{
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
}

static void set_number(lua_State *L, const char *name, double v)
{
    lua_pushnumber(L, v);
    lua_setfield(L, -2, name);
}

/* {{code = 1213, sqlstate = "40001", class = "deadlock", count = 2, total = 7, text = "..."}, ...}:
 * those that occurred in the period; code and sqlstate are nil if the server has none. */
static void set_errors(lua_State *L, const struct snapshot *s)
{
    int n = 0;

    lua_newtable(L);
    for (size_t i = 0; i < s->nby_code; i++) {
        const struct error_row *r = s->by_code[i].row;
        if (s->by_code[i].count == 0)
            continue;
        lua_newtable(L);
        if (r->code)
            set_number(L, "code", r->code);
        if (*r->sqlstate)
            set_text(L, "sqlstate", r->sqlstate);
        set_text(L, "class", r->class);
        set_number(L, "count", (double)s->by_code[i].count);
        set_number(L, "total", (double)r->count);
        set_text(L, "text", r->text);
        lua_rawseti(L, -2, ++n);
    }
    lua_setfield(L, -2, "errors_by_code");
}

/* {{kind = "stopped", time = 12.5, text = "..."}, ...}: those since the last report, in the final
 * one all; time as in time_total. */
static void set_incidents(lua_State *L, const struct snapshot *s)
{
    size_t from = s->kind == SNAPSHOT_FINAL ? 0 : s->incidents_told;

    lua_newtable(L);
    for (size_t i = from; i < s->incidents; i++) {
        struct str text = STR_INIT;
        incident_text(&text, &s->incident[i]);
        lua_newtable(L);
        set_text(L, "kind", incident_name(s->incident[i].kind));
        set_number(L, "time", incident_elapsed_s(s, &s->incident[i]));
        set_text(L, "text", str_cstr(&text));
        lua_rawseti(L, -2, (int)(i - from) + 1);
        str_free(&text);
    }
    lua_setfield(L, -2, "incidents");
}

void lua_events_set(lua_State *L, const struct snapshot *s)
{
    set_errors(L, s);
    set_incidents(L, s);
}
