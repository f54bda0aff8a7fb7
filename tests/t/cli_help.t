What --help and --version print: wrappers parse it.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql

  $ sysbench --version
  sysbench 1.0.20

They work beside anything else that is wrong, and --help wins.

  $ sysbench --version --threads=abc --nosuch=1 nosuch run
  sysbench 1.0.20
  $ sysbench --help >help; exited $?
  $ sysbench --version --threads=0 --percentile=1000 --nosuch --help | cmp - help
  $ sysbench run --help=on | cmp - help
  $ sysbench --help=off --version=false nosuch | tail -n +3
  FATAL: Cannot find benchmark 'nosuch': no such built-in test, file or module; 'sysbench --help' lists the tests

Nothing of it is on stderr.

  $ sysbench --help 2>&1 >/dev/null

-h is the same.

  $ for w in -h '-h --threads=abc' 'run -h'; do sysbench $w | cmp - help; done

With a test it is the test's own help, whatever else is wrong, and the way to the rest.

  $ sysbench cpu --help
  cpu options:
    --cpu-max-prime=N upper limit for primes generator [10000]
  
  For example:
    sysbench cpu --threads=4 --time=30 run
  
  General options: sysbench --help
  $ sysbench memory run -h --threads=abc --nosuch | grep -c '^  --memory'
  6
  $ sysbench oltp_read_only --help >own; exited $?
  $ sysbench oltp_read_only help | tail -n +3 >own.wanted; echo 'General options: sysbench --help' >>own.wanted
  $ cmp own own.wanted
  $ for w in "-h" "run -h" "--help run" "--threads=0 --tables=x -h prepare" "--db-driver=x -h --mysql-password-file=/no/file"; do
  >   sysbench oltp_read_only $w | cmp - own
  > done

Scripts that have a help of their own, nothing, or a mistake.

  $ echo 'function help() print("mine") end' >mine.lua; echo 'function event() end' >none.lua; echo 'error("broken")' >broken.lua
  $ for t in mine none; do sysbench $t.lua --help; done; refused broken.lua --help
  mine
  General options: sysbench --help
  none.lua has no options of its own.
  General options: sysbench --help
  FATAL: broken.lua:1: broken
  $ echo 'sysbench.cmdline.options = {rows = {"Rows of " .. sysbench.version, 5}}' >asks.lua
  $ sysbench asks.lua --compat=1.1 --help
  asks.lua options:
    --rows=N Rows of 1.1.0 [5]
  
  General options: sysbench --help

Without such a test it is the general one; the mistake is named on stderr.

  $ sysbench oltp_readonly --help 2>err | cmp - help; cat err
  Cannot find benchmark 'oltp_readonly': no such built-in test, file or module; did you mean oltp_read_only?

Neither a test nor a script: on a terminal, what can be typed. With /dev/null for a terminal the exit status stays 0.

  $ timeout 20 python3 "$TESTDIR/../include/terminal.py" 80 sysbench >shown; exited $?; cat shown
  exit 1
  Usage: sysbench [options]... TEST COMMAND
  
  Commands: prepare, prewarm, run, cleanup, help
  
  Tests of the machine:
      fileio cpu memory threads mutex
  Tests of a database (or the path of a Lua script):
      oltp_read_only oltp_read_write oltp_write_only oltp_point_select
      oltp_update_index oltp_update_non_index oltp_delete oltp_insert
      bulk_insert select_random_points select_random_ranges
  
  For example:
      sysbench cpu run
      sysbench oltp_read_only --mysql-user=sbtest --mysql-password=secret --table-size=100k prepare
      sysbench oltp_read_only --mysql-user=sbtest --mysql-password=secret --table-size=100k \
          --threads=16 --time=60 --report-interval=1 run
  
  sysbench --help lists the general options, sysbench TEST --help those of a test.
  $ sysbench </dev/null 2>err | grep -c 'using system LuaJIT'; cmp err shown
  1
  $ echo 'print("read")' | sysbench 2>&1 | tail -n +3
  read
  $ : | sysbench 2>&1 >/dev/null

