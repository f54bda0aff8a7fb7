/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Is a test one of the scripts that come with the program?  Those wait for the database and for
 * nothing else, so the program may run their clients on workers by default
 * (plan_workers_by_default); of other scripts it does not know.  What counts is the content: the
 * file that will be run, and every module of ours that require() would find, must equal what was
 * built into the program.  It makes no difference where the files are, and a changed copy is not a
 * bundled script.  The scripts of 0.5 count too: script/legacy.h says where they are found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/str.h"
#include "script/api.h"
#include "script/host.h"
#include "script/legacy.h"
#include "script/script.h"

/* What the bundled scripts require, directly or not. */
static const char *const parts[] = {"oltp_common", "oltp_load", "oltp_mix_common", "oltp_tables",
                                    "select_random_common"};

static const struct bundled_script scripts[] = {
    {"oltp_read_only", "transactions of 14 SELECT statements"},
    {"oltp_read_write", "transactions of 14 SELECT and 4 write statements"},
    {"oltp_write_only", "transactions of 4 write statements"},
    {"oltp_point_select", "SELECT of one row by primary key"},
    {"oltp_update_index", "UPDATE of one row, indexed column"},
    {"oltp_update_non_index", "UPDATE of one row, column without index"},
    {"oltp_delete", "DELETE of one row"},
    {"oltp_insert", "INSERT of one row"},
    {"bulk_insert", "INSERT statements of many rows each"},
    {"select_random_points", "SELECT of several rows by an IN list"},
    {"select_random_ranges", "SELECT of several key ranges"},
};

const struct bundled_script *script_bundled_at(size_t i)
{
    return i < sizeof scripts / sizeof *scripts ? &scripts[i] : NULL;
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

char *bundled_find(const char *testname)
{
    struct str search = STR_INIT;
    char *path;

    api_search_path(&search);
    path = find_test(str_cstr(&search), testname);
    str_free(&search);
    return path;
}

bool script_exists(const char *testname)
{
    char *path = bundled_find(testname);

    free(path);
    return path != NULL;
}

static bool is_copy_of_any(const char *path)
{
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (is_copy(path, scripts[i].name))
            return true;
    return false;
}

/* A module that is not found is not run. */
static bool is_changed(const char *search, const char *part, const char *original)
{
    char *path = find_module(search, part);
    bool is = path && !is_copy(path, original);

    free(path);
    return is;
}

static bool has_our_parts(const char *search)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (is_changed(search, parts[i], parts[i]))
            return false;
    return true;
}

/* --- the scripts of 0.5 --- */

/* Where there is no file they run from memory. */
static bool is_legacy(const char *testname, const char *path)
{
    const struct internal_lua *text = legacy_script(path ? path : testname);
    char name[64];

    if (!text || !path)
        return text != NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text->name, "."), text->name);
    return is_copy(path, name);
}

/* common.lua is taken from the script's folder, or without one required; and so are others. */
static bool has_our_legacy_parts(const char *search, const char *testname)
{
    const char *slash = strrchr(testname, '/');
    char *common;
    bool ours;

    if (is_changed(search, "oltp_legacy/random", "legacy/random"))
        return false;
    if (!slash)
        return !is_changed(search, "common", "legacy/common");
    common = mem_printf("%.*s/common.lua", (int)(slash - testname), testname);
    ours = !is_file(common) || is_copy(common, "legacy/common");
    free(common);
    return ours;
}

/* "/usr/share/sysbench/x.lua": is it a folder where 1.0 has its scripts? */
static bool in_folder_of_1_0(const char *path, const char *slash)
{
    static const char folder[] = "/sysbench";
    size_t n = strlen(folder);

    return slash - path >= (ptrdiff_t)n && memcmp(slash - n, folder, n) == 0;
}

const struct internal_lua *bundled_text(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n;

    if (!slash || (legacy_script(path) && !in_folder_of_1_0(path, slash)))
        return NULL;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        n = strlen(scripts[i].name);
        if (strncmp(slash + 1, scripts[i].name, n) == 0 && strcmp(slash + 1 + n, ".lua") == 0)
            return built_in(scripts[i].name);
    }
    return NULL;
}

bool script_is_bundled(const char *testname)
{
    struct str search = STR_INIT;
    const char *found;
    char *path;
    bool is;

    if (!testname)
        return false;
    api_search_path(&search);
    found = str_cstr(&search);
    path = find_test(found, testname);
    is = ((path ? is_copy_of_any(path) : bundled_text(testname) != NULL) && has_our_parts(found)) ||
         (is_legacy(testname, path) && has_our_legacy_parts(found, testname));
    free(path);
    str_free(&search);
    return is;
}
