/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See interpose.h.  OpenSSL's types are opaque here.  Its functions are looked up at run time in
 * the dependencies of the calling library, because two client libraries may use two versions of it.
 *
 * A connection that waits (SSL_connect(), SSL_read(), SSL_write()): the library never learns that
 * it had to.  While there is a limit, the socket does not block; on workers it never does.
 *
 * State: which libraries skip which step, all atomic; of each thread, the functions that its latest
 * callers want, and the result of its latest handshake.  It is file-scope because the calls come
 * from other libraries, without a context of ours.  No client gives up its thread between a
 * handshake that fails and the library's question why, so what is the thread's is the connection's.
 */
#include "interpose/interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "fiber/worker.h"

#define EXPORTED __attribute__((visibility("default")))

struct tls_ctx;  /* SSL_CTX */
struct tls_ssl;  /* SSL */
struct tls_cert; /* X509 */
struct tls_hmac; /* HMAC_CTX */
struct tls_md;   /* EVP_MD */

static _Atomic(const void *) ruled; /* the load address of tls_rules()' library */
static _Atomic unsigned rules;
/* why the thread's latest handshake rejected the certificate, a constant of OpenSSL; NULL: it did
 * not */
static _Thread_local const char *reason;
static _Thread_local bool refused; /* tls_refused() */

EXPORTED int SSL_CTX_set_default_verify_paths(struct tls_ctx *ctx);
EXPORTED int SSL_connect(struct tls_ssl *ssl);
EXPORTED int SSL_read(struct tls_ssl *ssl, void *to, int n);
EXPORTED int SSL_write(struct tls_ssl *ssl, const void *from, int n);
EXPORTED const char *ERR_reason_error_string(unsigned long code);
EXPORTED void ERR_error_string_n(unsigned long code, char *out, size_t size);
EXPORTED int X509_check_host(struct tls_cert *cert, const char *name, size_t len, unsigned flags,
                             char **peer);
EXPORTED int X509_check_ip_asc(struct tls_cert *cert, const char *address, unsigned flags);
EXPORTED struct tls_hmac *HMAC_CTX_new(void);
EXPORTED int HMAC_Init_ex(struct tls_hmac *ctx, const void *key, int len, const struct tls_md *md,
                          void *engine);

/* Only the types of these are used. */
int SSL_get_error(const struct tls_ssl *ssl, int rc);
int SSL_get_fd(const struct tls_ssl *ssl);
long SSL_get_verify_result(const struct tls_ssl *ssl);
const char *X509_verify_cert_error_string(long result);
unsigned long ERR_peek_error(void);
void ERR_clear_error(void);

/* NULL until a connection of the process uses TLS */
static _Atomic(__typeof__(&ERR_peek_error)) peek_error;
static _Atomic(__typeof__(&ERR_clear_error)) clear_error;
static _Atomic dur_ns hmac_limit; /* 0: none */
/* what this thread computes: nothing switches to another client meanwhile */
static _Thread_local struct {
    struct tls_hmac *ctx;
    __typeof__(&HMAC_Init_ex) init;
    unsigned calls;
    dur_ns began; /* in CPU time */
} hmac;

