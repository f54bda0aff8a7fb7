/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See load.h.  One lock guards everything; it is taken a few times per piece.  Under it the
 * stream of a table is taken to the end of the piece that is handed out, which costs a hundredth of
 * what loading it does.
 */
#include "sql/load.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

enum table_state { TABLE_NEW, TABLE_CREATING, TABLE_OPEN, TABLE_FINISHING, TABLE_READY };

struct load_table {
    unsigned char state; /* enum table_state */
    uint64_t done;       /* rows that are in */
    bool *found;         /* by piece: its rows were there; NULL: none were */
};

/* The tables of one thread. */
struct load_stream {
    bool joined;
    bool gone;      /* it ended and never joined */
    struct rng rng; /* before row `next` of `table` */
    uint64_t table; /* the one that pieces are handed out of; beyond the last: none are left */
    uint64_t next;
};

struct load_queue {
    struct load_plan plan;
    struct load_rows rows;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct load_stream *stream; /* by thread */
    struct load_table *table;   /* by table - 1 */
    uint64_t wanted;            /* tables whose threads have not gone */
    uint64_t ready;             /* how many of them are complete */
    uint64_t *full;             /* tables whose last row is in and whose index nobody makes yet */
    size_t nfull;
    unsigned busy;
    _Atomic bool stopped; /* set under the lock */
};

struct load_queue *load_queue_new(const struct load_plan *plan)
{
    struct load_queue *q = mem_alloc(sizeof *q);

    q->plan = *plan;
    q->plan.piece = plan->piece ? plan->piece : LOAD_PIECE_ROWS;
    load_rows_init(&q->rows, plan->dist, plan->rows);
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    q->stream = mem_array(plan->threads, sizeof *q->stream);
    q->table = mem_array(plan->tables, sizeof *q->table);
    q->wanted = plan->tables;
    for (unsigned i = 0; i < plan->threads; i++)
        q->stream[i] = (struct load_stream){.table = i + 1, .next = 1};
    return q;
}

