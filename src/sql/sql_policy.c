/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_policy.h.  A preset is a list of the same syntax, so that docs/reliability.md, --help and
 * the program cannot mean different things by it, and so that a user can begin with one and change
 * some of its classes.
 */
#include "sql/sql_policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const actions[] = {[ACTION_RETRY] = "retry",
                                      [ACTION_RECONNECT] = "reconnect",
                                      [ACTION_FAIL] = "fail",
                                      [ACTION_FATAL] = "fatal"};

#define CONFLICTS "deadlock:retry,lock-wait:retry,serialization:retry"
#define LOSSES    "connection:reconnect,shutdown:reconnect"

static const struct {
    const char *name, *items;
} presets[] = {
    /* a conflict with another node appears as a deadlock, as 1180 at the commit, or as 1317, when
     * the write set of the other node interrupts the statement */
    {"galera", CONFLICTS ",cluster:retry,cancelled:retry," LOSSES},
    /* a member that is no longer primary is super-read-only */
    {"group-replication", CONFLICTS ",cluster:retry,read-only:reconnect," LOSSES},
    {"failover", "read-only:reconnect," LOSSES},
    /* as failover; the old writer may answer until its name points to the new one */
    {"aurora", "read-only:reconnect,overload:retry," LOSSES},
    /* conflicts of optimistic transactions, regions without a leader, busy stores */
    {"tidb", CONFLICTS ",cluster:retry,overload:retry," LOSSES},
};

const char *error_action_name(enum error_action a)
{
    return actions[a];
}

static enum error_action find_action(const char *name)
{
    for (size_t a = ACTION_RETRY; a < COUNT(actions); a++)
        if (strcmp(actions[a], name) == 0)
            return (enum error_action)a;
    return ACTION_LISTED;
}

const char *sql_policy_preset(const char *name)
{
    for (size_t i = 0; i < COUNT(presets); i++)
        if (strcmp(presets[i].name, name) == 0)
            return presets[i].items;
    return NULL;
}

static int not_an_action(const char *item, const char *action, struct err *e)
{
    struct near n;

    err_set(e, ERR_USAGE, "Invalid value for --on-error: '%s' (actions:", item);
    near_begin(&n, action);
    for (size_t a = ACTION_RETRY; a < COUNT(actions); a++) {
        err_append(e, "%s %s", a > ACTION_RETRY ? "," : "", actions[a]);
        near_offer(&n, actions[a]);
    }
    err_append(e, ")");
    return near_suggest(&n, e);
}

static int not_a_class(const char *item, const char *class, struct err *e)
{
    struct near n;

    err_set(e, ERR_USAGE, "Invalid value for --on-error: '%s' (CLASS:ACTION, or one of:", item);
    near_begin(&n, class);
    for (size_t i = 0; i < COUNT(presets); i++) {
        err_append(e, "%s %s", i ? "," : "", presets[i].name);
        near_offer(&n, presets[i].name);
    }
    err_append(e, "; classes:");
    for (int k = 1; k <= ERROR_CLASSES; k++) { /* "other" is the last */
        const char *name = error_class_name((enum error_class)(k % ERROR_CLASSES));
        err_append(e, "%s %s", k > 1 ? "," : "", name);
        near_offer(&n, name);
    }
    err_append(e, ")");
    return near_suggest(&n, e);
}

static int read_item(struct sql_policy *p, const char *item, struct err *e);

static int read_preset(struct sql_policy *p, const char *items, struct err *e)
{
    char *list = mem_strdup(items), *rest = NULL;
    int rc = 0;

    for (char *item = strtok_r(list, ",", &rest); item && rc == 0;
         item = strtok_r(NULL, ",", &rest))
        rc = read_item(p, item, e);
    free(list);
    return rc;
}

static int read_item(struct sql_policy *p, const char *item, struct err *e)
{
    const char *colon = strchr(item, ':'), *preset = sql_policy_preset(item);
    char class[32] = "";
    enum error_class k;
    enum error_action a;

    if (preset)
        return read_preset(p, preset, e);
    if (colon && (size_t)(colon - item) < sizeof class)
        memcpy(class, item, (size_t)(colon - item));
    k = error_class_find(class);
    if (k == ERROR_CLASSES)
        return not_a_class(item, colon ? class : item, e);
    a = find_action(colon + 1);
    if (a == ACTION_LISTED)
        return not_an_action(item, colon + 1, e);
    p->action[k] = (unsigned char)a;
    return 0;
}

int sql_policy_read(struct sql_policy *p, char **items, size_t n, struct err *e)
{
    *p = (struct sql_policy){0};
    for (size_t i = 0; i < n; i++)
        if (read_item(p, items[i], e))
            return -1;
    return 0;
}
