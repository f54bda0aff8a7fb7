/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table: rows in the order of declaration, each with the text it was given and the value read
 * from it.  Text is kept because messages, sysbench.opt and reports show what the user typed.
 * Reading a value never stops anything: a row that could not be read carries its complaint until
 * opts_check() asks.  Parsing of argv and files is in opt_parse.c, help texts in opt_help.c.
 */
#include "opt/opt_table.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct opts *opts_new(void)
{
    return mem_alloc(sizeof(struct opts));
}

static void row_free(struct opt *r)
{
    free(r->name);
    free(r->shown);
    free(r->def);
    free(r->help);
    free(r->choices);
    free(r->value);
    free(r->shadow);
    for (size_t i = 0; i < r->nlist; i++)
        free(r->list[i]);
    free(r->list);
    free(r);
}

void opts_free(struct opts *o)
{
    if (!o)
        return;
    for (size_t i = 0; i < o->n; i++)
        row_free(o->row[i]);
    for (size_t i = 0; i < o->naside; i++) {
        free(o->aside[i].arg);
        free(o->aside[i].where);
    }
    free(o->aside);
    free(o->row);
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

static void list_clear(struct opt *r)
{
    for (size_t i = 0; i < r->nlist; i++)
        free(r->list[i]);
    r->nlist = 0;
}

/* Empty elements are dropped: "x,y,,z" has three. */
static void list_split(struct opt *r, const char *text)
{
    list_clear(r);
    while (*text) {
        size_t n = strcspn(text, ",");
        if (n > 0) {
            r->list = mem_grow(r->list, r->nlist + 1, sizeof *r->list);
            r->list[r->nlist++] = mem_strndup(text, n);
        }
        text += n + (text[n] == ',');
    }
}

/* Digits and one of K M G T, powers of 1024; "KB" and "KiB" mean the same as "K". */
static bool read_size(const char *text, int64_t *out)
{
    static const char letters[] = "kmgt";
    char *end;
    int64_t v, scale = 1;

    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    v = strtoll(text, &end, 10);
    if (errno)
        return false;
    if (*end) {
        const char *l = strchr(letters, tolower((unsigned char)*end));
        if (!l)
            return false;
        for (ptrdiff_t i = 0; i <= l - letters; i++)
            scale *= 1024;
        end++;
        if (*end == 'i')
            end++;
        if (*end == 'b' || *end == 'B')
            end++;
        if (*end)
            return false;
    }
    return !__builtin_mul_overflow(v, scale, out);
}

static bool read_int(const char *text, int64_t *out)
{
    char *end;
    long long v;

    errno = 0;
    v = strtoll(text, &end, 10);
    if (end == text || *end || errno || v < INT32_MIN || v > INT32_MAX)
        return false;
    *out = v;
    return true;
}

static bool read_double(const char *text, double *out)
{
    char *end;

    errno = 0;
    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out);
}

int opt_bool_word(const char *text)
{
    static const char *const on[] = {"on", "true", "1"}, *const off[] = {"off", "false", "0"};

    for (size_t i = 0; i < 3; i++) {
        if (strcmp(text, on[i]) == 0)
            return 1;
        if (strcmp(text, off[i]) == 0)
            return 0;
    }
    return -1;
}

static bool in_choices(const char *choices, const char *text)
{
    size_t len = strlen(text);

    while (*choices) {
        size_t n = strcspn(choices, "|");
        if (n == len && strncmp(choices, text, n) == 0)
            return true;
        choices += n + (choices[n] == '|');
    }
    return false;
}

static bool same_words(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((a[i] == '_' ? '-' : tolower((unsigned char)a[i])) != (b[i] == '_' ? '-' : tolower((unsigned char)b[i])))
            return false;
    return true;
}

bool opt_same_word(const char *a, const char *b)
{
    return strlen(a) == strlen(b) && same_words(a, b, strlen(a));
}

/* One of the modes of a BOOL with choices: 1, or 0 when it is the first of them.  -1: none. */
static int mode_word(const char *choices, const char *text)
{
    for (int first = 1; *choices; first = 0) {
        size_t n = strcspn(choices, "|");
        if (n == strlen(text) && same_words(choices, text, n))
            return !first;
        choices += n + (choices[n] == '|');
    }
    return -1;
}

/* A flag, or for a BOOL with choices one of its modes. */
static void read_bool(struct opt *r, const char *text)
{
    int word = opt_bool_word(text);

    if (word < 0 && r->choices) {
        word = mode_word(r->choices, text);
        r->bad = word < 0 ? OPT_NO_CHOICE : OPT_GOOD;
    }
    r->ival = word == 1;
}

