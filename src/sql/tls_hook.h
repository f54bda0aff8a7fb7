/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Three things that the client libraries do not let us say to OpenSSL, said by standing between
 * them:
 *
 *   Certificates that nobody asks for.  libmariadb and libmysqlclient load the system's store of
 *   authorities for each connection without a CA of its own, also when the server's certificate is
 *   not going to be verified: 20 ms of CPU and 900 kB for each.  tls_hook_spare_store() stops that.
 *
 *   Why a certificate was refused.  libpq and libmysqlclient say "certificate verify failed" and no
 *   more.  tls_hook_reason() knows what OpenSSL found: expired, unknown authority and so on.
 *
 *   A chain without a name.  libmariadb from 3.4 on compares the certificate's name with the host's
 *   whenever it verifies anything; verify-ca is about the authority alone.  tls_hook_any_name().
 *
 * The program exports four functions of OpenSSL (-export-dynamic), so the libraries' calls come
 * here and go on to the OpenSSL that the caller is linked with.  A library that uses another TLS
 * library, or binds its symbols itself, never comes by, and nothing changes for it.  We need no
 * OpenSSL to build.
 */
#ifndef SB_SQL_TLS_HOOK_H
#define SB_SQL_TLS_HOOK_H

#include <stdbool.h>

/* From now on, or no longer: the library that contains the function `of` loads no system store.
 * One library at a time. Any thread; before its connections are opened. */
void tls_hook_spare_store(const void *of, bool spare);

/* From now on, or no longer: to that library a certificate fits every host.  As above. */
void tls_hook_any_name(const void *of, bool any);

/* What OpenSSL found wrong with the last certificate that it refused, in any connection of the
 * process; NULL: it has not refused one.  A constant text of OpenSSL's, nobody's to free.  Any
 * thread. */
const char *tls_hook_reason(void);

/* Has any connection of the process begun to talk TLS?  Never false again.  Any thread. */
bool tls_hook_used(void);

#endif
