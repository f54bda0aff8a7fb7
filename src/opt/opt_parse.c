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

/* 0 set or kept aside, 1 unknown here, -1 error. */
static int set_or_keep(struct opts *o, const char *arg, const char *where, bool keep, struct err *e)
{
    const char *eq = strchr(arg, '='), *value = eq ? eq + 1 : NULL;  /* NULL: a bare --name */
    char *name = mem_strndup(arg + 2, strcspn(arg + 2, "=")), *main; /* "--name=value" */
    struct opt *r = *name ? opts_find(o, name) : NULL;
    const char *word = "on";
    struct str buf = STR_INIT;

    free(name);
    if (r && r->type == OPT_BOOL && value)
        word = opt_old_flag(o, r, value);
    if (!r ||
        (r->type == OPT_BOOL && opt_bool_word(word) < 0 && !r->choices && !opt_is_more(r, word))) {
        if (keep)
            opts_keep_aside(o, arg, where);
        return !keep;
    }
    if (r->type == OPT_FILE)
        return value && *value ? opts_read_file(o, value, e) : 0;
    if (r->type == OPT_BOOL) {
        r->within = false;
        opt_assign(r, word, true);
        return 0;
    }
    main = opt_take_parts(o, r, value ? value : "");
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
    return 0;
}

