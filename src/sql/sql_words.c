/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_words.h.
 */
#include "sql/sql_words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct word {
    const char *text;
    size_t len;
};

/* The first word of a text; empty if it does not begin with a letter. */
static struct word next_word(const char *text, const char *end)
{
    const char *at;

    while (text < end && isspace((unsigned char)*text))
        text++;
    for (at = text; at < end && isalpha((unsigned char)*at);)
        at++;
    return (struct word){text, (size_t)(at - text)};
}

static bool is(struct word w, const char *word)
{
    return w.len == strlen(word) && strncasecmp(w.text, word, w.len) == 0;
}

struct sql_words sql_words(const char *text, size_t len)
{
    static const struct {
        const char *word;
        enum counter counter;
    } known[] = {
        {"select", CNT_READ}, {"update", CNT_WRITE}, {"insert", CNT_WRITE}, {"delete", CNT_WRITE}};
    const char *end = text + len;
    struct word first = next_word(text, end);

    for (size_t i = 0; first.len == strlen("select") && i < sizeof known / sizeof *known; i++)
        if (is(first, known[i].word))
            return (struct sql_words){known[i].counter, false};
    if (is(first, "unlock"))
        return (struct sql_words){CNT_OTHER, is(next_word(first.text + first.len, end), "tables")};
    return (struct sql_words){CNT_OTHER, is(first, "commit")};
}

void sql_count_by_word(struct sql_conn *c, const char *text, size_t len)
{
    struct sql_words w = sql_words(text, len);

    c->res.counter = w.counter;
    if (w.commit)
        counters_add(c->host->counters, CNT_COMMIT, 1);
}
