/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pstime --stream: answers questions about this host's server on stdin with readings on stdout, in
 * the lines of telemetry/stream.h.  Ends when stdin does, so no process is left when the other side
 * ends.  Private to src/ps
 */
#ifndef SB_PS_SERVE_H
#define SB_PS_SERVE_H

/* The exit status. */
int ps_serve(void);

#endif
