/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See hints.h.  Words that cannot be names are checked first: a value that was given with a blank
 * instead of '=', an option with one dash, with a dash of typography, or with none.
 */
#include "cli/hints.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/near.h"
#include "cli/registry.h"

static const char commands[] = "prepare|run|cleanup|help";
/* Commands of the bundled scripts, besides those. */
static const char further_commands[] = "prewarm|warmup";

static bool is_one_of(const char *choices, const char *word)
{
    const char *at = choices;

    for (size_t n; *at; at += n + (at[n] == '|')) {
        n = strcspn(at, "|");
        if (strlen(word) == n && strncmp(at, word, n) == 0)
            return true;
    }
    return false;
}

bool hint_is_command(const char *word)
{
    return is_one_of(commands, word) || is_one_of(further_commands, word);
}

/* A dash, or two: "-", en dash, em dash, minus sign. */
static const char *behind_dashes(const char *word)
{
    static const char *const dashes[] = {"-", "\xe2\x80\x93", "\xe2\x80\x94", "\xe2\x88\x92"};

    for (size_t i = 0; i < sizeof dashes / sizeof *dashes; i++)
        if (strncmp(word, dashes[i], strlen(dashes[i])) == 0)
            return behind_dashes(word + strlen(dashes[i]));
    return word;
}

/* "-threads=4", "threads=4" */
static bool hint_dashes(const struct app *a, const char *word, struct err *e)
{
    const char *text = behind_dashes(word);
    char *name = mem_strndup(text, strcspn(text, "="));
    bool known = *name && opt_exists(a->opts, name), dashed = text > word && *text;

    if (dashed && (strcmp(text, "v") == 0 || strcmp(text, "V") == 0))
        err_append(e, "; did you mean --version?");
    else if (known && (dashed || strchr(text, '=')))
        err_append(e, "; did you mean --%s?", text);
    else if (dashed)
        err_append(e, "; options begin with two dashes: see 'sysbench --help'");
    free(name);
    return (known && strchr(text, '=')) || dashed;
}

/* "--threads 4": the value of the option before it.  For options that are not known yet, only
 * numbers. */
static bool hint_blank(const struct app *a, const char *word, struct err *e)
{
    int i = 1;
    const char *before;

    while (i < a->argc && a->args[i] != word)
        i++;
    before = i < a->argc && i > 1 ? a->args[i - 1] : "";
    if (strncmp(before, "--", 2) != 0 || !before[2] || strchr(before, '='))
        return false;
    if (opt_exists(a->opts, before + 2) ? opt_is_flag(a->opts, before + 2)
                                        : !isdigit((unsigned char)*word))
        return false;
    err_append(e, "; did you mean %s=%s?", before, word);
    return true;
}

static bool hint_word(const struct app *a, const char *word, struct err *e)
{
    return word && (hint_blank(a, word, e) || hint_dashes(a, word, e));
}

bool hint_misplaced(const struct app *a, const char *word, struct err *e)
{
    return hint_word(a, a->testname, e) || hint_word(a, a->command, e) || hint_word(a, word, e);
}

int hint_surplus(const struct app *a, const char *word, struct err *e)
{
    if (!hint_misplaced(a, word, e))
        err_append(e, " (after the test '%s' and the command '%s')", a->testname, a->command);
    return -1;
}

static bool is_bundled(const char *name)
{
    for (size_t i = 0; script_bundled_at(i); i++)
        if (strcmp(script_bundled_at(i)->name, name) == 0)
            return true;
    return false;
}

static bool is_test(const char *name)
{
    struct stat st;

    return registry_find(name) || is_bundled(name) ||
           (stat(name, &st) == 0 && !S_ISDIR(st.st_mode));
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

/* True, with today's name appended, for the name of an old test. */
static bool hint_old_test(const char *testname, struct err *e)
{
    char *stem = stem_of(testname);
    size_t i = 0;

    while (i < sizeof old_tests / sizeof *old_tests && strcmp(stem, old_tests[i].old) != 0)
        i++;
    free(stem);
    if (i == sizeof old_tests / sizeof *old_tests)
        return false;
    err_append(e, "; today it is %s", old_tests[i].now);
    return true;
}

/* Suggests the Lua scripts in the folder of the missing one. */
static void offer_files(struct near *n, const char *testname)
{
    const char *slash = strrchr(testname, '/');
    int len = slash ? (int)(slash - testname) + 1 : 0;
    char *folder = len ? mem_strndup(testname, (size_t)len) : mem_strdup(".");
    DIR *d = opendir(folder);
    struct dirent *entry;

    free(folder);
    while (d && (entry = readdir(d))) {
        char *stem = stem_of(entry->d_name),
             *shown = mem_printf("%.*s%s", len, testname, entry->d_name);
        if (strlen(stem) + 4 == strlen(entry->d_name))
            near_offer_as(n, stem, shown);
        free(stem);
        free(shown);
    }
    if (d)
        closedir(d);
}

static int near_tests(const char *testname, struct err *e)
{
    char buf[NEAR_TEXT], *stem = stem_of(testname);
    struct near n;

    near_begin(&n, stem);
    for (size_t i = 0; registry_builtin_at(i); i++)
        near_offer(&n, registry_builtin_at(i)->name);
    for (size_t i = 0; script_bundled_at(i); i++)
        near_offer(&n, script_bundled_at(i)->name);
    offer_files(&n, testname);
    if (*near_text(&n, buf))
        near_suggest(&n, e);
    else
        err_append(e, "; 'sysbench --help' lists the tests");
    free(stem);
    return -1;
}

int hint_test(const struct app *a, struct err *e)
{
    const char *test = a->testname;
    struct stat st;

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
        return err_append(e, "; it is a folder");
    return hint_old_test(test, e) ? -1 : near_tests(test, e);
}

int hint_command(const struct app *a, struct err *e)
{
    char buf[NEAR_TEXT];
    struct near n;

    if (hint_word(a, a->command, e))
        return -1;
    near_begin(&n, a->command);
    near_offer_choices(&n, commands);
    if (a->script)
        script_near_commands(a->script, &n);
    if (*near_text(&n, buf))
        return near_suggest(&n, e);
    if (is_test(a->command) && hint_is_command(a->testname))
        return err_append(e, "; did you mean 'sysbench %s %s'?", a->command, a->testname);
    return err_append(e, "; most tests have prepare, run, cleanup and help");
}
