/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Answers to prepared statements of MySQL: whatever the server sends, the results end, and values
 * are inside of what was received.
 */
#include "fuzz.h"

#ifdef HAVE_MYSQL
#include <mysql.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "sql/mysql_wire.h"

/* What fits into the socket's buffer, so that nobody waits. */
#define MOST 60000

static void look_at(struct wire *w, const struct wire_stmt *s)
{
    sql_value *v = mem_array((size_t)w->ncolumns + 1, sizeof *v);
    volatile char seen = 0;

    bool malformed;

    while (wire_fetch(w, s, v, &malformed))
        for (uint32_t i = 0; i < w->ncolumns; i++)
            for (uint32_t k = 0; v[i].ptr && k < v[i].len; k++)
                seen = v[i].ptr[k];
    (void)seen;
    free(v);
}

static void one(const uint8_t *data, size_t size)
{
    static const struct wire_column blob = {.type = MYSQL_TYPE_BLOB};
    struct wire_stmt s = {.id = 1, .ncolumns = 1, .columns = mem_array(1, sizeof blob)};
    struct wire_result r;
    int fd[2];

    size = size < MOST ? size : MOST;
    FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
    uint8_t *bytes = mem_array(size + 1, 1);
    memcpy(bytes, data, size);
    /* numbers that are in turn, or hardly anything would be looked at; but for a high bit */
    uint8_t number = 1;
    for (size_t at = 0; at + 4 <= size; number++) {
        bytes[at + 3] = (uint8_t)(number | (bytes[at + 3] & 0x80));
        at += 4 + (bytes[at] | (size_t)bytes[at + 1] << 8 | (size_t)bytes[at + 2] << 16);
    }
    FUZZ_CHECK(send(fd[1], bytes, size, MSG_NOSIGNAL) == (ssize_t)size);
    free(bytes);
    close(fd[1]);
    s.columns[0] = blob;
    struct wire w = {.fd = fd[0], .number = 1};
    for (size_t n = 0; n <= size; n++) { /* each result takes a byte at least */
        enum wire_outcome v = wire_result(&w, &s, &r);
        if (v != WIRE_DONE && v != WIRE_REFUSED)
            break;
        FUZZ_CHECK(n < size);
        if (v == WIRE_DONE && r.ncolumns > 0)
            look_at(&w, &s);
        wire_release(&w);
    }
    wire_fini(&w);
    free(s.columns);
    close(fd[0]);
}
#else
static void one(const uint8_t *data, size_t size)
{
    (void)data;
    (void)size;
}
#endif

const struct fuzz_target fuzz_wire = {"wire", one};
