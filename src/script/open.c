/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From a name on the command line to a script with its main state: a readable file, a module on the
 * search path, a script of 0.5 (legacy.h), or standard input.
 */
#include "script/script.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "script/api.h"
#include "script/host.h"
#include "script/legacy.h"
#include "script/loading.h"

/* A script is a text; /dev/zero and an endless pipe would fill the memory. */
#define LONGEST ((size_t)64 << 20)

/* The text of the script, and what it is called.  0: it is there; 1: no such file. */
static int read_text(struct script *s, struct err *e)
{
    const char *path = s->env.testname, *what = path;
    bool from_stdin = !path || strcmp(path, "-") == 0;
    struct str text = STR_INIT;
    struct stat st;
    FILE *f = stdin;
    int rc = 0;

    if (from_stdin) {
        s->chunk_name = mem_strdup("=stdin");
        what = "the script from the standard input";
        if (isatty(STDIN_FILENO))
            log_notice("Reading the script from the standard input:\n");
    } else if (stat(path, &st) || S_ISDIR(st.st_mode)) {
        return 1;
    } else if (!(f = fopen(path, "rb"))) {
        return err_sys(e, errno, "cannot read script '%s'", path);
    } else {
        s->chunk_name = mem_printf("@%s", path);
    }
    s->source = from_stdin ? SCRIPT_STDIN : SCRIPT_FILE;
    if (chunks_read(f, LONGEST, &text))
        rc = err_sys(e, errno, "cannot read %s", what);
    else if (text.len > LONGEST)
        rc = err_set(e, ERR_FAILED, "cannot read %s: no end within %zu MiB", what, LONGEST >> 20);
    if (!from_stdin)
        fclose(f);
    s->text = mem_strndup(str_cstr(&text), rc ? 0 : text.len);
    s->text_len = rc ? 0 : text.len;
    str_free(&text);
    return rc;
}

/* Would require(name) find something? */
static const char find_module[] =
    "local name = ...\n"
    "return package.preload[name] or package.searchpath(name, package.path) or\n"
    "   package.searchpath(name, package.cpath)\n";

static bool hook_set(struct vm *vm, const char *name)
{
    vm_push_api(vm, "hooks", name);
    bool is = !lua_isnil(vm->L, -1);
    lua_pop(vm->L, 1);
    return is;
}

/* A bare name may be that of a script in the directory of 0.5's. */
static const struct internal_lua *find_legacy(const struct script_env *env)
{
    const struct internal_lua *text = legacy_script(env->testname);

    if (text || !env->generation->script_by_bare_name)
        return text;
    char *path = mem_printf("./%s", env->testname);
    text = legacy_script(path);
    free(path);
    return text;
}

/* --test=bulk_insert of 0.5: its own script, not today's of that name. */
static bool prefers_legacy(const struct script_env *env)
{
    return env->test_option && !strchr(env->testname, '/') && find_legacy(env);
}

/* The text of one of our scripts that is no file there, as if it had been read from there. */
static void use_text(struct script *s, const struct internal_lua *text, char *chunk_name)
{
    s->source = SCRIPT_FILE;
    s->chunk_name = chunk_name;
    s->text = mem_strndup(text->text, text->len);
    s->text_len = text->len;
}

/* -1, or SCRIPT_NOT_FOUND */
static int load_main(struct script *s, struct err *e)
{
    const char *path = s->env.testname;

    if (vm_open(&s->main, s, 0, &s->env.rng, NULL, e))
        return -1;
    bool built_in = s->source == SCRIPT_MODULE && (!*path || prefers_legacy(&s->env));
    if (s->source == SCRIPT_MODULE && !built_in) {
        lua_State *L = s->main->L;
        luaL_loadstring(L, find_module);
        lua_pushstring(L, path);
        built_in = !(lua_pcall(L, 1, 1, 0) == 0 && lua_toboolean(L, -1));
        lua_pop(L, 1);
    }
    if (built_in) {
        const struct internal_lua *bundled = prefers_legacy(&s->env) ? NULL : bundled_text(path);
        const struct internal_lua *text = bundled ? bundled : find_legacy(&s->env);
        if (!text) {
            err_set(e, ERR_FAILED,
                    "Cannot find benchmark '%s': no such built-in test, file or module", path);
            return SCRIPT_NOT_FOUND;
        }
        log_stderr("NOTE: %s does not exist: using %s%s, which is built in", path,
                   bundled ? text->name : strrchr(text->name, '/') + 1,
                   bundled ? "" : " of sysbench 0.5");
        use_text(s, text, mem_printf("@%s", path));
    }
    if (vm_load(s->main, e))
        return -1;
    s->hook[SCRIPT_HOOK_INTERMEDIATE] = hook_set(s->main, "report_intermediate");
    s->hook[SCRIPT_HOOK_CUMULATIVE] = hook_set(s->main, "report_cumulative");
    return 0;
}

int script_open(struct script **out, const struct script_env *env, struct err *e)
{
    struct script *s = mem_alloc(sizeof *s);
    int rc = 0;

    s->env = *env;
    s->luajit_cmd = opt_str(env->opts, "luajit-cmd");
    s->source = SCRIPT_MODULE;
    chunks_init(&s->chunks);
    progress_init(&s->progress, STDERR_FILENO);
    s->loading = loading_new();
    if (env->builtin_oltp) /* 0.4's built-in test; its errors are those of "oltp" */
        use_text(s, api_text("builtin_oltp.lua"), mem_strdup("=oltp"));
    else
        rc = read_text(s, e);
    if (rc >= 0)
        rc = load_main(s, e);
    if (rc < 0) {
        script_close(s);
        return rc;
    }
    *out = s;
    return 0;
}

void script_close(struct script *s)
{
    if (!s)
        return;
    vm_close(s->main);
    chunks_fini(&s->chunks);
    opts_free(s->own);
    test_args_free(s->args);
    progress_fini(&s->progress);
    loading_free(s->loading);
    free(s->run.peers.counters);
    free(s->run.shared);
    free(s->text);
    free(s->chunk_name);
    free(s);
}

void script_on_connect(struct script *s, void (*cb)(void *arg, int fd, int server), void *arg)
{
    s->listener.connected = cb;
    s->listener.arg = arg;
}

void script_marks(struct script *s, struct marks *marks)
{
    s->listener.marks = marks;
}

uint32_t script_checksum(struct script *s)
{
    struct crc32 table;

    if (s->source == SCRIPT_MODULE)
        return chunks_sum(&s->chunks);
    crc32_setup(&table);
    return crc32_of(&table, s->text, s->text_len) + chunks_sum(&s->chunks);
}
