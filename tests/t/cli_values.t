Values that cannot be: one sentence that names the option and the value, exit status 1, never a crash.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql

  $ echo 'sysbench.cmdline.commands = {look = {function() print("fine") end}}' >look.lua
  $ look() { sysbench look.lua "$@" look >out 2>err; status=$?; }
  $ look; echo $status; tail -n +3 out
  0
  fine

What every numeric option that --help lists says to values that are no numbers, no whole numbers, or too large (of the
options that take fractions, 1.5 and large numbers may be fine, and a percentile or an interval may be 1.5).

  $ try() { echo "== $1=$2" >>tried; sysbench look.lua "--$1=$2" look >>tried 2>&1; echo "exit $?" >>tried; }
  $ judge() { # each was refused by one line that names the option and the value
  >   awk 'function name(s) { gsub("_", "-", s); return s }
  >     /^== / { what = substr($0, 4); option = name(what); sub("=.*", "", option); n = 0; text = ""; next }
  >     /^exit / { if ($2 != 1 || n != 1 || !index(name(text), option) || !index(text, substr(what, length(option) + 2)))
  >       print "--" what ": exit " $2 text; judged++; next }
  >     $0 != "" && !/^sysbench .*[(]using / { n++; text = text "\n" $0 }
  >     END { if (judged + 0 < '$1') print judged + 0 " judged" }' tried; rm tried
  > }
  $ sysbench --help=all | sed -n -E 's/^  --([^=]+)=N .*/\1/p' >numbers
  $ fractions='tx-rate|tx-jitter|tx-max-lag|tx-spin|tx-scale|tx-speed|tx-find-step|tx-find-precision|'\
  > 'rand-pareto-h|rand-zipfian-exp|connect-timeout|query-timeout'
  $ whole=$(grep -vxE "$fractions" numbers)
  $ [ $(wc -l <numbers) -ge 22 ] || cat numbers
  $ for o in $whole; do
  >   for v in $(short_or_long "1.5 99999999999" "1.5 10kb 99999999999 -99999999999"); do
  >     case $o=$v in percentile=1.5 | report-interval=1.5 | *time*=1.5) ;; *) try $o $v ;; esac
  >   done
  > done; judge 20
  $ for o in $(cat numbers); do
  >   for v in $(short_or_long "nan 1e999 10x" "nan inf abc 10T 1e999 10x 0x10"); do try $o $v; done; try $o '1 2'
  > done; judge 80
  $ look --threads=abc; cat err
  Invalid value for the 'threads' option: 'abc' (a whole number, such as 500, 10k or 1M, is needed)

Counts accept k, M and G, powers of 1000; all others refuse them.

  $ echo 'sysbench.cmdline.commands = {look = {function() print(sysbench.opt.events, sysbench.opt.threads) end}}' >counts.lua
  $ sysbench counts.lua --events=1.5M --threads=2k look | tail -n 1
  1500000\t2000 (esc)
  $ counts='threads|events|rate|max-requests|num-threads|tx-rate|idle-connections|reconnect-rate'
  $ for o in $(grep -xE "$counts" numbers | sort -u); do look --$o=1k; [ $status -eq 0 ] || cat out err; done
  $ look --tx-rate=10 --tx-burst=1k; echo $status
  0
  $ for o in $(grep -vxE "$counts|tx-burst" numbers); do try $o 10k; try $o 1M; done; judge 20
  $ look --events=1m; cat err
  Invalid value for the 'events' option: '1m'; did you mean 1M?

A time may have a fraction or a unit, and scripts see it as they see a whole one.

  $ echo 'sysbench.cmdline.commands = {look = {function() print(sysbench.opt.time, sysbench.opt.warmup_time) end}}' >times.lua
  $ for v in 2 0.5 500ms 1.5m; do sysbench times.lua --time=$v --warmup-time=$v look | tail -n 1; done
  2\t2 (esc)
  0.5\t0.5 (esc)
  0.5\t0.5 (esc)
  90\t90 (esc)
  $ sysbench cpu run --time=0.5 --warmup-time=250ms --report-checkpoints=0.3 --forced-shutdown=2.5 >out
  > sed -nE 's/^\[ [0-9.]+s/[ N s/; /second|Warm|^\[/p' out | grep -v per
  Warmup time: 0.25s
  Report checkpoint(s) at 0.3 seconds
  Forcing shutdown in 3.25 seconds
  Warming up for 0.25 seconds...
  [ N s ] Checkpoint report:
  $ lasted() { sed -n 's/^ *total time: *\(.*\)s$/\1/p' out; }
  $ timed 0.3 0.4 $(lasted | head -n 1); timed 0.5 0.6 $(lasted | tail -n 1); sysbench cpu run --max-time=0.5 >out; timed 0.5 0.6 $(lasted)
  $ rm times.lua
  $ look --time=1.x; cat err
  Invalid value for the 'time' option: '1.x' (a number of seconds, or a time such as 500ms, 90s or 5m, is needed)

