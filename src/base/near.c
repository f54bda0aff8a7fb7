/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See near.h.  The distance is that of Damerau and Levenshtein in its restricted form (optimal
 * string alignment: letters that were swapped are not edited again), computed row by row; a swap
 * looks two rows back.
 */
#include "base/near.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int folded(char c)
{
    return c == '-' ? '_' : tolower((unsigned char)c);
}

static bool same_character(char a, char b)
{
    return folded(a) == folded(b);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t near_distance(const char *a, const char *b)
{
    size_t rows[3][NEAR_LENGTH], na = strlen(a), nb = strlen(b);

    if (na >= NEAR_LENGTH || nb >= NEAR_LENGTH)
        return SIZE_MAX;
    for (size_t j = 0; j <= nb; j++)
        rows[2][j] = j; /* the row before a[0] */
    for (size_t i = 0; i < na; i++) {
        /* the row of a[i]: what a[0..i] and each b[0..j-1] differ by */
        size_t *row = rows[i % 3], *before = rows[(i + 2) % 3], *two = rows[(i + 1) % 3];
        row[0] = i + 1;
        for (size_t j = 1; j <= nb; j++) {
            row[j] = least(least(before[j], row[j - 1]) + 1,
                           before[j - 1] + !same_character(a[i], b[j - 1]));
            if (i > 0 && j > 1 && same_character(a[i], b[j - 2]) &&
                same_character(a[i - 1], b[j - 1]))
                row[j] = least(row[j], two[j - 2] + 1);
        }
    }
    return rows[(na + 2) % 3][nb];
}

void near_begin(struct near *n, const char *word)
{
    *n = (struct near){.word = word, .distance = SIZE_MAX};
}

void near_offer(struct near *n, const char *name)
{
    near_offer_as(n, name, name);
}

void near_offer_as(struct near *n, const char *name, const char *shown)
{
    size_t d = near_distance(n->word, name), word = strlen(n->word), len = strlen(name), same = 0;
    size_t longer = word > len ? word : len;

    if (d == SIZE_MAX || strlen(shown) >= NEAR_LENGTH)
        return;
    /* near is a third of the longer word, one letter for a short one */
    d = d > (longer < 6 ? 1 : longer / 3) || (d > 0 && d >= word) ? SIZE_MAX : 2 * d;
    while (name[same] && n->word[same] && same_character(name[same], n->word[same]))
        same++;
    if (same == word && word >= 2 && d > 3)
        d = 3; /* a beginning is nearer than two slips: "mysql-pass" is no "mysql-host" */
    if (d > n->distance || d == SIZE_MAX)
        return;
    for (size_t i = 0; d == n->distance && i < n->names && i < NEAR_MOST; i++)
        if (strcmp(n->name[i], shown) == 0)
            return;
    if (d < n->distance)
        n->names = 0;
    n->distance = d;
    if (n->names < NEAR_MOST)
        snprintf(n->name[n->names], sizeof n->name[0], "%s", shown);
    n->names++;
}

void near_offer_choices(struct near *n, const char *choices)
{
    while (*choices) {
        size_t len = strcspn(choices, "|");
        char name[NEAR_LENGTH];
        if (len < sizeof name) {
            snprintf(name, sizeof name, "%.*s", (int)len, choices);
            near_offer(n, name);
        }
        choices += len + (choices[len] == '|');
    }
}

const char *near_text(const struct near *n, char buf[NEAR_TEXT])
{
    size_t used = 0;

    buf[0] = '\0';
    for (size_t i = 0; i < n->names && n->names <= NEAR_MOST; i++) {
        const char *between = i == 0 ? "" : i + 1 == n->names ? " or " : ", ";
        used += (size_t)snprintf(buf + used, NEAR_TEXT - used, "%s%s", between, n->name[i]);
    }
    return buf;
}

int near_suggest(const struct near *n, struct err *e)
{
    char buf[NEAR_TEXT];

    if (*near_text(n, buf))
        err_append(e, "; did you mean %s?", buf);
    return -1;
}
