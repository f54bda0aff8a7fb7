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
  rank 0: exit 0
  rank 1: exit 0
  rank 2: exit 0
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
  rank 0: exit 0
  rank 1: exit 0
  $ ranks 2 memory --threads=4 --memory-total-size=64M --memory-block-size=1M run
  rank 0: exit 0
  rank 1: exit 0
