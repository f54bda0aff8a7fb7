/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Is a test one of the scripts that come with the program?  Those wait for the database and for
 * nothing else, so the program may run their clients on workers by default
 * (plan_workers_by_default); of other scripts it does not know.  What counts is the content: the
 * file that will be run, and the module of ours that require() would find, must equal what was
 * built into the program.  It makes no difference where the files are, and a changed copy is not a
 * bundled script.  The scripts of 0.5 count too: script/legacy.h says where they are found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dist.h"
#include "base/mem.h"
#include "base/str.h"
#include "script/api.h"
#include "script/host.h"
#include "script/legacy.h"
#include "script/script.h"

#define TABLE                                                                                      \
    " table_size auto_inc create_secondary secondary reconnect mysql_storage_engine "              \
    "create_table_options pgsql_variant "
#define TABLES TABLE "tables "
#define POINTS "point_selects "
#define RANGES "range_selects range_size simple_ranges sum_ranges order_ranges distinct_ranges "
#define WRITES "index_updates non_index_updates delete_inserts "

static const struct bundled_script scripts[] = {
    {"oltp_read_only", "transactions of 14 SELECT statements", TABLES POINTS RANGES "skip_trx ",
     "--tables=4 --table-size=100k"},
    {"oltp_read_write", "transactions of 14 SELECT and 4 write statements",
     TABLES POINTS RANGES WRITES "skip_trx ", "--tables=4 --table-size=100k"},
    {"oltp_write_only", "transactions of 4 write statements", TABLES WRITES "skip_trx ",
     "--tables=4 --table-size=100k"},
    {"oltp_point_select", "SELECT of one row by primary key", TABLES,
     "--tables=4 --table-size=100k"},
    {"oltp_update_index", "UPDATE of one row, indexed column", TABLES "index_updates ",
     "--tables=4 --table-size=100k"},
    {"oltp_update_non_index", "UPDATE of one row, column without index",
     TABLES "non_index_updates ", "--tables=4 --table-size=100k"},
    {"oltp_delete", "DELETE of one row", TABLES, "--tables=4 --table-size=1M"},
    {"oltp_insert", "INSERT of one row", TABLES, "--tables=4 --table-size=100k"},
    {"bulk_insert", "INSERT statements of many rows each", " ", "--threads=4"},
    {"select_random_points", "SELECT of several rows by an IN list", TABLE "random_points ",
     "--table-size=100k"},
    {"select_random_ranges", "SELECT of several key ranges", TABLE "number_of_ranges delta ",
     "--table-size=100k"},
};

const struct bundled_script *script_bundled_at(size_t i)
{
    return i < sizeof scripts / sizeof *scripts ? &scripts[i] : NULL;
}

const struct bundled_script *script_bundled(const char *base)
{
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        size_t n = strlen(scripts[i].name);
        if (strncmp(base, scripts[i].name, n) == 0 && (!base[n] || strcmp(base + n, ".lua") == 0))
            return &scripts[i];
    }
    return NULL;
}

static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* The file of a module, found as require() does in a search path; NULL: none.  To be freed. */
static char *find_module(const char *search, const char *module)
{
    struct str path = STR_INIT;

    for (const char *p = search; *p; p += strspn(p, ";")) {
        str_reset(&path);
        for (; *p && *p != ';'; p++) {
            if (*p == '?')
                str_adds(&path, module);
            else
                str_add(&path, p, 1);
        }
        if (is_file(str_cstr(&path)))
            return path.s;
    }
    str_free(&path);
    return NULL;
}

/* The script of that name as it was built in. */
static const struct internal_lua *built_in(const char *name)
{
    char file[64];

    snprintf(file, sizeof file, "%s.lua", name);
    return api_text(file);
}

