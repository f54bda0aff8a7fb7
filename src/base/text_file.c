/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See text_file.h.  The file is opened without blocking: opening a FIFO would wait for its writer.
 */
#include "base/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/plain.h"

static int refuse(struct err *e, const char *why)
{
    return err_set(e, ERR_USAGE, "%s", why);
}

static int lines_in(const char *text, size_t len)
{
    int n = 1;

    for (size_t i = 0; i < len; i++)
        n += text[i] == '\n';
    return n;
}

/* What a user may name by mistake is refused with a sentence. */
static int check_type(struct text_file *t, int fd, int wait_ms, struct err *e)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct timespec wait = {.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * NS_PER_MS};
    struct stat st;
    int n;

    if (fstat(fd, &st))
        return refuse(e, strerror(errno));
    t->mode = st.st_mode;
    if (S_ISDIR(st.st_mode))
        return refuse(e, strerror(EISDIR));
    /* /dev/null, of this number on Linux, is a file without lines */
    if ((S_ISCHR(st.st_mode) && st.st_rdev != makedev(1, 3)) || S_ISBLK(st.st_mode))
        return refuse(e, "it is a device, not a file");
    if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) {
        /* poll() reports nothing for a FIFO before it has had a writer */
        do
            n = plain_ppoll(&p, 1, &wait, NULL);
        while (n < 0 && errno == EINTR);
        if (n <= 0)
            return err_set(e, ERR_USAGE, "a %s to which nobody wrote within %d ms",
                           S_ISFIFO(st.st_mode) ? "FIFO" : "socket", wait_ms);
    }
    return fcntl(fd, F_SETFL, 0) < 0 ? refuse(e, strerror(errno)) : 0;
}

static int read_text(struct text_file *t, int fd, size_t most, struct err *e)
{
    size_t room = 0;
    ssize_t n = 1;

    while (n > 0 && t->len <= most) {
        if (room - t->len < 2) {
            char *more = mem_alloc(room = room ? 4 * room : 4096);
            if (t->len)
                memcpy(more, t->text, t->len);
            text_file_free(&(struct text_file){.text = t->text, .len = t->len});
            t->text = more;
        }
        n = read(fd, t->text + t->len, room - t->len - 1);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            t->len += (size_t)n;
    }
    t->text[t->len] = '\0';
    if (n < 0)
        return refuse(e, strerror(errno));
    const char *nul = memchr(t->text, '\0', t->len);
    if (nul)
        return err_set(e, ERR_USAGE, "a NUL byte on line %d",
                       lines_in(t->text, (size_t)(nul - t->text)));
    if (t->len > most)
        return err_set(e, ERR_USAGE, "no end within %zu bytes, %d lines", most,
                       lines_in(t->text, most));
    /* editors on other systems put the byte order mark of UTF-8 before the first line */
    if (t->len >= 3 && memcmp(t->text, "\xef\xbb\xbf", 3) == 0)
        t->next = 3;
    return 0;
}

/* Takes the descriptor, or why there is none. */
static int read_from(struct text_file *t, int fd, size_t most, int wait_ms, struct err *e)
{
    *t = (struct text_file){0};
    if (fd < 0)
        return refuse(e, strerror(errno));
    int rc = check_type(t, fd, wait_ms, e) || read_text(t, fd, most, e) ? -1 : 0;
    plain_close(fd);
    return rc;
}

int text_file_read_long(struct text_file *t, const char *path, size_t most, int wait_ms,
                        struct err *e)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    return read_from(t, fd, most, wait_ms, e);
}

int text_file_read_input(struct text_file *t, int wait_ms, struct err *e)
{
    int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);

    return read_from(t, fd, TEXT_FILE_MOST, wait_ms, e);
}

int text_file_read(struct text_file *t, const char *path, int wait_ms, struct err *e)
{
    return text_file_read_long(t, path, TEXT_FILE_MOST, wait_ms, e);
}

char *text_file_line(struct text_file *t)
{
    char *line = t->text + t->next, *end;

    if (t->next >= t->len)
        return NULL;
    end = memchr(line, '\n', t->len - t->next);
    t->next = end ? (size_t)(end - t->text) + 1 : t->len;
    if (end)
        *end = '\0';
    t->line++;
    return line;
}

void text_file_free(struct text_file *t)
{
    if (t->text)
        explicit_bzero(t->text, t->len);
    free(t->text);
    *t = (struct text_file){0};
}
