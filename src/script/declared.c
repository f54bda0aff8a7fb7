/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which of the options that the user gave are the script's own, found in its text before it runs:
 *
 *     sysbench.cmdline.options = {server = {"Name of the server", "a"}}      sysbench my.lua
 * --server=b run
 *
 * The program has read its options, and acted on some, when the script's top level says what it
 * declares; but a script of 1.0 may use any name that 1.0 does not have.  So the text is searched
 * for the form of a declaration, `name = {"...`, for only those few names that the user gave
 * and 1.0 lacks.  Files that the script requires are searched, too.  Comments, texts and local
 * variables are no declarations, and without the word "cmdline" there is none at all: a name that
 * is taken for the script's by mistake ends the run.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "opt/opt.h"
#include "script/host.h"

enum { FILES_MAX = 32, FILE_BYTES = 1 << 20 };

struct search {
    const char *folder; /* of the script, with its slash; "" */
    size_t folder_len;
    char *file[FILES_MAX]; /* those that have been searched */
    size_t n;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The end of a text in long brackets, [[...]] or [==[...]==], that begins at s; NULL: none does. */
static const char *long_end(const char *s)
{
    size_t level = *s == '[' ? strspn(s + 1, "=") : 0;

    if (*s != '[' || s[1 + level] != '[')
        return NULL;
    for (s += level + 2; (s = strchr(s, ']')) != NULL; s++)
        if (strspn(s + 1, "=") == level && s[1 + level] == ']')
            return s + level + 2;
    return NULL;
}

/* What stands between two words: blanks and comments. */
static const char *skip_gap(const char *s)
{
    for (;;) {
        const char *end;
        s += strspn(s, " \t\r\n");
        if (strncmp(s, "--", 2) != 0)
            return s;
        end = long_end(s + 2);
        s = end ? end : s + strcspn(s, "\n");
    }
}

/* Behind a text in quotes; it does not go beyond its line. */
static const char *skip_quoted(const char *s)
{
    char quote = *s++;

    while (*s && *s != quote && *s != '\n')
        s += s[0] == '\\' && s[1] ? 2 : 1;
    return *s == quote ? s + 1 : s;
}

/* Behind a word, a text in quotes or brackets, or any other character. */
static const char *skip_token(const char *s)
{
    const char *end = long_end(s);

    if (end)
        return end;
    if (*s == '"' || *s == '\'')
        return skip_quoted(s);
    while (is_word(*s) && is_word(s[1]))
        s++;
    return s + 1;
}

/* Behind the name, which may be in quotes and brackets: ` = {"`. */
static bool is_declaration(const char *s)
{
    if (*s == '"' || *s == '\'')
        s++;
    s = skip_gap(s);
    if (*s == ']')
        s = skip_gap(s + 1);
    if (*s != '=')
        return false;
    s = skip_gap(s + 1);
    if (*s != '{')
        return false;
    s = skip_gap(s + 1);
    return *s == '"' || *s == '\'' || *s == '[';
}

/* '-' and '_' are the same in names of options. */
static bool begins_with(const char *s, const char *name)
{
    for (; *name; s++, name++)
        if (*s != *name && !(*s == '-' && *name == '_'))
            return false;
    return !is_word(*s);
}

/* The name, or a text in quotes that is nothing but the name. */
static bool is_named(const char *s, const char *name)
{
    if (*s != '"' && *s != '\'')
        return begins_with(s, name);
    return begins_with(s + 1, name) && s[1 + strlen(name)] == *s;
}

/* A local variable is no option. */
static bool declares(const char *text, const char *name)
{
    bool is_local = false;

    for (const char *s = skip_gap(text); *s; s = skip_gap(skip_token(s))) {
        bool quoted = *s == '"' || *s == '\'';
        if (!is_local && is_named(s, name) && is_declaration(s + quoted + strlen(name)))
            return true;
        is_local = begins_with(s, "local");
    }
    return false;
}

/* Given by the user, and unknown to 1.0. */
static bool is_candidate(const struct opt_view *v)
{
    return v->given && v->group != OPT_GROUP_TEST && v->flags & (OPT_OWN | OPT_OLD);
}

/* The name of the first such option that the user gave; false: there is none. */
static bool find_option(const struct opts *o, const char *text, char name[64])
{
    struct opt_view v;

    for (size_t i = 0; opts_at(o, i, &v); i++)
        if (is_candidate(&v) && declares(text, v.name)) {
            snprintf(name, 64, "%s", v.name);
            return true;
        }
    return false;
}

static char *read_text(const char *path)
{
    FILE *f = bundled_is_regular(path) ? fopen(path, "rb") : NULL;
    char *text;

    if (!f)
        return NULL;
    text = mem_alloc(FILE_BYTES + 1);
    text[fread(text, 1, FILE_BYTES, f)] = '\0';
    fclose(f);
    return text;
}

static bool is_known(const struct search *s, const char *path)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->file[i], path) == 0)
            return true;
    return s->n == FILES_MAX;
}

