/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Text into the table: arguments of the command line and lines of a config file go through one
 * function, place(), and what it cannot place waits for the workload's options in `aside`.
 */
#include "opt/opt_table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "base/text_file.h"

/* A config file may name another one. */
#define MAX_DEPTH 16

void opts_keep_aside(struct opts *o, const char *arg, const char *where)
{
    o->aside = mem_grow(o->aside, o->naside + 1, sizeof *o->aside);
    o->aside[o->naside++] = (struct opt_aside){mem_strdup(arg), where ? mem_strdup(where) : NULL};
}

/* `value` NULL: a bare --name. */
static void set_value(struct opts *o, struct opt *r, const char *value)
{
    struct str buf = STR_INIT;
    char *main = opt_take_parts(o, r, value ? value : "");

    r->within = false;
    if (main) {
        const char *text = value ? opt_old_number(o, r, main, &buf) : "";
        if (r->flags & OPT_ADDS && r->given && *text && *r->value)
            opt_append(r, text);
        else
            opt_assign(r, text, true);
        explicit_bzero(main, strlen(main)); /* perhaps a password */
    }
    free(main);
    str_free(&buf);
}

/* 0 set, 1 unknown here, -1 error. */
static int set_option(struct opts *o, const char *name, const char *value, struct err *e)
{
    struct opt *r = opts_find(o, name);

    if (!r)
        return 1;
    if (r->type == OPT_BOOL) {
        const char *word = value ? opt_old_flag(o, r, value) : "on";
        if (opt_bool_word(word) < 0 && !r->choices)
            return 1;
        r->within = false;
        opt_assign(r, word, true);
        return 0;
    }
    if (r->type == OPT_FILE)
        return value && *value ? opts_read_file(o, value, e) : 0;
    set_value(o, r, value);
    return 0;
}

static int set_or_keep(struct opts *o, const char *arg, const char *where, bool keep, struct err *e)
{
    const char *eq = strchr(arg, '=');
    char *name = eq ? mem_strndup(arg + 2, (size_t)(eq - arg - 2)) : mem_strdup(arg + 2);
    int rc = *name ? set_option(o, name, eq ? eq + 1 : NULL, e) : 1;

    free(name);
    if (rc == 1 && keep) {
        opts_keep_aside(o, arg, where);
        return 0;
    }
    return rc;
}

size_t opt_dashes(const char *arg)
{
    /* hyphens, figure dash, en dash, em dash, bar, minus sign */
    static const char *const dashes[] = {"-",
                                         "\xe2\x80\x90",
                                         "\xe2\x80\x91",
                                         "\xe2\x80\x92",
                                         "\xe2\x80\x93",
                                         "\xe2\x80\x94",
                                         "\xe2\x80\x95",
                                         "\xe2\x88\x92"};
    size_t n = 0, i = 0;

    while (i < sizeof dashes / sizeof *dashes) {
        size_t len = strlen(dashes[i]);
        if (strncmp(arg + n, dashes[i], len) == 0) {
            n += len;
            i = 0;
        } else {
            i++;
        }
    }
    return n;
}

bool opt_is_typeset(const char *arg)
{
    size_t n = opt_dashes(arg);

    return n > strspn(arg, "-") && isalpha((unsigned char)arg[n]);
}

int opts_set_arg(struct opts *o, const char *arg, struct err *e)
{
    return set_or_keep(o, arg, NULL, true, e);
}

const char *opts_aside_at(const struct opts *o, size_t i)
{
    return i < o->naside ? o->aside[i].arg : NULL;
}

/* "--name" of "--name=value", to be freed. */
static char *option_name(const char *arg)
{
    return mem_strndup(arg, strcspn(arg, "="));
}

/* Suggests options with similar names, or says where the names are listed. */
static int suggest(const struct opts *o, const char *arg, struct err *e)
{
    char buf[NEAR_TEXT], *word = option_name(arg);
    const struct opt *negated = strncmp(word, "--no-", 5) == 0 ? opts_find(o, word + 5) : NULL;
    const struct opt *today = opt_old_name(o, word + 2);
    struct near near;

    near_begin(&near, word);
    for (size_t i = 0; i < o->n; i++) {
        char *name = mem_printf("--%s", o->row[i]->shown);
        if (!(o->row[i]->flags & OPT_HIDDEN))
            near_offer(&near, name);
        free(name);
    }
    if (today)
        err_append(e, "; today it is --%s", today->shown);
    else if (negated && negated->type == OPT_BOOL)
        err_append(e, "; did you mean --%s=off?", negated->shown);
    else if (*near_text(&near, buf))
        near_suggest(&near, e);
    else
        err_append(e, "; see 'sysbench --help' and 'sysbench TEST --help'");
    free(word);
    return -1;
}

/* Refuses an unknown name, or a flag that is neither on nor off. */
static int refuse_unknown(const struct opts *o, const struct opt_aside *a, struct err *e)
{
    char *name = option_name(a->arg);
    bool known = name[2] && opts_find(o, name + 2);

    if (o->rules.unknown == OPT_UNKNOWN_OLD)
        err_set(e, ERR_SYNTAX, "Unknown option: %s", name);
    else
        err_set(e, ERR_SYNTAX, "invalid option: %s", a->arg);
    free(name);
    if (a->where)
        err_append(e, " (%s)", a->where);
    return known ? err_append(e, " (allowed: on, off)") : suggest(o, a->arg, e);
}

/* Gives a legacy script without declared options any argument, as text.  1: the argument has no
 * name, or its name is known and the value was refused. */
