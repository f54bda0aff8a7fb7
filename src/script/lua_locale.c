/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * os.setlocale() of scripts, for all categories but one.  A locale belongs to the process, and one
 * with a decimal comma would be in every report and result file: LC_NUMERIC stays "C".
 */
#include <lauxlib.h>
#include <locale.h>
#include <string.h>

#include "script/api.h"

static const char *const names[] = {"all", "collate", "ctype", "monetary", "numeric", "time", NULL};
static const int category[] = {LC_ALL, LC_COLLATE, LC_CTYPE, LC_MONETARY, LC_NUMERIC, LC_TIME};

/* A list of categories, which scripts have from us: with "C" for numbers. */
static bool is_list(const char *locale)
{
    return strstr(locale, "LC_NUMERIC=C;") != NULL;
}

/* Never LC_ALL with a name: another thread may print while it is set. */
static const char *set_all(const char *locale)
{
    static const int all[] = {LC_COLLATE, LC_CTYPE, LC_MONETARY, LC_TIME, LC_MESSAGES};

    if (is_list(locale))
        return setlocale(LC_ALL, locale);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!setlocale(all[i], locale))
            return NULL;
    return setlocale(LC_ALL, NULL);
}

int lua_locale_set(lua_State *L)
{
    const char *locale = luaL_optstring(L, 1, NULL), *is;
    int which = category[luaL_checkoption(L, 2, "all", names)];

    if (!locale)
        is = setlocale(which, NULL);
    else if (which == LC_ALL)
        is = set_all(locale);
    else if (which == LC_NUMERIC)
        is = strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0 ? "C" : NULL;
    else
        is = setlocale(which, locale);
    lua_pushstring(L, is);
    return 1;
}
