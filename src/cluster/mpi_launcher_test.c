/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which launcher the environment tells of.  The environments are those that the launchers set, cut
 * down to what tells them apart.
 */
#include "cluster/cluster_state.h"

#include <stdlib.h>

#include "base/test.h"

/* "NAME=VALUE NAME=VALUE" becomes the environment. */
static bool find(const char *environment, struct mpi_launcher *l)
{
    char text[200], *rest = text, *word;

    clearenv();
    snprintf(text, sizeof text, "%s", environment);
    while ((word = strsep(&rest, " ")) != NULL) {
        char *value = strchr(word, '=');

        if (!value)
            continue;
        *value = '\0';
        setenv(word, value + 1, 1);
    }
    return mpi_launcher_find(l);
}

static void check(const char *environment, int rank, int size, const char *first,
                  const char *second)
{
    struct mpi_launcher l = {0};

    CHECK(find(environment, &l));
    CHECK_INT(l.rank, rank);
    CHECK_INT(l.size, size);
    CHECK(l.name);
    CHECK_STR(l.libraries[0], first);
    if (second)
        CHECK_STR(l.libraries[1], second);
    else
        CHECK(!l.libraries[1]);
}

static void test_launchers(void)
{
    check("OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 PMIX_RANK=1", 1, 4, "openmpi", NULL);
    check("PMI_RANK=0 PMI_SIZE=2 PMI_FD=9", 0, 2, "mpich", "openmpi");
    check("MV2_COMM_WORLD_RANK=2 MV2_COMM_WORLD_SIZE=3 PMI_RANK=2 PMI_SIZE=3", 2, 3, "mpich", NULL);
    check("PMIX_RANK=5 SLURM_STEP_NUM_TASKS=8 SLURM_PROCID=5", 5, 8, "openmpi", "mpich");
    check("PMIX_RANK=5", 5, 0, "openmpi", "mpich");
    check("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1", 0, 1, "openmpi", NULL);
    check("PMI_RANK=1500 PMI_SIZE=2000", 1500, 2000, "mpich", "openmpi");
}

static void test_none(void)
{
    static const char *const alone[] = {
        "",
        "HOME=/root",
        "SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_STEP_NUM_TASKS=2", /* no PMI */
        "OMPI_MCA_btl=tcp",
        "PMI_RANK= PMI_SIZE=2",
        "PMI_RANK=x PMI_SIZE=2",
        "OMPI_COMM_WORLD_RANK=-1 OMPI_COMM_WORLD_SIZE=2"};
    struct mpi_launcher l;

    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        TEST_REPORT(!find(alone[i], &l), "'%s' is taken for a launcher", alone[i]);
}

TEST_MAIN(mpi_launcher_test)
{
    test_launchers();
    test_none();
    return test_done("mpi_launcher_test");
}
