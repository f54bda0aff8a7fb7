/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The script of a flame graph: zoom and search in a browser.  Private to src/profile
 */
#ifndef SB_PROFILE_FLAME_SCRIPT_H
#define SB_PROFILE_FLAME_SCRIPT_H

#include "base/str.h"

/* The text of profile/flame.js, which must not contain "]]>". */
extern const char flame_js[];

/* Appends the <script> element. */
void flame_script(struct str *out);

#endif
