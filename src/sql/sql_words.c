/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See sql_words.h.
 */
#include "sql/sql_words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Moves *at behind the next word; true if it is `word`. */
static bool next_is(const char *text, size_t len, size_t *at, const char *word)
{
    size_t from = *at;

    while (from < len && isspace((unsigned char)text[from]))
        from++;
    *at = from;
    while (*at < len && isalpha((unsigned char)text[*at]))
        ++*at;
    return *at - from == strlen(word) && strncasecmp(text + from, word, *at - from) == 0;
}

struct sql_words sql_words(const char *text, size_t len)
{
    static const struct {
        const char *word, *second;
        struct sql_words is;
    } known[] = {
        {"select", NULL, {CNT_READ, false}},  {"insert", NULL, {CNT_WRITE, false}},
        {"update", NULL, {CNT_WRITE, false}}, {"delete", NULL, {CNT_WRITE, false}},
        {"commit", NULL, {CNT_OTHER, true}},  {"unlock", "tables", {CNT_OTHER, true}},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t at = 0;
        if (next_is(text, len, &at, known[i].word) &&
            (!known[i].second || next_is(text, len, &at, known[i].second)))
            return known[i].is;
    }
    return (struct sql_words){CNT_OTHER, false};
}

void sql_count_by_word(struct sql_conn *c, const char *text, size_t len)
{
    struct sql_words w = sql_words(text, len);

    c->res.counter = w.counter;
    if (w.commit)
        counters_add(c->host->counters, CNT_COMMIT, 1);
}
