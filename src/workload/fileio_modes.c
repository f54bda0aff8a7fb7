/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Chooses the next request of fileio (fileio.h).  The lock is held for some tens of nanoseconds,
 * the shortest request takes a microsecond.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "workload/fileio.h"

/* Draws before a client lets others run: with one block in ten free it misses once in a
 * thousand. */
#define DRAWS 64

void fileio_modes_init(struct fileio_modes *m, const struct fileio_options *o)
{
    memset(m, 0, sizeof *m);
    m->o = o;
    m->syncing = -1;
    pthread_mutex_init(&m->lock, NULL);
    m->left = (uint64_t)o->files * (((uint64_t)o->file_size + o->request - 1) / o->request);
    m->blocks = (o->file_size + (int64_t)o->block - 1) / (int64_t)o->block;
    if (o->validate)
        m->busy = mem_array((size_t)(m->blocks * o->files + 7) / 8, 1);
}

void fileio_modes_fini(struct fileio_modes *m)
{
    pthread_mutex_destroy(&m->lock);
    free(m->busy);
}

static size_t at_most(size_t size, int64_t left)
{
    return (int64_t)size < left ? size : (size_t)left;
}

/* The blocks of a request, one when it is random, as bits first..last of `busy`. */
static int64_t first_bit(const struct fileio_modes *m, const struct fileio_request *q)
{
    return q->file * m->blocks + q->pos / (int64_t)m->o->block;
}

static int64_t last_bit(const struct fileio_modes *m, const struct fileio_request *q)
{
    return q->file * m->blocks + (q->pos + (int64_t)q->size - 1) / (int64_t)m->o->block;
}

static unsigned char mask_of(int64_t bit)
{
    return (unsigned char)(1 << bit % 8);
}

/* All blocks of the request, or none. */
static bool reserve(struct fileio_modes *m, const struct fileio_request *q)
{
    int64_t first = first_bit(m, q), last = last_bit(m, q);

    if (!m->busy)
        return true;
    for (int64_t bit = first; bit <= last; bit++)
        if (m->busy[bit / 8] & mask_of(bit))
            return false;
    for (int64_t bit = first; bit <= last; bit++)
        m->busy[bit / 8] |= mask_of(bit);
    return true;
}

static bool place_request(struct fileio_modes *m, struct rng *r, struct fileio_request *q)
{
    const struct fileio_options *o = m->o;
    int64_t block = (int64_t)o->block, total = o->file_size * o->files;

    if (!fileio_mode_facts[o->mode].random) {
        q->file = m->file;
        q->pos = m->pos;
        q->size = at_most(o->request, o->file_size - m->pos);
        if (!reserve(m, q))
            return false;
        m->pos += (int64_t)q->size;
        if (m->pos == o->file_size) {
            m->pos = 0;
            m->file = (m->file + 1) % o->files;
        }
        return true;
    }
    for (int i = 0; i < DRAWS; i++) {
        int64_t at = (int64_t)(rng_double(r) * (double)total);
        at = at < total ? at : total - 1; /* beyond 2^52 bytes the product may be rounded up */
        at -= at % block;
        q->file = (int)(at / o->file_size);
        q->pos = at % o->file_size;
        if (o->validate)
            q->pos -= q->pos % block;
        q->size = at_most(o->block, o->file_size - q->pos);
        if (reserve(m, q))
            return true;
    }
    return false;
}

static void begin_round(struct fileio_modes *m)
{
    if (m->syncing >= 0 || !m->dirty)
        return;
    m->syncing = 0;
    m->dirty = false;
}

static bool next_fsync(struct fileio_modes *m, struct fileio_request *q)
{
    if (m->syncing < 0)
        return false;
    *q = (struct fileio_request){.op = FILEIO_FSYNC, .file = m->syncing++};
    if (m->syncing == m->o->files)
        m->syncing = -1;
    return true;
}

/* Today a round begins with the request after the one that completed the count.  In 0.4 and 0.5
 * clients ask for a fsync after their own request: the one that completes the count begins the
 * round, because others may have gone on before anybody asks. */
bool fileio_modes_next(struct fileio_modes *m, struct rng *r, struct fileio_request *q)
{
    uint64_t period = m->o->once ? 0 : (uint64_t)m->o->fsync_freq;

    pthread_mutex_lock(&m->lock);
    if (!m->o->fsync_between && period && m->requests % period == 0)
        begin_round(m);
    bool found = !m->o->fsync_between && next_fsync(m, q);
    if (!found) {
        if (m->o->mode == FILEIO_RNDRW)
            q->op = (double)(m->reads + 1) / (double)(m->writes + 1) < (double)m->o->rw_ratio
                        ? FILEIO_READ
                        : FILEIO_WRITE;
        else
            q->op = fileio_mode_facts[m->o->mode].writes ? FILEIO_WRITE : FILEIO_READ;
        found = place_request(m, r, q);
        if (found) {
            m->requests++;
            m->reads += q->op == FILEIO_READ;
            m->writes += q->op == FILEIO_WRITE;
            m->dirty = m->dirty || q->op == FILEIO_WRITE;
            if (m->o->fsync_between && period && m->requests % period == 0)
                begin_round(m);
        }
    }
    pthread_mutex_unlock(&m->lock);
    return found;
}

bool fileio_modes_next_fsync(struct fileio_modes *m, bool end, struct fileio_request *q)
{
    pthread_mutex_lock(&m->lock);
    if (end)
        begin_round(m);
    bool found = next_fsync(m, q);
    pthread_mutex_unlock(&m->lock);
    return found;
}

bool fileio_modes_claim(struct fileio_modes *m)
{
    if (!m->o->once)
        return true;
    pthread_mutex_lock(&m->lock);
    bool any = m->left > 0;
    m->left -= any;
    pthread_mutex_unlock(&m->lock);
    return any;
}

void fileio_modes_done(struct fileio_modes *m, const struct fileio_request *q)
{
    if (!m->busy || q->op == FILEIO_FSYNC)
        return;
    pthread_mutex_lock(&m->lock);
    for (int64_t bit = first_bit(m, q); bit <= last_bit(m, q); bit++)
        m->busy[bit / 8] &= (unsigned char)~mask_of(bit);
    pthread_mutex_unlock(&m->lock);
}
