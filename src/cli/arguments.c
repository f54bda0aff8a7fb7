/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See app.h.  --compat is looked for first, because the rules for all other arguments depend
 * on it.  Commands that were copied from a typeset document begin with en dashes; they are changed
 * into "--" before anything else.
 */
#include "cli/app.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/near.h"
#include "cli/registry.h"
#include "opt/mask.h"

/* --- hints --- */

bool hint_is_command(const char *word)
{
    static const char *const commands[] = {"prepare", "run",     "cleanup",
                                           "help",    "prewarm", "warmup"};

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(word, commands[i]) == 0)
            return true;
    return false;
}

/* What pgbench's -c, -j, -T and -R are here; NULL of other words. */
static const char *of_pgbench(const char *text)
{
    static const char *const names[][2] = {
        {"c", "threads"}, {"j", "workers"}, {"T", "time"}, {"R", "tx-rate"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (*text == *names[i][0] && !isalpha((unsigned char)text[1]))
            return names[i][1];
    return NULL;
}

/* Words that cannot be names: "4" of "--threads 4", "-threads=4", "threads=4".  For options that
 * are not known yet, only numbers are taken for values. */
static bool hint_word(const struct app *a, const char *word, struct err *e)
{
    const char *before = "", *text = word ? word + opt_dashes(word) : "";
    struct opt_view v;
    bool known, dashed = text > word && *text;

    if (!word)
        return false;
    for (int i = 2; i < a->argc; i++)
        if (a->args[i] == word)
            before = a->args[i - 1];
    if (strncmp(before, "--", 2) == 0 && before[2] && !strchr(before, '=') &&
        (opts_view(a->opts, before + 2, &v) ? v.type != OPT_BOOL : isdigit((unsigned char)*word))) {
        err_append(e, "; did you mean %s=%s?", before, word);
        return true;
    }
    /* "--time=5 m" */
    static const char *const units[] = {"ms", "s", "m", "h", "k", "K", "M", "G", "T"};
    size_t digits = strlen(before);
    while (digits > 0 && isdigit((unsigned char)before[digits - 1]))
        digits--;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strncmp(before, "--", 2) == 0 && digits && before[digits] &&
            strchr("=.", before[digits - 1]) && strcmp(word, units[i]) == 0) {
            err_append(e, "; did you mean %s%s?", before, word);
            return true;
        }
    char *name = mem_strndup(text, strcspn(text, "="));
    known = *name && opt_exists(a->opts, name);
    free(name);
    if (dashed && (strcmp(text, "v") == 0 || strcmp(text, "V") == 0))
        err_append(e, "; did you mean --version?");
    else if (known && (dashed || strchr(text, '=')))
        err_append(e, "; did you mean --%s?", text);
    else if (dashed && of_pgbench(text))
        err_append(e, "; options begin with two dashes: did you mean --%s?", of_pgbench(text));
    else if (dashed)
        err_append(e, "; options begin with two dashes: see 'sysbench --help'");
    return (known && strchr(text, '=')) || dashed;
}

/* Of too many words, one may be the value of an option. */
static bool hint_misplaced(const struct app *a, const char *word, struct err *e)
{
    return hint_word(a, a->testname, e) || hint_word(a, a->command, e) || hint_word(a, word, e);
}

static bool is_bundled(const char *name)
{
    const struct bundled_script *b = script_bundled(name);

    return b && strcmp(b->name, name) == 0;
}

static bool is_test(const char *name)
{
    struct stat st;

    return registry_find(name) || is_bundled(name) ||
           (stat(name, &st) == 0 && !S_ISDIR(st.st_mode));
}

/* --- passwords that are words of their own --- */

/* How many bytes of a word stand before the password in it; -1: it has none.  It follows the bare
 * name of an option that holds one, or -p; or it begins with -p, as in MySQL's clients. */
static int before_password(const struct app *a, int i)
{
    const char *word = a->args[i], *before = a->args[i - 1], *name = before + opt_dashes(before);
    bool one = *word == '-' && opt_dashes(word) == 1;
    char *option = mem_strndup(word + one, strcspn(word + one, "="));
    bool of_client = one && word[1] == 'p' && word[2] && !opt_exists(a->opts, option);

    free(option);
    if (i > 1 && !opt_dashes(word) && name > before && !strchr(before, '=') &&
        (strcmp(before, "-p") == 0 || secret_by_typed_name(name)) && !hint_is_command(word) &&
        !is_test(word))
        return 0;
    return of_client ? 2 : -1;
}

/* Masks `word` behind its first `skip` bytes, where it stands alone or is cut off at the end of a
 * message of the greatest length. */
static void mask_word(char *msg, const char *word, size_t skip)
{
    bool cut = strlen(msg) == sizeof((struct err *)0)->msg - 1;
    size_t len = strlen(word);

    for (char *p = msg; len > skip && *p; p++) {
        size_t n = strlen(p) < len && cut ? strlen(p) : len;
        if (strncmp(p, word, n) != 0 || n <= skip ||
            (p > msg && isalnum((unsigned char)p[-1]) && isalnum((unsigned char)*word)) ||
            (isalnum((unsigned char)p[n]) && isalnum((unsigned char)p[n - 1])))
            continue;
        mask_value(p + skip, n - skip);
        p += skip;
    }
}

char *arguments_shown(const struct app *a, const char *msg)
{
    char *copy = mem_strdup(msg), *shown;

    for (int i = 1; i < a->argc; i++) {
        int skip = before_password(a, i);
        if (skip >= 0)
            mask_word(copy, a->args[i], (size_t)skip);
    }
    shown = secret_shown_message(copy);
    free(copy);
    return shown;
}

/* "tests/tpcc.lua" -> "tpcc", to be freed. */
static char *stem_of(const char *name)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    size_t n = strlen(base);

    return mem_strndup(base, n > 4 && strcmp(base + n - 4, ".lua") == 0 ? n - 4 : n);
}

