/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The figures of each database host in a reading (reading.h).  Hosts are numbered, not named: ranks
 * may call the same servers by other addresses, but have them in the same order.  The last row is
 * that of no host, at each rank; what a rank has beyond the leader's list is added there, too.
 */
#include "engine/reading.h"

#include <stdlib.h>

#include "base/mem.h"

#define MOST_ROWS 65 /* as many as app.c allows, and one */

static struct hist_counts *sent_hists(struct reading_sent *sent, size_t rows)
{
    if (sent->host)
        return sent->host;
    sent->hosts = rows;
    sent->host = mem_array(rows, sizeof *sent->host);
    for (size_t i = 0; i < rows; i++)
        hist_counts_init(&sent->host[i], HIST_BUCKETS);
    return sent->host;
}

void reading_sent_fini_hosts(struct reading_sent *sent)
{
    for (size_t i = 0; i < sent->hosts; i++)
        hist_counts_fini(&sent->host[i]);
    free(sent->host);
}

void reading_put_hosts(struct put *out, const struct baseline *b, struct reading_sent *sent)
{
    size_t rows = b->host ? b->nhosts : 0;

    put_u64(out, rows);
    for (size_t i = 0; i < rows; i++) {
        const struct host_counts *h = &b->host[i];
        for (int k = 0; k < CNT_MAX; k++)
            put_u64(out, h->count[k]);
        put_u64(out, h->lost);
        put_u64(out, h->connections);
        put_u64(out, h->clients);
        reading_put_hist(out, &h->response, &sent_hists(sent, rows)[i]);
    }
}

static int get_row(struct host_counts *h, struct get *in)
{
    for (int k = 0; k < CNT_MAX; k++)
        h->count[k] = get_u64(in);
    h->lost = get_u64(in);
    h->connections = (unsigned)get_u64(in);
    h->clients = (unsigned)get_u64(in);
    return in->bad ? -1 : reading_get_hist(&h->response, in);
}

int reading_get_hosts(struct baseline *b, struct get *in)
{
    uint64_t rows = get_u64(in);

    if (in->bad || rows > MOST_ROWS || (b->host && rows != b->nhosts))
        return -1;
    if (rows && !b->host) {
        b->host = host_counts_new((size_t)rows);
        b->nhosts = (size_t)rows;
    }
    for (size_t i = 0; i < rows; i++)
        if (get_row(&b->host[i], in))
            return -1;
    return 0;
}

void reading_add_hosts(struct baseline *to, const struct baseline *from)
{
    for (size_t i = 0; to->host && from->host && i < from->nhosts; i++) {
        size_t none = to->nhosts - 1;
        bool known = i + 1 < from->nhosts && i < none;
        host_counts_add(&to->host[known ? i : none], &from->host[i], 1);
    }
}
