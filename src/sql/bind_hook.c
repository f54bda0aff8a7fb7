/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See bind_hook.h.  Sockets of anybody else are bound as ever: whoever listens wants the port at
 * once.
 */
#include "sql/bind_hook.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24 /* Linux 4.2 */
#endif

/* another name, because the C library declares its own with a type of argument that is not ours */
__attribute__((visibility("default"))) int bind_hook(int fd, const struct sockaddr *address,
                                                     socklen_t size) __asm__("bind");

/* The load address of the library; file-scope because the call comes without a context of ours. */
static _Atomic(const void *) library;

static const void *library_of(const void *address)
{
    Dl_info info;

    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

void bind_hook_for(const void *function)
{
    const void *found = library_of(function);

    if (found != library_of((const void *)bind_hook_for)) /* unless it is linked statically */
        atomic_store(&library, found);
}

static bool any_port(const struct sockaddr *a)
{
    /* the port is in the same place in both families */
    return (a->sa_family == AF_INET || a->sa_family == AF_INET6) &&
           ((const struct sockaddr_in *)(const void *)a)->sin_port == 0;
}

int bind_hook(int fd, const struct sockaddr *address, socklen_t size)
{
    const void *late = atomic_load(&library);
    int yes = 1;

    if (late && any_port(address) && library_of(__builtin_return_address(0)) == late)
        setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
    return (int)syscall(SYS_bind, fd, address, size);
}
