/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See secret.h.  Text is masked in place, which never makes it longer: argv and copies are treated
 * alike.  The kernel shows the memory that argv points to, so overwriting it hides it; what remains
 * is the time between exec and main, which is why passwords can be read from files.
 */
#include "opt/secret.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "opt/opt_table.h"

/* True for an option in the table, or for one that a script may declare later. */
static bool is_secret(const struct opts *o, const char *option)
{
    const struct opt *r = opts_find(o, option);

    return r ? (r->flags & OPT_SECRET) != 0 : secret_by_name(option);
}

char *secret_shown(const struct opts *o, const char *option, const char *value)
{
    if (*value && is_secret(o, option))
        return mem_strdup(SECRET_SHOWN);
    return secret_shown_text(value);
}

/* Splits "--name=value": returns the name, which the caller frees, and where the value begins; NULL
 * when `arg` is no such argument. */
static char *option_of(const char *arg, const char **value)
{
    const char *name = arg + opt_dashes(arg), *eq = strchr(name, '=');

    if (name == arg || !eq)
        return NULL;
    *value = eq + 1;
    return mem_strndup(name, (size_t)(eq - name));
}

char *secret_shown_arg(const struct opts *o, const char *arg)
{
    const char *value;
    char *option = option_of(arg, &value), *shown, *whole;

    if (!option)
        return secret_shown_text(arg);
    shown = secret_shown(o, option, value);
    whole = mem_printf("%.*s%s", (int)(value - arg), arg, shown);
    free(shown);
    free(option);
    return whole;
}

/* Masks the value of an option of the table that has a secret, in place. */
static void hide_arg(const struct opts *o, char *arg)
{
    const char *begin;
    char *option = opt_dashes(arg) >= 2 ? option_of(arg, &begin) : NULL;
    const struct opt *r = option ? opts_find(o, option) : NULL;
    char *value = r ? arg + (begin - arg) : NULL;

    if (r && r->flags & OPT_SECRET)
        mask_value(value, strlen(value));
    else if (r && r->flags & OPT_SECRET_WITHIN)
        mask_in_text(value);
    free(option);
}

char **secret_hide(const struct opts *o, int argc, char **argv)
{
    char **copy = mem_array((size_t)argc + 1, sizeof *copy);

    for (int i = 0; i < argc; i++) {
        copy[i] = mem_strdup(argv[i]);
        hide_arg(o, argv[i]);
    }
    return copy;
}

void secret_forget(const struct opts *o, char **copy)
{
    for (; *copy; copy++)
        hide_arg(o, *copy);
}

void secret_free(char **copy)
{
    for (char **arg = copy; arg && *arg; arg++) {
        explicit_bzero(*arg, strlen(*arg));
        free(*arg);
    }
    free(copy);
}
