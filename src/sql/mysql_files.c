/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See mysql_files.h.  The rules are those of MySQL's manual, "Using Option Files".  MySQL's clients
 * silently skip a missing included file or a world-writable file; here it is an error, because the
 * user asked for the file.
 */
#include "sql/mysql_files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text_file.h"

#define MAX_DEPTH 10

static const char *const standard[] = {"/etc/my.cnf", "/etc/mysql/my.cnf"};
static const char *const groups[] = {"client", "client-server", "client-mariadb", "sysbench"};
#define OURS 3 /* of groups */

struct reader {
    const struct mysql_files *request;
    struct mysql_settings *out;
    int depth;
};

/* The position in one file. */
struct place {
    const char *path;
    int line;
    bool in_group; /* a group has begun */
    int group;     /* index into groups, -1: none of ours */
};

static int read_file(struct reader *r, const char *path, struct err *e);

static int bad(const struct place *p, struct err *e, const char *why, const char *what)
{
    return err_set(e, ERR_USAGE, "%s:%d: %s: %s", p->path, p->line, why, what);
}

static int group_of(const char *name, const char *suffix)
{
    for (int i = 0; i < (int)(sizeof groups / sizeof *groups); i++) {
        size_t n = strlen(groups[i]);
        if (strncmp(name, groups[i], n) == 0 &&
            (!name[n] || (suffix && *suffix && strcmp(name + n, suffix) == 0)))
            return i;
    }
    return -1;
}

static char *trim(char *s)
{
    char *end = s + strlen(s);

    while (end > s && isspace((unsigned char)end[-1]))
        *--end = '\0';
    while (isspace((unsigned char)*s))
        s++;
    return s;
}

/* '#' begins a comment, but not within quotes. */
static void cut_comment(char *s)
{
    char quote = '\0';

    for (; *s; s++) {
        if (*s == '\\' && s[1])
            s++;
        else if (quote)
            quote = *s == quote ? '\0' : quote;
        else if (*s == '\'' || *s == '"')
            quote = *s;
        else if (*s == '#') {
            *s = '\0';
            return;
        }
    }
}

/* In place: removes quotes around the whole value and resolves escapes. */
static void unquote(char *s)
{
    static const char from[] = "btnrs\\\"'", to[] = "\b\t\n\r \\\"'";
    size_t n = strlen(s);
    char *w = s;

    if (n >= 2 && (*s == '\'' || *s == '"') && s[n - 1] == *s) {
        s[n - 1] = '\0';
        s++;
    }
    for (; *s; s++) {
        const char *known = *s == '\\' && s[1] ? strchr(from, s[1]) : NULL;
        *w++ = known ? to[known - from] : *s;
        s += known != NULL;
    }
    *w = '\0';
}

static void add_setting(struct reader *r, const struct place *p, const char *name, char *value)
{
    struct mysql_setting s = {.name = mem_strdup(name),
                              .value = value ? mem_strdup(value) : NULL,
                              .where = mem_printf("%s:%d", p->path, p->line),
                              .ours = p->group == OURS};

    for (char *c = s.name; *c; c++)
        if (*c == '_')
            *c = '-';
    r->out->list = mem_grow(r->out->list, r->out->n + 1, sizeof s);
    r->out->list[r->out->n++] = s;
}

static int read_setting(struct reader *r, struct place *p, char *line, struct err *e)
{
    char *eq, *value = NULL;

    if (!p->in_group)
        return bad(p, e, "an option before the first [group]", line);
    if (p->group < 0)
        return 0;
    cut_comment(line);
    eq = strchr(line, '=');
    if (eq) {
        *eq = '\0';
        value = trim(eq + 1);
        unquote(value);
    }
    line = trim(line);
    if (!*line)
        return bad(p, e, "there is no name before", "=");
    add_setting(r, p, line, value);
    return 0;
}

static int begin_group(struct reader *r, struct place *p, char *line, struct err *e)
{
    char *close = strchr(line, ']');

    if (!close)
        return bad(p, e, "a group without its ']'", line);
    *close = '\0';
    p->in_group = true;
    p->group = group_of(trim(line + 1), r->request->suffix);
    return 0;
}

