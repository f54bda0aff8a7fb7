/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The program's own bind(), for --source-address.  The dynamic linker searches the program first,
 * so client libraries call it.  They bind a socket to an address before they connect it, and the
 * kernel then reserves a port that no other connection from that address may have, to whichever
 * server, for as long as it is open and a minute longer.  A socket that is asked to choose its port
 * when it connects shares ports as one without an address does.
 */
#ifndef SB_SQL_BIND_HOOK_H
#define SB_SQL_BIND_HOOK_H

/* The sockets of the library that has this function choose their ports late from now on. */
void bind_hook_for(const void *function);

#endif
