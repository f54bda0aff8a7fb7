/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A rate from a file: rows of `seconds,rate`, each the rate from there on, or rows of one planned
 * start each.  See rate_pieces.h.
 */
#include "pace/rate_pieces.h"

#include "base/text_file.h"

int rate_trace_read(struct rates *r, const char *path, const struct rates_play *play, struct err *e)
{
    (void)r;
    (void)play;
    return err_set(e, ERR_USAGE, "cannot read '%s'", path);
}