One screen of what a first year needs, each of them an option of --help=all, whose blocks and their order are 1.0's.

  $ sysbench --help=all >all; [ $(wc -l <help) -le 60 ] || wc -l <help; awk 'length > 90' help
  $ grep -o -e '--[a-z-]*=\{0,1\}' help | tr -d = | sort -u >short; grep -o '^  --[a-z-]*' all | tr -d ' ' | sort |
  >   comm -13 - short
  --table-size
  $ head -n 6 all
  Usage:
    sysbench [options]... [testname] [command]
  
  Commands implemented by most tests: prepare run cleanup help
  
  General options:
  $ grep '^[^ ]' all | tail -n +4 | grep -v pgsql
  Client options:
  Steady rate options:
  Server telemetry options:
  Load host options:
  Pseudo-Random Numbers Generator options:
  Log options:
  General database options:
  Compiled-in database drivers:
  mysql options:
  Compiled-in tests:
  Bundled database tests:
  Counts (threads, events, rates, rows of a table) accept k, M and G, powers of 1000 (1M is
  1000000). Sizes accept K, M, G and T, powers of 1024. Times accept fractions and us, ms, s, m
  and h: 0.5, 500ms.
  Options of sysbench 0.4 and 0.5 are accepted, too: 'sysbench --compat=0.4 --help' lists them.
  See 'sysbench <testname> help' for a list of options for each test.
  $ grep -A 1 '^Compiled-in database drivers:' all
  Compiled-in database drivers:
    mysql - MySQL driver
  $ sysbench --help=all cpu --threads=0 | sed -n 1p; sysbench --threads=0 --help=all | cmp - all
  cpu options:
  $ sysbench --help --help=all | cmp - all

A group of them.

  $ for g in general clients rate server cluster random log db mysql; do sysbench --help=$g; done | grep '^  --' >groups
  $ grep '^  --' all | grep -v -e '--pgsql' | diff groups -
  $ sysbench --help=rates 2>err; s=$?; sed 's/, pgsql//' err; (exit $s)
  Invalid value for --help: 'rates' (allowed: on, off, all, general, clients, rate, server, cluster, random, log, db, mysql); did you mean rate?
  [1]

A bundled test lists the options that it reads, and how it is begun; it accepts all that 1.0 does.

  $ sysbench oltp_point_select help | sed -n 's/^  --\([a-z_]*\).*/\1/p' | xargs
  auto_inc create_secondary create_table_options mysql_storage_engine pgsql_variant reconnect secondary table_size tables
  $ sysbench oltp_read_only help | tail -n 5
  For example:
    sysbench oltp_read_only --tables=4 --table-size=100k prepare
    sysbench oltp_read_only --tables=4 --table-size=100k --threads=16 --time=60 --report-interval=1 run
    sysbench oltp_read_only --tables=4 --table-size=100k cleanup
  
  $ sysbench oltp_point_select --delete_inserts=2 help >/dev/null

Every option of 1.0 with its type and its default, in 1.0's order (--tx-rate is not the deprecated alias any more).

  $ stock=$SB_SOURCE/tests/data/options-1.0.txt
  $ rows() { sed -n -E -e 's/^  (--[^ ]+) .* (\[[^][]*\])$/\1 \2/p;t' -e 's/^  (--[^ ]+) .*/\1/p' "$1"; }
  $ rows all | grep -xF -f "$stock" | diff "$stock" -

What the steady rate and the server add, and what 1.1 has beside 1.0.

  $ rows all | grep -E -- '--(tx-|server|host-stats|warmup-time|thread-init|rand-zipf)' | paste -d ' ' - - - - | sed 's, *$,,'
  --warmup-time=N [0] --thread-init-timeout=N [30] --tx-rate=N [0] --tx-jitter=N [0]
  --tx-arrival=STRING [even] --tx-burst=N [0] --tx-overload=STRING --tx-max-lag=N [0]
  --tx-spin=N [0] --tx-strict=STRING --tx-find=STRING --server=STRING
  --server-via=STRING --server-events=STRING [off] --server-syscalls=STRING [off] --server-status[=on|off] [off]
  --server-query=STRING --server-waits=STRING [auto] --host-stats[=on|off] [off] --server-profile=STRING [off]
  --rand-zipfian-exp=N [0.8]

In each list the descriptions begin in one column.

  $ awk '/^ *$/ { list++ } /^  --/ { match($0, /^  --[^ ]+ +/); if (!(list in at)) at[list] = RLENGTH;
  >   if (at[list] != RLENGTH) print "column " RLENGTH ", not " at[list] ": " $0; n++ } END { print (n > 40) }' all
  1
