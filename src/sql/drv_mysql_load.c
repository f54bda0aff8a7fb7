/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * LOAD DATA LOCAL.  The server answers the statement with a file name and asks the client for that
 * file; a hostile one may ask for any file, after any statement.  The library would open it; here
 * it asks us.  For sql_load(), rows come from the feed, whatever the name.  For a statement of the
 * script, the file is the one that the statement names.  Everything else is refused.
 */
#include <errmsg.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/mem.h"
#include "sql/drv_mysql.h"
#include "sql/sql.h"
#include "sql/sql_scan.h"

/* Packets of the library are 4 KiB of rows; so many bytes of them go in one write. */
#define WRITE_BUFFER (64u * 1024)

/* A file that the server asks for. */
struct load_file {
    struct sql_feed *feed; /* the rows, instead of a file */
    int fd, errnum;        /* -1 and why, errno or CR_UNKNOWN_ERROR */
    char *name;
};

/* --- the file that a statement names --- */

static size_t skip_blanks(const struct sql_scan *sc, size_t i)
{
    size_t end;

    for (; i < sc->len; i = end) {
        if (sc->s[i] && strchr(" \t\r\n\v\f", sc->s[i]))
            end = i + 1;
        else if (sql_scan_token(sc, i, &end) != SQL_TOKEN_COMMENT)
            break;
    }
    return i;
}

/* Is this the next word?  Then *i moves behind it and the blanks. */
static bool take(const struct sql_scan *sc, size_t *i, const char *word)
{
    size_t end = *i + strlen(word);

    if (end >= sc->len || strncasecmp(sc->s + *i, word, strlen(word)) != 0 ||
        sql_name_char(sc->s[end]))
        return false;
    *i = skip_blanks(sc, end);
    return true;
}

bool mydrv_names_file(const char *text, size_t len, const char *name)
{
    struct sql_scan sc = {text, len, SQL_LEX_MYSQL | SQL_LEX_BACKSLASH};
    size_t i = skip_blanks(&sc, 0), end, n = strlen(name);

    if (!take(&sc, &i, "LOAD") || !(take(&sc, &i, "DATA") || take(&sc, &i, "XML")))
        return false;
    if (!take(&sc, &i, "LOW_PRIORITY"))
        take(&sc, &i, "CONCURRENT");
    return take(&sc, &i, "LOCAL") && take(&sc, &i, "INFILE") && i < len &&
           sql_scan_token(&sc, i, &end) == SQL_TOKEN_STRING && end - i == n + 2 &&
           memcmp(text + i + 1, name, n) == 0 && text[end - 1] == text[i] &&
           !(end < len && text[end] == text[i]); /* 'a''b' */
}

/* --- the library's calls --- */

static int begin(void **out, const char *name, void *arg)
{
    struct sql_conn *c = arg;
    struct load_file *f = *out = mem_alloc(sizeof *f);

    f->feed = c->feed;
    f->name = mem_strdup(name);
    f->fd = -1;
    if (f->feed) {
        f->feed->begun = true;
        return 0;
    }
    f->errnum = CR_UNKNOWN_ERROR;
    if (!c->text || !mydrv_names_file(c->text, c->text_len, name))
        return 1;
    f->fd = open(name, O_RDONLY | O_CLOEXEC);
    f->errnum = errno;
    return f->fd < 0;
}

static int next_bytes(void *arg, char *out, unsigned int room)
{
    struct load_file *f = arg;
    ssize_t n;

    if (f->feed)
        return (int)f->feed->read(f->feed->arg, out, room);
    n = read(f->fd, out, room);
    f->errnum = errno;
    return (int)n;
}

static void end(void *arg)
{
    struct load_file *f = arg;

    if (!f) /* libmariadb has refused by itself */
        return;
    if (f->fd >= 0)
        close(f->fd);
    free(f->name);
    free(f);
}

static int why(void *arg, char *out, unsigned int size)
{
    const struct load_file *f = arg;

    if (f->errnum == CR_UNKNOWN_ERROR)
        snprintf(out, size, "The server asked for a file that the statement does not name: %s",
                 f->name);
    else
        snprintf(out, size, "File '%s' %s (Errcode: %d)", f->name,
                 f->fd < 0 ? "not found" : "cannot be read", f->errnum); /* as libmariadb does */
    for (; *out; out++)
        if (*out == '%')
            *out = '?'; /* libmariadb takes the text for a format */
    return f->errnum;
}

void mydrv_allow_load(struct sql_conn *c, MYSQL *m)
{
    unsigned on = ((const struct mydrv_cfg *)c->cfg)->login.local_infile;

    mysql_options(m, MYSQL_OPT_LOCAL_INFILE, &on);
#if SB_LIBMARIADB
    if (c->host->loads)
        mysql_options(m, MYSQL_OPT_NET_BUFFER_LENGTH, &(size_t){WRITE_BUFFER});
#endif
    mysql_set_local_infile_handler(m, begin, next_bytes, end, why, c);
}

enum sql_outcome mydrv_load(struct sql_conn *c, const char *text, size_t len, struct sql_feed *feed)
{
    MYSQL *m = mydrv_lib(c);

    (void)feed; /* c->feed */
    if (mysql_real_query(m, text, len))
        return mydrv_report_failure(c, "mysql_real_query()", NULL, 0);
    mydrv_store_status(c, mysql_affected_rows(m));
    return SQL_DONE;
}
