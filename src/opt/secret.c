/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See secret.h.  Text is masked in place, which never makes it longer: argv and copies are treated
 * alike.  The kernel shows the memory that argv points to, so overwriting it hides it; what remains
 * is the time between exec and main, which is why passwords can be read from files.
 */
#include "opt/secret.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text_file.h"
#include "opt/opt_table.h"

/* --- passwords of options --- */

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

/* --- passwords in text --- */

#define LETTERS "_-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Masks text[0..len) and moves the rest of the text up to it: the length is a secret too. */
void mask_value(char *text, size_t len)
{
    size_t rest = strlen(text + len);
    size_t shown = len < strlen(SECRET_SHOWN) ? len : strlen(SECRET_SHOWN);

    memcpy(text, SECRET_SHOWN, shown);
    memmove(text + shown, text + len, rest);
    memset(text + shown + rest, '\0', len - shown);
}

static bool is_libpq(const char *text, const char *scheme_end)
{
    static const char *const names[] = {"postgres", "postgresql"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if ((size_t)(scheme_end - text) >= n && strncmp(scheme_end - n, names[i], n) == 0)
            return true;
    }
    return false;
}

/* The '@' behind user and password of a URI for libpq; NULL: there is none.  The last one counts:
 * people forget to encode '@' and '/' in a password, and '?' need not be. */
static char *libpq_user_end(char *user)
{
    size_t n = strcspn(user, "@/ \t\n\"");
    size_t from = user[n] == '@' ? n : 0;

    for (n = from + strcspn(user + from, "? \t\n\""); n > from; n--)
        if (user[n - 1] == '@')
            break;
    n = n > from ? n - 1 : n;
    return user[n] == '@' ? user + n : NULL;
}

/* "postgresql://user:password@host" */
static void mask_in_uri(char *text)
{
    char *uri = text;

    while ((uri = strstr(uri, "://")) != NULL) {
        bool libpq = is_libpq(text, uri);
        char *user = uri + 3, *end = libpq ? libpq_user_end(user) : strpbrk(user, "@/? \t\n");
        char *colon = end && *end == '@' ? memchr(user, ':', (size_t)(end - user)) : NULL;
        if (colon)
            mask_value(colon + 1, (size_t)(end - colon - 1));
        uri = user;
    }
}

/* True when the key that ends at `end` belongs to a URI ("?user=a&sslpassword=b"). */
static bool in_uri(const char *text, const char *end)
{
    while (end > text && (isalnum((unsigned char)end[-1]) || strchr("_-", end[-1])))
        end--;
    return end > text && strchr("?&", end[-1]);
}

/* The length of a value, to its closing quote, to a blank, or in a URI to the next key. */
static size_t value_length(const char *v, bool uri)
{
    char quote = *v == '\'' || *v == '"' ? *v : '\0';
    size_t n = quote != '\0';

    for (; v[n] && (quote ? v[n] != quote : !strchr(uri ? "& \t\n" : " \t\n", v[n])); n++)
        n += v[n] == '\\' && v[n + 1];
    return n + (quote && v[n]);
}

/* A sentence goes on behind an unquoted value: with the quote that closes around it, and with one
 * of its own marks.  The length without those. */
static size_t without_marks(const char *v, size_t n)
{
    if (*v == '\'' || *v == '"')
        return n;
    if (n > 1 && strchr(":;,?.)", v[n - 1]))
        n--;
    if (n > 1 && strchr("'\"", v[n - 1]))
        n--;
    return n;
}

/* Where the first word that announces a password ends; 0: there is none.  In a sentence it may be
 * misspelt or short: that is what the sentence is about. */
static size_t word_end(const char *text, bool sentence)
{
    static const char *const words[] = {"password", "mysql_pwd", "pas",    "pwd",  "sword",
                                        "psw",      "pw",        "secret", "token"};
    const char *first = NULL;
    size_t n = 0;

    for (size_t i = 0; i < (sentence ? sizeof words / sizeof *words : 2); i++) {
        const char *p = strcasestr(text, words[i]);
        if (!p || (first && p >= first))
            continue;
        first = p;
        n = (size_t)(p - text) + strlen(words[i]);
        n += i < 2 ? 0 : strspn(text + n, LETTERS);
    }
    return n;
}