size_t opt_dashes(const char *arg)
{
    /* hyphens, figure dash, en dash, em dash, bar, minus sign */
    size_t n = 0;

    for (;;)
        if (arg[n] == '-')
            n++;
        else if ((strncmp(arg + n, "\xe2\x80", 2) == 0 && arg[n + 2] >= '\x90' &&
                  arg[n + 2] <= '\x95') ||
                 strncmp(arg + n, "\xe2\x88\x92", 3) == 0)
            n += 3;
        else
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

/* What other load generators call it. */
static const struct opt *elsewhere(const struct opts *o, const char *name)
{
    static const char *const names[][2] = {
        {"clients", "threads"}, {"concurrency", "threads"},   {"connections", "threads"},
        {"users", "threads"},   {"duration", "time"},         {"runtime", "time"},
        {"requests", "events"}, {"transactions", "events"},   {"rps", "tx-rate"},
        {"qps", "tx-rate"},     {"tps", "tx-rate"},           {"interval", "report-interval"},
        {"client", "threads"},  {"numjobs", "threads"},       {"jobs", "workers"},
        {"seed", "rand-seed"},  {"max-tries", "trx-retries"},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (opt_same_word(name, names[i][0]))
            return opts_find(o, names[i][1]);
    return NULL;
}

/* "--table-size" of table_size, to be freed: as the documents have it. */
static char *dashed(const char *name)
{
    char *whole = mem_printf("--%s", name);

    for (char *p = whole; (p = strchr(p, '_')) != NULL;)
        *p = '-';
    return whole;
}

/* Refuses an unknown name, or a flag that is neither on nor off; suggests options with similar
 * names, or says where the names are listed. */
static int refuse_unknown(const struct opts *o, const struct opt_aside *a, struct err *e)
{
    char buf[NEAR_TEXT], *word = mem_strndup(a->arg, strcspn(a->arg, "=")), *name = word + 2;
    const struct opt *negated = strncmp(name, "no-", 3) == 0 ? opts_find(o, name + 3) : NULL;
    const struct opt *today = opt_old_name(o, name), *same = elsewhere(o, name);
    const struct opt *known = today ? today : negated && negated->type == OPT_BOOL ? negated : same;
    struct near near;

    if (o->rules.unknown == OPT_UNKNOWN_OLD)
        err_set(e, ERR_SYNTAX, "Unknown option: %s", word);
    else
        err_set(e, ERR_SYNTAX, "invalid option: %s", a->arg);
    if (a->where)
        err_append(e, " (%s)", a->where);
    size_t len = strlen(word);
    char *meant = len > 3 && strcmp(word + len - 3, "pwd") == 0
                      ? mem_printf("%.*spassword", (int)(len - 3), word)
                      : mem_strdup(word);
    near_begin(&near, meant);
    for (size_t i = 0; i < o->n; i++) {
        /* "--host" is the part of "--mysql-host" that follows the driver's name */
        const char *shown = o->row[i]->shown, *dash = strchr(shown, '-');
        char *whole = dashed(shown);
        if (!(o->row[i]->flags & OPT_HIDDEN)) {
            near_offer(&near, whole);
            if (dash && dash - shown > 3 && strncmp(dash - 3, "sql", 3) == 0) {
                char *part = mem_printf("--%s", dash + 1);
                if (near_distance(meant, part) <= 1)
                    near_offer_as(&near, part, whole);
                free(part);
            }
        }
        free(whole);
    }
    char *right = known ? dashed(known->shown) : NULL;
    if (*name && opts_find(o, name))
        err_append(e, " (allowed: on, off)");
    else if (today)
        err_append(e, "; today it is %s", right);
    else if (known)
        err_append(e, "; did you mean %s%s?", right, known == same ? "" : "=off");
    else if (*near_text(&near, buf))
        near_suggest(&near, e);
    else
        err_append(e, "; see 'sysbench --help' and 'sysbench TEST --help'");
    free(right);
    free(meant);
    free(word);
    return -1;
}

int opts_finish(struct opts *o, bool declares_none, struct err *e)
{
    bool takes = o->rules.unknown == OPT_UNKNOWN_TAKEN ||
                 (declares_none && o->rules.unknown != OPT_UNKNOWN_REFUSED);

    for (size_t i = 0; i < o->nbare; i++) {
        const char *name = o->bare[i].arg + strspn(o->bare[i].arg, "-");
        const struct opt *r = *name ? opts_find(o, name) : NULL;
        if (r)
            return err_set(e, ERR_SYNTAX, "%s: '%s' without '=' (%s=VALUE is needed)",
                           o->bare[i].where, o->bare[i].arg, r->shown);
    }
    for (size_t i = 0; i < o->naside; i++) {
        const struct opt_aside *a = &o->aside[i];
        const char *eq = strchr(a->arg, '=');
        char *name = mem_strndup(a->arg + 2, strcspn(a->arg + 2, "="));
        struct opt_row taken = {
            .name = name, .type = OPT_STRING, .flags = OPT_MAY_BE_EMPTY | OPT_TAKEN};

        opts_give_back(o, name);
        int rc = set_or_keep(o, a->arg, a->where, false, e);
        if (rc == 1 && takes && *name && !opts_find(o, name)) {
            opts_add(o, OPT_GROUP_TEST, &taken, 1); /* a legacy script gets any, as text */
            opt_assign(opts_find(o, name), eq ? eq + 1 : "", true);
            rc = 0;
        }
        free(name);
        if (rc)
            return rc < 0 ? -1 : refuse_unknown(o, a, e);
    }
    opts_apply_old(o);
    return 0;
}

/* The value of a config line into `out`.  Blanks end it, except around a comma; '#' begins a
 * comment, quotes protect both.  Within quotes a backslash at the end of a line stands for a
 * newline: the value goes on in the next line.  -1: a quote that is not closed. */
static int file_value(const char *s, struct text_file *t, struct str *out)
{
    while (isspace((unsigned char)*s))
        s++;
    while (*s && *s != '#') {
        if (isspace((unsigned char)*s)) {
            while (isspace((unsigned char)*s))
                s++;
            if (*s != ',')
                break;
        }
        if (*s == '\'' || *s == '"') {
            const char quote = *s++, *close;
            while (!(close = strchr(s, quote))) {
                size_t n = strlen(s);
                const char *more = n > 0 && s[n - 1] == '\\' ? text_file_line(t) : NULL;
                if (!more)
                    return -1;
                str_add(out, s, n - 1);
                str_add(out, "\n", 1);
                s = more;
            }
            str_add(out, s, (size_t)(close - s));
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

static int file_line(struct opts *o, char *name, const char *path, struct text_file *t,
                     struct err *e)
{
    struct str arg = STR_INIT;
    char *eq = strchr(name, '='), *end = eq, *where;
    int rc = 0, lineno = t->line;

    while (isspace((unsigned char)*name))
        name++;
    if (*name == '#' || *name == '[')
        return 0;
    where = mem_printf("%s:%d", path, lineno);
    if (!eq) {
        /* Noise, as in stock, but not if it looks like a setting: one or two words, of which the
         * first is an option.  Options of the test are not known yet, so opts_finish() decides. */
        size_t n = strcspn(name, " \t\r");
        const char *second = name + n + strspn(name + n, " \t\r");
        size_t rest = strcspn(second, " \t\r");
        if (n > 0 && !second[rest + strspn(second + rest, " \t\r")]) {
            o->bare = mem_grow(o->bare, o->nbare + 1, sizeof *o->bare);
            o->bare[o->nbare++] = (struct opt_aside){mem_strndup(name, n), mem_strdup(where)};
        }
        free(where);
        return 0;
    }
    while (end > name && isspace((unsigned char)end[-1]))
        end--;
    str_printf(&arg, "--%.*s=", (int)(end - name), name);
    if (file_value(eq + 1, t, &arg) < 0)
        rc = err_set(e, ERR_SYNTAX, "%s: unexpected EOL on line %d", path, lineno);
    else
        rc = set_or_keep(o, arg.s, where, true, e);
    explicit_bzero(arg.s, arg.len); /* it may be a password */
    str_free(&arg);
    free(where);
    return rc;
}

int opts_read_file(struct opts *o, const char *path, struct err *e)
{
    struct text_file t;
    char *line;

    if (o->depth == MAX_DEPTH)
        return err_set(e, ERR_SYNTAX, "%s: more than %d nested config files (does it name itself?)",
                       path, MAX_DEPTH);
    int rc = strcmp(path, "-") == 0 ? text_file_read_input(&t, TEXT_FILE_WAIT_MS, e)
                                    : text_file_read(&t, path, TEXT_FILE_WAIT_MS, e);
    if (rc) {
        err_add(e, "%s", path);
        e->kind = ERR_SYNTAX;
    }
    o->depth++;
    while (rc == 0 && (line = text_file_line(&t)) != NULL)
        rc = file_line(o, line, path, &t, e);
    o->depth--;
    text_file_free(&t);
    return rc;
}
