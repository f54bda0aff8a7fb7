/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See match.h.
 */
#include "profile/match.h"

#include <stdlib.h>

int match_compile(regex_t *out, const char *regex, struct err *e)
{
    char why[200];
    int rc = regcomp(out, regex, REG_EXTENDED | REG_NOSUB);

    if (rc == 0)
        return 0;
    regerror(rc, out, why, sizeof why);
    return err_set(e, ERR_USAGE, "'%s' is not a regular expression: %s", regex, why);
}

bool match_stack(const regex_t *r, const char *stack)
{
    return regexec(r, stack, 0, NULL, 0) == 0;
}

int match_filter(struct folded *f, const char *regex, bool keep, struct err *e)
{
    size_t kept = 0;
    regex_t r;

    if (match_compile(&r, regex, e))
        return -1;
    for (size_t i = 0; i < f->n; i++) {
        if (match_stack(&r, f->row[i].stack) == keep)
            f->row[kept++] = f->row[i];
        else
            free(f->row[i].stack);
    }
    f->n = kept;
    regfree(&r);
    return 0;
}
