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
#include "script/script.h"
#include "sql/sql.h"
#include "sql/sql_options.h"

static const char *const commands[] = {"prepare", "prewarm", "warmup", "run", "cleanup", "help"};

/* A word of `n` bytes becomes a value, unless it is a placeholder or has blanks in it. */
static void add_value(struct str *out, const char *s, size_t n)
{
    for (; n && *s == ' '; s++, n--)
        ;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)s[i]) && !strchr("-_.", s[i]))
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

static void add_values(struct str *out, const struct opt_view *v)
{
    if (v->type == OPT_BOOL)
        str_adds(out, "on off");
    if (strcmp(v->name, "db_driver") == 0) {
        for (size_t i = 0; sql_class_at(i); i++)
            add_value(out, sql_class_at(i)->names.sname, strlen(sql_class_at(i)->names.sname));
        return;
    }
    if (v->choices)
        add_list(out, v->choices, strlen(v->choices), "|");
    if (v->choices || !v->help || (v->type != OPT_STRING && v->type != OPT_LIST))
        return;
    /* where a row names no choices, its description often does: {a, b} or 'a' */
    const char *open = strchr(v->help, '{');
    const char *close = open ? strchr(open, '}') : NULL;
    if (close) {
        add_list(out, open + 1, (size_t)(close - open - 1), ",");
        return;
    }
    for (open = strstr(v->help, " '"); open && (close = strchr(open + 2, '\'')) != NULL;
         open = strstr(close, " '"))
        add_value(out, open + 2, (size_t)(close - open - 2));
}

/* `reads`: only these of the test's own, " a b c "; NULL: all. */
static void print_options(const char *test, const struct opts *o, bool own, const char *reads)
{
    static const char *const kind[] = {
        [OPT_NULL] = "text",     [OPT_BOOL] = "bool",   [OPT_INT] = "number", [OPT_SIZE] = "number",
        [OPT_DOUBLE] = "number", [OPT_STRING] = "text", [OPT_LIST] = "list",  [OPT_FILE] = "file",
    };
    static const char *const path_ends[] = {"_file",   "_log",    "_socket", "_ssl_key",
                                            "_ssl_ca", "_capath", "_cert",   "mark_on"};
    struct opt_view v;

    for (size_t i = 0; opts_at(o, i, &v); i++) {
        struct str values = STR_INIT;
        size_t n = strlen(v.name);
        bool path = false, driver = v.group < OPT_GROUP_MYSQL || v.group >= OPT_GROUP_TEST;
        /* a driver that was left out has no options: --help does not list them either */
        for (size_t d = 0; sql_class_at(d); d++)
            driver |= sql_class_at(d)->options == v.group;
        if ((v.group == OPT_GROUP_TEST) != own || (v.flags & OPT_HIDDEN) || !driver)
            continue;
        char *word = mem_printf(" %s ", v.shown);
        bool read = !reads || strstr(reads, word);
        free(word);
        if (!read)
            continue;
        for (size_t k = 0; k < COUNT(path_ends); k++)
            path |= n >= strlen(path_ends[k]) &&
                    strcmp(v.name + n - strlen(path_ends[k]), path_ends[k]) == 0;
        add_values(&values, &v);
        printf("option\t%s\t%s\t%s\t%s\t%s\n", test, v.shown, path ? "file" : kind[v.type],
               str_cstr(&values), v.help ? v.help : "");
        str_free(&values);
    }
}

/* A bundled test: ".../oltp_read_only.lua" */
static int print_script(char *path, const struct bundled_script *b)
{
    char *argv[] = {(char *)"sysbench", path, (char *)"help", NULL};
    struct opts *o = opts_new();
    struct rng_seeder seeder;
    struct uniq uniq;
    struct err e = {0};
    struct dist_params dist;
    struct script *s = NULL;

    options_declare(o);
    rng_seeder_init(&seeder, 1);
    uniq_seed(&uniq, &seeder);
    int rc = random_options_read(&dist, o, &e);
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
    if (rc)
        fprintf(stderr, "option_table: %s: %s\n", path, e.msg);
    else
        printf("test\t%s\t%s\n", b->name, b->title);
    for (size_t i = 0; rc == 0 && i < COUNT(commands); i++) {
        enum script_command_kind k = script_command_kind(s, commands[i], &e);
        if (k == SCRIPT_COMMAND_RUN || k == SCRIPT_COMMAND_CALL)
            printf("command\t%s\t%s\n", b->name, commands[i]);
    }
    if (rc == 0)
        print_options(b->name, o, true, b->reads);
    script_close(s);
    opts_free(o);
    return rc;
}

int main(int argc, char **argv)
{
    struct opts *o = opts_new();
    const struct bundled_script *script;
    const struct builtin *b;
    int rc = 0;

    options_declare(o);
    generation_apply(o);
    print_options("-", o, false, NULL);
    opts_free(o);
    for (size_t i = 0; (b = registry_builtin_at(i)); i++) {
        o = opts_new();
        options_declare(o);
        builtin_options(b, o);
        printf("test\t%s\t%s\n", b->name, b->title);
        if (b->prepare)
            printf("command\t%s\tprepare\n", b->name);
        printf("command\t%s\trun\n", b->name);
        if (b->cleanup)
            printf("command\t%s\tcleanup\n", b->name);
        printf("command\t%s\thelp\n", b->name);
        print_options(b->name, o, true, NULL);
        opts_free(o);
    }
    for (int i = 1; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/'), *name = slash ? slash + 1 : argv[i];
        for (size_t k = 0; (script = script_bundled_at(k)) != NULL; k++)
            if (strlen(script->name) == strcspn(name, ".") &&
                strncmp(script->name, name, strlen(script->name)) == 0 && script->title &&
                print_script(argv[i], script))
                rc = 1;
    }
    return rc;
}
