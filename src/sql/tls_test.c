/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The interception of OpenSSL: calls of the selected library are skipped, all others reach OpenSSL,
 * and a failed handshake has its reason and leaves an error behind; what a library may send.  This
 * program makes the calls, to the OpenSSL that the client libraries are linked with.  Skipped (77)
 * if there is none.
 */
#include "interpose/interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/test.h"
#include "sql/sql.h"

struct tls_ctx;
struct tls_ssl;
struct tls_cert;
struct tls_hmac;

int SSL_CTX_set_default_verify_paths(struct tls_ctx *ctx);
int SSL_connect(struct tls_ssl *ssl);
const char *ERR_reason_error_string(unsigned long code);
void ERR_error_string_n(unsigned long code, char *out, size_t size);
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
    unsigned long (*error)(void);
    int (*set_fd)(struct tls_ssl *ssl, int fd);
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
    tls_rules(here(), TLS_ANY_NAME);
    CHECK_INT(X509_check_host(NULL, "db1", 3, 0, NULL), 1);
    CHECK_INT(X509_check_ip_asc(NULL, "no address", 0), 1);
    /* another library, not this one */
    tls_rules((const void *)(uintptr_t)dlsym, TLS_ANY_NAME);
    CHECK_INT(X509_check_host(NULL, NULL, 0, 0, NULL), -2); /* OpenSSL's answer: malformed input */
    CHECK_INT(X509_check_ip_asc(NULL, "no address", 0), -2);
    tls_rules(here(), TLS_ANY_NAME);
    tls_rules(here(), 0);
    CHECK_INT(X509_check_ip_asc(NULL, "no address", 0), -2);
}

static void test_store(struct tls_ctx *ctx)
{
    tls_rules(here(), TLS_SKIP_STORE);
    CHECK_INT(SSL_CTX_set_default_verify_paths(NULL), 1); /* not passed on */
    tls_rules(here(), 0);
    CHECK_INT(SSL_CTX_set_default_verify_paths(ctx), 1);
}

static void *handshake(void *ssl)
{
    CHECK_INT(SSL_connect(ssl), -1);
    return NULL;
}

/* A handshake without a peer fails; OpenSSL's text gets a reason only if this thread's latest one
 * rejected a certificate. */
static void test_reason(struct tls_ssl *ssl)
{
    /* of OpenSSL 3 and 1.1 */
    unsigned long code = ERR_reason_error_string(0x0A000086) ? 0x0A000086 : 0x14000086;
    char text[80];
    pthread_t other;

    CHECK_STR(ERR_reason_error_string(code), "certificate verify failed");
    tls("SSL_set_verify_result").set_result(ssl, CERT_HAS_EXPIRED);
    errno = ENOTSOCK;
    CHECK_INT(SSL_connect(ssl), -1);
    CHECK_STR(ERR_reason_error_string(code), "certificate verify failed (certificate has expired)");
    ERR_error_string_n(code, text, sizeof text);
    CHECK(strstr(text, "::certificate verify failed: certificate has expired") != NULL);
    ERR_error_string_n(code, text, 60);
    CHECK_INT(strlen(text), 59);
    CHECK(!strchr(ERR_reason_error_string(code - 1), '('));
    tls("SSL_set_verify_result").set_result(ssl, 0);
    CHECK_INT(SSL_connect(ssl), -1);
    CHECK_STR(ERR_reason_error_string(code), "certificate verify failed");
    /* another thread's is not ours */
    tls("SSL_set_verify_result").set_result(ssl, CERT_HAS_EXPIRED);
    pthread_create(&other, NULL, handshake, ssl);
    pthread_join(other, NULL);
    CHECK_STR(ERR_reason_error_string(code), "certificate verify failed");
}

/* A handshake with a server that does not speak TLS leaves an error in OpenSSL's queue. */
static void test_errors(struct tls_ssl *ssl)
{
    static const char plain[] = "a server that does not speak TLS";
    int fd[2];

    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    CHECK_INT(write(fd[1], plain, sizeof plain), sizeof plain);
    CHECK_INT(tls("SSL_set_fd").set_fd(ssl, fd[0]), 1);
    CHECK(SSL_connect(ssl) != 1);
    CHECK(tls("ERR_peek_error").error() != 0);
    tls_clear_errors();
    CHECK(tls("ERR_peek_error").error() == 0);
    close(fd[0]);
    close(fd[1]);
}

/* Of that library, MySQL's request for TLS and TLS itself leave, a login does not. */
static void test_only(void)
{
    static const char request[36] = {32, 0, 0, 1, 0, 8}, login[36] = {32, 0, 0, 1},
                      record[] = {22, 3, 1, 0, 1, 0};
    const void *other = (const void *)(uintptr_t)dlsym;
    bool (*may_send)(const void *, const void *, size_t);

    tls_rules(other, TLS_ONLY);
    may_send = atomic_load(&send_guard);
    CHECK(may_send(other, request, sizeof request));
    CHECK(may_send(other, record, sizeof record));
    CHECK(may_send(here(), login, sizeof login));
    CHECK(!tls_refused());
    CHECK(!may_send(other, login, sizeof login));
    CHECK(!may_send(other, request, sizeof request - 1));
    CHECK(tls_refused());
    CHECK(!tls_refused());
    tls_rules(here(), TLS_ONLY); /* linked statically: not all of the program */
    CHECK(atomic_load(&send_guard) == NULL);
}

/* How often the computation may go on, up to 100,000 times. */
static int iterations(dur_ns limit)
{
    struct tls_hmac *ctx = HMAC_CTX_new();
    int n = 0;

    tls_limit_hmac(limit);
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

TEST_MAIN(tls_test)
{
    struct tls_ctx *ctx;
    struct tls_ssl *ssl;

    /* the reference to the drivers links their client libraries to this program */
    if (!sql_class_at(0) || !tls("SSL_CTX_new").address) {
        printf("tls: skipped: no client library is linked with OpenSSL\n");
        return 77;
    }
    tls_clear_errors(); /* nobody has used TLS: nothing to do */
    ctx = tls("SSL_CTX_new").ctx_new(tls("TLS_client_method").method());
    ssl = tls("SSL_new").ssl_new(ctx);
    test_names();
    test_only();
    test_store(ctx);
    test_reason(ssl);
    test_errors(ssl);
    test_hmac();
    tls("SSL_free").ssl_free(ssl);
    tls("SSL_CTX_free").ctx_free(ctx);
    return test_done("tls");
}
