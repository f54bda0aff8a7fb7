/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See flame_script.h.  The script is profile/flame.js, which the build turns into flame_js.
 */
#include "profile/flame_script.h"

void flame_script(struct str *out)
{
    str_adds(out, "<script><![CDATA[\n");
    str_adds(out, flame_js);
    str_adds(out, "]]></script>\n");
}
