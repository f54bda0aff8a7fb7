Ranks that mpirun starts, with Open MPI and with MPICH: a rank that is killed does not end the others.

  $ . "$TESTDIR/../include/common.sh"; . "$TESTDIR/../include/rate.sh"; . "$TESTDIR/../include/mpi.sh"

A rank is killed: the others go on until rank 0 is told to end.

  $ the_rank() { for pid in $(pgrep -x sysbench); do
  >   tr '\0' '\n' 2>/dev/null </proc/$pid/environ | grep -q -e "^TEST_OF=$$\$" && tr '\0' '\n' 2>/dev/null </proc/$pid/environ |
  >     grep -q -e "^OMPI_COMM_WORLD_RANK=$1\$" -e "^PMI_RANK=$1\$" && echo $pid; done; }
  $ TEST_OF=$$; export TEST_OF
  $ killed() {
  >   : >out; : >err
  >   mpirun.$mpi -np 3 sysbench cpu --cpu-max-prime=10 --threads=3 --tx-rate=100 --time=600 --report-interval=1 run >out 2>err </dev/null &
  >   wait_for out 'thds: 3'; kill -9 $(the_rank 1); wait_for err 'rank 1: sysbench was ended by signal 9'; wait_for err 'rank 1 .* is lost'
  >   kill -TERM $(the_rank 0); status=0; wait $! || status=$?
  >   test $status != 0 && test "$(figure offered)" = $(($(figure done) + $(figure unfinished) + $(figure 'lost with their load hosts'))) &&
  >   grep -q 'rank 1 .* was lost after' out err || { echo "status $status"; cat out err; false; }
  > }
  $ each killed

MPICH's mpiexec passes SIGINT on and waits; what Open MPI's mpirun does depends on seconds.

  $ interrupted() {
  >   test $mpi = mpich || return 0
  >   : >out; : >err
  >   env --default-signal=INT mpirun.$mpi -np 2 \
  >     sysbench cpu --cpu-max-prime=10 --threads=2 --tx-rate=100 --time=600 --report-interval=1 run >out 2>err </dev/null &
  >   wait_for out 'thds: 2'; kill -INT $!; wait $!
  >   test "$(grep -c '^Load hosts' out)" = 1 && test "$(figure 'lost with their load hosts')" = 0 || { cat out err; false; }
  > }
  $ each interrupted

A rank that is refused alone tells the others, which do not wait for it: rank 0 says it, whichever it was.

(Several programs in a line of mpirun would do, if Open MPI 5.0.7 did not crash.)

  $ cat >by_rank.sh <<'END'
  > case ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in 0) more=$1;; 1) more=$2;; *) more=;; esac
  > exec sysbench cpu --cpu-max-prime=10 --threads=3 --events=30 --cluster=timeout=500 run $more
  > END
  $ alone() {
  >   mpirun.$mpi -np 3 sh by_rank.sh "$1" "$2" >out 2>err </dev/null
  >   test "$?" = 1 &&
  >     test "$(cat out err | sed -n "s/($(uname -n))/(HOST)/; /WARNING/d; s/; see .*//; /$3/p")" = "$4" || {
  >     cat out err; false
  >   }
  > }
  $ each alone '' --threads=x threads \
  >   "FATAL: rank 1 (HOST) ended: Invalid value for the 'threads' option: 'x' (a whole number, such as 500, 10k or 1M, is needed)"
  $ each alone --threads=x --threads=3 threads \
  >   "Invalid value for the 'threads' option: 'x' (a whole number, such as 500, 10k or 1M, is needed)"
  $ each alone '' --config-file=/nowhere nowhere 'FATAL: rank 1 (HOST) ended: /nowhere: No such file or directory'
  $ each alone '' --verbosity=9 verbosity 'FATAL: rank 1 (HOST) ended: Invalid value for verbosity: 9'
  $ each alone --verbosity=9 '' verbosity 'Invalid value for verbosity: 9'
  $ each alone '' --no-such-option such 'FATAL: rank 1 (HOST) ended: invalid option: --no-such-option'
