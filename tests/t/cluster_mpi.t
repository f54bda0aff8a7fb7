Ranks that mpirun starts, with Open MPI and with MPICH: one report, and what is refused.

  $ . "$TESTDIR/../include/common.sh"; . "$TESTDIR/../include/rate.sh"; . "$TESTDIR/../include/mpi.sh"

sysbench itself is not linked with MPI.

  $ ! ldd "$(command -v sysbench)" | grep -i mpi

Three ranks share clients and events; standard output has lines, once, without colours.

  $ one_report() {
  >   mpirun.$mpi -np 3 sysbench cpu --cpu-max-prime=10 --threads=5 --tx-rate=300 --events=301 --time=600 run >out 2>err </dev/null
  >   test "$?" = 0 && test "$(grep -c '^CPU speed' out)" = 1 && test "$(figure offered)" = 301 && test "$(figure done)" = 301 &&
  >   test "$(sed -n '/^Load hosts/,/^$/p' out | awk '$1 ~ /^[0-9]+$/ {print $1, $3, $4}' | tr '\n' ';')" = "0 2 101;1 2 100;2 1 100;" &&
  >   ! grep -q "$(printf '\033')" out && ! grep . err || { cat out err; false; }
  > }
  $ each one_report

--cluster=off: each rank by itself, as with the sysbench of others.

  $ alone() {
  >   mpirun.$mpi -np 2 sysbench cpu --cpu-max-prime=10 --cluster=off --events=10 run >out 2>err </dev/null
  >   test "$?" = 0 && test "$(grep -c 'total number of events: *10$' out)" = 2
  > }
  $ each alone
  $ single() {
  >   mpirun.$mpi -np 1 sysbench cpu --cpu-max-prime=10 --events=10 run >out 2>err </dev/null
  >   test "$?" = 0 && ! grep -q '^Load hosts' out
  > }
  $ each single

A rank that was started with fewer CPUs than its load can use says so, if the launcher has bound it or what started the launcher.

  $ bound() {
  >   taskset -c "$1" mpirun.$mpi $free -np 2 sysbench cpu --cpu-max-prime=10 --threads=$2 --events=10 run >out 2>err </dev/null
  >   grep 'WARNING: this rank was started with' err | sed 's/^rank \([0-9]\) ([^)]*)/rank \1 (HOST)/' | sort
  > }
  $ bound_and_not() {
  >   free=; test $mpi = mpich || free='--bind-to none'
  >   all=$(getconf _NPROCESSORS_ONLN); test $all -gt 1 || return 0
  >   first=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
  >   said="WARNING: this rank was started with 1 of the $all CPUs of its host, but its load can use 2: let the launcher bind none"
  >   printf '%s\n' "$said (Open MPI: mpirun --bind-to none)" "rank 1 (HOST): $said (Open MPI: mpirun --bind-to none)" | sort >want
  >   bound $first 4 | diff want - && test -z "$(bound $first 2)"
  > }
  $ each bound_and_not

What all ranks refuse is said once, whenever it is found; with --cluster=off by each of them.

  $ said() { cat out err | grep -c -e "$1"; }
  $ refused() {
  >   mpirun.$mpi -np 3 sysbench $2 >out 2>err </dev/null
  >   test "$?" = 1 && test "$(said "$1")" = "${3:-1}" && ! grep -q 'ended: \|before the ranks' out err || {
  >     echo "$2"; cat out err; false
  >   }
  > }
  $ each refused '--threads=1 is too few' 'cpu --threads=1 run'
  $ each refused "Invalid value for the 'threads' option: 'x'" 'cpu --threads=x run'
  $ echo 'sysbench.cmdline.options = {known = {"an option", 1}} function event() end' >a.lua
  $ each refused 'invalid option: --unknown' './a.lua --unknown=1 --threads=3 run'
  $ each refused 'invalid option: --no-such-option' 'cpu --no-such-option --threads=3 run'
  $ each refused 'Invalid value for --cluster=timeout: 0' 'cpu --cluster=timeout=0 run'
  $ each refused 'Invalid value for verbosity: 9' 'cpu --verbosity=9 --threads=3 run'
  $ each refused 'Unrecognized command line argument: again' 'cpu run again'
  $ each refused 'Invalid value for --num-threads: 0' '--test=cpu --compat=0.5 --num-threads=0 run'
  $ each refused '/nowhere: No such file' 'cpu --config-file=/nowhere run'
  $ by_itself() { test $mpi = openmpi || refused 'Unrecognized command line argument: again' 'cpu run again --cluster=off' 3; }
  $ each by_itself

A program without MPI says what it lacks.

  $ minimal=$(dirname "$(readlink -f "$(command -v sysbench)")")/sysbench_minimal
  $ if test -x "$minimal"
  > then
  >   OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 "$minimal" cpu run 2>&1
  > else
  >   echo skipped
  > fi | grep -v '^skipped$'
  FATAL: Open MPI's mpirun has started this program, but it was built without sysbench-mpi-openmpi: install libopenmpi-dev (Debian's name) and build it again, use --cluster=HOST:PORT, or let each rank run by itself with --cluster=off
  $ sysbench cpu --cluster=mpi run 2>&1
  FATAL: --cluster=mpi: no MPI has started this program: start it with mpirun, or with srun --mpi=pmix or --mpi=pmi2, or use --cluster=HOST:PORT
  [1]
