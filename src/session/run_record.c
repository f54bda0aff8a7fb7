/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See run_record.h.
 */
#include "session/run_record.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "opt/secret.h"
#include "report/labels.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

/* A script's own option of this name may have any value. */
int run_record_labels(struct run_record *r, const struct opts *o, struct err *e)
{
    struct err why = {0};
    struct str all = STR_INIT;
    size_t n;
    char **given = opt_list(o, "label", &n);
    int rc;

    for (size_t i = 0; i < n; i++)
        str_printf(&all, "%s%s", i ? "," : "", given[i]);
    rc = report_labels_parse(&r->label, &r->info.labels, str_cstr(&all), &why);
    str_free(&all);
    r->info.label = r->label;
    if (rc == 0 || opt_of_script(o, "label"))
        return 0;
    *e = why;
    return rc;
}

/* True for a switch: its words are shown as true and false, a mode as it is. */
static bool is_flag(const char *text)
{
    static const char *const words[] = {"on", "off", "true", "false", "1", "0", ""};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

/* The value in effect of an option whose default the program chose; NULL: no such option. */
static char *chosen(const struct command_line *a, const struct plan *p, const struct opt_view *v)
{
    if (v->given)
        return NULL;
    if (strcmp(v->shown, "workers") == 0)
        return mem_printf("%d", p->workers);
    if (strcmp(v->shown, "lua-state") == 0)
        return mem_strdup(a->shared_lua_states ? "worker" : "client");
    return NULL;
}

static void read_option(struct report_option *r, const struct command_line *a, const struct plan *p,
                        const struct opt_view *v)
{
    char *ours = chosen(a, p, v), *shown = ours ? ours : secret_shown(a->opts, v->name, v->value);

    *r = (struct report_option){
        .name = v->shown, .value = shown, .given = v->given ? shown : NULL, .type = REPORT_TEXT};
    switch (v->type) {
    case OPT_BOOL:
        r->type = is_flag(v->value) ? REPORT_FLAG : REPORT_TEXT;
        r->number = opt_bool(a->opts, v->name);
        break;
    case OPT_INT:
        if (opt_beyond_number(v->flags, v->value)) /* a list of ports */
            break;
        r->type = REPORT_NUMBER;
        r->number = (double)opt_int(a->opts, v->name);
        break;
    case OPT_SIZE:
        r->type = REPORT_NUMBER;
        r->number = (double)opt_int(a->opts, v->name);
        break;
    case OPT_DOUBLE:
        if (opt_beyond_number(v->flags, v->value)) /* stages of a rate */
            break;
        r->type = REPORT_NUMBER;
        r->number = opt_double(a->opts, v->name);
        break;
    case OPT_LIST: r->type = REPORT_LIST; break;
    default: break;
    }
}

static void read_options(struct run_record *r, const struct command_line *a, const struct plan *p)
{
    struct opt_view v;
    size_t n = 0;

    while (opts_at(a->opts, n, &v))
        n++;
    r->option = mem_array(n, sizeof *r->option);
    for (size_t i = 0; i < n; i++) {
        opts_at(a->opts, i, &v);
        read_option(&r->option[i], a, p, &v);
    }
    r->info.option = r->option;
    r->info.options = n;
}

/* argv hides the passwords of our options only: a script may have some of its own. */
static void read_arguments(struct run_record *r, const struct command_line *a)
{
    r->argument = mem_array((size_t)a->argc + 1, sizeof *r->argument);
    for (int i = 0; i < a->argc; i++)
        r->argument[i] = secret_shown_arg(a->opts, a->argv[i]);
    r->info.argv = r->argument;
    r->info.argc = a->argc;
}

void run_record_fill(struct run_record *r, const struct command_line *a, const struct plan *p,
                     const struct environment *host)
{
    facts_read(&r->facts, host);
    read_options(r, a, p);
    read_arguments(r, a);
    r->info.version = PACKAGE_VERSION;
    r->info.test = a->test ? a->test : "-";
    r->info.command = a->command ? a->command : "run";
    r->info.fact = r->facts.fact;
    r->info.facts = r->facts.n;
    r->info.wall = clock_wall();
    r->info.intervals = p->report_interval > 0;
}

void run_record_free(struct run_record *r)
{
    for (size_t i = 0; i < r->info.options; i++)
        free((char *)(uintptr_t)r->option[i].value);
    free(r->option);
    for (int i = 0; i < r->info.argc; i++)
        free(r->argument[i]);
    free(r->argument);
    report_labels_free(r->label, r->info.labels);
    *r = (struct run_record){0};
}
