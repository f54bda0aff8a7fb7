/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * OpenSSL's queue of errors, with the OpenSSL that the client libraries bring along: a failed
 * handshake leaves an error there, and tls_clear_errors() removes it.
 */
#include "interpose/interpose.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/test.h"
#include "sql/sql.h"

struct tls_ssl;
int SSL_connect(struct tls_ssl *ssl); /* this program's own, tls.c */

union symbol {
    void *address;
    unsigned long (*error)(void);
    const void *(*method)(void);
    void *(*ctx_new)(const void *method);
    struct tls_ssl *(*ssl_new)(void *ctx);
    int (*set_fd)(struct tls_ssl *ssl, int fd);
    void (*release)(void *object);
};

static union symbol find(const char *name)
{
    return (union symbol){dlsym(RTLD_DEFAULT, name)};
}

TEST_MAIN(tls_errors_test)
{
    static const char plain[] = "a server that does not speak TLS";
    int fd[2];
    void *ctx;
    struct tls_ssl *ssl;

    for (size_t i = 0; sql_class_at(i); i++) /* makes the linker keep the client libraries */
        printf("%s\n", sql_class_at(i)->library());
    tls_clear_errors(); /* nobody has used TLS: nothing to do */
    if (!find("SSL_new").address || !find("TLS_client_method").address) {
        printf("tls_errors_test: the client libraries use no OpenSSL\n");
        return 77;
    }
    ctx = find("SSL_CTX_new").ctx_new(find("TLS_client_method").method());
    ssl = find("SSL_new").ssl_new(ctx);
    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    CHECK_INT(write(fd[1], plain, sizeof plain), sizeof plain);
    CHECK_INT(find("SSL_set_fd").set_fd(ssl, fd[0]), 1);
    CHECK(SSL_connect(ssl) != 1);
    CHECK(find("ERR_peek_error").error() != 0);
    tls_clear_errors();
    CHECK(find("ERR_peek_error").error() == 0);
    close(fd[0]);
    close(fd[1]);
    find("SSL_free").release(ssl);
    find("SSL_CTX_free").release(ctx);
    return test_done("tls_errors");
}
