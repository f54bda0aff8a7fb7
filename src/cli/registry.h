/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The only lists of all built-in tests and of all groups of options; scripts are found by their
 * names (script/script.h).
 */
#ifndef SB_CLI_REGISTRY_H
#define SB_CLI_REGISTRY_H

#include "opt/opt.h"
#include "workload/builtin.h"

/* The built-in test of that name, NULL: there is none. */
const struct builtin *registry_find(const char *name);

/* All of them, in the order of --help; NULL after the last. */
const struct builtin *registry_builtin_at(size_t i);

/* Adds all general groups of options to an empty table, each declared by the module that reads it.
 */
void options_declare(struct opts *o);

#endif