/* Tests of 0.4 and 0.5, and what they are today. */
static const struct {
    const char *old, *now;
} old_tests[] = {
    {"oltp", "oltp_read_write or oltp_read_only; that of 0.4 is --compat=0.4 --test=oltp"},
    {"oltp_complex_ro", "oltp_read_only"},
    {"oltp_complex_rw", "oltp_read_write"},
    {"oltp_simple", "oltp_point_select"},
    {"select", "oltp_point_select"},
    {"insert", "oltp_insert"},
    {"delete", "oltp_delete"},
    {"update_index", "oltp_update_index"},
    {"update_non_index", "oltp_update_non_index"},
    {"parallel_prepare", "the command prepare, with --threads=N"},
};

/* Suggests built-in and bundled tests, and the scripts in the directory of the missing one. */
static int near_tests(const char *testname, const char *stem, struct err *e)
{
    const char *slash = strrchr(testname, '/');
    int len = slash ? (int)(slash - testname) + 1 : 0;
    char *directory = len ? mem_strndup(testname, (size_t)len) : mem_strdup("."), buf[NEAR_TEXT];
    DIR *d = opendir(directory);
    struct dirent *entry;
    struct near n;

    free(directory);
    near_begin(&n, stem);
    for (size_t i = 0; registry_builtin_at(i); i++)
        near_offer(&n, registry_builtin_at(i)->name);
    for (size_t i = 0; script_bundled_at(i); i++)
        near_offer(&n, script_bundled_at(i)->name);
    while (d && (entry = readdir(d))) {
        char *name = stem_of(entry->d_name);
        char *shown = mem_printf("%.*s%s", len, testname, entry->d_name);
        if (strlen(name) + 4 == strlen(entry->d_name))
            near_offer_as(&n, name, shown);
        free(name);
        free(shown);
    }
    if (d)
        closedir(d);
    return *near_text(&n, buf) ? near_suggest(&n, e)
                               : err_append(e, "; 'sysbench --help' lists the tests");
}

int hint_test(const struct app *a, struct err *e)
{
    const char *test = a->testname;
    struct stat st;
    size_t i;

    if (hint_word(a, test, e))
        return -1;
    if (hint_is_command(test) && a->command && is_test(a->command))
        return err_append(e, "; did you mean 'sysbench %s %s'?", a->command, test);
    if (strcmp(test, "help") == 0 || strcmp(test, "version") == 0)
        return err_append(e, "; did you mean --%s?", test);
    if (hint_is_command(test))
        return err_append(e, "; the test comes before the command: 'sysbench TEST %s'", test);
    if (is_bundled(test))
        return err_append(e, getenv("LUA_PATH")
                                 ? "; LUA_PATH replaces the search path of the bundled tests: "
                                   "append ';;' to it"
                                 : "; it comes with sysbench, but its script is not installed");
    if (stat(test, &st) == 0 && S_ISDIR(st.st_mode))
        return err_append(e, "; it is a directory");
    char *stem = stem_of(test);
    for (i = 0; i < sizeof old_tests / sizeof *old_tests; i++)
        if (strcmp(stem, old_tests[i].old) == 0)
            break;
    if (i < sizeof old_tests / sizeof *old_tests)
        err_append(e, "; today it is %s", old_tests[i].now);
    else
        near_tests(test, stem, e);
    free(stem);
    return -1;
}

/* Of a built-in test; NULL: it is not known which test. */
static void offer_command(const struct builtin *b, const char *command, struct near *n)
{
    if (!b || ((b->prepare || strcmp(command, "prepare") != 0) &&
               (b->cleanup || strcmp(command, "cleanup") != 0)))
        near_offer(n, command);
}

int hint_command(const struct app *a, struct err *e)
{
    static const char *const usual[] = {"prepare", "run", "cleanup", "help"};
    const struct builtin *b = a->testname ? registry_find(a->testname) : NULL;
    char buf[NEAR_TEXT];
    struct near n;

    if (hint_word(a, a->command, e))
        return -1;
    near_begin(&n, a->command);
    for (size_t i = 0; !a->script && i < sizeof usual / sizeof *usual; i++)
        offer_command(b, usual[i], &n);
    if (a->script)
        script_near_commands(a->script, &n);
    if (*near_text(&n, buf))
        return near_suggest(&n, e);
    if (is_test(a->command) && hint_is_command(a->testname))
        return err_append(e, "; did you mean 'sysbench %s %s'?", a->command, a->testname);
    return err_append(e, "; most tests have prepare, run, cleanup and help");
}

