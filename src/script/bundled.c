/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Is a test one of the scripts that come with the program?  Those are known to wait in the database and nowhere else, so how
 * their clients are carried may be chosen for the user (plan_carry_by_default); nobody knows that of other people's.  A
 * script of that name elsewhere in the search path, or a changed module of ours beside it, is other people's.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/str.h"
#include "script/api.h"
#include "script/script.h"

/* What the bundled scripts require. */
static const char *const parts[] = {"oltp_common", "oltp_tables", "select_random_common"};

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

static bool same_file(const char *a, const char *b)
{
    struct stat sa, sb;

    return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
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

/* "oltp_read_only", or a path that ends in it.  Other files in our folder are other people's. */
static const char *bundled_name(const char *testname)
{
    const char *base = strrchr(testname, '/') ? strrchr(testname, '/') + 1 : testname;

    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        const char *name = scripts[i].name;
        size_t n = strlen(name);
        if (strncmp(base, name, n) == 0 && (strcmp(base + n, "") == 0 || strcmp(base + n, ".lua") == 0))
            return name;
    }
    return NULL;
}

/* "/usr/share/sysbench/oltp_read_only.lua" */
static bool is_ours(const char *path, const char *name)
{
    char *ours = mem_printf("%s/%s.lua", api_script_folder(), name);
    bool is = same_file(path, ours);

    free(ours);
    return is;
}

/* Does the search lead to the file of that name in our folder? */
static bool leads_home(const char *search, const char *module)
{
    char *found = find_module(search, module);
    bool is = found && is_ours(found, module);

    free(found);
    return is;
}

bool script_is_bundled(const char *testname)
{
    struct str search = STR_INIT;
    const char *name = testname ? bundled_name(testname) : NULL;
    bool is;

    if (!name || getenv("LUA_PATH"))
        return false;
    api_search_path(&search);
    is = is_file(testname) ? is_ours(testname, name) : strcmp(testname, name) == 0 && leads_home(str_cstr(&search), name);
    for (size_t i = 0; is && i < sizeof parts / sizeof *parts; i++)
        is = leads_home(str_cstr(&search), parts[i]);
    str_free(&search);
    return is;
}
