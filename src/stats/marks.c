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
    void (*on)(void *arg);
    void *arg;
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

static void set_text(struct mark *v, const char *text, size_t len)
{
    size_t n;

    while (len > 0 && !prints(text[0])) {
        text++;
        len--;
    }
    if (len > MARK_TEXT - 1) { /* a character of several bytes is not cut in the middle */
        size_t cut = MARK_TEXT - 1;
        while (MARK_TEXT - 1 - cut < 3 && ((unsigned char)text[cut] & 0xc0) == 0x80)
            cut--;
        len = ((unsigned char)text[cut] & 0xc0) == 0x80 ? MARK_TEXT - 1 : cut;
    }
    memcpy(v->text, text, len);
    v->text[len] = '\0';
    /* control characters become blanks, bytes that are no UTF-8 '?': every report must be able to
     * hold the text */
    for (char *p = v->text; p < v->text + len; p += n ? n : 1) {
        n = str_utf8(p);
        if (n == 0)
            *p = '?';
    }
    str_printable(v->text, len, ' ');
    n = strlen(v->text);
    size_t lead = strspn(v->text, " "); /* no blanks at the ends */
    while (n > lead && v->text[n - 1] == ' ')
        n--;
    v->text[n] = '\0';
    memmove(v->text, v->text + lead, strlen(v->text + lead) + 1);
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
    mono_ns before = n ? v[-1].at : 0;
    v->at = at > 0 && at < now ? at : now;
    v->at = v->at > before ? v->at : before;
    v->wall = clock_wall_at(v->at);
    v->source = source;
    set_text(v, text, len);
    m->n = n + 1;
    if (m->on)
        m->on(m->arg);
    return true;
}

void marks_watch(struct marks *m, void (*on)(void *arg), void *arg)
{
    pthread_mutex_lock(&m->lock);
    m->on = on;
    m->arg = arg;
    pthread_mutex_unlock(&m->lock);
}

bool marks_add(struct marks *m, enum mark_source source, mono_ns at, const char *text, size_t len)
{
    pthread_mutex_lock(&m->lock);
    bool kept = add(m, source, at, text, len);
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
    pthread_mutex_lock(&m->lock); /* count_note */
    size_t n = m->n;
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