/* A pipe is not a copy: it can be read only once, by who runs the script. */
bool bundled_is_regular(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool is_copy(const char *path, const char *name)
{
    const struct internal_lua *ours = built_in(name);
    char *text = mem_alloc(ours->len + 1);
    FILE *f = bundled_is_regular(path) ? fopen(path, "rb") : NULL;
    bool is = f && fread(text, 1, ours->len + 1, f) == ours->len &&
              memcmp(text, ours->text, ours->len) == 0;

    if (f)
        fclose(f);
    free(text);
    return is;
}

/* The file that a test name leads to; NULL: none.  To be freed. */
static char *find_test(const char *search, const char *testname)
{
    return is_file(testname) ? mem_strdup(testname) : find_module(search, testname);
}

bool script_exists(const char *testname)
{
    struct str search = STR_INIT;

    api_search_path(&search);
    char *path = find_test(str_cstr(&search), testname);
    str_free(&search);
    free(path);
    return path != NULL;
}

/* A module that is not found is not run. */
static bool is_changed(const char *search, const char *part, const char *original)
{
    char *path = find_module(search, part);
    bool is = path && !is_copy(path, original);

    free(path);
    return is;
}

const struct internal_lua *bundled_text(const char *path)
{
    const char *slash = strrchr(path, '/');

    /* a name that 0.5 has too is 1.0's where 1.0 has its scripts: "/usr/share/sysbench/x.lua" */
    if (!slash ||
        (legacy_script(path) && !(slash - path >= 9 && !memcmp(slash - 9, "/sysbench", 9))))
        return NULL;
    const struct bundled_script *b = script_bundled(slash + 1);
    return b && strchr(slash, '.') ? built_in(b->name) : NULL;
}

/* Are the modules that the script loads ours? */
static bool has_our_parts(const char *search, const char *testname, bool legacy)
{
    const char *slash = strrchr(testname, '/');
    bool ours = true;

    if (!legacy)
        return !is_changed(search, "oltp_common", "oltp_common");
    /* common.lua is taken from the script's directory, or without one required */
    if (!slash)
        return !is_changed(search, "common", "legacy/common");
    char *common = mem_printf("%.*s/common.lua", (int)(slash - testname), testname);
    ours = !is_file(common) || is_copy(common, "legacy/common");
    free(common);
    return ours;
}

bool script_is_bundled(const char *testname)
{
    struct str search = STR_INIT;
    bool is = false, legacy;

    if (!testname)
        return false;
    api_search_path(&search);
    const char *found = str_cstr(&search);
    char *path = find_test(found, testname);
    for (size_t i = 0; path && !is && i < sizeof scripts / sizeof *scripts; i++)
        is = is_copy(path, scripts[i].name);
    if (!path) /* where there is no file they run from memory */
        is = bundled_text(testname) != NULL;
    is = is && has_our_parts(found, testname, false);
    const struct internal_lua *old = is ? NULL : legacy_script(path ? path : testname);
    if (old) {
        char *name = mem_strndup(old->name, strcspn(old->name, "."));
        legacy = !path || is_copy(path, name);
        is = legacy && has_our_parts(found, testname, true);
        free(name);
    }
    free(path);
    str_free(&search);
    return is;
}

/* --- limits --- */

#define MOST_INT   2147483647.0       /* of a column, a loop */
#define MOST_EXACT 9007199254740992.0 /* Lua counts no further */
#define MOST_DRAWN DIST_LARGEST

static const struct limit {
    const char *option;
    double least, most;
} limits[] = {
    {"tables", 1, MOST_INT},         {"table_size", 0, MOST_DRAWN},
    {"range_size", 0, MOST_INT},     {"point_selects", 0, MOST_INT},
    {"simple_ranges", 0, MOST_INT},  {"sum_ranges", 0, MOST_INT},
    {"order_ranges", 0, MOST_INT},   {"distinct_ranges", 0, MOST_INT},
    {"index_updates", 0, MOST_INT},  {"non_index_updates", 0, MOST_INT},
    {"delete_inserts", 0, MOST_INT}, {"reconnect", 0, MOST_EXACT},
    {"random_points", 1, 1e6},       {"number_of_ranges", 1, 1e6},
    {"delta", 0, MOST_INT},
};

int bundled_limits_check(const struct opts *o, const char *testname, struct err *e)
{
    struct opt_view v;

    for (size_t i = 0; opts_at(o, i, &v); i++)
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
            const struct limit *l = &limits[k];
            if (v.group == OPT_GROUP_TEST && v.type == OPT_DOUBLE && v.given &&
                strcmp(l->option, v.name) == 0 && (v.number < l->least || v.number > l->most) &&
                script_is_bundled(testname))
                return err_set(e, ERR_USAGE, "Invalid value for --%s: %s (allowed: %.16g to %.16g)",
                               v.shown, *v.value ? v.value : "''", l->least, l->most);
        }
    return 0;
}
