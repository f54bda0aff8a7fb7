/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What counts as a declaration of ours once more, and what becomes of the text around it.
 */
#include "script/api.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/test.h"

static const char *const ours[] = {
    "typedef enum {\n    A_ONE,\n    A_TWO = 5,\n    A_THREE\n} a_t;\n",
    "typedef struct {\n    const char *name;\n    a_t kind;\n} b_t;\nint f(b_t *b, size_t n);\n",
};

static const struct {
    const char *text, *left; /* NULL: nothing is taken out */
} cases[] = {
    {"", NULL},
    {"int f(b_t *, size_t);", NULL}, /* FFI takes that */
    {"typedef enum { A_ONE, A_TWO = 5, A_THREE } a_t;", ""},
    {"typedef enum { A_ONE = 0, A_TWO = 0x5, A_THREE = 6, } a_t;", ""},
    {"typedef enum{A_ONE,A_TWO=5,A_THREE}a_t;", ""},
    {"typedef enum { A_ONE, /* ; } */ A_TWO = 5, // ; }\n A_THREE } a_t;", "\n"},
    {"int g(void);\ntypedef struct { const char* name; a_t kind; } b_t;\nint h(b_t *);",
     "int g(void);\n\nint h(b_t *);"},
    {"typedef enum { A_ONE, A_TWO, A_THREE } a_t;", NULL}, /* other values */
    {"typedef enum { A_ONE, A_TWO = 5 } a_t;", NULL},      /* fewer */
    {"typedef enum { A_ONE, A_TWO = 2 + 3, A_THREE } a_t;", NULL},
    {"typedef enum { A_ONE = -0, A_TWO = 05, A_THREE } a_t;", ""},
    {"typedef enum { A_ONE = 08, A_TWO = 5, A_THREE } a_t;", NULL}, /* no number: FFI says so */
    {"typedef enum { A_ONE, A_TWO = 5, A_THREE = } a_t;", NULL},
    {"typedef enum { A_ONE, A_TWO = 5, A_THREE } other_t;", NULL},
    {"typedef enum tag { A_ONE, A_TWO = 5, A_THREE } a_t;", NULL}, /* the script may use the tag */
    {"typedef struct { const char *name; a_t kind; int more; } b_t;", NULL},
    {"typedef struct { const char *name; a_t kind; } b_t", NULL}, /* FFI says what is missing */
    {"typedef struct { const char *name; /* no end", NULL},
    {"typedef enum {} a_t;", NULL},
    {"}}} ; {{{ typedef", NULL},
};

/* Blanks stand for what was taken out. */
static void drop_blanks(char *s)
{
    char *to = s;
    size_t kept = 0;

    for (const char *from = s; *from; from++)
        if (*from != ' ' || (kept && from[-1] != ' ' && from[1] != ' ' && from[1] != '\0'))
            to[kept++] = *from;
    to[kept] = '\0';
}

static const char driver[] = "local module, ours, text = ...\n"
                             "return loadstring(module, '@sysbench.redeclared.lua')(ours)(text)\n";

TEST_MAIN(redeclared_test)
{
    lua_State *L = luaL_newstate();

    luaL_openlibs(L);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *want = cases[i].left ? cases[i].left : cases[i].text;
        char *left;
        CHECK_INT(luaL_loadstring(L, driver), 0);
        lua_pushstring(L, api_text("sysbench.redeclared.lua")->text);
        lua_pushfstring(L, "%s%s", ours[0], ours[1]);
        lua_pushstring(L, cases[i].text);
        TEST_REPORT(lua_pcall(L, 3, 1, 0) == 0, "%s: %s", cases[i].text, lua_tostring(L, -1));
        left = mem_strdup(lua_tostring(L, -1));
        CHECK_INT(strlen(left), strlen(cases[i].text));
        if (cases[i].left)
            drop_blanks(left);
        TEST_REPORT(strcmp(left, want) == 0, "%s: got %s", cases[i].text, left);
        free(left);
        lua_settop(L, 0);
    }
    lua_close(L);
    return test_done("redeclared");
}
