/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See interpose.h.  OpenSSL's types are opaque here.  Its functions are looked up at run time in
 * the dependencies of the calling library, because two client libraries may use two versions of it.
 *
 * State: which libraries skip which step, all atomic; of each thread, the result of its latest
 * handshake.  It is file-scope because the calls come from other libraries, without a context of
 * ours.  No client gives up its thread between a handshake that fails and the library's question
 * why, so what is the thread's is the connection's.
 */
#include "interpose/interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

struct tls_ctx;  /* SSL_CTX */
struct tls_ssl;  /* SSL */
struct tls_cert; /* X509 */
struct tls_hmac; /* HMAC_CTX */
struct tls_md;   /* EVP_MD */

typedef int hmac_init(struct tls_hmac *, const void *, int, const struct tls_md *, void *);

/* the load addresses of these libraries */
static _Atomic(const void *) without_store, any_name, only_tls;
/* why the thread's latest handshake rejected the certificate, a constant of OpenSSL; NULL: it did
 * not */
static _Thread_local const char *reason;
static _Thread_local bool refused; /* tls_refused() */
/* NULL until a connection of the process uses TLS */
static unsigned long (*_Atomic peek_error)(void);
static void (*_Atomic clear_error)(void);
static _Atomic dur_ns hmac_limit; /* 0: none */
/* what this thread computes: nothing switches to another client meanwhile */
static _Thread_local struct {
    struct tls_hmac *ctx;
    hmac_init *init;
    unsigned calls;
    dur_ns began; /* in CPU time */
} hmac;

EXPORTED int SSL_CTX_set_default_verify_paths(struct tls_ctx *ctx);
EXPORTED int SSL_connect(struct tls_ssl *ssl);
EXPORTED const char *ERR_reason_error_string(unsigned long code);
EXPORTED void ERR_error_string_n(unsigned long code, char *out, size_t size);
EXPORTED int X509_check_host(struct tls_cert *cert, const char *name, size_t len, unsigned flags,
                             char **peer);
EXPORTED int X509_check_ip_asc(struct tls_cert *cert, const char *address, unsigned flags);
EXPORTED struct tls_hmac *HMAC_CTX_new(void);
EXPORTED int HMAC_Init_ex(struct tls_hmac *ctx, const void *key, int len, const struct tls_md *md,
                          void *engine);

/* POSIX allows dlsym to return a function's address; C has no cast for it. */
union symbol {
    void *address;
    int (*set_paths)(struct tls_ctx *);
    int (*connect)(struct tls_ssl *);
    int (*check_host)(struct tls_cert *, const char *, size_t, unsigned, char **);
    int (*check_ip)(struct tls_cert *, const char *, unsigned);
    long (*verify_result)(const struct tls_ssl *);
    unsigned long (*peek)(void);
    void (*clear)(void);
    const char *(*error_text)(long);
    struct tls_hmac *(*hmac_new)(void);
    hmac_init *hmac_init;
    const char *(*reason_text)(unsigned long);
    void (*error_text_n)(unsigned long, char *, size_t);
};

