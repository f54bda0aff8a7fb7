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

/* Packets of the library are 4 KiB of rows; so many bytes of them go in one write. */
#define WRITE_BUFFER (64u * 1024)

/* A file that the server asks for. */
struct load_file {
    struct sql_feed *feed; /* the rows, instead of a file */
    int fd, errnum;        /* -1 and why, errno or CR_UNKNOWN_ERROR */
    char *name;
};

/* Does the statement say INFILE 'name'? */
static bool is_named(const char *text, size_t len, const char *name)
{
    static const char word[] = "INFILE";
    size_t n = strlen(name);

    for (size_t i = 0; i + sizeof word + n < len; i++) {
        size_t at = i + sizeof word - 1;
        if (strncasecmp(text + i, word, sizeof word - 1) != 0)
            continue;
        while (at < len && strchr(" \t\r\n", text[at]))
            at++;
        if (at + n + 2 <= len && (text[at] == '\'' || text[at] == '"') &&
            memcmp(text + at + 1, name, n) == 0 && text[at + 1 + n] == text[at])
            return true;
    }
    return false;
}

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
    if (!c->text || !is_named(c->text, c->text_len, name))
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
