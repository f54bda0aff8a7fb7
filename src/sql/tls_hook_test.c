/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The interception of OpenSSL: calls of the selected library are skipped, all others reach OpenSSL,
 * and a failed handshake leaves its reason.  This program makes the calls, to the OpenSSL that the
 * client libraries are linked with.  Skipped (77) if there is none.
 */
#include "sql/tls_hook.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>

#include "base/test.h"
#include "sql/sql.h"

struct tls_ctx;
struct tls_ssl;
struct tls_cert;
struct tls_hmac;

int SSL_CTX_set_default_verify_paths(struct tls_ctx *ctx);
int SSL_connect(struct tls_ssl *ssl);
int X509_check_host(struct tls_cert *cert, const char *name, size_t len, unsigned flags,
                    char **peer);
int X509_check_ip_asc(struct tls_cert *cert, const char *address, unsigned flags);
struct tls_hmac *HMAC_CTX_new(void);
int HMAC_Init_ex(struct tls_hmac *ctx, const void *key, int len, const void *md, void *engine);

#define CERT_HAS_EXPIRED 10 /* X509_V_ERR_CERT_HAS_EXPIRED */

/* OpenSSL's functions that are not hooked. */
union symbol {
    void *address;
    const void *(*method)(void);
    struct tls_ctx *(*ctx_new)(const void *method);
    void (*ctx_free)(struct tls_ctx *ctx);
    struct tls_ssl *(*ssl_new)(struct tls_ctx *ctx);
    void (*ssl_free)(struct tls_ssl *ssl);
    void (*set_result)(struct tls_ssl *ssl, long result);
    void (*hmac_free)(struct tls_hmac *ctx);
};

static union symbol tls(const char *name)
{
    union symbol s = {.address = dlsym(RTLD_DEFAULT, name)};

    return s;
}

static const void *here(void)
{
    return (const void *)(uintptr_t)here;
}

/* A certificate matches every name: the check does not even look at it. */
static void test_names(void)
{
    tls_hook_skip_name_check(here(), true);
    CHECK_INT(X509_check_host(NULL, "db1", 3, 0, NULL), 1);
    CHECK_INT(X509_check_ip_asc(NULL, "no address", 0), 1);
    tls_hook_skip_name_check((const void *)(uintptr_t)dlsym,
                             true);                         /* another library, not this one */
    CHECK_INT(X509_check_host(NULL, NULL, 0, 0, NULL), -2); /* OpenSSL's answer: malformed input */
    CHECK_INT(X509_check_ip_asc(NULL, "no address", 0), -2);
    tls_hook_skip_name_check(here(), true);
    tls_hook_skip_name_check(here(), false);
    CHECK_INT(X509_check_ip_asc(NULL, "no address", 0), -2);
}

static void test_store(struct tls_ctx *ctx)
{
    tls_hook_skip_store(here(), true);
    CHECK_INT(SSL_CTX_set_default_verify_paths(NULL), 1); /* not passed on */
    tls_hook_skip_store(here(), false);
    CHECK_INT(SSL_CTX_set_default_verify_paths(ctx), 1);
}

/* A handshake without a peer fails; it leaves a reason only if a certificate was rejected. */
static void test_reason(struct tls_ssl *ssl)
{
    CHECK(tls_hook_reason() == NULL);
    CHECK_INT(SSL_connect(ssl), -1);
    CHECK(tls_hook_reason() == NULL);
    tls("SSL_set_verify_result").set_result(ssl, CERT_HAS_EXPIRED);
    errno = ENOTSOCK;
    CHECK_INT(SSL_connect(ssl), -1);
    CHECK_STR(tls_hook_reason(), "certificate has expired");
    tls("SSL_set_verify_result").set_result(ssl, 0);
    CHECK_INT(SSL_connect(ssl), -1);
    CHECK_STR(tls_hook_reason(), "certificate has expired"); /* of the last rejection */
}

/* How often the computation may go on, up to 100,000 times. */
static int iterations(dur_ns limit)
{
    struct tls_hmac *ctx = HMAC_CTX_new();
    int n = 0;

    tls_hook_limit_hmac(limit);
    while (n < 100000 && HMAC_Init_ex(ctx, "key", 3, tls("EVP_sha256").method(), NULL) == 1)
        n++;
    tls("HMAC_CTX_free").hmac_free(ctx);
    return n;
}

static void test_hmac(void)
{
    CHECK_INT(iterations(1), 1024);
    CHECK_INT(iterations(1), 1024); /* the next one begins anew */
    CHECK_INT(iterations(0), 100000);
    CHECK_INT(iterations(3600 * NS_PER_SEC), 100000);
}

int main(void)
{
    struct tls_ctx *ctx;
    struct tls_ssl *ssl;

    /* the reference to the drivers links their client libraries to this program */
    if (!sql_driver_at(0) || !tls("SSL_CTX_new").address) {
        printf("tls_hook: skipped: no client library is linked with OpenSSL\n");
        return 77;
    }
    ctx = tls("SSL_CTX_new").ctx_new(tls("TLS_client_method").method());
    ssl = tls("SSL_new").ssl_new(ctx);
    test_names();
    test_store(ctx);
    test_reason(ssl);
    test_hmac();
    tls("SSL_free").ssl_free(ssl);
    tls("SSL_CTX_free").ctx_free(ctx);
    return test_done("tls_hook");
}