static const void *library_of(const void *address)
{
    Dl_info info;

    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* The symbol in the libraries that the caller's library depends on. */
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

void tls_skip_store(const void *of, bool spare)
{
    atomic_store(&without_store, spare ? library_of(of) : NULL);
}

void tls_skip_name_check(const void *of, bool any)
{
    atomic_store(&any_name, any ? library_of(of) : NULL);
}

static bool is_from(const void *caller, const void *lib)
{
    return lib && library_of(caller) == lib;
}

void tls_clear_errors(void)
{
    unsigned long (*peek)(void) = atomic_load_explicit(&peek_error, memory_order_acquire);

    if (peek && peek())
        atomic_load_explicit(&clear_error, memory_order_relaxed)();
}

static bool may_send(const void *caller, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;

    if (!is_from(caller, atomic_load(&only_tls)) ||
        /* the request for TLS, with CLIENT_SSL */
        (n == 36 && memcmp(p, "\x20\0\0", 3) == 0 && p[5] & 0x08) ||
        /* a record of TLS, where a library passes them on itself */
        (n > 5 && p[0] >= 20 && p[0] <= 23 && p[1] == 3 && p[2] >= 1))
        return true;
    refused = true;
    return false;
}

void tls_only(const void *of, bool only)
{
    const void *lib = only ? library_of(of) : NULL;

    if (lib == library_of((const void *)(uintptr_t)tls_only))
        lib = NULL; /* linked statically: send() would be everybody's */
    atomic_store(&only_tls, lib);
    atomic_store(&send_guard, lib ? may_send : NULL);
}

bool tls_refused(void)
{
    bool was = refused;

    refused = false;
    return was;
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
    union symbol peek = {dlsym(RTLD_DEFAULT, "ERR_peek_error")},
                 clear = {dlsym(RTLD_DEFAULT, "ERR_clear_error")};
    int rc, kept;

    if (peek.peek && clear.clear) { /* TLS is in use from now on */
        atomic_store(&clear_error, clear.clear);
        atomic_store(&peek_error, peek.peek); /* last: who finds it finds the other one */
    }
    reason = NULL;
    rc = real.connect ? real.connect(ssl) : -1;
    kept = errno;
    if (rc == 1)
        return rc;
    result = find(caller, "SSL_get_verify_result");
    text = find(caller, "X509_verify_cert_error_string");
    if (result.verify_result && text.error_text && result.verify_result(ssl) != 0)
        reason = text.error_text(result.verify_result(ssl));
    errno = kept; /* which the caller is going to read */
    return rc;
}

/* OpenSSL's text for a failed handshake, at the end of `text`. */
static bool is_rejection(const char *text)
{
    static const char words[] = "certificate verify failed";
    size_t n = strlen(text);

    return reason && n >= sizeof words - 1 && strcmp(text + n - (sizeof words - 1), words) == 0;
}

/* What libpq and libmariadb ask for. */
const char *ERR_reason_error_string(unsigned long code)
{
    static _Thread_local char text[160];
    union symbol real = find(__builtin_return_address(0), "ERR_reason_error_string");
    const char *words = real.reason_text ? real.reason_text(code) : NULL;

    if (!words || !is_rejection(words))
        return words;
    snprintf(text, sizeof text, "%s (%s)", words, reason);
    return text;
}

/* What libmysqlclient asks for. */
void ERR_error_string_n(unsigned long code, char *out, size_t size)
{
    union symbol real = find(__builtin_return_address(0), "ERR_error_string_n");
    const char *why = reason;
    size_t n;

    if (size == 0)
        return;
    *out = '\0';
    reason = NULL; /* OpenSSL may ask for the other text, and it would not fit */
    if (real.error_text_n)
        real.error_text_n(code, out, size);
    reason = why;
    n = strlen(out);
    if (is_rejection(out))
        snprintf(out + n, size - n, ": %s", reason);
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

void tls_limit_hmac(dur_ns limit)
{
    atomic_store(&hmac_limit, limit);
}

struct tls_hmac *HMAC_CTX_new(void)
{
    const void *caller = __builtin_return_address(0);
    union symbol real = find(caller, "HMAC_CTX_new");

    hmac.ctx = real.hmac_new ? real.hmac_new() : NULL;
    hmac.init = find(caller, "HMAC_Init_ex").hmac_init;
    hmac.calls = 0;
    return hmac.ctx;
}

int HMAC_Init_ex(struct tls_hmac *ctx, const void *key, int len, const struct tls_md *md,
                 void *engine)
{
    hmac_init *init =
        ctx == hmac.ctx ? hmac.init : find(__builtin_return_address(0), "HMAC_Init_ex").hmac_init;
    dur_ns limit = atomic_load(&hmac_limit), now;
    struct timespec ts;

    if (limit && ctx == hmac.ctx && hmac.calls++ % 1024 == 0) {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
        now = (dur_ns)ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
        if (hmac.calls == 1)
            hmac.began = now;
        else if (now - hmac.began > limit)
            return 0;
    }
    return init ? init(ctx, key, len, md, engine) : 0;
}
