/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See arguments.h.  --compat is looked for first, because the rules for all other arguments depend
 * on it.  Commands that were copied from a typeset document begin with en dashes; they are changed
 * into "--" before anything else.
 */
#include "cli/arguments.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/hints.h"
#include "cli/registry.h"

#define TEST_DEPRECATED                                                                                 \
    "WARNING: the --test option is deprecated. You can pass a script name or path on the command line " \
    "without any options."

/* Changes typeset dashes, and says so once. */
static void read_dashes(struct app *a)
{
    char *first = NULL;

    for (int i = 1; i < a->argc; i++) {
        char *arg = a->args[i];
        if (!opt_is_typeset(arg))
            continue;
        if (!first) /* without the value, which may be a password */
            first = mem_strndup(arg, strcspn(arg, "="));
        a->args[i] = mem_printf("--%s", arg + opt_dashes(arg));
        explicit_bzero(arg, strlen(arg));
        free(arg);
    }
    if (first)
        log_stderr("NOTE: a dash that was typeset (%s) is taken as --", first);
    free(first);
}

/* Can be read twice: no pipe. */
static bool is_config_file(const char *arg)
{
    struct stat st;

    return (strncmp(arg, "--config-file=", 14) == 0 || strncmp(arg, "--config_file=", 14) == 0) &&
           stat(arg + 14, &st) == 0 && S_ISREG(st.st_mode);
}

/* --compat, from the command line or a file that is named there; whatever else is wrong with these
 * is found later. */
static void find_compat(struct app *a)
{
    struct opts *o = opts_new();
    struct err ignored = {0};

    options_declare(o);
    for (int i = 1; i < a->argc; i++)
        if (strncmp(a->args[i], "--compat=", 9) == 0 || is_config_file(a->args[i]))
            opts_set_arg(o, a->args[i], &ignored);
    if (opt_given(o, "compat"))
        opt_set(a->opts, "compat", opt_str(o, "compat"), NULL);
    opts_free(o);
}

static void read_compat(struct app *a)
{
    const struct generation_facts *f;
    struct str name = STR_INIT;

    find_compat(a);
    f = generation_of(a->opts);
    str_printf(&name, "sysbench %s", f->version);
    opts_set_rules(a->opts, &f->rules, str_cstr(&name));
    str_free(&name);
}

/* In the words of old programs, and what was meant where one of them is a value. */
static int several_commands(const struct app *a, const char *word, struct err *e)
{
    err_set(e, ERR_SYNTAX, "Multiple commands are not allowed");
    if (!hint_misplaced(a, word, e))
        err_append(e, ".");
    return -1;
}

static int read_word(struct app *a, const char *word, struct err *e)
{
    if (a->testname && a->command) {
        if (a->test_option && generation_of(a->opts)->old)
            return several_commands(a, word, e);
        err_set(e, ERR_SYNTAX, "Unrecognized command line argument: %s", word);
        return hint_surplus(a, word, e);
    }
    *(a->testname ? &a->command : &a->testname) = word;
    return 0;
}

/* An empty name removes the one before it.  A word that stood before --test was the command in 0.4
 * and 0.5.  1.0 takes it for a test, whose name is lost, and then does nothing. */
static int read_test(struct app *a, const char *name, struct err *e)
{
    if (!generation_of(a->opts)->old) {
        log_stderr(TEST_DEPRECATED);
        if (!a->test_option)
            a->word_before_test = a->testname;
    } else if (!a->test_option) {
        if (a->command)
            return several_commands(a, NULL, e);
        a->command = a->testname;
    }
    a->testname = *name ? name : NULL;
    a->test_option = *name;
    return 0;
}

static int read_argument(struct app *a, const char *arg, struct err *e)
{
    a->help_all = a->help_all || strcmp(arg, "--help=all") == 0;
    if (strcmp(arg, "-h") == 0 || strcmp(arg, "--help=all") == 0)
        return opts_set_arg(a->opts, "--help", e);
    if (strncmp(arg, "--", 2) != 0)
        return read_word(a, arg, e);
    return strncmp(arg, "--test=", 7) == 0 ? read_test(a, arg + 7, e)
                                           : opts_set_arg(a->opts, arg, e);
}

int arguments_read(struct app *a, struct err *e)
{
    read_dashes(a);
    read_compat(a);
    for (int i = 1; i < a->argc; i++)
        if (read_argument(a, a->args[i], e))
            return -1;
    if (!a->command && a->word_before_test && hint_is_command(a->word_before_test))
        a->command = a->word_before_test;
    return 0;
}

/* With an old --compat, a single word is the command: the test is what is missing. */
static bool is_command_alone(const struct app *a)
{
    return generation_of(a->opts)->old && !a->test_option && !a->command && a->testname;
}

/* A script may have that name, or a command of that name; in 0.4 and 0.5 none had. */
static bool version_is_free(const struct app *a)
{
    if (generation_of(a->opts)->old)
        return true;
    return a->command ? a->test_option && registry_find(a->testname) : !script_exists("version");
}

bool arguments_ask_version(const struct app *a)
{
    const char *word = a->command ? a->command : a->testname;

    return word && strcmp(word, "version") == 0 && version_is_free(a);
}

bool arguments_ask_help(const struct app *a)
{
    return is_command_alone(a) && strcmp(a->testname, "help") == 0;
}

static int unknown_command(const struct app *a, const char *command, struct err *e)
{
    struct app named = *a;

    named.testname = a->command ? a->testname : "";
    named.command = command;
    err_set(e, ERR_SYNTAX, "Unknown command: %s", command);
    return hint_command(&named, e);
}

int arguments_check(const struct app *a, struct err *e)
{
    bool alone = is_command_alone(a);
    const char *command = alone ? a->testname : a->command;

    if (!command)
        return err_set(e, ERR_SYNTAX, "Missing required command argument.");
    if ((alone || a->test_option) && !hint_is_command(command))
        return unknown_command(a, command, e);
    if (!alone)
        return 0;
    command_banner(a);
    return err_set(e, ERR_SYNTAX, "Missing required argument: --test.");
}