static int is_cnf(const struct dirent *d)
{
    size_t n = strlen(d->d_name);

    return n > 4 && strcmp(d->d_name + n - 4, ".cnf") == 0;
}

static int read_folder(struct reader *r, const char *folder, struct err *e)
{
    struct dirent **names;
    int n = scandir(folder, &names, is_cnf, alphasort), rc = 0;

    if (n < 0)
        return err_sys(e, errno, "cannot read the folder '%s'", folder);
    for (int i = 0; i < n; i++) {
        char *path = mem_printf("%s/%s", folder, names[i]->d_name);
        if (rc == 0)
            rc = read_file(r, path, e);
        free(path);
        free(names[i]);
    }
    free(names);
    return rc;
}

static int include(struct reader *r, const struct place *p, char *line, struct err *e)
{
    size_t word = strcspn(line, " \t");
    char *what = trim(line + word);
    bool folder = word == 11 && strncmp(line, "!includedir", word) == 0;
    int rc;

    if ((!folder && !(word == 8 && strncmp(line, "!include", word) == 0)) || !*what)
        return bad(p, e, "neither !include FILE nor !includedir FOLDER", line);
    rc = folder ? read_folder(r, what, e) : read_file(r, what, e);
    return rc ? err_add(e, "%s:%d", p->path, p->line) : 0;
}

static int read_line(struct reader *r, struct place *p, char *line, struct err *e)
{
    line = trim(line);
    switch (*line) {
    case '\0':
    case '#':
    case ';': return 0;
    case '!': return include(r, p, line, e);
    case '[': return begin_group(r, p, line, e);
    default: return read_setting(r, p, line, e);
    }
}

static int read_lines(struct reader *r, struct text_file *t, const char *path, struct err *e)
{
    struct place p = {.path = path, .group = -1};
    char *line;
    int rc = 0;

    if (S_ISREG(t->mode) && (t->mode & S_IWOTH))
        return err_set(e, ERR_USAGE, "option file '%s' is world-writable and was not read", path);
    while (rc == 0 && (line = text_file_line(t)) != NULL) {
        p.line = t->line;
        rc = read_line(r, &p, line, e);
    }
    return rc;
}

static int read_file(struct reader *r, const char *path, struct err *e)
{
    struct text_file t;
    int rc;

    if (r->depth == MAX_DEPTH)
        return err_set(e, ERR_USAGE, "'%s': more than %d nested option files", path, MAX_DEPTH);
    r->depth++;
    rc = text_file_read(&t, path, TEXT_FILE_WAIT_MS, e);
    rc = rc ? err_add(e, "cannot read the option file '%s'", path) : read_lines(r, &t, path, e);
    text_file_free(&t);
    r->depth--;
    return rc;
}

static int read_if_exists(struct reader *r, const char *path, struct err *e)
{
    struct stat st;

    return stat(path, &st) == 0 || errno != ENOENT ? read_file(r, path, e) : 0;
}

static int read_home(struct reader *r, struct err *e)
{
    const char *home = getenv("HOME");
    char *path;
    int rc;

    if (!home || !*home)
        return 0;
    path = mem_printf("%s/.my.cnf", home);
    rc = read_if_exists(r, path, e);
    free(path);
    return rc;
}

int mysql_files_read(const struct mysql_files *request, struct mysql_settings *out, struct err *e)
{
    struct reader r = {.request = request, .out = out};

    *out = (struct mysql_settings){NULL, 0};
    if (request->only && *request->only)
        return read_file(&r, request->only, e);
    for (size_t i = 0; request->standard && i < sizeof standard / sizeof *standard; i++)
        if (read_if_exists(&r, standard[i], e))
            return -1;
    if (request->extra && *request->extra && read_file(&r, request->extra, e))
        return -1;
    return request->standard ? read_home(&r, e) : 0;
}

void mysql_settings_free(struct mysql_settings *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->list[i].name);
        if (s->list[i].value) /* it may be a password */
            explicit_bzero(s->list[i].value, strlen(s->list[i].value));
        free(s->list[i].value);
        free(s->list[i].where);
    }
    free(s->list);
    *s = (struct mysql_settings){NULL, 0};
}
