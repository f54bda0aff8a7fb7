/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See mask.h.  Text is masked in place, which never makes it longer.
 */
#include "opt/mask.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

#define LETTERS "_-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

void mask_value(char *text, size_t len)
{
    size_t rest = strlen(text + len);
    size_t shown = len < strlen(SECRET_SHOWN) ? len : strlen(SECRET_SHOWN);

    memcpy(text, SECRET_SHOWN, shown);
    memmove(text + shown, text + len, rest);
    memset(text + shown + rest, '\0', len - shown);
}

/* The '@' behind user and password of a URI of a server; NULL: there is none.  The last one counts:
 * people forget to encode '@' and '/' in a password, and '?' need not be. */
static char *server_user_end(char *user)
{
    size_t n = strcspn(user, "@/ \t\n\"");
    size_t from = user[n] == '@' ? n : 0;

    for (n = from + strcspn(user + from, "? \t\n\""); n > from; n--)
        if (user[n - 1] == '@')
            break;
    n = n > from ? n - 1 : n;
    return user[n] == '@' ? user + n : NULL;
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

/* The shell's quote that is open in front of `at`; '\0': none. */
static char open_quote(const char *text, const char *at)
{
    char quote = '\0';

    for (const char *p = text; p < at; p++) {
        if (*p == '\\' && quote != '\'')
            p++;
        else if (*p == quote)
            quote = '\0';
        else if (!quote && (*p == '\'' || *p == '"'))
            quote = *p;
    }
    return quote;
}

/* How long the shell's word is that begins here, within a pair of quotes `around` it or none; where
 * `opens`, a quote at its very beginning opens another pair. */
static size_t shell_word(const char *p, char around, bool opens)
{
    size_t n = 0;

    while (p[n] && !strchr(" \t\n;|&()`", p[n])) {
        char c = p[n++];
        bool first = opens && n == 1 && !strchr(" \t\n;|&()`", p[1]);
        if (c == around && !first)
            return n - 1;
        if (c == '\\') {
            n += p[n] != '\0';
        } else if (c == '\'' || c == '"') {
            for (; p[n] && p[n] != c; n++)
                n += c == '"' && p[n] == '\\' && p[n + 1];
            n += p[n] != '\0';
        }
    }
    return n;
}

/* Programs whose names tell which of their options hold a password. */
static const struct client {
    const char *name;
    bool family;         /* of names that begin so: mariadb-admin */
    const char *flags;   /* options without a value, which may stand before it: -Bpsecret */
    const char *options; /* those with the password */
    bool next;           /* the password may be the next word */
    bool user;           /* it follows "user:" */
    /* a command follows its own options, of which these have a value; NULL: no command does */
    const char *valued;
} clients[] = {
    {"mysql", true, "ABCEGHILNTXbfgijnoqrstvwx", "p", false, false, NULL},
    {"mariadb", true, "ABCEGHILNTXbfgijnoqrstvwx", "p", false, false, NULL},
    {"sshpass", false, "ehvV", "p", true, false, "fdP"},
    {"curl", false, "#0123456BGIJLMNOQRSVZafgijklnpqsv", "uU", true, true, NULL},
};

/* The program whose name stands here, and the length of the name. */
static const struct client *client_at(const char *text, const char *p, size_t *len)
{
    if (p > text && (isalnum((unsigned char)p[-1]) || strchr("_-", p[-1])))
        return NULL;
    for (const struct client *c = clients; c < clients + sizeof clients / sizeof *clients; c++) {
        *len = strlen(c->name);
        if (strncmp(p, c->name, *len) != 0)
            continue;
        *len += c->family ? strspn(p + *len, LETTERS ".0123456789") : 0;
        return c;
    }
    return NULL;
}

/* Where the value begins in a word with an option that has the password; 0: it is none. */
static size_t password_option(const struct client *c, const char *word)
{
    static const char *const users[] = {"--user", "--proxy-user"};
    size_t n = *word == '-' ? 1 + strspn(word + 1, c->flags) : 0;

    if (n && word[n] && strchr(c->options, word[n]))
        return n + 1;
    for (size_t i = 0; c->user && i < sizeof users / sizeof *users; i++) {
        n = strlen(users[i]);
        if (strncmp(word, users[i], n) == 0 && strchr("= \t", word[n]))
            return n + (word[n] == '=');
    }
    return 0;
}

/* Masks it in a shell's word of n bytes, and returns how long the word is then. */
static size_t mask_word(const struct client *c, char *word, size_t n)
{
    char *colon = c->user ? memchr(word, ':', n) : NULL, *from = colon ? colon + 1 : word;
    size_t rest = c->user && !colon ? 0 : n - (size_t)(from - word);
    char quote = colon ? open_quote(word, from) : '\0';

    if (quote && memchr(from, quote, rest)) { /* "user:pass"word: it stays closed */
        word[n - 1] = quote;
        rest--;
    }
    mask_value(from, rest);
    return n - (rest > strlen(SECRET_SHOWN) ? rest - strlen(SECRET_SHOWN) : 0);
}

/* Behind the names of programs: "mariadb -psecret", "sshpass -p secret", "curl -u user:secret". */
static void mask_of_clients(char *text)
{
    const struct client *c;
    size_t blanks, len;

    for (char *name = text; *name; name += c ? len : 1) {
        if ((c = client_at(text, name, &len)) == NULL)
            continue;
        char around = open_quote(text, name), *p = name + len;
        bool value = false; /* of the option before */
        while ((blanks = strspn(p, " \t")) > 0) {
            char *word = p + blanks;
            size_t option = value ? 0 : password_option(c, word);
            char *from = word + option;
            if (option && c->next)
                from += strspn(from, " \t");
            size_t n = shell_word(from, around, option > 0);
            if (from + n == word)
                break;
            p = from + (option ? mask_word(c, from, n) : n);
            if (c->valued && (option || (*word != '-' && !value)))
                break;
            value = c->valued && !value && n == 2 && *word == '-' && strchr(c->valued, word[1]);
        }
    }
}

/* "key='a value' password = secret", "mysql --password=secret", "?password=secret&key=value" */
static void mask_all(char *text, bool sentence)
{
    /* "postgresql://user:password@host" */
    static const char *const schemes[] = {"postgres", "postgresql", "mysql", "mariadb"};
    char *uri = text;
    while ((uri = strstr(uri, "://")) != NULL) {
        size_t before = (size_t)(uri - text);
        bool server = false;
        for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
            size_t n = strlen(schemes[i]);
            server = server || (before >= n && memcmp(uri - n, schemes[i], n) == 0);
        }
        char *user = uri + 3, *end = server ? server_user_end(user) : strpbrk(user, "@/? \t\n");
        char *colon = end && *end == '@' ? memchr(user, ':', (size_t)(end - user)) : NULL;
        if (colon)
            mask_value(colon + 1, (size_t)(end - colon - 1));
        uri = user;
    }
    if (!sentence)
        mask_of_clients(text);
    for (char *p = text; word_end(p, sentence) > 0;) {
        char *key = p += word_end(p, sentence);
        size_t n;

        p += strspn(p, " \t");
        if (*p != '=')
            continue;
        p++;
        p += strspn(p, " \t");
        while (key > text && (isalnum((unsigned char)key[-1]) || strchr("_-", key[-1])))
            key--;
        /* to the closing quote, to a blank, or in a URI ("?user=a&sslpassword=b") to the next key
         */
        const char *ends = key > text && strchr("?&", key[-1]) ? "& \t\n" : " \t\n";
        char quote = *p == '\'' || *p == '"' ? *p : '\0';
        for (n = quote != '\0'; p[n] && (quote ? p[n] != quote : !strchr(ends, p[n])); n++)
            n += p[n] == '\\' && p[n + 1];
        n += quote && p[n];
        /* not the quote that closes around all of it: sh -c "MYSQL_PWD=secret mariadb" */
        if (!sentence && !quote && n > 0 && strchr("'\"", p[n - 1]) &&
            (n == 1 || p[n - 2] != '\\') && open_quote(text, p) == p[n - 1])
            n--;
        /* A sentence goes on behind an unquoted value: with the quote that closes around it, and
         * with one of its own marks. */
        if (sentence && !quote) {
            n -= n > 1 && strchr(":;,?.)", p[n - 1]);
            n -= n == 1 && strncmp(p, "; did you mean --", 17) == 0; /* no value at all */
            n -= n > 1 && strchr("'\"", p[n - 1]);
        }
        mask_value(p, n);
    }
}