Emptied, a number is 0: that is fine, or refused as 0.  An option where 0 would make no sense, or mean something else, needs
a value, and so do our own that are no numbers.  Those that are part of another option's value, under their old names, too.

  $ needed() { sed 's/^FATAL: \(.*\) needs a value$/\1/' >said; grep FATAL said; grep -v FATAL said | xargs -n 8; }
  $ for o in worker-warn worker-batch error-backoff tx-scale tx-speed tx-find-step tx-find-steps tx-find-confirm \
  >   tx-find-precision server-profile-hz cluster-timeout cluster-silence reconnect-rate; do echo $o; done >>numbers
  $ for o in $(grep -v pgsql numbers); do
  >   look --$o=
  >   [ $status -eq 0 ] || grep -h '^FATAL' out err || :
  > done | needed
  FATAL: Invalid value for --threads: 0.
  FATAL: --rand-spec-iter must be between 1 and 1000000, not 0
  FATAL: --rand-pareto-h must be > 0 and < 1, not 0
  --tx-rate --tx-jitter --tx-burst --tx-max-lag --tx-spin --cluster-rank --cluster-size --idle-connections
  --connect-timeout --query-timeout --workers=warn --workers=batch --trx-retries=backoff --tx-rate=* --tx-rate=speed --tx-find=step
  --tx-find=steps --tx-find=confirm --tx-find=precision --server-profile=hz --cluster=timeout --cluster=silence --connect-timeout=rate

  $ for o in report-file metrics-listen raw-log mark-on server server-via server-events server-profile \
  >   server-profile-file server-profile-window workers lua-state think-time tx-arrival tx-overload compat \
  >   mysql-password-file mysql-ssl-capath mysql-tls-version defaults-file pgsql-password-file; do
  >   for v in --$o --$o=; do look $v; tail -n +1 out err 2>/dev/null | grep -hv -e '^$' -e '==>' -e '^sysbench 1' -e '^NOTE'; done
  > done | uniq -d | needed
  --report-file --metrics-listen --raw-log --mark-on --server --server-via --server-events --server-profile
  --server-profile=file --server-profile=window --workers --workers=lua-state --think-time --tx-arrival --tx-overload --compat
  --mysql-password-file --mysql-ssl-capath --mysql-tls-version --defaults-file --pgsql-password-file
  $ ls | grep -vxE 'counts.lua|err|look.lua|numbers|out|said|text'
  [1]

