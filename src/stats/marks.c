/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See marks.h.  The array has its full size from the start, so that pointers stay good; pages that
 * no mark touches cost nothing.
 */
#include "stats/marks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

struct marks {
    pthread_mutex_t lock;
    size_t n;
    _Atomic size_t lost;
    struct mark *mark;
};

struct marks *marks_new(void)
{
    struct marks *m = mem_alloc(sizeof *m);

    pthread_mutex_init(&m->lock, NULL);
    m->mark = mem_array(MARKS_MOST, sizeof *m->mark);
    return m;
}

void marks_free(struct marks *m)
{
    if (!m)
        return;
    pthread_mutex_destroy(&m->lock);
    free(m->mark);
    free(m);
}

static bool prints(char ch)
{
    return (unsigned char)ch > ' ' && ch != 0x7f;
}

/* A character of several bytes is not cut in the middle. */
static size_t whole_characters(const char *text, size_t len, size_t most)
{
    size_t cut = most;

    if (len <= most)
        return len;
    while (cut > 0 && most - cut < 3 && ((unsigned char)text[cut] & 0xc0) == 0x80)
        cut--;
    return ((unsigned char)text[cut] & 0xc0) == 0x80 ? most : cut;
}

/* In place: control characters, those of two bytes too, become blanks; bytes that are no UTF-8
 * become '?', because every report must be able to hold the text. */
static void clean(char *text)
{
    for (size_t n; *text; text += n) {
        n = str_utf8(text);
        if (n == 0)
            *text = '?';
        else if (n == 2 && (unsigned char)text[0] == 0xc2 && (unsigned char)text[1] < 0xa0)
            memset(text, ' ', n);
        n = n ? n : 1;
    }
}

/* In place: no blanks at the ends. */
static void trim(char *text)
{
    size_t n = strlen(text), lead = strspn(text, " ");

    while (n > lead && text[n - 1] == ' ')
        n--;
    memmove(text, text + lead, n - lead);
    text[n - lead] = '\0';
}

static void set_text(struct mark *v, const char *text, size_t len)
{
    while (len > 0 && !prints(text[0])) {
        text++;
        len--;
    }
    len = whole_characters(text, len, MARK_TEXT - 1);
    for (size_t i = 0; i < len; i++)
        v->text[i] = prints(text[i]) ? text[i] : ' ';
    v->text[len] = '\0';
    clean(v->text);
    trim(v->text);
    if (!*v->text)
        memcpy(v->text, "mark", sizeof "mark");
}

/* With the lock held. */
static bool add(struct marks *m, enum mark_source source, mono_ns at, const char *text, size_t len)
{
    size_t n = m->n;
    struct mark *v = &m->mark[n];
    mono_ns now = clock_mono();

    if (n == MARKS_MOST) {
        atomic_fetch_add_explicit(&m->lost, 1, memory_order_relaxed);
        return false;
    }
    v->at = at > 0 && at < now ? at : now;
    if (n > 0 && v->at < v[-1].at)
        v->at = v[-1].at;
    v->wall = clock_wall_at(v->at);
    v->source = source;
    set_text(v, text, len);
    m->n = n + 1;
    return true;
}

bool marks_add(struct marks *m, enum mark_source source, mono_ns at, const char *text, size_t len)
{
    bool kept;

    pthread_mutex_lock(&m->lock);
    kept = add(m, source, at, text, len);
    pthread_mutex_unlock(&m->lock);
    return kept;
}

mono_ns marks_hold(struct marks *m)
{
    pthread_mutex_lock(&m->lock);
    return clock_mono();
}

bool marks_release(struct marks *m, enum mark_source source, mono_ns at, const char *text)
{
    bool kept = text && add(m, source, at, text, strlen(text));

    pthread_mutex_unlock(&m->lock);
    return kept;
}

size_t marks_count(struct marks *m)
{
    size_t n;

    pthread_mutex_lock(&m->lock); /* count_note */
    n = m->n;
    pthread_mutex_unlock(&m->lock);
    return n;
}

size_t marks_lost(const struct marks *m)
{
    return atomic_load_explicit(&((struct marks *)(uintptr_t)m)->lost, memory_order_relaxed);
}

const struct mark *marks_at(const struct marks *m, size_t i)
{
    return &m->mark[i];
}

const char *mark_source_name(enum mark_source source)
{
    static const char *const name[] = {[MARK_SIGNAL] = "signal",
                                       [MARK_FIFO] = "fifo",
                                       [MARK_SCRIPT] = "script",
                                       [MARK_COMMAND] = "command",
                                       [MARK_PAGE] = "page"};

    return name[source];
}
