/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_environment.h.
 */
#include "report/text_environment.h"

#include <stdio.h>

#include "telemetry/environment.h"

void text_environment(struct str *out, const struct environment *e)
{
    str_adds(out, "Environment:\n");
    for (size_t i = 0; i < e->n; i++) {
        char label[400];
        snprintf(label, sizeof label, "%s:", e->item[i].key);
        str_printf(out, "    %-36s ", label);
        environment_to_text(out, &e->item[i]);
        str_adds(out, "\n");
    }
    str_adds(out, "\n");
}
