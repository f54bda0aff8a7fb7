/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/script: how a Lua state is made and a script gets into it, and what the files of
 * this directory call of each other.
 */
#ifndef SB_SCRIPT_HOST_H
#define SB_SCRIPT_HOST_H

#include "script/internal_lua.h"
#include "script/vm.h"

/*
 * Opens a state with the script API in it; the script is not loaded yet.  `client` NULL: outside a
 * run, then `rng` is copied.  The caller's thread is the only one that may use it.
 */
int vm_open(struct vm **out, struct script *s, int tid, const struct rng *rng,
            struct client *client, struct err *e);
void vm_close(struct vm *vm);

/* Runs the script's top level, then sets sysbench.opt when the options are known. */
int vm_load(struct vm *vm, struct err *e);

/* lua_options.c: with --options-read, before all else of a script: sysbench.noted.lua. */
void lua_options_note_reads(struct vm *vm);
/* lua_options.c: with --compat=0.5, the globals before the script's top level. */
void lua_options_export_early(struct vm *vm);
/* lua_options.c: sysbench.opt, and the globals of option-less scripts. */
void lua_options_export(struct vm *vm);
/* lua_options.c: appends the help of the script's options; prints it, as sb_print_test_options()
 * and sysbench.cmdline.print_test_options do. */
void script_options_help(struct script *s, struct str *out);
void script_print_options(struct script *s);

/* test_args.c */
void test_args_free(struct test_args *a);

/* lua_commands.c: the last part of the script's path or name, as messages show it; the script
 * owns it. */
const char *script_base_name(const struct script *s);

/* bundled.c: the bundled script that a path means whose file does not exist, by its last part;
 * NULL: none.  Names that 0.5 had too (legacy.h) need the directory of 1.0, "sysbench". */
const struct internal_lua *bundled_text(const char *path);
bool bundled_is_regular(const char *path); /* and no pipe, which can be read only once */

/* bundled.c: values of the bundled scripts' options that can only be a mistake: no table at all, a
 * negative number of statements.  In stock they end in a Lua error, in SQL that the server refuses,
 * or in a run that does nothing.  What has a meaning there (--table-size=0: empty tables) stays
 * allowed.  Scripts of others may use the same names for something else and are left alone.  -1: a
 * value that the user gave is outside its limits; one sentence. */
int bundled_limits_check(const struct opts *o, const char *testname, struct err *e);

/* lua_workload.c: the client that runs on this thread stalls its worker.  For a signal handler. */
void script_client_stalled(void);

#endif