The smallest and the largest.

  $ for o in $(echo "$whole" | grep -v pgsql); do
  >   for v in -2147483648 -1 0 1 2147483647; do
  >     look --$o=$v
  >     case $status in 0 | 1) ;; *) echo "--$o=$v: exit $status"; cat out err ;; esac
  >     [ $status -eq 0 ] || grep -hE '^(FATAL|Invalid)' out err
  >   done
  > done | sed -E 's/(: |not |=)(-?[0-9]+)/\1V\t\2\t/' | # those of one text in one line
  >   awk -F '\t' '$1 $3 != last { last = $1 $3; printf "%s%s |", (NR > 1 ? "\n" : ""), last } NF > 1 { printf " %s", $2 } END { print "" }'
  FATAL: Invalid value for --threads: V. | -2147483648 -1 0
  FATAL: Invalid value for --threads: V (at most 1000000). | 2147483647
  FATAL: Invalid value for --warmup-time: V. | -2147483648 -1
  FATAL: Invalid value for --thread-init-timeout: V. | -2147483648 -1
  FATAL: Invalid value for --rate: V. | -2147483648 -1
  FATAL: Invalid value for --report-interval: V. | -2147483648 -1
  FATAL: Invalid value for --threads: V. | -2147483648 -1
  FATAL: Invalid value for --threads: V (at most 1000000). | 2147483647
  FATAL: Invalid value for --tx-burst: V (allowed: 0 to 2147483647) | -2147483648 -1
  FATAL: --tx-burst needs a rate: --tx-rate=N |
  FATAL: Invalid value for --cluster-rank: V (allowed: 0 to 999) | -2147483648 -1
  FATAL: --cluster-rank=V needs --cluster=HOST:PORT | 0 1
  FATAL: Invalid value for --cluster-rank: V (allowed: 0 to 999) | 2147483647
  FATAL: Invalid value for --cluster-size: V (allowed: 1 to 1000) | -2147483648 -1 0
  FATAL: --cluster-size=V needs --cluster=HOST:PORT | 1
  FATAL: Invalid value for --cluster-size: V (allowed: 1 to 1000) | 2147483647
  FATAL: --rand-spec-iter must be between 1 and 1000000, not V | -2147483648 -1 0 2147483647
  FATAL: --rand-spec-pct must be between 0 and 100, not V | -2147483648 -1 2147483647
  FATAL: --rand-spec-res must be between 0 and 100, not V | -2147483648 -1 2147483647
  Invalid value for verbosity: V | -2147483648 -1 2147483647
  FATAL: Invalid value for --percentile: V (allowed: 0 to 100) | -2147483648 -1 2147483647
  FATAL: Invalid value for --idle-connections: V (allowed: 0 to 1000000) | -2147483648 -1 2147483647

The largest of all at once, in a run.

  $ echo 'function event() end' >noop.lua
  $ most=2147483647
  $ sysbench noop.lua --events=3 --time=$most --warmup-time=0 --report-interval=$most --report-checkpoints=$most \
  >   --forced-shutdown=$most% --thread-init-timeout=$most --rand-seed=$most run >out; exited $?
  $ sed -n '/^Report/p; /^Forcing/p; /seed/p; /number of events/p' out
  Report intermediate results every 2147483647 second(s)
  Report checkpoint(s) at 2147483647 seconds
  Initializing random number generator from seed (2147483647).
  Forcing shutdown in 4294967294 seconds
      total number of events:              3

Sizes: digits and one of K M G T, no more.

  $ for v in 64 64k 64K 1M 1G 64KB 64KiB; do look --thread-stack-size=$v; tail -n +3 out; done | uniq -c
        7 fine
  $ look --thread-stack-size=100G; cat out
  FATAL: Invalid value for --thread-stack-size: 100G (at most 1G)
  $ for v in 64X K -1 1.5K abc 99999999999999999999 9999999T 64Kx; do
  >   look --thread-stack-size=$v; cat err; [ $status -eq 1 ] || echo "exit $status"
  > done
  Invalid value for the 'thread_stack_size' option: '64X' (a size, such as 4096, 16K or 2G, is needed)
  Invalid value for the 'thread_stack_size' option: 'K' (a size, such as 4096, 16K or 2G, is needed)
  Invalid value for the 'thread_stack_size' option: '-1' (a size, such as 4096, 16K or 2G, is needed)
  Invalid value for the 'thread_stack_size' option: '1.5K' (a size, such as 4096, 16K or 2G, is needed)
  Invalid value for the 'thread_stack_size' option: 'abc' (a size, such as 4096, 16K or 2G, is needed)
  Invalid value for the 'thread_stack_size' option: '99999999999999999999' (a size, such as 4096, 16K or 2G, is needed)
  Invalid value for the 'thread_stack_size' option: '9999999T' (a size, such as 4096, 16K or 2G, is needed)
  Invalid value for the 'thread_stack_size' option: '64Kx' (a size, such as 4096, 16K or 2G, is needed)
  $ look --thread-stack-size=; cat out; echo $status
  FATAL: Invalid value for thread-stack-size: 0.
  
  1

Sizes of stack that the system refuses are replaced by its default.

  $ sysbench noop.lua --events=5 --thread-stack-size=1 run | grep events:
      total number of events:              5

