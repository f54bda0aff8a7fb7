/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which tests are bundled scripts: by content, wherever they are, with all modules of ours that
 * would be found.
 */
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
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", dir, file);
    return path;
}

/* The file as it is built in, and `more`. */
static void copy(const char *file, const char *more)
{
    const struct internal_lua *text = api_text(file);
    FILE *f = fopen(path_of(file), "w");

    fwrite(text->text, 1, text->len, f);
    fputs(more, f);
    fclose(f);
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

/* Every module of ours counts, found or not. */
static void test_modules(void)
{
    static const char *const module[] = {"oltp_common.lua", "oltp_mix_common.lua",
                                         "oltp_tables.lua", "select_random_common.lua"};

    for (size_t i = 0; i < sizeof module / sizeof *module; i++) {
        copy(module[i], "");
        CHECK(script_is_bundled("oltp_read_only"));
        copy(module[i], "\n");
        CHECK(!script_is_bundled("oltp_read_only"));
        unlink(path_of(module[i]));
        CHECK(script_is_bundled("oltp_read_only"));
    }
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
    CHECK_INT(n, 11);
    CHECK(!api_text("oltp_read_only"));
}

int main(void)
{
    char search[64];

    if (!mkdtemp(dir))
        return 1;
    snprintf(search, sizeof search, "/nowhere/?.lua;%s/?.lua", dir);
    setenv("LUA_PATH", search, 1);
    test_list();
    test_content();
    test_modules();
    test_pipe();
    unlink(path_of("oltp_read_only.lua"));
    rmdir(dir);
    return test_done("bundled_test");
}
