/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to src/cluster: the addresses under which other hosts may reach this one.
 */
#ifndef SB_CLUSTER_ADDRESSES_H
#define SB_CLUSTER_ADDRESSES_H

#include "base/err.h"
#include "base/str.h"

#define ADDRESSES_MOST 32

/* Adds " ADDRESS" for each address of an interface that is up, IPv4 before IPv6; the loopback
 * addresses only when there are no others. */
int addresses_add(struct str *out, struct err *e);

#endif
