/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Intercepts calls of the client libraries to OpenSSL and to send(), for six things that the
 * libraries offer no option for:
 *
 *   The system's CA store.  libmariadb and libmysqlclient load it for each connection that has no
 *   CA of its own, even if the server's certificate is not verified.  This takes 20 ms of CPU and
 *   900 kB per connection.  tls_hook_skip_store() skips it.
 *
 *   The reason for rejecting a certificate.  The libraries only report "certificate verify failed".
 *   OpenSSL's reason (expired, unknown CA and so on) is added where they ask OpenSSL for that text,
 *   so it is always that of the same connection.
 *
 *   Verification without the host name.  From 3.4 on, libmariadb compares the certificate's name
 *   with the host's whenever it verifies anything, but verify-ca only verifies the CA.
 *   tls_hook_skip_name_check() skips the comparison.
 *
 *   The iterations of SCRAM.  The server chooses their number, and libpq computes without an end.
 *   tls_hook_limit_hmac() limits that.
 *
 *   Nothing in plain text.  libmariadb logs in without TLS when the server offers none, although
 *   TLS is required.  After tls_hook_only(), nothing but the request for TLS and TLS itself leaves.
 *
 *   Errors of another connection.  OpenSSL has one queue of errors per thread.
 *   tls_hook_clear_errors() empties it.
 *
 * The program exports eight functions of OpenSSL (-export-dynamic).  So the libraries call these,
 * and they call the OpenSSL that the caller is linked with.  Nothing changes for a library that
 * uses another TLS library or binds its symbols itself.  Building does not need OpenSSL.
 */
#ifndef SB_SQL_TLS_HOOK_H
#define SB_SQL_TLS_HOOK_H

#include <stdbool.h>

#include "base/clock.h"

/* Turns skipping of the system's store on or off for the library that contains the function `of`.
 * One library at a time.  Any thread; before its connections are opened. */
void tls_hook_skip_store(const void *of, bool spare);

/* Likewise: for that library, a certificate matches every host name. */
void tls_hook_skip_name_check(const void *of, bool any);

/* Likewise: that library, of MySQL's protocol, sends nothing in plain text but the packet that asks
 * for TLS, which names nobody.  All else fails with EPROTO. */
void tls_hook_only(const void *of, bool only);

/* Has it failed so on the calling thread since the last call of this? */
bool tls_hook_refused(void);

/* From now on, HMAC_Init_ex() fails in a computation, from HMAC_CTX_new() on, that has taken that
 * much CPU time.  Any thread. */
void tls_hook_limit_hmac(dur_ns limit);

/* Empties the calling thread's queue of OpenSSL's errors; does nothing while no connection of the
 * process has used TLS.  OpenSSL consults that queue to classify the latest call, so with many
 * connections on one thread the failure of one would be taken for that of another. */
void tls_hook_clear_errors(void);

#endif
