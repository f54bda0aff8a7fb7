/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A histogram of stats/hist.h in the format of HdrHistogram's readers.  It has their layout with 3
 * significant digits, lowest value 1 and highest value one hour in ns, so the counts are copied
 * unchanged.  Private to src/report
 *
 * V2 encoding, as the published readers define it: big-endian header (cookie 0x1c849303 | 0x10,
 * length of the counts, normalizing offset 0, digits, lowest and highest value, ratio 1.0), then
 * the counts as ZigZag LEB128 numbers of 64 bits, a negative one standing for that many empty
 * buckets.  Compressed form: cookie 0x1c849304 | 0x10, length, a zlib stream (RFC 1950), in base64
 * (RFC 4648).  The stream holds stored blocks: the runs of empty buckets are packed already, and no
 * library is needed for the rest.
 */
#ifndef SB_REPORT_HDR_H
#define SB_REPORT_HDR_H

#include "base/str.h"
#include "stats/hist.h"

/* Appends the base64 text. */
void hdr_compressed(struct str *out, const struct hist_counts *h);

#endif
