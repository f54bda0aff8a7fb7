/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table: rows in the order of declaration, each with the text it was given and the value read
 * from it.  Text is kept because messages, sysbench.opt and reports show what the user typed.
 * Reading a value never fails: a row that could not be read keeps its complaint for opts_check().
 * Values are read in opt_value.c, parsing of argv and files is in opt_parse.c, lists of values and
 * help texts are in opt_text.c.
 */
#include "opt/opt_table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "opt/mask.h"

struct opts *opts_new(void)
{
    return mem_alloc(sizeof(struct opts));
}

static bool is_secret(const struct opt *r)
{
    return r->flags & (OPT_SECRET | OPT_SECRET_WITHIN | OPT_COMMAND);
}

static void free_value(struct opt *r)
{
    if (is_secret(r))
        hidden_free(r->value);
    else
        free(r->value);
    r->value = NULL;
}

static void row_free(struct opt *r)
{
    free(r->name);
    free(r->shown);
    free(r->title);
    free(r->def);
    free(r->help);
    free(r->choices);
    free(r->now);
    free(r->typed);
    free_value(r);
    if (r->scripts)
        row_free(r->scripts);
    for (size_t i = 0; i < r->nlist; i++)
        free(r->list[i]);
    free(r->list);
    free(r);
}

static void free_asides(struct opt_aside *a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        explicit_bzero(a[i].arg, strlen(a[i].arg)); /* perhaps a password */
        free(a[i].arg);
        free(a[i].where);
    }
    free(a);
}

void opts_free(struct opts *o)
{
    if (!o)
        return;
    for (size_t i = 0; i < o->n; i++)
        row_free(o->row[i]);
    for (size_t i = 0; i < o->nyielded; i++)
        row_free(o->yielded[i]);
    free_asides(o->aside, o->naside);
    free_asides(o->bare, o->nbare);
    free(o->whose);
    free(o->row);
    free(o->yielded);
    free(o);
}

/* '-' and '_' are one character in names. */
static bool same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        char x = *a == '-' ? '_' : *a, y = *b == '-' ? '_' : *b;
        if (x != y)
            return false;
    }
    return *a == *b;
}

struct opt *opts_find(const struct opts *o, const char *name)
{
    for (size_t i = 0; i < o->n; i++)
        if (same_name(o->row[i]->name, name))
            return o->row[i];
    return NULL;
}

bool opt_is_part(const struct opt *r, const struct opt *whole)
{
    return r->mark && strcmp(r->of, whole->shown) == 0;
}

static bool is_number(const struct opt *r)
{
    return r->type == OPT_INT || r->type == OPT_SIZE || r->type == OPT_DOUBLE;
}

/* The user's value as the script's type.  One that does not fit leaves the script its default, as
 * stock always does. */
static void tell_script(struct opt *r)
{
    struct opt *s = r->scripts;

    if (!s || !r->given)
        return;
    opt_assign(s, r->value, true);
    if (is_number(s) && (is_number(r) || r->flags & OPT_FIRST_NUMBER)) {
        s->dval = is_number(r) ? r->dval : r->value ? strtod(r->value, NULL) : 0;
        s->ival = is_number(r) ? r->ival : (int64_t)s->dval;
    } else if (s->bad != OPT_GOOD ||
               (s->type == OPT_BOOL && opt_bool_word(s->value ? s->value : "") < 0)) {
        opt_assign(s, s->def, false);
    }
}

void opt_assign(struct opt *r, const char *text, bool given)
{
    char *copy = !text ? NULL : is_secret(r) ? hidden_dup(text) : mem_strdup(text);

    free_value(r);
    r->value = copy;
    r->given = r->given || given;
    opt_read_value(r);
    tell_script(r);
}

void opt_append(struct opt *r, const char *text)
{
    char *both = mem_printf("%s%c%s", r->value, r->type == OPT_LIST ? ',' : '\n', text);

    if (r->type == OPT_LIST) {
        opt_assign(r, both, true);
        free(both);
        return;
    }
    opt_list_add(r, text, strlen(text));
    free_value(r);
    r->value = is_secret(r) ? hidden_dup(both) : mem_strdup(both);
    explicit_bzero(both, strlen(both)); /* perhaps a password */
    free(both);
}

static char *dup_or_null(const char *s)
{
    return s ? mem_strdup(s) : NULL;
}

void opts_keep_aside(struct opts *o, const char *arg, const char *where)
{
    o->aside = mem_grow(o->aside, o->naside + 1, sizeof *o->aside);
    o->aside[o->naside++] = (struct opt_aside){mem_strdup(arg), where ? mem_strdup(where) : NULL};
}

