/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --file-io-mode=async: the kernel's asynchronous I/O by libaio.  A client submits one operation at
 * a time and goes on; with --file-async-backlog in flight it waits for at least one to complete. An
 * event therefore takes as long as submitting does, and reads and writes are counted when they
 * complete.
 *
 * Each operation in flight has a slot.  With --validate a slot has a buffer of its own, since
 * contents matter until completion; else all share the client's one, because the contents are not
 * used.
 */
#include <errno.h>
#include <libaio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "workload/fileio.h"

struct slot {
    struct iocb iocb; /* first: what comes back names it */
    struct fileio_request request;
    unsigned char *buf;
    struct slot *next; /* free list */
    bool in_flight;
};

struct async {
    io_context_t context;
    struct slot *slot, *free;
    struct io_event *done;
    int in_flight;
};

static void client_close(struct fileio *f, struct fileio_client *c)
{
    struct async *a = c->engine;

    if (!a)
        return;
    if (a->context)
        io_destroy(a->context); /* waits for what is in flight */
    for (int i = 0; a->slot && f->o.validate && i < f->o.backlog; i++)
        free(a->slot[i].buf);
    free(a->slot);
    free(a->done);
    free(a);
    c->engine = NULL;
}

static int client_open(struct fileio *f, struct fileio_client *c, struct err *e)
{
    struct async *a = mem_alloc(sizeof *a);
    int n = f->o.backlog, rc;

    c->engine = a;
    rc = io_setup(n, &a->context);
    if (rc < 0) {
        a->context = NULL;
        return err_sys(e, -rc, "cannot set up %d asynchronous operations for client %d%s", n,
                       client_id(c->client), rc == -EAGAIN ? " (see /proc/sys/fs/aio-max-nr)" : "");
    }
    a->slot = mem_array((size_t)n, sizeof *a->slot);
    a->done = mem_array((size_t)n, sizeof *a->done);
    for (int i = 0; i < n; i++) {
        a->slot[i].buf = f->o.validate ? fileio_buffer(f->o.request) : c->buf;
        a->slot[i].next = a->free;
        a->free = &a->slot[i];
    }
    return 0;
}

/* Waits until at least `least` are complete and processes all that are. */
static int reap(struct fileio *f, struct fileio_client *c, int least, struct err *e)
{
    struct async *a = c->engine;
    int n, rc = 0;

    do {
        n = io_getevents(a->context, least, f->o.backlog, a->done, NULL);
    } while (n == -EINTR);
    if (n < 0)
        return err_sys(e, -n, "cannot wait for asynchronous operations of client %d",
                       client_id(c->client));
    for (int i = 0; i < n; i++) {
        struct slot *s = (struct slot *)a->done[i].obj;
        long res = (long)a->done[i].res;
        a->in_flight--;
        s->in_flight = false;
        s->next = a->free;
        a->free = s;
        if (fileio_complete(f, c, &s->request, s->buf, res < 0 ? -1 : res, res < 0 ? (int)-res : 0,
                            rc ? NULL : e))
            rc = -1;
    }
    return rc;
}

static int transfer(struct fileio *f, struct fileio_client *c, const struct fileio_request *q,
                    struct err *e)
{
    struct async *a = c->engine;
    struct slot *s = a->free;
    struct iocb *one = &s->iocb;
    int rc, why;

    a->free = s->next;
    s->request = *q;
    if (q->op == FILEIO_READ) {
        io_prep_pread(&s->iocb, f->fd[q->file], s->buf, q->size, q->pos);
    } else {
        fileio_fill(f, c, q, s->buf);
        io_prep_pwrite(&s->iocb, f->fd[q->file], s->buf, q->size, q->pos);
    }
    while ((rc = io_submit(a->context, 1, &one)) != 1) {
        why = rc < 0 ? -rc : EIO;
        if (why == EINTR)
            continue;
        if (why == EAGAIN && a->in_flight > 0) {
            /* the kernel lacks a resource that a completion returns */
            if (reap(f, c, 1, e) == 0)
                continue;
            fileio_modes_done(&f->modes, q); /* it was never begun */
            rc = -1;
        } else {
            rc = fileio_complete(f, c, q, s->buf, -1, why, e);
        }
        s->next = a->free;
        a->free = s;
        return rc;
    }
    s->in_flight = true;
    a->in_flight++;
    return a->in_flight < f->o.backlog ? 0 : reap(f, c, 1, e);
}

static int drain(struct fileio *f, struct fileio_client *c, struct err *e)
{
    struct async *a = c->engine;
    int rc = 0;

    while (a->in_flight > 0) {
        int before = a->in_flight;
        if (reap(f, c, a->in_flight, rc ? NULL : e))
            rc = -1;
        if (a->in_flight == before)
            break; /* the context itself failed */
    }
    /* these will never be reported as complete: others must not wait for their blocks */
    for (int i = 0; a->in_flight > 0 && i < f->o.backlog; i++) {
        if (a->slot[i].in_flight)
            fileio_modes_done(&f->modes, &a->slot[i].request);
        a->slot[i].in_flight = false;
    }
    return rc;
}

const struct fileio_engine fileio_async = {
    .client_open = client_open,
    .client_close = client_close,
    .transfer = transfer,
    .fsync = fileio_fsync,
    .drain = drain,
};
