/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See registry.h.  A new built-in test is one line here and one file in workload/.
 */
#include "cli/registry.h"

#include <string.h>

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
