/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The functions of other libraries that this program replaces.  The dynamic linker searches the
 * program first (-export-dynamic), so the client libraries and scripts (ffi.C) call these:
 *
 *     waits.c  poll ppoll __poll_chk __ppoll_chk nanosleep clock_nanosleep usleep sleep send recv
 *              close getaddrinfo freeaddrinfo bind
 *     tls.c    SSL_connect SSL_CTX_set_default_verify_paths X509_check_host X509_check_ip_asc
 *              ERR_reason_error_string ERR_error_string_n HMAC_CTX_new HMAC_Init_ex SSL_read
 *              SSL_write
 *
 * Why: the libraries have no other way in.
 *
 *   Waits.  libmariadb and libpq block in poll(), recv() and getaddrinfo(), scripts in usleep(). On
 *   a fiber these park its task, and the worker goes on with other clients (src/fiber).  On a
 * thread they do the system call, within the limit of sched_limit_waits().  close() tells the
 * worker that the descriptor's number will be another socket's.
 *
 *   bind().  For --source-address the libraries bind a socket to an address before they connect it,
 *   and the kernel then reserves a port that no other connection from that address may have, to
 *   whichever server, for as long as it is open and a minute longer.  A socket that is asked to
 *   choose its port when it connects shares ports as one without an address does.
 *
 *   send() can refuse what must not leave in plain text.  libmariadb logs in without TLS when the
 *   server offers none, although TLS is required.  With TLS_ONLY, nothing but the request for
 *   TLS and TLS itself leaves.
 *
 *   The system's CA store.  libmariadb and libmysqlclient load it for each connection that has no
 *   CA of its own, even if the server's certificate is not verified.  This takes 20 ms of CPU and
 *   900 kB per connection.  TLS_SKIP_STORE skips it.
 *
 *   The reason for rejecting a certificate.  The libraries only report "certificate verify failed".
 *   OpenSSL's reason (expired, unknown CA and so on) is added where they ask OpenSSL for that text,
 *   so it is always that of the same connection.
 *
 *   Verification without the host name.  From 3.4 on, libmariadb compares the certificate's name
 *   with the host's whenever it verifies anything, but verify-ca only verifies the CA.
 *   TLS_ANY_NAME skips the comparison.
 *
 *   The iterations of SCRAM.  The server chooses their number, and libpq computes without an end.
 *   tls_limit_hmac() limits that.
 *
 *   Waits of TLS.  On a socket that does not block, libmariadb takes the seconds of a time-out for
 *   milliseconds, and waits for the server to send when it has to send itself; on one that blocks,
 *   OpenSSL reads without a limit.  SSL_connect(), SSL_read() and SSL_write() of the library of
 *   tls_rules() wait here instead.
 *
 *   The length of an answer (sched_limit_answer): recv() and SSL_read() count it, since the
 *   libraries keep whatever comes.
 *
 *   Errors of another connection.  OpenSSL has one queue of errors per thread.  tls_clear_errors()
 *   empties it.
 *
 * Our own code is bound to them, too.  Signal handlers and src/base must not let another client run
 * in the middle: they use base/plain.h, and scripts/lint finds those that do not.
 *
 * Nothing changes for a library that binds its symbols itself, or that is linked statically;
 * library_check() finds out.  Building does not need OpenSSL.
 */
#ifndef SB_INTERPOSE_INTERPOSE_H
#define SB_INTERPOSE_INTERPOSE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/err.h"

/* --- waits.c --- */

/* The load address of the library that has this address; NULL: none has. */
const void *library_of(const void *address);

/* The dynamic linker resolves poll() to this program's; -1 with a sentence when it does not: then
 * there can be no workers.  Any thread. */
int interpose_check(struct err *e);

/* The library that `function` belongs to waits by calling poll(), ppoll() or their checked forms by
 * name; -1 with a sentence when it does not.  0 also where that cannot be seen.  Any thread. */
int library_check(const void *function, struct err *e);

/* The sockets of the library that has this function choose their ports late from now on. */
void bind_late_for(const void *function);

/* May the function that called send() at `caller` send these bytes?  If not, send() fails with
 * EPROTO.  NULL: everybody may send everything. */
extern bool (*_Atomic send_guard)(const void *caller, const void *bytes, size_t n);

/* Sees what is about to be sent, on the thread that sends it.  NULL: nobody does. */
extern void (*_Atomic send_watch)(int fd, const void *bytes, size_t n);

/* --- tls.c --- */

/* What the library that contains the function `of` is kept from or spared, from now on; one library
 * at a time.  Any thread; before its connections are opened. */
enum {
    TLS_SKIP_STORE = 1, /* the system's store is not loaded */
    TLS_ANY_NAME = 2,   /* a certificate matches every host name */
    /* It, of MySQL's protocol, sends nothing in plain text but the packet that asks for TLS, which
     * names nobody.  All else fails with EPROTO. */
    TLS_ONLY = 4
};
void tls_rules(const void *of, unsigned rules);

/* Has it failed so on the calling thread since the last call of this? */
bool tls_refused(void);

/* From now on, HMAC_Init_ex() fails in a computation, from HMAC_CTX_new() on, that has taken that
 * much CPU time.  Any thread. */
void tls_limit_hmac(dur_ns limit);

/* Empties the calling thread's queue of OpenSSL's errors; does nothing while no connection of the
 * process has used TLS.  OpenSSL consults that queue to classify the latest call, so with many
 * connections on one thread the failure of one would be taken for that of another. */
void tls_clear_errors(void);

#endif
