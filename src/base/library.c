/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See library.h.
 */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

int library_load(const char *file, const char *needs, const char *names, void *pointers,
                 struct err *e)
{
    void *function, *first, *library, **at = pointers;

    memcpy(&first, at, sizeof first);
    if (first)
        return 0;
    library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    for (; library && *names; names += strlen(names) + 1, at++) {
        function = dlsym(library, names);
        if (!function)
            break;
        memcpy(at, &function, sizeof function);
    }
    if (library && !*names)
        return 0;
    memset(pointers, 0, sizeof first);
    err_set(e, ERR_FAILED, "%s %s", needs, dlerror());
    if (library)
        dlclose(library);
    return -1;
}
