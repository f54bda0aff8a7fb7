# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The launchers of MPI that the cram tests run:   . "$TESTDIR/../include/mpi.sh"
# Skips the test where there is none.

launchers=
for mpi in openmpi mpich; do
    program=$(dirname "$(readlink -f "$(command -v sysbench)")")/sysbench-mpi-$mpi
    if test -x "$program" && command -v mpirun.$mpi >/dev/null; then launchers="$launchers $mpi"; fi
done
test -n "$launchers" ||
    skip 'no program sysbench-mpi-openmpi or sysbench-mpi-mpich was built, or its mpirun is not installed'
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# More ranks than CPUs, for Open MPI 4, 5 and 6, which warns of the name that 5 knows.
export OMPI_MCA_rmaps_base_oversubscribe=1
case $(mpirun.openmpi --version 2>/dev/null) in
*'Open MPI) '[1-5].*) export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe ;;
*) export PRTE_MCA_mapby=:oversubscribe ;;
esac

# From 5 on it may complain of the network of a machine, which one host does not need.
export OMPI_MCA_btl=^tcp

# each COMMAND...: with every launcher, whose name is in $mpi
each() { for mpi in $launchers; do "$@" || echo "with $mpi"; done; }
