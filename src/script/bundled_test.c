/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which tests are bundled scripts: by content, wherever they are, with all modules of ours that
 * would be found.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test.h"
#include "script/api.h"
#include "script/script.h"

static char dir[] = "/tmp/bundled_test.XXXXXX";

static const char *path_of(const char *file)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/%s", dir, file);
    return path;
}

/* The file as it is built in, and `more`. */
static void copy_as(const char *file, const char *name, const char *more)
{
    const struct internal_lua *text = api_text(name);
    FILE *f = fopen(path_of(file), "w");

    fwrite(text->text, 1, text->len, f);
    fputs(more, f);
    fclose(f);
}

static void copy(const char *file, const char *more)
{
    copy_as(file, file, more);
}

static void test_content(void)
{
    copy("oltp_read_only.lua", "");
    CHECK(script_is_bundled("oltp_read_only"));
    CHECK(script_is_bundled(path_of("oltp_read_only.lua")));
    CHECK(!script_is_bundled("oltp_write_only"));
    CHECK(!script_is_bundled(dir));
    CHECK(!script_is_bundled(NULL));
    copy("oltp_read_only.lua", "-- changed");
    CHECK(!script_is_bundled("oltp_read_only"));
    CHECK(!script_is_bundled(path_of("oltp_read_only.lua")));
    copy("oltp_read_only.lua", "");
}

static bool is_script(const char *file)
{
    for (size_t i = 0; script_bundled_at(i); i++) {
        const char *name = script_bundled_at(i)->name;
        if (strncmp(file, name, strlen(name)) == 0 && strcmp(file + strlen(name), ".lua") == 0)
            return true;
    }
    return false;
}

/* A module of ours counts, found or not. */
static void test_module(const char *file)
{
    copy(file, "");
    CHECK(script_is_bundled("oltp_read_only"));
    copy(file, "\n");
    CHECK(!script_is_bundled("oltp_read_only"));
    unlink(path_of(file));
    CHECK(script_is_bundled("oltp_read_only"));
}

/* All Lua files that are shipped: what is no test is a module. */
static void test_files(void)
{
    DIR *d = opendir(SB_SRCLUADIR);
    size_t scripts = 0, modules = 0;

    CHECK(d != NULL);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        const char *end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".lua") != 0)
            continue;
        if (is_script(entry->d_name)) {
            scripts++;
            continue;
        }
        test_module(entry->d_name);
        modules++;
    }
    if (d)
        closedir(d);
    CHECK(modules > 0);
    CHECK(scripts > 0 && script_bundled_at(scripts - 1) && !script_bundled_at(scripts));
}

/* A pipe can be read once only, and that is for who runs the script. */
static void test_pipe(void)
{
    unlink(path_of("oltp_read_only.lua"));
    CHECK_INT(mkfifo(path_of("oltp_read_only.lua"), 0600), 0);
    CHECK(!script_is_bundled("oltp_read_only"));
}

static void test_list(void)
{
    char file[64];
    size_t n = 0;

    for (const struct bundled_script *b; (b = script_bundled_at(n)); n++) {
        snprintf(file, sizeof file, "%s.lua", b->name);
        CHECK(api_text(file) != NULL);
        CHECK(*b->title);
    }
    CHECK(!api_text("oltp_read_only"));
}

/* The scripts of 0.5: without a file, from a copy, with a common.lua of ours or none. */
static void test_legacy(void)
{
    CHECK(script_is_bundled("/nowhere/tests/db/oltp.lua"));
    CHECK(script_is_bundled("oltp.lua"));
    CHECK(!script_is_bundled("/nowhere/tests/db/none.lua"));
    CHECK(script_is_bundled("/nowhere/sysbench/oltp_read_only.lua"));
    copy_as("oltp.lua", "legacy/oltp.lua", "");
    CHECK(script_is_bundled(path_of("oltp.lua")));
    copy_as("common.lua", "legacy/common.lua", "");
    CHECK(script_is_bundled(path_of("oltp.lua")));
    CHECK(script_is_bundled("oltp.lua"));
    copy_as("common.lua", "legacy/common.lua", "-- changed");
    CHECK(!script_is_bundled(path_of("oltp.lua")));
    CHECK(!script_is_bundled(path_of("insert.lua")));
    CHECK(!script_is_bundled("oltp.lua"));
    unlink(path_of("common.lua"));
    copy_as("oltp.lua", "legacy/oltp.lua", "-- changed");
    CHECK(!script_is_bundled(path_of("oltp.lua")));
    copy_as("oltp.lua", "legacy/select.lua", "");
    CHECK(!script_is_bundled(path_of("oltp.lua")));
    unlink(path_of("oltp.lua"));
}

TEST_MAIN(bundled_test)
{
    char search[64];

    if (!mkdtemp(dir))
        return 1;
    snprintf(search, sizeof search, "/nowhere/?.lua;%s/?.lua", dir);
    setenv("LUA_PATH", search, 1);
    test_list();
    test_legacy();
    test_content();
    test_files();
    test_pipe();
    unlink(path_of("oltp_read_only.lua"));
    rmdir(dir);
    return test_done("bundled_test");
}