/* --- words --- */

/* In the words of old programs, and what was meant where one of them is a value. */
static int several_commands(const struct app *a, const char *word, struct err *e)
{
    err_set(e, ERR_SYNTAX, "Multiple commands are not allowed");
    if (!hint_misplaced(a, word, e))
        err_append(e, ".");
    return -1;
}

static int read_argument(struct app *a, const char *arg, struct err *e)
{
    const struct generation_facts *f = generation_of(a->opts);
    bool old = f->word_is_command;
    bool topic = strncmp(arg, "--help=", 7) == 0 && arg[7] && opt_bool_word(arg + 7) < 0 &&
                 (!f->long_help || strcmp(arg, "--help=all") == 0);

    a->help_topic = topic ? arg + 7 : a->help_topic;
    if (topic || strcmp(arg, "-h") == 0)
        return opts_set_arg(a->opts, "--help", e);
    if (strncmp(arg, "--test=", 7) == 0) {
        /* An empty name removes the one before it.  A word that stood before --test was the command
         * in 0.4 and 0.5.  1.0 takes it for a test, whose name is lost, and then does nothing. */
        if (!f->old_names_are_current)
            log_stderr(
                "WARNING: the --test option is deprecated. You can pass a script name or path "
                "on the command line without any options.");
        if (old && !a->test_option && a->command)
            return several_commands(a, NULL, e);
        if (!a->test_option)
            *(old ? &a->command : &a->word_before_test) = a->testname;
        a->testname = arg[7] ? arg + 7 : NULL;
        a->test_option = arg[7];
        return 0;
    }
    if (strncmp(arg, "--", 2) == 0)
        return opts_set_arg(a->opts, arg, e);
    if (!a->testname || !a->command) {
        *(a->testname ? &a->command : &a->testname) = arg;
        return 0;
    }
    if (a->test_option && old)
        return several_commands(a, arg, e);
    /* of "--threads 4 TEST run", the word that nobody expected is the 4 */
    for (int i = 1; i < a->argc && a->args[i] != arg; i++)
        if (a->args[i] == a->testname || a->args[i] == a->command) {
            struct err hint = {0};
            if (hint_word(a, a->args[i], &hint)) {
                err_set(e, ERR_SYNTAX, "Unrecognized command line argument: %s%s", a->args[i],
                        hint.msg);
                return -1;
            }
        }
    err_set(e, ERR_SYNTAX, "Unrecognized command line argument: %s", arg);
    if (!hint_word(a, arg, e))
        err_append(e, " (after the test '%s' and the command '%s')", a->testname, a->command);
    return -1;
}

int arguments_read(struct app *a, struct err *e)
{
    struct err ignored = {0};
    char *typeset = NULL, *whose;

    for (int i = 1; i < a->argc; i++) { /* changes typeset dashes, and says so once */
        char *arg = a->args[i];
        if (!opt_is_typeset(arg))
            continue;
        if (!typeset) /* without the value, which may be a password */
            typeset = mem_strndup(arg, strcspn(arg, "="));
        a->args[i] = mem_printf("--%s", arg + opt_dashes(arg));
        explicit_bzero(arg, strlen(arg));
        free(arg);
    }
    if (typeset)
        log_stderr("NOTE: a dash that was typeset (%s) is taken as --", typeset);
    free(typeset);
    /* --compat, from the command line or a file that is named there and can be read twice; whatever
     * else is wrong with these is found later */
    struct opts *o = opts_new();
    options_declare(o);
    for (int i = 1; i < a->argc; i++) {
        const char *arg = a->args[i];
        struct stat st;
        bool file =
            strncmp(arg, "--config-file=", 14) == 0 || strncmp(arg, "--config_file=", 14) == 0;
        if (strncmp(arg, "--compat=", 9) == 0 ||
            (file && stat(arg + 14, &st) == 0 && S_ISREG(st.st_mode)))
            opts_set_arg(o, arg, &ignored);
    }
    if (opt_given(o, "compat"))
        opt_set(a->opts, "compat", opt_str(o, "compat"), NULL);
    opts_free(o);
    const struct generation_facts *f = generation_of(a->opts);
    whose = mem_printf("sysbench %s", f->version);
    opts_set_rules(a->opts, &f->rules, whose);
    free(whose);
    for (int i = 1; i < a->argc; i++)
        if (read_argument(a, a->args[i], e))
            return -1;
    if (!a->command && a->word_before_test && hint_is_command(a->word_before_test))
        a->command = a->word_before_test;
    return 0;
}

bool arguments_ask_version(const struct app *a)
{
    const char *word = a->command ? a->command : a->testname;

    if (!word || strcmp(word, "version") != 0)
        return false;
    /* a script may have that name, or a command of that name; in 0.4 and 0.5 none had */
    return generation_of(a->opts)->word_is_command ||
           (a->command ? a->test_option && registry_find(a->testname) : !script_exists("version"));
}
