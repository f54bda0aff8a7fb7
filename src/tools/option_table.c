/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prints the tests, their commands and all options with their values, for the shells' completions
 * (completion.awk): one fact a line, fields separated by tabs, "-" as the test of the general
 * options.
 *
 *     test     NAME  TITLE
 *     command  TEST  NAME
 *     option   TEST  NAME  KIND  VALUES  DESCRIPTION        KIND: bool number text list file
 *
 * usage: option_table SCRIPT.lua...     (parts of other scripts are left out)
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/registry.h"
#include "opt/generation.h"
#include "opt/random_options.h"
#include "script/script.h"
#include "sql/sql.h"
#include "sql/sql_options.h"

static const char *const commands[] = {"prepare", "prewarm", "warmup", "run", "cleanup", "help"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool is_value_char(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

/* A word of `n` bytes becomes a value, unless it is a placeholder or has blanks in it. */
static void add_value(struct str *out, const char *s, size_t n)
{
    for (; n && *s == ' '; s++, n--)
        ;
    for (size_t i = 0; i < n; i++)
        if (!is_value_char(s[i]))
            return;
    if (n == 0 || strspn(s, ".") >= n || (n == 4 && strncmp(s, "path", n) == 0))
        return;
    str_adds(out, out->len ? " " : "");
    str_add(out, s, n);
}

static void add_list(struct str *out, const char *s, size_t n, const char *separators)
{
    while (n) {
        size_t len = strcspn(s, separators);
        len = len < n ? len : n;
        add_value(out, s, len);
        s += len + (len < n);
        n -= len + (len < n);
    }
}

/* Where a row names no choices, its description often does: {a, b} or 'a'. */
static void described(struct str *out, const char *help)
{
    const char *open = strchr(help, '{'), *close = open ? strchr(open, '}') : NULL;

    if (close) {
        add_list(out, open + 1, (size_t)(close - open - 1), ",");
        return;
    }
    for (open = strstr(help, " '"); open; open = strstr(close, " '")) {
        close = strchr(open + 2, '\'');
        if (!close)
            return;
        add_value(out, open + 2, (size_t)(close - open - 2));
    }
}

static void drivers(struct str *out)
{
    for (size_t i = 0; sql_driver_at(i); i++)
        add_value(out, sql_driver_at(i)->sname, strlen(sql_driver_at(i)->sname));
}

static void values_of(struct str *out, const struct opt_view *v)
{
    if (v->type == OPT_BOOL)
        str_adds(out, "on off");
    if (strcmp(v->name, "db_driver") == 0)
        drivers(out);
    else if (v->choices)
        add_list(out, v->choices, strlen(v->choices), "|");
    else if (v->help && (v->type == OPT_STRING || v->type == OPT_LIST))
        described(out, v->help);
}

static bool is_path(const struct opt_view *v)
{
    static const char *const ends[] = {"_file",   "_log",    "_socket", "_ssl_key",
                                       "_ssl_ca", "_capath", "_cert",   "mark_on"};
    size_t n = strlen(v->name);

    for (size_t i = 0; i < COUNT(ends); i++)
        if (n >= strlen(ends[i]) && strcmp(v->name + n - strlen(ends[i]), ends[i]) == 0)
            return true;
    return v->type == OPT_FILE;
}

static const char *kind_of(const struct opt_view *v)
{
    static const char *const kind[] = {
        [OPT_NULL] = "text",     [OPT_BOOL] = "bool",   [OPT_INT] = "number", [OPT_SIZE] = "number",
        [OPT_DOUBLE] = "number", [OPT_STRING] = "text", [OPT_LIST] = "list",  [OPT_FILE] = "file",
    };
    return is_path(v) ? "file" : kind[v->type];
}

static void print_option(const char *test, const struct opt_view *v)
{
    struct str values = STR_INIT;

    values_of(&values, v);
    printf("option\t%s\t%s\t%s\t%s\t%s\n", test, v->shown, kind_of(v), str_cstr(&values),
           v->help ? v->help : "");
    str_free(&values);
}

/* A driver that was left out has no options: --help does not list them either. */
static bool is_left_out(enum opt_group g)
{
    for (size_t i = 0; sql_driver_at(i); i++)
        if (sql_options_group(i) == g)
            return false;
    return g >= OPT_GROUP_MYSQL && g < OPT_GROUP_TEST;
}

static void print_options(const char *test, const struct opts *o, bool own)
{
    struct opt_view v;

    for (size_t i = 0; opts_at(o, i, &v); i++)
        if ((v.group == OPT_GROUP_TEST) == own && !(v.flags & OPT_HIDDEN) && !is_left_out(v.group))
            print_option(test, &v);
}

static void print_builtin(const struct builtin *b)
{
    struct opts *o = opts_new();

    options_declare(o);
    b->options(o);
    printf("test\t%s\t%s\n", b->name, b->title);
    if (b->prepare)
        printf("command\t%s\tprepare\n", b->name);
    printf("command\t%s\trun\n", b->name);
    if (b->cleanup)
        printf("command\t%s\tcleanup\n", b->name);
    printf("command\t%s\thelp\n", b->name);
    print_options(b->name, o, true);
    opts_free(o);
}

/* ".../oltp_read_only.lua" -> "oltp_read_only" */
static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    path = slash ? slash + 1 : path;
    return mem_strndup(path, strcspn(path, "."));
}

static void print_declared(struct script *s, const char *name, const char *title,
                           const struct opts *o)
{
    struct err e = {0};

    printf("test\t%s\t%s\n", name, title);
    for (size_t i = 0; i < COUNT(commands); i++) {
        enum script_command_kind k = script_command_kind(s, commands[i], &e);
        if (k == SCRIPT_COMMAND_RUN || k == SCRIPT_COMMAND_CALL)
            printf("command\t%s\t%s\n", name, commands[i]);
    }
    print_options(name, o, true);
}

static int print_script(char *path, const char *title)
{
    char *argv[] = {(char *)"sysbench", path, (char *)"help", NULL};
    struct opts *o = opts_new();
    struct rng_seeder seeder;
    struct uniq uniq;
    struct err e = {0};
    struct dist_params dist;
    struct script *s = NULL;
    char *name = name_of(path);
    int rc;

    options_declare(o);
    rng_seeder_init(&seeder, 1);
    uniq_seed(&uniq, &seeder);
    rc = random_options_read(&dist, o, &e);
    if (rc == 0) {
        struct script_env env = {.argc = 3,
                                 .argv = argv,
                                 .testname = path,
                                 .command = "help",
                                 .opts = o,
                                 .dist = &dist,
                                 .uniq = &uniq,
                                 .seeder = &seeder,
                                 .generation = generation_of(o)};
        rng_seed(&env.rng, &seeder);
        rc = script_open(&s, &env, &e) || script_options(s, &e) ? -1 : 0;
    }
    if (rc == 0)
        print_declared(s, name, title, o);
    else
        fprintf(stderr, "option_table: %s: %s\n", path, e.msg);
    script_close(s);
    opts_free(o);
    rng_seeder_fini(&seeder);
    free(name);
    return rc;
}

/* The description of a bundled test; NULL: tests require this file, it is none itself. */
static const char *title_of(const char *path)
{
    const struct bundled_script *b;
    const char *title = NULL;
    char *name = name_of(path);

    for (size_t i = 0; !title && (b = script_bundled_at(i)) != NULL; i++)
        title = strcmp(b->name, name) == 0 ? b->title : NULL;
    free(name);
    return title;
}

int main(int argc, char **argv)
{
    struct opts *o = opts_new();
    int rc = 0;

    options_declare(o);
    generation_apply(o);
    print_options("-", o, false);
    opts_free(o);
    for (size_t i = 0; registry_builtin_at(i); i++)
        print_builtin(registry_builtin_at(i));
    for (int i = 1; i < argc; i++)
        if (title_of(argv[i]) && print_script(argv[i], title_of(argv[i])))
            rc = 1;
    return rc;
}