/* Takes the path. */
static void add_file(struct search *s, char *path)
{
    if (path && !is_known(s, path))
        s->file[s->n++] = path;
    else
        free(path);
}

/* The text in quotes that follows; "": something else does. */
static void literal(const char *s, char out[256])
{
    size_t n = 0;

    *out = '\0';
    s += strspn(s, " \t(");
    if (*s != '"' && *s != '\'')
        return;
    while (s[n + 1] && s[n + 1] != *s && s[n + 1] != '\n')
        n++;
    snprintf(out, 256, "%.*s", (int)n, s + 1);
}

/* "lib.common" is lib/common.lua. */
static void add_module(struct search *s, char *name)
{
    for (char *p = name; *p; p++)
        if (*p == '.')
            *p = '/';
    add_file(s, bundled_find(name));
    add_file(s, mem_printf("%.*s%s.lua", (int)s->folder_len, s->folder, name));
}

/* require("name"): in the search path, and beside the script.  dofile(...) is a path, mostly
 * relative to the script by a variable in front. */
static void add_mentioned(struct search *s, const char *text)
{
    char name[256];

    for (const char *at = text; (at = strstr(at, "require")); at += 7) {
        literal(at + 7, name);
        if (*name)
            add_module(s, name);
    }
    for (const char *at = text; (at = strstr(at, "dofile")); at += 6) {
        size_t line = strcspn(at, "\n"), quote = strcspn(at, "\"'");
        literal(quote < line ? at + quote : "", name);
        if (*name)
            add_file(s, mem_printf("%.*s%s", (int)s->folder_len, s->folder, name));
    }
}

/* Most command lines have none. */
static bool any_given(const struct opts *o)
{
    struct opt_view v;

    for (size_t i = 0; opts_at(o, i, &v); i++)
        if (is_candidate(&v))
            return true;
    return false;
}

/* Finds all files; false: none of them can declare an option. */
static bool search_files(struct search *s)
{
    bool any = false;

    for (size_t i = 0; i < s->n; i++) {
        char *text = read_text(s->file[i]);
        if (text) {
            add_mentioned(s, text);
            any = any || strstr(text, "cmdline");
        }
        free(text);
    }
    return any;
}

static void yield_declared(struct opts *o, const char *path)
{
    char *text = read_text(path), name[64];

    while (text && find_option(o, text, name))
        opts_yield(o, name);
    free(text);
}

void script_yield_options(struct opts *o, const char *testname)
{
    struct search s = {.folder = testname};
    const char *slash = strrchr(testname, '/');

    if (!any_given(o) || script_is_bundled(testname))
        return;
    s.folder_len = slash ? (size_t)(slash - testname) + 1 : 0;
    add_file(&s, bundled_find(testname));
    if (search_files(&s))
        for (size_t i = 0; i < s.n; i++)
            yield_declared(o, s.file[i]);
    for (size_t i = 0; i < s.n; i++)
        free(s.file[i]);
}
