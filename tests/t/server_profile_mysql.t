--server-profile of a database server under load.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/profile.sh"
  $ may_profile
  $ filled oltp_read_write $SB_MYSQL_ARGS --table-size=1000
  $ run() { sysbench oltp_read_write $SB_MYSQL_ARGS --table-size=1000 "$@" run >out 2>err; exited $?; cat err; }

The server is found by itself. Samples are the server's, kernel included; times off the CPU add up.

  $ run --threads=4 --time=3 --server-profile=cpu,offcpu --server-profile=hz=199
  $ ls oltp*; svg oltp_read_write.cpu.svg oltp_read_write.offcpu.svg
  oltp_read_write.cpu.folded
  oltp_read_write.cpu.svg
  oltp_read_write.offcpu.folded
  oltp_read_write.offcpu.svg
  $ block |
  >   sed -E \
  >     's/[0-9]+(\.[0-9]+)?/N/g; s/(unwinding: +).*/\1HOW/; s/(lost: +).*/\1N records/; s/my(sql)d|mariadbd/SERVER/; s/, '\
  > 'estimated from N of N waits//; /by frame pointers alone/d'
  Server profile:
      watched:                             SERVER (pid N), for N s
      on CPU:                              N samples at N/s on each CPU (about N s of CPU time), N different stacks
      off CPU:                             N s in N threads, N different stacks
      switches:                            N (N involuntary), N sampled with a stack
      unwinding:                           HOW
      lost:                                N records
      profiler:                            N s of CPU (N% of one CPU)
      files:                               oltp_read_write.cpu.folded, .svg
                                           oltp_read_write.offcpu.folded, .svg
  
  $ timed 10 100000 $(figure 'on CPU'); test $(total oltp_read_write.cpu.folded) = $(figure 'on CPU')
  $ in_range 99 101 $(echo $(total oltp_read_write.offcpu.folded) $(figure 'off CPU') | awk '{ print $1 / $2 / 10000 }')

Waits in a statement are part of the time that its client waits for, however few stacks were sampled: no time of idle
connections is put on them.

  $ cat >nap.lua <<'END'
  > function thread_init() con = sysbench.sql.driver():connect() end
  > function event() con:query("SELECT SLEEP(0.002)") end
  > END
  $ sysbench nap.lua $SB_MYSQL_ARGS --threads=64 --tx-rate=200 --time=3 --server-profile=offcpu --server-profile=hz=49 run >out
  $ service=$(awk '$1 == "service" { print $NF }' out); n=$(sed -n 's/ *transactions: *\([0-9]*\) .*/\1/p' out)
  $ naps() { awk \
  >   '/^[^#].*dispatch_command/ && !/waiting for a CPU/ { us += $NF } END { print us / 1000 / n / service }' n=$n \
  >   service=$service $1
  > }
  $ timed 0.5 1.5 $(naps nap.offcpu.folded)

Most of it is found below the function that serves a statement; the kernel's part has names where they may be seen.

  $ in_range 50 100 $(share oltp_read_write.cpu.folded 'do_command|dispatch_command|\[(mariadbd|mysqld)\]')
  $ if block | grep -q 'names of the kernel'
  > then echo named; else in_range 1 100 $(share oltp_read_write.cpu.folded '_\[k\]'); echo named; fi
  named
  $ in_range 50 100 $(share oltp_read_write.cpu.folded '(start_thread|clone|\[libc[^;]*\]).*(do_command|\[(mariadbd|mysqld)\])')

The difference to another load: what only the first had is gone, the second's is red.

  $ run --threads=4 --time=2 --range_selects=off --server-profile=cpu --server-profile=hz=199 --server-profile=file=b
  $ sysbench-flame --diff oltp_read_write.cpu.folded b.cpu.folded >diff.svg; svg diff.svg

A script that never connects has no server; that is said, and the run is good.

  $ echo 'function event() end' >noop.lua
  $ sysbench noop.lua --events=10 --server-profile=cpu run >out 2>err; echo $?; block; ls noop*
  0
  Server profile:
      stacks:                              n/a (the test uses no database)
  
  noop.lua