Lists.

  $ for v in x -1 99999999999 1,x 1,,2x; do look --report-checkpoints=$v; cat out; done
  FATAL: Invalid value for --report-checkpoints: 'x'
  FATAL: Invalid value for --report-checkpoints: '-1'
  FATAL: Invalid value for --report-checkpoints: '99999999999'
  FATAL: Invalid value for --report-checkpoints: 'x'
  FATAL: Invalid value for --report-checkpoints: '2x'
  $ look --report-checkpoints=$(seq -s, 257); cat out
  FATAL: Too many checkpoints in --report-checkpoints (up to 256 can be defined)
  $ look --report-checkpoints=$(seq -s, 256),,; echo $status
  0
  $ for v in x 70000 -1; do look --mysql-port=3306,$v; grep FATAL out; done
  FATAL: Invalid value for --mysql-port: 'x' is not a port number
  FATAL: Invalid value for --mysql-port: '70000' is not a port number
  FATAL: Invalid value for --mysql-port: '-1' is not a port number
  $ for v in x -1213 1.5; do look --mysql-ignore-errors=1213,$v; grep FATAL out; done
  FATAL: Invalid value for --mysql-ignore-errors: 'x' is neither an error number nor 'all'
  FATAL: Invalid value for --mysql-ignore-errors: '-1213' is neither an error number nor 'all'
  FATAL: Invalid value for --mysql-ignore-errors: '1.5' is neither an error number nor 'all'

As in stock, blanks around an element are no part of it, and 0 is an error that never happens.

  $ look --mysql-ignore-errors='1213, 1062 ,all' --mysql-port='3306, 3307'; echo $status; look --mysql-ignore-errors=0; echo $status
  0
  0
  $ for v in deadlok:retry duplicate:ignore; do look --on-error=failover,$v; echo $status; grep FATAL out; done
  1
  FATAL: Invalid value for --on-error: 'deadlok:retry' (CLASS:ACTION, or one of: galera, group-replication, failover, aurora, tidb; classes: connection, overload, deadlock, lock-wait, serialization, duplicate, read-only, cluster, cancelled, shutdown, statement-limit, missing, access, tls, other); did you mean deadlock?
  1
  FATAL: Invalid value for --on-error: 'duplicate:ignore' (actions: retry, reconnect, fail, fatal)
  $ look --trx-retries=never; grep FATAL out
  FATAL: Invalid value for --trx-retries: 'never' (unlimited, or 0 to 1000000)

Percentiles: one, or a list of different ones.

  $ for v in 50,,95 ,95 95, , 50,x 50,9x 50,101 50,-1 50,0 0,50 95,50,95.0 '50, 95' 50,1e1; do look "--percentile=$v"; cat out; done
  FATAL: Invalid value for --percentile: '50,,95' (an entry is empty)
  FATAL: Invalid value for --percentile: ',95' (an entry is empty)
  FATAL: Invalid value for --percentile: '95,' (an entry is empty)
  FATAL: Invalid value for --percentile: ',' (an entry is empty)
  FATAL: Invalid value for --percentile: '50,x' ('x' is not a number)
  FATAL: Invalid value for --percentile: '50,9x' ('9x' is not a number)
  FATAL: Invalid value for --percentile: '50,101' ('101' is more than 100)
  FATAL: Invalid value for --percentile: '50,-1' ('-1' is not a number)
  FATAL: Invalid value for --percentile: '50,0' ('0' switches percentiles off and cannot be one of several)
  FATAL: Invalid value for --percentile: '0,50' ('0' switches percentiles off and cannot be one of several)
  FATAL: Invalid value for --percentile: '95,50,95.0' ('95.0' is there twice)
  FATAL: Invalid value for --percentile: '50, 95' (' 95' is not a number)
  FATAL: Invalid value for --percentile: '50,1e1' ('1e1' is not a number)
  $ look --percentile=$(seq -s, 17); cat out
  FATAL: Invalid value for --percentile: '1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17' (at most 16)
  $ for v in 50,95,99.9 $(seq -s, 16) 99.9 0.1 100,.5 0 ''; do look "--percentile=$v"; tail -n +3 out; done | uniq -c
        7 fine
  $ for v in 100.5 -0.5 . 1.2.3; do look "--percentile=$v"; cat out err | tail -n +1; done
  FATAL: Invalid value for --percentile: 100.5 (allowed: 0 to 100)
  Invalid value for the 'percentile' option: '-0.5' (a number from 0 to 100, or a list such as 50,95,99.9, is needed)
  Invalid value for the 'percentile' option: '.' (a number from 0 to 100, or a list such as 50,95,99.9, is needed)
  Invalid value for the 'percentile' option: '1.2.3' (a number from 0 to 100, or a list such as 50,95,99.9, is needed)