/* The text into the typed fields; leaves r->bad saying whether it made sense. */
static void read_value(struct opt *r)
{
    const char *t = r->value ? r->value : "";
    bool ranged = r->min < r->max;

    r->bad = OPT_GOOD;
    r->ival = 0;
    r->dval = 0;
    list_clear(r);
    if (!*t && r->type != OPT_BOOL) {
        /* --opt= empties: 0, "", no elements; but not where only some numbers make sense */
        r->bad = r->value && ranged ? OPT_UNREADABLE : OPT_GOOD;
        return;
    }
    switch (r->type) {
    case OPT_BOOL:
        read_bool(r, t);
        break;
    case OPT_INT:
        r->bad = read_int(t, &r->ival) ? OPT_GOOD : OPT_UNREADABLE;
        r->dval = (double)r->ival;
        break;
    case OPT_SIZE:
        r->bad = read_size(t, &r->ival) ? OPT_GOOD : OPT_UNREADABLE;
        r->dval = (double)r->ival;
        break;
    case OPT_DOUBLE:
        r->bad = read_double(t, &r->dval) ? OPT_GOOD : OPT_UNREADABLE;
        break;
    case OPT_LIST:
        list_split(r, t);
        break;
    default:
        break;
    }
    if (r->bad == OPT_GOOD && ranged && (r->dval < r->min || r->dval > r->max))
        r->bad = OPT_OUT_OF_RANGE;
    if (r->choices && r->type != OPT_BOOL && !in_choices(r->choices, t))
        r->bad = OPT_NO_CHOICE;
}

void opt_assign(struct opt *r, const char *text, bool given)
{
    char *copy = text ? mem_strdup(text) : NULL;

    free(r->value);
    r->value = copy;
    r->given = r->given || given;
    read_value(r);
}

static char *dup_or_null(const char *s)
{
    return s ? mem_strdup(s) : NULL;
}

static void add_row(struct opts *o, enum opt_group g, const struct opt_row *row)
{
    struct opt *r = mem_alloc(sizeof *r);

    r->shown = mem_strdup(row->name);
    r->name = mem_strdup(row->name);
    for (char *p = r->name; *p; p++)
        if (*p == '-')
            *p = '_';
    r->type = row->type;
    r->group = g;
    r->flags = row->flags;
    r->min = row->min;
    r->max = row->max;
    r->def = dup_or_null(row->def);
    r->help = dup_or_null(row->help);
    r->choices = dup_or_null(row->choices);
    o->row = mem_grow(o->row, o->n + 1, sizeof(struct opt *));
    o->row[o->n++] = r;
    opt_assign(r, row->def, false);
}

void opts_add(struct opts *o, enum opt_group g, const struct opt_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct opt *old = opts_find(o, rows[i].name);
        if (!old) {
            add_row(o, g, &rows[i]);
        } else if (old->group != OPT_GROUP_TEST && g == OPT_GROUP_TEST) {
            /* the script sees its own default until the user gives a value; the engine never does */
            free(old->shadow);
            old->shadow = dup_or_null(rows[i].def);
            old->shared = true;
        }
    }
}

int opts_check(const struct opts *o, struct err *e)
{
    for (size_t i = 0; i < o->n; i++) {
        const struct opt *r = o->row[i];
        if (r->bad == OPT_UNREADABLE)
            return err_set(e, ERR_SYNTAX, "Invalid value for the '%s' option: '%s'", r->name, r->value);
        if (r->bad == OPT_OUT_OF_RANGE)
            return err_set(e, ERR_USAGE, "Invalid value for --%s: %s (allowed: %.12g to %.12g)", r->shown,
                           r->value, r->min, r->max);
        if (r->bad == OPT_NO_CHOICE)
            return err_set(e, ERR_USAGE, "Invalid value for --%s: '%s' (allowed: %s)", r->shown,
                           r->value ? r->value : "", r->choices);
    }
    return 0;
}

static struct opt *must_find(const struct opts *o, const char *name)
{
    struct opt *r = opts_find(o, name);
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

double opt_double(const struct opts *o, const char *name)
{
    return must_find(o, name)->dval;
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

bool opt_of_script(const struct opts *o, const char *name)
{
    return must_find(o, name)->shared;
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

bool opts_at(const struct opts *o, size_t i, struct opt_view *v)
{
    const struct opt *r;

    if (i >= o->n)
        return false;
    r = o->row[i];
    *v = (struct opt_view){.name = r->name, .shown = r->shown, .type = r->type, .group = r->group,
                           .flags = r->flags, .value = r->value ? r->value : "", .def = r->def,
                           .given = r->given};
    if (!r->given && r->shadow)
        v->value = r->shadow;
    return true;
}
