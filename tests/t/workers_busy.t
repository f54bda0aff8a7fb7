Runs alone: a worker that is near its limit is reported only while other CPUs have time to spare.

  $ . "$TESTDIR/../include/workers.sh"
  $ echo 'function event() end' >nothing.lua
  $ near() { # TIME WORD...: for so many seconds, by a command of these words
  >   time=$1; shift; "$@" sysbench nothing.lua --threads=8 --workers=1 --time=$time run >out 2>err; sed -E 's/[0-9]+ %/N %/' err; }

While the run goes on, once, with the number to try; at the end the report says it again.  Other programs that used more
than a tenth of a CPU may have taken the CPU that a second worker would need; a worker that had less than its own was not busy.

  $ used() { awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 + $9 }' /proc/stat; }
  $ had() { awk -F '[ms ]+' 'FNR == 2 { cpu = 60 * ($1 + $3) + $2 + $4 - cpu } END { print (cpu > least) }' least=$1 before after; }
  $ if [ $(nproc) -gt 1 ]
  > then from=$(used); times >before; near 6 env >said; times >after; to=$(used); else echo 'try --workers=2' >said; fi
  $ grep -q 'try --workers=2' said || [ $(had 5.8) = 1 -a $((to - from)) -le $((66 * $(getconf CLK_TCK) / 10)) ] || {
  >   echo "others used the CPUs" >>"$SB_INCONCLUSIVE"; echo 'try --workers=2' >said; }
  $ grep -c 'try --workers=2' said
  1
  $ grep -v -x -e 'try --workers=2' said \
  >   -e 'WARNING: 1 of 1 workers is near the limit (N % of a CPU at most), which may limit the throughput: try --workers=2'
  [1]

There is no CPU for another worker.

  $ times >before; near 2 taskset -c $(taskset -cp $$ | sed 's/.*[ ,-]//'); times >after
  $ sed -n -E 's/[0-9]+ %/N %/; /saturated/p' out >ended; [ -s ended ] || [ $(had 1.8) = 1 ] || {
  >   echo "others used the CPU" >>"$SB_INCONCLUSIVE"; echo 'at most): each CPU that this process may use has a worker already.' >ended; }
  $ grep -c 'at most): each CPU that this process may use has a worker already.' ended
  1
