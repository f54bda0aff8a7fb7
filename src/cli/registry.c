/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See registry.h.  A new built-in test is one line here and one file in workload/; the order of the
 * groups is that of --help within a group.
 */
#include "cli/registry.h"

#include <string.h>

#include "cluster/cluster.h"
#include "engine/plan.h"
#include "opt/generation.h"
#include "session/actions.h"
#include "session/attach.h"
#include "session/result_files.h"
#include "session/run_profile.h"
#include "sql/sql_options.h"

static const struct builtin *const builtins[] = {
    &builtin_fileio, &builtin_cpu, &builtin_memory, &builtin_threads, &builtin_mutex,
};

const struct builtin *registry_builtin_at(size_t i)
{
    return i < sizeof builtins / sizeof builtins[0] ? builtins[i] : NULL;
}

const struct builtin *registry_find(const char *name)
{
    for (size_t i = 0; registry_builtin_at(i); i++)
        if (strcmp(name, builtins[i]->name) == 0)
            return builtins[i];
    return NULL;
}

void options_declare(struct opts *o)
{
    plan_options(o);
    result_options(o);
    actions_options(o);
    server_options_declare(o);
    run_profile_options(o);
    cluster_options(o);
    random_options_declare(o);
    sql_options_declare(o);
}
