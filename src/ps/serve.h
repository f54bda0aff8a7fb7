/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pstime --stream: answers questions about this host's server on stdin with readings on stdout, in
 * the lines of telemetry/stream.h.  Ends when stdin does: nothing is left behind when the asking
 * side goes.
 */
#ifndef SB_PS_SERVE_H
#define SB_PS_SERVE_H

/* The exit status. */
int ps_serve(void);

#endif