/* The row's name is free for the script's own option, and what the user gave waits for that.  The
 * program's readers find its default. */
static void yield(struct opts *o, struct opt *r)
{
    struct opt *now = r->moved && r->now ? opts_find(o, r->now) : NULL;
    size_t i = 0;

    while (o->row[i] != r)
        i++;
    o->row[i] = o->row[--o->n];
    if (r->given) {
        const char *value = r->typed ? r->typed : r->value;
        char *arg = *value ? mem_printf("--%s=%s", r->shown, value) : mem_printf("--%s", r->shown);
        opts_keep_aside(o, arg, NULL);
        explicit_bzero(arg, strlen(arg)); /* perhaps a password */
        free(arg);
    }
    if (now) { /* it had got the value */
        r->moved = now->given = false;
        opt_assign(now, now->def, false);
    }
    o->taken = o->taken || r->given;
    r->given = false;
    opt_assign(r, r->def, false);
    o->yielded = mem_grow(o->yielded, o->nyielded + 1, sizeof *o->yielded);
    o->yielded[o->nyielded++] = r;
}

bool opts_taken(const struct opts *o)
{
    return o->taken;
}

bool opts_wait_for_script(struct opts *o)
{
    for (size_t i = o->n; i-- > 0;) {
        struct opt *r = o->row[i];
        /* which have had their effect already */
        if (r->group == OPT_GROUP_CLUSTER || strcmp(r->name, "compat") == 0)
            continue;
        if (r->given && (r->flags & OPT_OWN || (r->flags & OPT_OLD && r->bad != OPT_GOOD)))
            yield(o, r);
    }
    return o->taken;
}

void opts_give_back(struct opts *o, const char *name)
{
    for (size_t i = 0; !opts_find(o, name) && i < o->nyielded; i++) {
        if (!same_name(o->yielded[i]->name, name))
            continue;
        o->row = mem_grow(o->row, o->n + 1, sizeof *o->row);
        o->row[o->n++] = o->yielded[i];
        o->yielded[i] = o->yielded[--o->nyielded];
        return;
    }
}

static struct opt *new_row(enum opt_group g, const struct opt_row *row)
{
    bool own = g == OPT_GROUP_CLIENTS || g == OPT_GROUP_RATE || g == OPT_GROUP_SERVER ||
               g == OPT_GROUP_CLUSTER;
    size_t mark = row->mark ? strcspn(row->mark, "=:") : 0;
    struct opt *r = mem_alloc(sizeof *r);

    *r = (struct opt){
        .name = mem_strdup(row->name),
        .shown = mem_strdup(row->name),
        .title = !mark || row->mark[mark] == ':'
                     ? mem_strdup(row->name)
                     : mem_printf("%s=%.*s", row->of, (int)mark, row->mark),
        .type = row->type,
        .group = g,
        .of = row->of,
        .mark = row->mark,
        .flags = row->flags | (own ? OPT_OWN : 0) |
                 (row->flags & OPT_OLD || row->mark ? OPT_HIDDEN : 0) |
                 (secret_by_name(row->name) ? OPT_SECRET : 0),
        .min = row->min,
        .max = row->max,
        .def = dup_or_null(row->def),
        .help = opt_help_text(row),
        .choices = dup_or_null(row->choices),
        .now = dup_or_null(row->now),
    };
    for (char *p = r->name; *p; p++)
        if (*p == '-')
            *p = '_';
    opt_assign(r, row->def, false);
    return r;
}

void opts_add(struct opts *o, enum opt_group g, const struct opt_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct opt *old = opts_find(o, rows[i].name);
        if (g == OPT_GROUP_TEST && old && old->group != g && old->flags & (OPT_OWN | OPT_OLD)) {
            yield(o, old);
            old = NULL;
        }
        if (!old) {
            o->row = mem_grow(o->row, o->n + 1, sizeof(struct opt *));
            o->row[o->n++] = new_row(g, &rows[i]);
        } else if (old->group != OPT_GROUP_TEST && g == OPT_GROUP_TEST && !old->scripts) {
            old->scripts = new_row(g, &rows[i]);
            tell_script(old);
        }
    }
}

