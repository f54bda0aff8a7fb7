/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Intercepts calls of the client libraries to OpenSSL, for five things that the libraries offer no
 * option for:
 *
 *   The system's CA store.  libmariadb and libmysqlclient load it for each connection that has no
 *   CA of its own, even if the server's certificate is not verified.  This takes 20 ms of CPU and
 *   900 kB per connection.  tls_hook_skip_store() skips it.
 *
 *   The reason for rejecting a certificate.  libpq and libmysqlclient only report "certificate
 *   verify failed".  tls_hook_reason() returns OpenSSL's reason: expired, unknown CA and so on.
 *
 *   Verification without the host name.  From 3.4 on, libmariadb compares the certificate's name
 *   with the host's whenever it verifies anything, but verify-ca only verifies the CA.
 *   tls_hook_skip_name_check() skips the comparison.
 *
 *   The iterations of SCRAM.  The server chooses their number, and libpq computes without an end.
 *   tls_hook_limit_hmac() limits that.
 *
 *   Errors of another connection.  OpenSSL has one queue of errors per thread.
 *   tls_hook_clear_errors() empties it.
 *
 * The program exports six functions of OpenSSL (-export-dynamic).  So the libraries call these,
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

/* Why OpenSSL rejected the last certificate, in any connection of the process; NULL: it has not
 * rejected one.  A constant string of OpenSSL.  Any thread. */
const char *tls_hook_reason(void);

/* From now on, HMAC_Init_ex() fails in a computation, from HMAC_CTX_new() on, that has taken that
 * much CPU time.  Any thread. */
void tls_hook_limit_hmac(dur_ns limit);

/* Empties the calling thread's queue of OpenSSL's errors; does nothing while no connection of the
 * process has used TLS.  OpenSSL consults that queue to classify the latest call, so with many
 * connections on one thread the failure of one would be taken for that of another. */
void tls_hook_clear_errors(void);

#endif
