A script on several ranks: each client has the number, the random stream and the unique numbers of one host.

  $ . "$TESTDIR/../include/ranks.sh"
  $ cat >note.lua <<'END'
  > sysbench.cmdline.options = {notes = {"where to write", "notes"}, per_rank = {"anything", 1}}
  > local function note(file, ...)
  >    local f = assert(io.open(sysbench.opt.notes .. "." .. file, "a"))
  >    f:write(table.concat({...}, " "), "\n")
  >    f:close()
  > end
  > function thread_init(id)
  >    print("hello of " .. id)
  >    note("threads", string.format("tid %d, thread_id %d of %d, draws %d", sysbench.tid, id, sysbench.opt.threads,
  >                                  sysbench.rand.uniform(1, 1000000)))
  > end
  > function event(id) note("events", sysbench.rand.unique()) assert(id == sysbench.tid) end
  > END
  $ sysbench ./note.lua --threads=5 --events=12 --rand-seed=5 --notes=$PWD/alone run >alone.out
  $ ranks 3 ./note.lua --threads=5 --events=12 --rand-seed=5 --notes=$PWD/many --raw-log=raw run
  $ sort alone.events >want; sort many.events | cmp - want; sort want | uniq -d
  $ sort alone.threads | tee want; sort many.threads | cmp - want
  tid 0, thread_id 0 of 5, draws 633751
  tid 1, thread_id 1 of 5, draws 214128
  tid 2, thread_id 2 of 5, draws 256962
  tid 3, thread_id 3 of 5, draws 693957
  tid 4, thread_id 4 of 5, draws 389694

The leader's output is that of one host, and its number of threads that of all; members write nothing but their raw log.

  $ sed -n '/^Number of threads/p; /^hello/p' out.0 | sort; cat out.1 out.2 err.*
  Number of threads: 5
  hello of 0
  hello of 3
  $ ls raw*; for f in raw*; do sed 1q "$f" | grep -ao '"clients":[0-9]\|"rank.*' | tr '\n' ' '; done; echo
  raw
  raw.rank1
  raw.rank2
  "clients":2 "rank":0,"ranks":3} "clients":2 "rank":1,"ranks":3} "clients":1 "rank":2,"ranks":3} 

The built-in tests are divided as well: --events, and what the memory test moves.

  $ ranks 2 cpu --threads=3 --events=11 --cpu-max-prime=10 run
  $ ranks 2 memory --threads=4 --memory-total-size=64M --memory-block-size=1M run

A run without limits goes on until it is interrupted, at whichever rank: one report of all.  The leader alone warns.

  $ . "$TESTDIR/../include/rate.sh"
  $ echo 'function event() end' >nothing.lua; TEST_OF=$$; export TEST_OF
  $ the_rank() { for pid in $(pgrep -x sysbench); do
  >   tr '\0' '\n' 2>/dev/null </proc/$pid/environ | grep -q "^TEST_OF=$$\$" && tr '\0' ' ' </proc/$pid/cmdline |
  >     grep -q -e "--cluster-rank=$1 " && echo $pid
  >   done; }
  $ endless() {
  >   : >out.0; ranks 3 ./nothing.lua --threads=6 --tx-rate=300 --tx-burst=100000 --time=0 --events=0 --report-interval=1 run >status &
  >   wait_for out.0 'thds: 6'; kill $(the_rank $1); wait $!; cat status out.1 out.2; errors
  >   grep -c 'running an endless test' out.0; grep -c '^Load hosts' out.0
  >   test "$(figure offered out.0)" = $(($(figure done out.0) + $(figure unfinished out.0))) &&
  >     test "$(figure done out.0)" -gt 0 || cat out.0
  > }
  $ endless 0
  rank 0: exit 143
  rank 1: exit 143
  rank 2: exit 143
  1
  1
  $ endless 1
  rank 0: exit 143
  rank 1: exit 143
  rank 2: exit 143
  1
  1

A bit that changes on the way from a rank to the leader is noticed: the rank is lost, the leader goes on, and the accounts balance.

  $ port=$(free_port); python3 "$TESTDIR/../include/relay.py" 127.0.0.1 $port relay.port --flip=flip & relay=$!
  > until [ -s relay.port ]; do sleep 0.02; done
  $ more_0=--cluster=127.0.0.1:$port more_1=--cluster=127.0.0.1:$(cat relay.port)
  $ : >out.0; : >err.0
  > ranks 2 ./nothing.lua --threads=2 --tx-rate=200 --tx-burst=100000 --time=0 --events=0 --report-interval=0.5 run \
  >   >status &
  $ wait_for out.0 '^\['; : >flip; wait_for err.0 'is lost'; kill $(the_rank 0); wait $!; cat status; kill $relay; more_0= more_1=
  rank 0: exit 143
  rank 1: exit 1
  $ { errors; grep -h FATAL out.*; } | sed "s/($(uname -n))/(HOST)/; s/after [0-9.]* s/after N s/; s/s: [0-9]* t/s: N t/"
  WARNING: rank 1 (HOST) is lost after N s (a frame from it was damaged): its share of the load is missing from now on
  rank 1 (HOST): FATAL: the leader, rank 0 (HOST), is lost: the connection was closed
  FATAL: rank 1 (HOST) was lost after N s: N transactions of its share were not done
  $ test "$(figure offered out.0)" = $(($(figure done out.0) + $(figure unfinished out.0) + $(figure lost.* out.0))) || cat out.0

Each stage of the rate has the planned starts and the clients of one host.

  $ ranks 3 ./nothing.lua --threads=6 --tx-rate=100:1s,300:1s,50 --tx-burst=100000 --time=3 --report-file=a.json,a.stages.csv run
  $ sed -n 's/^ *planned starts: *//p' out.0; awk -F, 'NR > 1 && NR < 4 {print $5}' a.stages.csv
  100          300           50
  6
  6
