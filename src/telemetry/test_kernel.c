/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See test_kernel.h.
 */
#include "telemetry/test_kernel.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

kernel_refusal *test_kernel;

/* In place of libc's.  Fewer than six arguments may have been given: what is read beyond them is
 * not used. */
__attribute__((no_sanitize("address"))) long syscall(long number, ...)
{
    static long (*real)(long, ...);
    long a[6];
    va_list ap;

    va_start(ap, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    int refused = test_kernel ? test_kernel(number, a) : 0;
    if (refused) {
        errno = refused;
        return -1;
    }
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
