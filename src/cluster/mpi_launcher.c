/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * See mpi_launcher.h.  Slurm's srun sets SLURM_PROCID in each rank, with or without MPI, so that
 * alone says nothing: what counts are the variables of its PMI.
 */
#include "cluster/mpi_launcher.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/units.h"

#define OPENMPI "openmpi"
#define MPICH   "mpich"

struct launcher {
    const char *name, *rank, *size; /* the last two: variables */
    const char *libraries[MPI_LIBRARIES];
};

/* PMIx does not tell the size, srun does.  A rank of Open MPI's mpirun has the variables of PMIx,
 * too, so it stands first. */
static const struct launcher launchers[] = {
    {"Open MPI's mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {OPENMPI}},
    {"MVAPICH's mpirun", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", {MPICH}},
    {"a launcher with PMIx", "PMIX_RANK", "SLURM_STEP_NUM_TASKS", {OPENMPI, MPICH}},
    {"a launcher with PMI (mpiexec of MPICH, srun)", "PMI_RANK", "PMI_SIZE", {MPICH, OPENMPI}},
};

/* -1: it is not set, or is not a number. */
static int number(const char *variable)
{
    const char *text = getenv(variable);
    int64_t n;

    return text && units_int(text, 0, INT_MAX, &n, NULL) == 0 ? (int)n : -1;
}

bool mpi_launcher_find(struct mpi_launcher *out)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const struct launcher *l = &launchers[i];
        int rank = number(l->rank), size = number(l->size);

        if (rank < 0)
            continue;
        *out = (struct mpi_launcher){.name = l->name, .rank = rank, .size = size < 0 ? 0 : size};
        for (size_t k = 0; k < MPI_LIBRARIES; k++)
            out->libraries[k] = l->libraries[k];
        return true;
    }
    return false;
}

bool mpi_launcher_started(void)
{
    struct mpi_launcher l;

    return mpi_launcher_find(&l) && l.size != 1;
}
