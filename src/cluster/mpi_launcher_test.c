/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which launcher the environment tells of.  The environments are those that the launchers set, cut
 * down to what tells them apart.
 */
#include "cluster/cluster_state.h"

#include <stdlib.h>

#include "base/test_golden.h"

/* What an environment of "NAME=VALUE NAME=VALUE" tells. */
static void find(const char *environment)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK",
                                        "OMPI_COMM_WORLD_SIZE",
                                        "OMPI_MCA_btl",
                                        "PMIX_RANK",
                                        "PMI_RANK",
                                        "PMI_SIZE",
                                        "PMI_FD",
                                        "MV2_COMM_WORLD_RANK",
                                        "MV2_COMM_WORLD_SIZE",
                                        "SLURM_STEP_NUM_TASKS",
                                        "SLURM_PROCID",
                                        "SLURM_NTASKS"};
    struct mpi_launcher l = {0};
    char text[200], *rest = text, *word;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    snprintf(text, sizeof text, "%s", environment);
    while ((word = strsep(&rest, " ")) != NULL) {
        char *name = strsep(&word, "=");
        setenv(name, word, 1);
    }
    if (!mpi_launcher_find(&l))
        golden_line("%s: none", environment);
    else
        golden_line("%s: %s, rank %d of %d, %s %s", environment, l.name, l.rank, l.size,
                    l.libraries[0], l.libraries[1] ? l.libraries[1] : "");
}

TEST_MAIN(mpi_launcher_test)
{
    golden_each("OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 PMIX_RANK=1|"
                "PMI_RANK=0 PMI_SIZE=2 PMI_FD=9|"
                "MV2_COMM_WORLD_RANK=2 MV2_COMM_WORLD_SIZE=3 PMI_RANK=2 PMI_SIZE=3|"
                "PMIX_RANK=5 SLURM_STEP_NUM_TASKS=8 SLURM_PROCID=5|PMIX_RANK=5|"
                "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1|PMI_RANK=1500 PMI_SIZE=2000|"
                "HOME=/root|SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_STEP_NUM_TASKS=2|"
                "OMPI_MCA_btl=tcp|PMI_RANK= PMI_SIZE=2|PMI_RANK=x PMI_SIZE=2|"
                "OMPI_COMM_WORLD_RANK=-1 OMPI_COMM_WORLD_SIZE=2",
                find);
    golden_done("mpi_launcher_test");
    return test_done("mpi_launcher_test");
}
