/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Preloaded into a stock sysbench that runs on OpenResty's LuaJIT (Debian's libluajit2-5.1-2). That
 * library seeds the C library's random() from the clock when it is loaded and draws from it; stock
 * draws its own numbers from the same stream and is then no longer repeatable: there would be
 * nothing to compare.  Here the library's calls go nowhere, and the stream is stock's alone, as it
 * is with the original LuaJIT.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static int is_luajit(const void *caller)
{
    Dl_info info;

    return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "luajit") != NULL;
}

void srandom(unsigned seed)
{
    if (!is_luajit(__builtin_return_address(0)))
        ((void (*)(unsigned))dlsym(RTLD_NEXT, "srandom"))(seed);
}

long random(void)
{
    if (is_luajit(__builtin_return_address(0)))
        return 4; /* it asks only for the seed of its hashes of strings */
    return ((long (*)(void))dlsym(RTLD_NEXT, "random"))();
}
