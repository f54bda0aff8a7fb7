/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See cluster.h.
 */
#include "cluster/cluster.h"

#include "cluster/meet.h"

int cluster_rank(const struct cluster *c)
{
    (void)c;
    return 0;
}

int cluster_size(const struct cluster *c)
{
    (void)c;
    return 1;
}

const char *cluster_host(const struct cluster *c, int rank)
{
    (void)c, (void)rank;
    return "";
}

struct clock *cluster_clock(struct cluster *c)
{
    (void)c;
    return NULL;
}

bool cluster_clock_figures(struct cluster *c, int rank, struct cluster_clock_figures *out)
{
    (void)c, (void)rank, (void)out;
    return false;
}

void cluster_handle(struct cluster *c, const struct cluster_handler *h)
{
    (void)c, (void)h;
}

int cluster_send(struct cluster *c, int to, unsigned type, const void *p, size_t n)
{
    (void)c, (void)to, (void)type, (void)p, (void)n;
    return -1;
}

int cluster_send_latest(struct cluster *c, int to, unsigned type, const void *p, size_t n)
{
    return cluster_send(c, to, type, p, n);
}

int cluster_await(struct cluster *c, int from, unsigned type, mono_ns until, struct str *out,
                  struct err *e)
{
    (void)c, (void)from, (void)type, (void)until, (void)out;
    return err_set(e, ERR_FAILED, "no ranks");
}

bool cluster_alive(const struct cluster *c, int rank)
{
    (void)c, (void)rank;
    return false;
}

const char *cluster_lost_why(const struct cluster *c, int rank)
{
    (void)c, (void)rank;
    return NULL;
}

void cluster_leave(struct cluster *c)
{
    (void)c;
}

int meet_listen(const char *port, unsigned *port_out, struct err *e)
{
    (void)port, (void)port_out;
    return err_set(e, ERR_FAILED, "no ranks");
}

int meet_lead(int listener, const struct meet_terms *t, struct cluster **out, struct err *e)
{
    (void)listener, (void)t, (void)out;
    return err_set(e, ERR_FAILED, "no ranks");
}

int meet_join(const char *const *hosts, size_t n, const char *port, const struct meet_terms *t,
              struct cluster **out, struct err *e)
{
    (void)hosts, (void)n, (void)port, (void)t, (void)out;
    return err_set(e, ERR_FAILED, "no ranks");
}
