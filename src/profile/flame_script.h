/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a browser can do with a flame graph beyond showing it: zoom and search.
 */
#ifndef SB_PROFILE_FLAME_SCRIPT_H
#define SB_PROFILE_FLAME_SCRIPT_H

#include "base/str.h"

/* Appends the <script> element. */
void flame_script(struct str *out);

#endif
