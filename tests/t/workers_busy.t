Runs alone: a worker that was near its limit is reported at the end of the run.

  $ . "$TESTDIR/../include/workers.sh"
  $ echo 'function event() end' >nothing.lua
  $ near() { # TIME WORD...: for so many seconds, by a command of these words
  >   time=$1; shift; "$@" sysbench nothing.lua --threads=8 --workers=1 --time=$time run >out 2>err; sed -E 's/[0-9]+ %/N %/' err; }

At the end.  A worker that had less than its own CPU was not busy.

  $ had() { awk -F '[ms ]+' 'FNR == 2 { cpu = 60 * ($1 + $3) + $2 + $4 - cpu } END { print (cpu > least) }' least=$1 before after; }
  $ if [ $(nproc) -gt 1 ]
  > then times >before; near 2 env; times >after; sed -n '/saturated/p' out >said; else echo 'raise --workers' >said; fi
  $ grep -q 'raise --workers' said || [ $(had 1.8) = 1 ] || {
  >   echo "others used the CPUs" >>"$SB_INCONCLUSIVE"; echo 'raise --workers' >said; }
  $ grep -c 'raise --workers' said
  1

There is no CPU for another worker.

  $ times >before; near 2 taskset -c $(taskset -cp $$ | sed 's/.*[ ,-]//'); times >after
  $ sed -n -E 's/[0-9]+ %/N %/; /saturated/p' out >ended; [ -s ended ] || [ $(had 1.8) = 1 ] || {
  >   echo "others used the CPU" >>"$SB_INCONCLUSIVE"; echo 'at most): each CPU that this process may use has a worker already.' >ended; }
  $ grep -c 'at most): each CPU that this process may use has a worker already.' ended
  1