static int take_argument(struct opts *o, const char *arg)
{
    const char *eq = strchr(arg, '=');
    char *name = eq ? mem_strndup(arg + 2, (size_t)(eq - arg - 2)) : mem_strdup(arg + 2);
    struct opt_row row = {.name = name, .type = OPT_STRING, .flags = OPT_MAY_BE_EMPTY | OPT_TAKEN};
    int rc = !*name || opts_find(o, name) != NULL;

    if (!rc) {
        opts_add(o, OPT_GROUP_TEST, &row, 1);
        opt_assign(opts_find(o, name), eq ? eq + 1 : "", true);
    }
    free(name);
    return rc;
}

/* A row that waited for a script which does not declare such an option is the program's again. */
static void give_back(struct opts *o, const char *arg)
{
    char *name = option_name(arg);
    struct opt *r = opts_find(o, name + 2) ? NULL : opts_find_yielded(o, name + 2);
    size_t i = 0;

    free(name);
    if (!r)
        return;
    while (o->yielded[i] != r)
        i++;
    o->yielded[i] = o->yielded[--o->nyielded];
    o->row = mem_grow(o->row, o->n + 1, sizeof *o->row);
    o->row[o->n++] = r;
}

static int refuse_bare(const struct opts *o, struct err *e)
{
    for (size_t i = 0; i < o->nbare; i++) {
        const char *name = o->bare[i].arg + strspn(o->bare[i].arg, "-");
        const struct opt *r = *name ? opts_find(o, name) : NULL;
        if (r)
            return err_set(e, ERR_SYNTAX, "%s: '%s' without '=' (%s=VALUE is needed)",
                           o->bare[i].where, o->bare[i].arg, r->shown);
    }
    return 0;
}

int opts_finish(struct opts *o, bool accept_unknown, struct err *e)
{
    accept_unknown = accept_unknown || o->rules.unknown == OPT_UNKNOWN_TAKEN;
    if (refuse_bare(o, e))
        return -1;
    for (size_t i = 0; i < o->naside; i++) {
        const struct opt_aside *a = &o->aside[i];
        int rc;

        give_back(o, a->arg);
        rc = set_or_keep(o, a->arg, a->where, false, e);
        if (rc < 0)
            return -1;
        if (rc == 0)
            continue;
        if (!accept_unknown || take_argument(o, a->arg))
            return refuse_unknown(o, a, e);
    }
    opts_apply_old(o);
    return 0;
}

/* The value of a config line into `out`.  Blanks end it, except around a comma; '#' begins a
 * comment, quotes protect both.  -1: a quote that is not closed. */
static int file_value(const char *s, struct str *out)
{
    while (isspace((unsigned char)*s))
        s++;
    while (*s && *s != '#') {
        const char *close;
        if (isspace((unsigned char)*s)) {
            while (isspace((unsigned char)*s))
                s++;
            if (*s != ',')
                break;
        }
        if (*s == '\'' || *s == '"') {
            close = strchr(s + 1, *s);
            if (!close)
                return -1;
            str_add(out, s + 1, (size_t)(close - s - 1));
            s = close + 1;
            continue;
        }
        str_add(out, s, 1);
        if (*s++ == ',')
            while (isspace((unsigned char)*s))
                s++;
    }
    return 0;
}

/* A line without '=' is noise, as in stock, but not if it looks like a setting: one or two words,
 * of which the first is an option.  Options of the test are not known yet, so opts_finish()
 * decides. */
static void keep_bare(struct opts *o, const char *line, const char *where)
{
    size_t name = strcspn(line, " \t\r"), blanks = strspn(line + name, " \t\r");
    const char *second = line + name + blanks;
    size_t rest = strcspn(second, " \t\r");

    if (name == 0 || second[rest + strspn(second + rest, " \t\r")])
        return;
    o->bare = mem_grow(o->bare, o->nbare + 1, sizeof *o->bare);
    o->bare[o->nbare++] = (struct opt_aside){mem_strndup(line, name), mem_strdup(where)};
}

static int file_line(struct opts *o, char *line, const char *path, int lineno, struct err *e)
{
    struct str arg = STR_INIT, where = STR_INIT;
    char *name = line, *eq, *end;
    int rc = 0;

    while (isspace((unsigned char)*name))
        name++;
    eq = strchr(name, '=');
    if (*name == '#' || *name == '[')
        return 0;
    str_printf(&where, "%s:%d", path, lineno);
    if (!eq) {
        keep_bare(o, name, where.s);
        str_free(&where);
        return 0;
    }
    for (end = eq; end > name && isspace((unsigned char)end[-1]); end--)
        ;
    str_printf(&arg, "--%.*s=", (int)(end - name), name);
    if (file_value(eq + 1, &arg) < 0)
        rc = err_set(e, ERR_SYNTAX, "%s: unexpected EOL on line %d", path, lineno);
    else
        rc = set_or_keep(o, arg.s, where.s, true, e);
    explicit_bzero(arg.s, arg.len); /* it may be a password */
    str_free(&arg);
    str_free(&where);
    return rc;
}

int opts_read_file(struct opts *o, const char *path, struct err *e)
{
    struct text_file t;
    char *line;
    int rc;

    if (o->depth == MAX_DEPTH)
        return err_set(e, ERR_SYNTAX, "%s: more than %d nested config files (does it name itself?)",
                       path, MAX_DEPTH);
    rc = text_file_read(&t, path, TEXT_FILE_WAIT_MS, e);
    if (rc) {
        err_add(e, "%s", path);
        e->kind = ERR_SYNTAX;
    }
    o->depth++;
    while (rc == 0 && (line = text_file_line(&t)) != NULL)
        rc = file_line(o, line, path, t.line, e);
    o->depth--;
    text_file_free(&t);
    return rc;
}
