/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See mysql_defaults.h.  Among the files, the last setting of a name wins; an option that was given
 * on the command line or in a --config-file stays as it is.
 */
#include "sql/mysql_defaults.h"

#include <string.h>
#include <strings.h>

#include "sql/mysql_files.h"

/* Names of MySQL's clients, and of sysbench for [sysbench]. */
static const struct rename {
    const char *name, *option;
    const char *on, *off; /* NULL: the value is the option's; else it is a flag */
} renames[] = {
    {"host", "mysql-host", NULL, NULL},
    {"port", "mysql-port", NULL, NULL},
    {"socket", "mysql-socket", NULL, NULL},
    {"user", "mysql-user", NULL, NULL},
    {"password", "mysql-password", NULL, NULL},
    {"database", "mysql-db", NULL, NULL},
    {"ssl-mode", "mysql-ssl", NULL, NULL},
    {"ssl", "mysql-ssl", "required", "disabled"},
    {"skip-ssl", "mysql-ssl", "disabled", "preferred"},
    {"disable-ssl", "mysql-ssl", "disabled", "preferred"},
    {"ssl-verify-server-cert", "mysql-ssl", "verify-identity", "preferred"},
    {"ssl-key", "mysql-ssl-key", NULL, NULL},
    {"ssl-cert", "mysql-ssl-cert", NULL, NULL},
    {"ssl-ca", "mysql-ssl-ca", NULL, NULL},
    {"ssl-capath", "mysql-ssl-capath", NULL, NULL},
    {"ssl-cipher", "mysql-ssl-cipher", NULL, NULL},
    {"tls-version", "mysql-tls-version", NULL, NULL},
    {"compress", "mysql-compression", "on", "off"},
    {"compression-algorithms", "mysql-compression-algorithms", NULL, NULL},
};

static const struct rename *find(const char *name)
{
    if (strncmp(name, "loose-", 6) == 0)
        name += 6;
    for (size_t i = 0; i < sizeof renames / sizeof *renames; i++)
        if (strcmp(name, renames[i].name) == 0 || strcmp(name, renames[i].option) == 0)
            return &renames[i];
    return NULL;
}

/* -1: neither on nor off. */
static int flag(const char *value)
{
    static const char *const on[] = {"1", "on", "true", "yes"}, *const off[] = {"0", "off", "false",
                                                                                "no"};

    for (size_t i = 0; value && i < 4; i++) {
        if (strcasecmp(value, off[i]) == 0)
            return 0;
        if (strcasecmp(value, on[i]) == 0)
            return 1;
    }
    return value ? -1 : 1;
}

/* The text for the option; NULL with *e filled. */
static const char *value_for(const struct rename *r, const struct mysql_setting *s, struct err *e)
{
    int on;

    if (!r->on) {
        if (!s->value)
            err_set(e, ERR_USAGE, "%s: '%s' needs a value", s->where, s->name);
        return s->value;
    }
    on = flag(s->value);
    if (on < 0)
        err_set(e, ERR_USAGE, "%s: '%s' is on or off, not '%s'", s->where, s->name, s->value);
    return on < 0 ? NULL : on ? r->on : r->off;
}

/* What the user gave, by option of `renames`; read before the files' settings look the same. */
struct given {
    bool option[sizeof renames / sizeof *renames];
};

static int apply(struct opts *o, const struct mysql_setting *s, const struct given *g,
                 struct err *e)
{
    const struct rename *r = find(s->name);
    const char *value;

    if (!r && s->ours && strncmp(s->name, "loose-", 6) != 0)
        return err_set(
            e, ERR_USAGE,
            "%s: '%s' is not a connection option (put other options into a --config-file)",
            s->where, s->name);
    if (!r)
        return 0;
    value = value_for(r, s, e);
    if (!value)
        return -1;
    if (g->option[r - renames])
        return 0;
    opt_set(o, r->option, value, NULL);
    return opts_check(o, e) ? err_add(e, "%s", s->where) : 0;
}

char **mysql_defaults_hosts(const struct opts *o, size_t *n)
{
    return opt_list(o, "mysql-host", n);
}

static bool only_localhost(const struct opts *o)
{
    size_t n;
    char **hosts = mysql_defaults_hosts(o, &n);

    while (n > 0 && strcasecmp(hosts[n - 1], "localhost") == 0)
        n--;
    return n == 0;
}

static int apply_all(struct opts *o, const struct mysql_settings *all, struct err *e)
{
    struct given g;

    for (size_t i = 0; i < sizeof renames / sizeof *renames; i++)
        g.option[i] = opt_given(o, renames[i].option);
    for (size_t i = 0; i < all->n; i++)
        if (apply(o, &all->list[i], &g, e))
            return -1;
    /* as in MySQL's clients: the socket of a file is for the local host only */
    if (!g.option[find("socket") - renames] && !only_localhost(o))
        opt_set(o, "mysql-socket", "", NULL);
    return 0;
}

int mysql_defaults_apply(struct opts *o, struct err *e)
{
    struct mysql_files ask = {.only = opt_str(o, "defaults-file"),
                              .standard = opt_bool(o, "mysql-read-defaults"),
                              .extra = opt_str(o, "defaults-extra-file"),
                              .suffix = opt_str(o, "defaults-group-suffix")};
    struct mysql_settings all;
    int rc;

    if (*ask.only && (*ask.extra || ask.standard))
        return err_set(e, ERR_USAGE, "--defaults-file and --%s cannot be combined",
                       *ask.extra ? "defaults-extra-file" : "mysql-read-defaults");
    if (!*ask.only && !*ask.extra && !ask.standard)
        return !*ask.suffix ? 0
                            : err_set(e, ERR_USAGE,
                                      "--defaults-group-suffix needs --defaults-file, "
                                      "--defaults-extra-file or --mysql-read-defaults");
    rc = mysql_files_read(&ask, &all, e);
    if (rc == 0)
        rc = apply_all(o, &all, e);
    mysql_settings_free(&all);
    return rc;
}