int opts_check(const struct opts *o, struct err *e)
{
    for (size_t i = 0; i < o->n; i++) {
        const struct opt *r = o->row[i];
        switch (r->bad) {
        case OPT_GOOD: continue;
        case OPT_EMPTY: return err_set(e, ERR_USAGE, "--%s needs a value", r->title);
        case OPT_UNREADABLE: return opt_complain_number(r, e);
        case OPT_OUT_OF_RANGE:
            return err_set(e, ERR_USAGE, "Invalid value for --%s: %s (allowed: %.12g to %.12g)",
                           r->title, r->value, r->min, r->max);
        case OPT_NO_CHOICE: return opt_complain_choice(r, e);
        }
    }
    return 0;
}

static struct opt *must_find(const struct opts *o, const char *name)
{
    struct opt *r = opts_find(o, name);

    for (size_t i = 0; i < o->nyielded; i++)
        if (same_name(o->yielded[i]->name, name))
            r = o->yielded[i];
    assert(r);
    return r;
}

bool opt_bool(const struct opts *o, const char *name)
{
    return must_find(o, name)->ival != 0;
}

int64_t opt_int(const struct opts *o, const char *name)
{
    return must_find(o, name)->ival;
}

void opts_set_number(struct opts *o, const char *name, double number)
{
    must_find(o, name)->dval = number;
}

double opt_double(const struct opts *o, const char *name)
{
    return must_find(o, name)->dval;
}

dur_ns opt_time(const struct opts *o, const char *name)
{
    const struct opt *r = must_find(o, name);

    return (dur_ns)llround(r->dval * (double)opt_unit(r->flags));
}

const char *opt_str(const struct opts *o, const char *name)
{
    const char *v = must_find(o, name)->value;
    return v ? v : "";
}

char **opt_list(const struct opts *o, const char *name, size_t *n)
{
    const struct opt *r = must_find(o, name);
    *n = r->nlist;
    return r->list;
}

bool opt_given(const struct opts *o, const char *name)
{
    return must_find(o, name)->given;
}

bool opts_own_given(const struct opts *o, const char *except)
{
    for (size_t i = 0; i < o->n; i++)
        if (o->row[i]->given && o->row[i]->flags & OPT_OWN && !opt_is_among(o->row[i], except))
            return true;
    return false;
}

bool opt_of_script(const struct opts *o, const char *name)
{
    return must_find(o, name)->scripts != NULL;
}

bool opt_exists(const struct opts *o, const char *name)
{
    return opts_find(o, name) != NULL;
}

void opts_set_default(struct opts *o, const char *name, const char *def)
{
    struct opt *r = must_find(o, name);

    free(r->def);
    r->def = dup_or_null(def);
    if (!r->given)
        opt_assign(r, def, false);
}

void opts_unlist(struct opts *o, const char *name)
{
    must_find(o, name)->flags |= OPT_HIDDEN;
}

int opt_set(struct opts *o, const char *name, const char *value, struct err *e)
{
    struct opt *r = opts_find(o, name);

    if (!r)
        return err_set(e, ERR_SYNTAX, "invalid option: --%s", name);
    opt_assign(r, value, true);
    return 0;
}

void opts_note_reads(struct opts *o)
{
    o->notes = true;
}

bool opts_notes_reads(const struct opts *o)
{
    return o->notes;
}

void opt_note(const struct opts *o, const char *name)
{
    struct opt *r = opts_find(o, name);

    if (r)
        r->noted = true;
}

bool opts_at(const struct opts *o, size_t i, struct opt_view *v)
{
    const struct opt *r = i < o->n ? o->row[i] : NULL;
    const struct opt *now = r && r->now ? opts_find(o, r->now) : NULL;

    if (!r)
        return false;
    *v = (struct opt_view){.name = r->name,
                           .shown = r->shown,
                           .title = r->title,
                           .type = r->type,
                           .group = r->group,
                           .flags = r->flags,
                           .value = r->value ? r->value : "",
                           .def = r->def,
                           .number = r->dval,
                           .whole = r->ival,
                           .choices = r->choices,
                           .help = r->help ? r->help : "",
                           .given = r->given,
                           .noted = r->noted || (now && now->noted)};
    if (r->scripts) {
        const struct opt *s = r->scripts;
        v->type = s->type;
        v->flags &= ~(unsigned)OPT_FIRST_NUMBER;
        v->value = s->value ? s->value : "";
        v->number = s->dval;
        v->whole = s->ival;
    }
    return true;
}

bool opts_view(const struct opts *o, const char *name, struct opt_view *v)
{
    size_t i = 0;

    while (i < o->n && !same_name(o->row[i]->name, name))
        i++;
    return opts_at(o, i, v);
}