void load_queue_free(struct load_queue *q)
{
    if (!q)
        return;
    for (uint64_t t = 0; t < q->plan.tables; t++)
        free(q->table[t].found);
    free(q->table);
    free(q->full);
    free(q->stream);
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

const struct load_rows *load_queue_rows(const struct load_queue *q)
{
    return &q->rows;
}

void load_queue_join(struct load_queue *q, unsigned thread, const struct rng *rng)
{
    pthread_mutex_lock(&q->lock);
    q->stream[thread].rng = *rng;
    q->stream[thread].joined = true;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

void load_queue_leave(struct load_queue *q, unsigned thread)
{
    if (thread >= q->plan.threads)
        return;
    struct load_stream *s = &q->stream[thread];
    pthread_mutex_lock(&q->lock);
    if (!s->joined && !s->gone && thread < q->plan.tables)
        q->wanted -= (q->plan.tables - thread - 1) / q->plan.threads + 1;
    s->gone = !s->joined;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

static struct load_table *table_of(struct load_queue *q, uint64_t table)
{
    return &q->table[table - 1];
}

static uint64_t last_row(const struct load_queue *q, uint64_t first)
{
    return q->plan.rows - first < q->plan.piece ? q->plan.rows : first + q->plan.piece - 1;
}

static bool take_from(struct load_queue *q, struct load_stream *s, struct load_piece *out)
{
    while (s->joined && s->table <= q->plan.tables) {
        struct load_table *t = table_of(q, s->table);
        if (t->state == TABLE_CREATING)
            return false;
        if (t->state == TABLE_NEW) {
            t->state = TABLE_CREATING;
            *out = (struct load_piece){.work = LOAD_CREATE, .table = s->table};
            return true;
        }
        /* the next rows of an open table that are to be loaded */
        while (s->next <= q->plan.rows) {
            *out = (struct load_piece){LOAD_ROWS, s->table, s->next, last_row(q, s->next), s->rng};
            load_rows_skip(&q->rows, &s->rng, out->last - out->first + 1);
            s->next = out->last + 1;
            if (!(t->found && t->found[(out->first - 1) / q->plan.piece]))
                return true;
        }
        s->table += q->plan.threads; /* after its last row: the stream's next table */
        s->next = 1;
        out->work = LOAD_END;
    }
    return false;
}

static bool take(struct load_queue *q, unsigned thread, struct load_piece *out)
{
    unsigned owners = q->plan.apart ? 1 : q->plan.threads;

    /* the table that filled last, so that whoever filled it gets it */
    for (size_t i = q->nfull; i-- > 0;) {
        uint64_t table = q->full[i];
        if (q->plan.apart && (table - 1) % q->plan.threads != thread)
            continue;
        q->full[i] = q->full[--q->nfull];
        table_of(q, table)->state = TABLE_FINISHING;
        *out = (struct load_piece){.work = LOAD_FINISH, .table = table};
        return true;
    }
    for (unsigned i = 0; i < owners; i++)
        if (take_from(q, &q->stream[(thread + i) % q->plan.threads], out))
            return true;
    return false;
}

void load_queue_next(struct load_queue *q, unsigned thread, struct load_piece *out)
{
    *out = (struct load_piece){.work = LOAD_END};
    pthread_mutex_lock(&q->lock);
    while (!q->stopped && q->ready < q->wanted && !take(q, thread, out)) {
        if (q->plan.apart)
            break; /* what others make is not for it; one of them may wait for its connection */
        pthread_cond_wait(&q->changed, &q->lock);
    }
    q->busy += out->work != LOAD_END;
    pthread_mutex_unlock(&q->lock);
}

void load_queue_done(struct load_queue *q, const struct load_piece *p)
{
    struct load_table *t = table_of(q, p->table);

    pthread_mutex_lock(&q->lock);
    if (p->work == LOAD_FINISH) {
        t->state = TABLE_READY;
        q->ready++;
    } else if (p->work == LOAD_CREATE) {
        t->state = TABLE_OPEN;
    } else {
        t->done += p->last - p->first + 1;
    }
    if (p->work != LOAD_FINISH && t->done >= q->plan.rows) { /* there is an index to make */
        q->full = mem_grow(q->full, q->nfull + 1, sizeof *q->full);
        q->full[q->nfull++] = p->table;
    }
    q->busy--;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

bool load_queue_found(struct load_queue *q, uint64_t table, uint64_t first, uint64_t rows)
{
    struct load_table *t = table_of(q, table);
    uint64_t whole = last_row(q, first) - first + 1;

    if (rows != whole)
        return false;
    pthread_mutex_lock(&q->lock);
    if (!t->found)
        t->found = mem_array(q->plan.rows / q->plan.piece + 1, sizeof *t->found);
    if (!t->found[(first - 1) / q->plan.piece])
        t->done += whole;
    t->found[(first - 1) / q->plan.piece] = true;
    pthread_mutex_unlock(&q->lock);
    return true;
}

void load_queue_stop(struct load_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->stopped = true;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

bool load_queue_stopped(struct load_queue *q)
{
    return q->stopped;
}

unsigned load_queue_busy(struct load_queue *q)
{
    pthread_mutex_lock(&q->lock);
    unsigned busy = q->busy;
    pthread_mutex_unlock(&q->lock);
    return busy;
}

enum load_progress load_queue_table(struct load_queue *q, uint64_t table, uint64_t *rows)
{
    const struct load_table *t = table_of(q, table);
    enum load_progress p = LOAD_PARTLY;

    pthread_mutex_lock(&q->lock);
    if (t->state == TABLE_NEW || t->state == TABLE_CREATING)
        p = LOAD_ABSENT;
    else if (t->state == TABLE_READY)
        p = LOAD_COMPLETE;
    else if (t->done >= q->plan.rows)
        p = LOAD_FILLED;
    *rows = t->done;
    pthread_mutex_unlock(&q->lock);
    return p;
}

bool load_queue_stream(struct load_queue *q, unsigned thread, struct rng *out)
{
    const struct load_stream *s = &q->stream[thread];
    bool through;

    pthread_mutex_lock(&q->lock);
    through =
        s->joined && (s->table > q->plan.tables ||
                      (s->next > q->plan.rows && s->table + q->plan.threads > q->plan.tables));
    if (through)
        *out = s->rng;
    pthread_mutex_unlock(&q->lock);
    return through;
}

void load_queue_work(struct load_queue *q, bool begins)
{
    pthread_mutex_lock(&q->lock);
    q->busy += begins ? 1u : -1u;
    pthread_mutex_unlock(&q->lock);
}

void load_queue_note(struct load_queue *q, uint64_t table, uint64_t rows, bool complete)
{
    if (table < 1 || table > q->plan.tables)
        return;
    struct load_table *t = table_of(q, table);
    pthread_mutex_lock(&q->lock);
    t->state = complete ? TABLE_READY : TABLE_OPEN;
    t->done = rows;
    pthread_mutex_unlock(&q->lock);
}
