/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prints the table of report/fields.h, one figure a line: section, name, count or number,
 * description; separated by tabs.  docs/schema/make-schema turns it into the schema's lists, so
 * that a new figure cannot be forgotten there.
 */
#include <stdio.h>

#include "report/fields.h"

static void print(void *arg, const struct field *f)
{
    (void)arg;
    printf("%s\t%s\t%s\t%s\n", field_section_name(f->section), f->name,
           f->whole                                                                 ? "count"
           : f->row && (f->row->value.text || f->row->value.at.type == RECORD_TEXT) ? "text"
                                                                                    : "number",
           f->help);
}

int main(void)
{
    /* a server without counters of its own that has the others of --server-status */
    static const struct status_name none = {.name = ""};
    static const struct probe_delta probe = {
        .statuses = 1, .status_name = &none, .has_waits = true};
    struct snapshot s = {.kind = SNAPSHOT_INTERVAL, .probe = &probe};

    fields_each(&s, print, NULL);
    return 0;
}
