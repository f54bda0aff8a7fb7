/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See meet_mpi.h.  This program has no plug-in for MPI.
 */
#include "cluster/meet_mpi.h"

bool meet_mpi_started(void)
{
    return false;
}

int meet_mpi(struct cluster **out, const struct cluster_spec *s, struct err *e)
{
    *out = NULL;
    (void)s;
    return err_set(e, ERR_USAGE, "--cluster=mpi: this program was built without MPI");
}
