/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See error_table.h.
 *
 * publish_note: rows are only added.  A writer fills one under the lock and then raises `known`
 * (release); a reader that sees the number (acquire) sees the whole row.  Counts and times of rows
 * that are there are atomic.
 */
#include "stats/error_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

struct entry {
    struct error_row row; /* constant: without count and last */
    _Atomic uint64_t count;
    _Atomic int64_t last;
};

struct error_table {
    pthread_mutex_t lock; /* held while a row is added */
    _Atomic size_t known;
    struct entry entry[ERROR_ROWS_MAX + 1]; /* the last one is of all others */
};

struct error_table *error_table_new(void)
{
    struct error_table *t = mem_alloc(sizeof *t);

    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void error_table_free(struct error_table *t)
{
    if (!t)
        return;
    pthread_mutex_destroy(&t->lock);
    free(t);
}

/* One character of the source, any bytes, as what is shown: its length there, or 0 at the end. */
static size_t shown(const char *text, const char **as, size_t *len)
{
    size_t n = str_utf8(text);

    if (!*text)
        return 0;
    if (*text == '\n') { /* libpq's messages have a line for each host, for details, for hints */
        n = strspn(text, "\n\t ");
        *as = text[n] ? "; " : " ";
        *len = strlen(*as);
        return n;
    }
    *as = text;
    *len = n;
    if (n == 0) {
        *as = "\xef\xbf\xbd";
        *len = 3;
        return 1;
    }
    if (n == 1 && ((unsigned char)*text < ' ' || *text == 0x7f))
        *as = " ";
    if (n == 2 && (unsigned char)*text == 0xc2 && (unsigned char)text[1] < 0xa0) {
        *as = " "; /* U+0080 to U+009F control terminals too */
        *len = 1;
    }
    return n;
}

void error_text_clean(char out[ERROR_TEXT_MAX + 4], const char *text)
{
    size_t used = 0, n, len = 0;
    const char *as = "";

    for (; (n = shown(text, &as, &len)) > 0; text += n) {
        if (used + len > ERROR_TEXT_MAX) {
            memcpy(out + used, "...", 4);
            return;
        }
        memcpy(out + used, as, len);
        used += len;
    }
    while (used > 0 && out[used - 1] == ' ')
        used--; /* libraries end theirs with a newline */
    out[used] = '\0';
}

static struct entry *find(struct error_table *t, int code, const char *sqlstate)
{
    size_t n = atomic_load_explicit(&t->known, memory_order_acquire);

    for (size_t i = 0; i < n && i < ERROR_ROWS_MAX; i++)
        if (t->entry[i].row.code == code && strcmp(t->entry[i].row.sqlstate, sqlstate) == 0)
            return &t->entry[i];
    return NULL;
}

void error_table_note(struct error_table *t, int code, const char *sqlstate, const char *class,
                      const char *text, mono_ns now)
{
    struct error_row like = {.code = code, .class = class};

    snprintf(like.sqlstate, sizeof like.sqlstate, "%s", sqlstate ? sqlstate : "");
    struct entry *e = find(t, code, like.sqlstate);
    if (!e) {
        pthread_mutex_lock(&t->lock);
        e = find(t, code, like.sqlstate);
        size_t n = atomic_load_explicit(&t->known, memory_order_relaxed);
        bool room = n < ERROR_ROWS_MAX, added = !e && n <= ERROR_ROWS_MAX;
        e = e ? e : &t->entry[room ? n : ERROR_ROWS_MAX];
        if (added) { /* the others' row has the text of its first error, too */
            e->row = room ? like : (struct error_row){.class = "other"};
            e->row.first = now;
            error_text_clean(e->row.text, text ? text : "");
            atomic_store_explicit(&e->last, now, memory_order_relaxed);
            atomic_store_explicit(&t->known, n + 1, memory_order_release);
        }
        pthread_mutex_unlock(&t->lock);
    }
    atomic_fetch_add_explicit(&e->count, 1, memory_order_relaxed);
    int64_t last = atomic_load_explicit(&e->last, memory_order_relaxed);
    while (last < now && !atomic_compare_exchange_weak(&e->last, &last, now))
        ;
}

size_t error_table_rows(const struct error_table *t, struct error_row *out)
{
    struct error_table *w = (struct error_table *)(uintptr_t)t;
    size_t n = atomic_load_explicit(&w->known, memory_order_acquire);

    for (size_t i = 0; i < n; i++) {
        out[i] = t->entry[i].row;
        out[i].count = atomic_load_explicit(&w->entry[i].count, memory_order_relaxed);
        out[i].last = atomic_load_explicit(&w->entry[i].last, memory_order_relaxed);
    }
    return n;
}