/* "key='a value' password = secret", "mysql --password=secret", "?password=secret&key=value" */
static void mask_all(char *text, bool sentence)
{
    mask_in_uri(text);
    for (char *p = text; word_end(p, sentence) > 0;) {
        size_t n;
        bool uri;
        p += word_end(p, sentence);
        uri = in_uri(text, p);
        p += strspn(p, " \t");
        if (*p != '=')
            continue;
        p++;
        p += strspn(p, " \t");
        n = value_length(p, uri);
        mask_value(p, sentence ? without_marks(p, n) : n);
    }
}

/* "invalid option: --mysql-pa55word=x; did you mean --mysql-password?": then it is one. */
static void mask_suggested(char *text)
{
    char *meant = strstr(text, "; did you mean --"), *value = strchr(text, '=');

    if (strncmp(text, "invalid option: --", 18) == 0 && meant && value && value + 1 < meant &&
        word_end(meant, false) && !strstr(value, SECRET_SHOWN))
        mask_value(value + 1, (size_t)(meant - value - 1));
}

void mask_in_text(char *text)
{
    mask_all(text, false);
}

const char *mask_find_in_uri(const char *uri, size_t *len)
{
    const char *scheme = uri ? strstr(uri, "://") : NULL, *user = scheme ? scheme + 3 : NULL;
    const char *at = user ? libpq_user_end((char *)(uintptr_t)user) : NULL;
    const char *colon = at ? memchr(user, ':', (size_t)(at - user)) : NULL;

    *len = colon ? (size_t)(at - colon - 1) : 0;
    return *len ? colon + 1 : NULL;
}

/* True for the password, and for a part of the URI that begins within it: libpq cuts the URI at the
 * first '/' or '@', also if they are the password's. */
static bool is_of_password(const char *quoted, size_t n, const char *word, size_t len)
{
    bool cut = memchr(word, '/', len) || memchr(word, '@', len);

    if (n == len && strncmp(quoted, word, n) == 0)
        return true;
    for (size_t i = 0; cut && n && i < len; i++)
        if (strncmp(quoted, word + i, n) == 0)
            return true;
    return false;
}

void mask_complaint(char *text, const char *word, size_t len)
{
    for (char *p = text; word && (p = strchr(p, '"')) != NULL;) {
        size_t n = strcspn(++p, "\"");
        if (p[n] && is_of_password(p, n, word, len))
            mask_value(p, n);
    }
    mask_in_text(text);
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

bool secret_by_name(const char *option)
{
    return word_end(option, false) > 0 && !ends_with(option, "file");
}

char *secret_shown_text(const char *text)
{
    char *copy = mem_strdup(text);

    mask_in_text(copy);
    return copy;
}

char *secret_shown_message(const char *msg)
{
    char *copy = mem_strdup(msg);

    mask_all(copy, true);
    mask_suggested(copy);
    return copy;
}

/* --- passwords from files --- */

#define LONGEST 4096
#define LOOK_MS 20 /* how often a FIFO without a writer is looked at */

static void warn_readers(int fd, const char *option, const char *path)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & (S_IRWXG | S_IRWXO)))
        log_stderr("WARNING: --%s-file: '%s' is accessible to others (mode %04o); run chmod 600",
                   option, path, (unsigned)(st.st_mode & 07777));
}

/* One line from a terminal, without echo.  A signal takes effect once the terminal echoes again. */
static ssize_t read_hidden(int fd, const char *option, char *text, size_t size)
{
    static const int ends[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP};
    struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.events = POLLIN}};
    struct termios was, quiet;
    sigset_t held, before;
    ssize_t n = -1;

    if (tcgetattr(fd, &was))
        return -1;
    quiet = was;
    quiet.c_lflag &= ~(tcflag_t)ECHO;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaddset(&held, ends[i]);
    p[1].fd = signalfd(-1, &held, SFD_CLOEXEC);
    do {
        pthread_sigmask(SIG_BLOCK, &held, &before);
        tcsetattr(fd, TCSAFLUSH, &quiet);
        dprintf(STDERR_FILENO, "%s: ", option);
        while (poll(p, 2, -1) < 0)
            ;
        if (!p[1].revents)
            n = read(fd, text, size);
        tcsetattr(fd, TCSAFLUSH, &was);
        log_stderr("%s", "");
        pthread_sigmask(SIG_SETMASK, &before, NULL); /* what has come ends or stops the process */
    } while (p[1].revents);
    close(p[1].fd);
    return n;
}