void mask_in_text(char *text)
{
    mask_all(text, false);
}

const char *mask_find_in_uri(const char *uri, size_t *len)
{
    const char *scheme = uri ? strstr(uri, "://") : NULL, *user = scheme ? scheme + 3 : NULL;
    const char *at = user ? server_user_end((char *)(uintptr_t)user) : NULL;
    const char *colon = at ? memchr(user, ':', (size_t)(at - user)) : NULL;

    *len = colon ? (size_t)(at - colon - 1) : 0;
    return *len ? colon + 1 : NULL;
}

void mask_complaint(char *text, const char *word, size_t len)
{
    /* the password, or a part of the URI that begins within it: libpq cuts the URI at the first
     * '/' or '@', also if they are the password's */
    bool cut = word && (memchr(word, '/', len) || memchr(word, '@', len));

    for (char *p = text; word && (p = strchr(p, '"')) != NULL;) {
        size_t n = strcspn(++p, "\"");
        bool is = p[n] && n == len && strncmp(p, word, n) == 0;
        for (size_t i = 0; p[n] && cut && n && i < len && !is; i++)
            is = strncmp(p, word + i, n) == 0;
        if (is)
            mask_value(p, n);
    }
    mask_in_text(text);
}

static bool is_secret(const char *option, bool typed)
{
    size_t n = strlen(option);

    return word_end(option, typed) > 0 && !(n >= 4 && strcmp(option + n - 4, "file") == 0);
}

bool secret_by_name(const char *option)
{
    return is_secret(option, false);
}

bool secret_by_typed_name(const char *option)
{
    return is_secret(option, true);
}

char *secret_shown_text(const char *text)
{
    char *copy = mem_strdup(text);

    mask_in_text(copy);
    return copy;
}

char *secret_shown_message(const char *msg)
{
    char *copy = mem_strdup(msg), *meant, *value;

    mask_all(copy, true);
    /* "invalid option: --mysql-pa55word=x; did you mean --mysql-password?": then it is one */
    meant = strstr(copy, "; did you mean --");
    value = strchr(copy, '=');
    if (strncmp(copy, "invalid option: --", 18) == 0 && meant && value && value + 1 < meant &&
        word_end(meant, false) && !strstr(value, SECRET_SHOWN))
        mask_value(value + 1, (size_t)(meant - value - 1));
    return copy;
}