/* The symbol in the libraries that the caller's library depends on. */
static uintptr_t find(const void *caller, const char *name)
{
    Dl_info info;
    void *lib = dladdr(caller, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = lib ? dlsym(lib, name) : NULL;

    if (lib)
        dlclose(lib); /* it stays loaded, the caller is in it */
    return (uintptr_t)(found ? found : dlsym(RTLD_NEXT, name));
}

/* OpenSSL's function of that name, in the functions that its users call here. */
#define FIND(function) ((__typeof__(&function))find(__builtin_return_address(0), #function))

static bool is_ruled(const void *caller, unsigned rule)
{
    return (atomic_load(&rules) & rule) && library_of(caller) == atomic_load(&ruled);
}

void tls_clear_errors(void)
{
    __typeof__(&ERR_peek_error) peek = atomic_load_explicit(&peek_error, memory_order_acquire);

    if (peek && peek())
        atomic_load_explicit(&clear_error, memory_order_relaxed)();
}

static bool may_send(const void *caller, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;

    if (!is_ruled(caller, TLS_ONLY) ||
        /* the request for TLS, with CLIENT_SSL */
        (n == 36 && memcmp(p, "\x20\0\0", 3) == 0 && p[5] & 0x08) ||
        /* a record of TLS, where a library passes them on itself */
        (n > 5 && p[0] >= 20 && p[0] <= 23 && p[1] == 3 && p[2] >= 1))
        return true;
    refused = true;
    return false;
}

void tls_rules(const void *of, unsigned set)
{
    const void *lib = library_of(of);
    /* linked statically: send() would be everybody's */
    bool own = lib == library_of((const void *)(uintptr_t)tls_rules);

    atomic_store(&ruled, lib);
    atomic_store(&rules, set);
    atomic_store(&send_guard, set & TLS_ONLY && !own ? may_send : NULL);
}

bool tls_refused(void)
{
    bool was = refused;

    refused = false;
    return was;
}

int SSL_CTX_set_default_verify_paths(struct tls_ctx *ctx)
{
    if (is_ruled(__builtin_return_address(0), TLS_SKIP_STORE))
        return 1;
    __typeof__(&SSL_CTX_set_default_verify_paths) real = FIND(SSL_CTX_set_default_verify_paths);
    return real ? real(ctx) : 0;
}

/* --- connections: the handshake, reading, writing --- */

/* What SSL_get_error() says. */
enum { WANTS_TO_READ = 2, WANTS_TO_WRITE = 3 };

/* OpenSSL's functions for the code at `caller`; of each thread, the latest such code. */
struct site {
    const void *caller, *library;
    uintptr_t function;
    __typeof__(&SSL_get_error) error;
    __typeof__(&SSL_get_fd) fd;
};

/* A copy: while one client waits, another one calls. */
static struct site site_of(struct site *latest, const void *caller, const char *function)
{
    if (latest->caller != caller)
        *latest = (struct site){.caller = caller,
                                .library = library_of(caller),
                                .function = find(caller, function),
                                .error = (__typeof__(latest->error))find(caller, "SSL_get_error"),
                                .fd = (__typeof__(latest->fd))find(caller, "SSL_get_fd")};
    return *latest;
}

static bool waits_here(const struct site *s)
{
    return s->error && s->fd && s->library == atomic_load(&ruled);
}

/* Before a call of OpenSSL: with a limit, it must not wait. */
static void begin(const struct site *s, const struct tls_ssl *ssl)
{
    if (!waits_here(s) || waits_limit(MONO_NEVER) == MONO_NEVER)
        return;
    int flags = fcntl(s->fd(ssl), F_GETFL);
    if (flags >= 0 && !(flags & O_NONBLOCK))
        fcntl(s->fd(ssl), F_SETFL, flags | O_NONBLOCK);
}

/* After a call that returned rc: waits for what it lacked, and says that it is to be repeated.
 * False: it lacked nothing, or the limit has passed. */
static bool again(const struct site *s, const struct tls_ssl *ssl, int rc)
{
    int error = rc <= 0 && waits_here(s) ? s->error(ssl, rc) : 0, n;
    struct pollfd p = {.events = error == WANTS_TO_READ ? POLLIN : POLLOUT};

    if (error != WANTS_TO_READ && error != WANTS_TO_WRITE)
        return false;
    p.fd = s->fd(ssl);
    do {
        n = poll(&p, 1, -1);
    } while (n < 0 && errno == EINTR);
    return n > 0;
}

int SSL_connect(struct tls_ssl *ssl)
{
    static _Thread_local struct site latest;
    const struct site s = site_of(&latest, __builtin_return_address(0), "SSL_connect");
    __typeof__(&SSL_connect) real = (__typeof__(&SSL_connect))s.function;
    __typeof__(&ERR_peek_error) peek = FIND(ERR_peek_error);
    __typeof__(&ERR_clear_error) clear = FIND(ERR_clear_error);

    if (peek && clear) { /* TLS is in use from now on */
        atomic_store(&clear_error, clear);
        atomic_store(&peek_error, peek); /* last: who finds it finds the other one */
    }
    int rc;
    begin(&s, ssl);
    do {
        rc = real ? real(ssl) : -1;
    } while (again(&s, ssl, rc));
    int kept = errno;
    reason = NULL;
    if (rc == 1)
        return rc;
    __typeof__(&SSL_get_verify_result) result = FIND(SSL_get_verify_result);
    __typeof__(&X509_verify_cert_error_string) text = FIND(X509_verify_cert_error_string);
    if (result && text && result(ssl) != 0)
        reason = text(result(ssl));
    errno = kept; /* which the caller is going to read */
    return rc;
}

int SSL_read(struct tls_ssl *ssl, void *to, int n)
{
    static _Thread_local struct site latest;
    const struct site s = site_of(&latest, __builtin_return_address(0), "SSL_read");
    __typeof__(&SSL_read) real = (__typeof__(&SSL_read))s.function;
    int64_t left =
        sched_limit_answer(0); /* counted once, whether OpenSSL comes through recv() or not */
    int rc;

    begin(&s, ssl);
    do {
        rc = real ? real(ssl, to, n) : -1;
    } while (again(&s, ssl, rc));
    int kept = errno;
    sched_limit_answer(left);
    errno = kept;
    return (int)sched_received(rc);
}

int SSL_write(struct tls_ssl *ssl, const void *from, int n)
{
    static _Thread_local struct site latest;
    const struct site s = site_of(&latest, __builtin_return_address(0), "SSL_write");
    __typeof__(&SSL_write) real = (__typeof__(&SSL_write))s.function;
    int rc;

    begin(&s, ssl);
    do {
        rc = real ? real(ssl, from, n) : -1;
    } while (again(&s, ssl, rc));
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
    __typeof__(&ERR_reason_error_string) real = FIND(ERR_reason_error_string);
    const char *words = real ? real(code) : NULL;

    if (!words || !is_rejection(words))
        return words;
    snprintf(text, sizeof text, "%s (%s)", words, reason);
    return text;
}

/* What libmysqlclient asks for. */
void ERR_error_string_n(unsigned long code, char *out, size_t size)
{
    __typeof__(&ERR_error_string_n) real = FIND(ERR_error_string_n);
    const char *why = reason;

    if (size == 0)
        return;
    *out = '\0';
    reason = NULL; /* OpenSSL may ask for the other text, and it would not fit */
    if (real)
        real(code, out, size);
    reason = why;
    size_t n = strlen(out);
    if (is_rejection(out))
        snprintf(out + n, size - n, ": %s", reason);
}

int X509_check_host(struct tls_cert *cert, const char *name, size_t len, unsigned flags,
                    char **peer)
{
    if (is_ruled(__builtin_return_address(0), TLS_ANY_NAME))
        return 1;
    __typeof__(&X509_check_host) real = FIND(X509_check_host);
    return real ? real(cert, name, len, flags, peer) : -1;
}

int X509_check_ip_asc(struct tls_cert *cert, const char *address, unsigned flags)
{
    if (is_ruled(__builtin_return_address(0), TLS_ANY_NAME))
        return 1;
    __typeof__(&X509_check_ip_asc) real = FIND(X509_check_ip_asc);
    return real ? real(cert, address, flags) : -1;
}

void tls_limit_hmac(dur_ns limit)
{
    atomic_store(&hmac_limit, limit);
}

struct tls_hmac *HMAC_CTX_new(void)
{
    __typeof__(&HMAC_CTX_new) real = FIND(HMAC_CTX_new);

    hmac.ctx = real ? real() : NULL;
    hmac.init = FIND(HMAC_Init_ex);
    hmac.calls = 0;
    return hmac.ctx;
}

int HMAC_Init_ex(struct tls_hmac *ctx, const void *key, int len, const struct tls_md *md,
                 void *engine)
{
    __typeof__(&HMAC_Init_ex) init = ctx == hmac.ctx ? hmac.init : FIND(HMAC_Init_ex);
    dur_ns limit = atomic_load(&hmac_limit), now;

    if (limit && ctx == hmac.ctx && hmac.calls++ % 1024 == 0) {
        now = clock_read(CLOCK_THREAD_CPUTIME_ID);
        if (hmac.calls == 1)
            hmac.began = now;
        else if (now - hmac.began > limit)
            return 0;
    }
    return init ? init(ctx, key, len, md, engine) : 0;
}