/*
 * What the first writer of a FIFO has written by now, of a descriptor that does not block.  -1 and
 * ETIMEDOUT: nobody opened it to write within the time.  A writer may then take as long as it
 * likes: perhaps somebody types.
 */
static ssize_t read_first(int fd, char *text, size_t size, int wait_ms)
{
    mono_ns limit = clock_mono() + wait_ms * NS_PER_MS;
    struct pollfd p = {.fd = fd, .events = POLLIN};

    do {
        bool ready = poll(&p, 1, LOOK_MS) > 0;
        ssize_t n = read(fd, text, size);
        if (n < 0)
            return errno == EAGAIN ? 0 : -1; /* EAGAIN: there is a writer */
        if (n > 0 || ready)
            return n;
    } while (clock_mono() < limit);
    errno = ETIMEDOUT;
    return -1;
}

static bool is_fifo(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* Reads up to `size` bytes; from standard input one line, the rest is for other readers. */
static ssize_t read_all(int fd, char *text, size_t size, int wait_ms)
{
    bool line = fd == STDIN_FILENO;
    ssize_t got = !line && is_fifo(fd) ? read_first(fd, text, size, wait_ms) : 0;
    size_t n = got > 0 ? (size_t)got : 0;

    if (got < 0 || (!line && fcntl(fd, F_SETFL, 0) < 0))
        return -1;
    got = 1;
    while (n < size && got > 0 && !(line && n > 0 && text[n - 1] == '\n')) {
        got = read(fd, text + n, line ? 1 : size - n);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            n += (size_t)got;
    }
    return got < 0 ? -1 : (ssize_t)n;
}

/* Turns one line, with or without its newline, into a string.  Returns what is wrong with it, or
 * NULL. */
static const char *one_line(char *text, size_t n)
{
    if (n > LONGEST)
        return "it is longer than 4096 bytes";
    if (n > 0 && text[n - 1] == '\n')
        n--;
    if (n > 0 && text[n - 1] == '\r')
        n--;
    text[n] = '\0';
    if (strlen(text) < n)
        return "it has a NUL byte in it";
    return strchr(text, '\n') ? "it has more than one line" : NULL;
}

static int refuse(const char *option, const char *path, int wait_ms, struct err *e)
{
    if (errno == ETIMEDOUT)
        return err_set(e, ERR_USAGE,
                       "--%s-file: cannot read '%s': a FIFO that nobody opened to write within "
                       "%d ms",
                       option, path, wait_ms);
    return err_sys(e, errno, "--%s-file: cannot read '%s'", option, path);
}

static int read_password(const char *option, const char *path, char *text, int wait_ms,
                         struct err *e)
{
    bool from_stdin = strcmp(path, "-") == 0;
    int fd = from_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), rc = 0;
    const char *wrong = NULL;
    ssize_t n = -1;

    if (fd >= 0 && from_stdin && isatty(fd)) {
        n = read_hidden(fd, option, text, LONGEST + 1);
    } else if (fd >= 0) {
        if (!from_stdin)
            warn_readers(fd, option, path);
        n = read_all(fd, text, LONGEST + 1, wait_ms);
    }
    if (n < 0)
        rc = refuse(option, path, wait_ms, e);
    else if ((wrong = one_line(text, (size_t)n)) != NULL)
        rc = err_set(e, ERR_USAGE, "--%s-file: '%s' does not contain a password: %s", option, path,
                     wrong);
    if (fd >= 0 && !from_stdin)
        close(fd);
    return rc;
}

int password_file_read_within(struct opts *o, const char *option, int wait_ms, struct err *e)
{
    char *name = mem_printf("%s-file", option), text[LONGEST + 2];
    const char *path = opt_str(o, name);
    int rc = 0;

    if (*path && opt_given(o, option))
        rc = err_set(e, ERR_USAGE, "--%s and --%s cannot be combined", option, name);
    else if (*path)
        rc = read_password(option, path, text, wait_ms, e) ? -1 : opt_set(o, option, text, e);
    explicit_bzero(text, sizeof text);
    free(name);
    return rc;
}

int password_file_read(struct opts *o, const char *option, struct err *e)
{
    return password_file_read_within(o, option, TEXT_FILE_WAIT_MS, e);
}
