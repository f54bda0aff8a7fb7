/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * OpenSSL's types are opaque here, and its functions are looked up at run time in the dependencies
 * of whoever calls: two client libraries may bring two versions of it.
 *
 * State: which libraries are spared what, and the last reason.  File-scope because the calls come
 * from inside foreign libraries, which carry no context of ours; all are pointers that are stored
 * whole.
 */
#include "sql/tls_hook.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#define EXPORTED __attribute__((visibility("default")))

struct tls_ctx;  /* SSL_CTX */
struct tls_ssl;  /* SSL */
struct tls_cert; /* X509 */

/* where these libraries are loaded */
static _Atomic(const void *) without_store, any_name;
static _Atomic(const char *) reason;
static _Atomic bool used;

EXPORTED int SSL_CTX_set_default_verify_paths(struct tls_ctx *ctx);
EXPORTED int SSL_connect(struct tls_ssl *ssl);
EXPORTED int X509_check_host(struct tls_cert *cert, const char *name, size_t len, unsigned flags,
                             char **peer);
EXPORTED int X509_check_ip_asc(struct tls_cert *cert, const char *address, unsigned flags);

/* A symbol's address may be a function's, says POSIX; C has no cast for it. */
union symbol {
    void *address;
    int (*set_paths)(struct tls_ctx *);
    int (*connect)(struct tls_ssl *);
    int (*check_host)(struct tls_cert *, const char *, size_t, unsigned, char **);
    int (*check_ip)(struct tls_cert *, const char *, unsigned);
    long (*verify_result)(const struct tls_ssl *);
    const char *(*error_text)(long);
};

static const void *library_of(const void *address)
{
    Dl_info info;

    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* The symbol in the libraries that the caller's one depends on. */
static union symbol find(const void *caller, const char *name)
{
    union symbol found = {NULL};
    Dl_info info;
    void *lib = dladdr(caller, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;

    if (lib) {
        found.address = dlsym(lib, name);
        dlclose(lib); /* it stays loaded, the caller is in it */
    }
    if (!found.address)
        found.address = dlsym(RTLD_NEXT, name);
    return found;
}

void tls_hook_spare_store(const void *of, bool spare)
{
    atomic_store(&without_store, spare ? library_of(of) : NULL);
}

void tls_hook_any_name(const void *of, bool any)
{
    atomic_store(&any_name, any ? library_of(of) : NULL);
}

static bool is_from(const void *caller, const void *lib)
{
    return lib && library_of(caller) == lib;
}

bool tls_hook_used(void)
{
    return atomic_load_explicit(&used, memory_order_relaxed);
}

const char *tls_hook_reason(void)
{
    return atomic_load(&reason);
}

int SSL_CTX_set_default_verify_paths(struct tls_ctx *ctx)
{
    const void *caller = __builtin_return_address(0);
    union symbol real;

    if (is_from(caller, atomic_load(&without_store)))
        return 1;
    real = find(caller, "SSL_CTX_set_default_verify_paths");
    return real.set_paths ? real.set_paths(ctx) : 0;
}

int SSL_connect(struct tls_ssl *ssl)
{
    const void *caller = __builtin_return_address(0);
    union symbol real = find(caller, "SSL_connect"), result, text;
    int rc, kept;

    atomic_store(&used, true);
    rc = real.connect ? real.connect(ssl) : -1;
    kept = errno;
    if (rc == 1)
        return rc;
    result = find(caller, "SSL_get_verify_result");
    text = find(caller, "X509_verify_cert_error_string");
    if (result.verify_result && text.error_text && result.verify_result(ssl) != 0)
        atomic_store(&reason, text.error_text(result.verify_result(ssl)));
    errno = kept; /* the caller is going to ask why */
    return rc;
}

int X509_check_host(struct tls_cert *cert, const char *name, size_t len, unsigned flags,
                    char **peer)
{
    const void *caller = __builtin_return_address(0);
    union symbol real;

    if (is_from(caller, atomic_load(&any_name)))
        return 1;
    real = find(caller, "X509_check_host");
    return real.check_host ? real.check_host(cert, name, len, flags, peer) : -1;
}

int X509_check_ip_asc(struct tls_cert *cert, const char *address, unsigned flags)
{
    const void *caller = __builtin_return_address(0);
    union symbol real;

    if (is_from(caller, atomic_load(&any_name)))
        return 1;
    real = find(caller, "X509_check_ip_asc");
    return real.check_ip ? real.check_ip(cert, address, flags) : -1;
}