Words.

  $ for v in 1.2 1 1.0.20 on; do look --compat=$v; cat out; done
  FATAL: Invalid value for --compat: '1.2' (allowed: 1.0, 1.1, 0.5, 0.4, 0.4-tx, 0.4-drizzle); did you mean 1.0 or 1.1?
  FATAL: Invalid value for --compat: '1' (allowed: 1.0, 1.1, 0.5, 0.4, 0.4-tx, 0.4-drizzle)
  FATAL: Invalid value for --compat: '1.0.20' (allowed: 1.0, 1.1, 0.5, 0.4, 0.4-tx, 0.4-drizzle)
  FATAL: Invalid value for --compat: 'on' (allowed: 1.0, 1.1, 0.5, 0.4, 0.4-tx, 0.4-drizzle)
  $ for v in nosuch Uniform '' 'uniform '; do look --rand-type="$v"; cat out; done
  FATAL: Invalid random numbers distribution: nosuch. (allowed: uniform, gaussian, special, pareto, zipfian)
  FATAL: Invalid random numbers distribution: Uniform. (allowed: uniform, gaussian, special, pareto, zipfian); did you mean uniform?
  FATAL: Invalid random numbers distribution: . (allowed: uniform, gaussian, special, pareto, zipfian)
  FATAL: Invalid random numbers distribution: uniform . (allowed: uniform, gaussian, special, pareto, zipfian); did you mean uniform?
  $ for v in uniform gaussian special pareto zipfian; do look --rand-type=$v; tail -n +3 out; done | uniq -c
        5 fine
  $ for v in nosuch 'on' ''; do look --db-ps-mode=$v; cat out; done
  FATAL: Invalid value for db-ps-mode: nosuch (allowed: auto, disable)
  FATAL: Invalid value for db-ps-mode: on (allowed: auto, disable)
  FATAL: Invalid value for db-ps-mode:  (allowed: auto, disable)
  $ for v in on 5x -1 99999999999 % 5%%; do look --forced-shutdown=$v; cat out; done
  FATAL: Invalid value for --forced-shutdown: 'on' (off, seconds, or a percentage of --time such as 5%)
  FATAL: Invalid value for --forced-shutdown: '5x' (off, seconds, or a percentage of --time such as 5%)
  FATAL: Invalid value for --forced-shutdown: '-1' (off, seconds, or a percentage of --time such as 5%)
  FATAL: Invalid value for --forced-shutdown: '99999999999' (off, seconds, or a percentage of --time such as 5%)
  FATAL: Invalid value for --forced-shutdown: '%' (off, seconds, or a percentage of --time such as 5%)
  FATAL: Invalid value for --forced-shutdown: '5%%' (off, seconds, or a percentage of --time such as 5%)
  $ for v in off OFF '' 0 5 5%; do look --forced-shutdown=$v; tail -n +3 out; done | uniq -c
        6 fine

What goes together.

  $ look --percentile=0 --histogram; cat out
  FATAL: --histogram cannot be used with --percentile=0
  $ for v in '--events=0 --time=0' '--events=-1 --time=-1'; do look $v; sed 1q out; done
  WARNING: Both event and time limits are disabled, running an endless test
  WARNING: Both event and time limits are disabled, running an endless test

A driver is asked for when a script asks for it.

  $ echo 'sysbench.cmdline.commands = {ask = {function() sysbench.sql.driver() end}}' >ask.lua
  $ for v in nosuch help mysqlx PostgreSQL pgsqk; do sysbench ask.lua --db-driver=$v ask | grep -m 1 FATAL; done
  FATAL: invalid database driver name: 'nosuch' (allowed: mysql, pgsql)
  FATAL: invalid database driver name: 'help' (allowed: mysql, pgsql)
  FATAL: invalid database driver name: 'mysqlx' (allowed: mysql, pgsql); did you mean mysql?
  FATAL: invalid database driver name: 'PostgreSQL' (allowed: mysql, pgsql); did you mean pgsql?
  FATAL: invalid database driver name: 'pgsqk' (allowed: mysql, pgsql); did you mean pgsql?
  $ sysbench ask.lua --mysql-host= ask | grep -m 1 FATAL
  FATAL: No MySQL hosts specified, aborting
  $ sysbench ask.lua --mysql-port= ask | grep -m 1 FATAL
  FATAL: No MySQL ports specified, aborting
