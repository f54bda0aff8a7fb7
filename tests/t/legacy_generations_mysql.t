What each generation does: a line per behaviour, with the answers of 0.4, 0.5, 1.0 and 1.1.

  $ . "$TESTDIR/../include/mysql.sh"
  $ s() { sysbench --compat=$c "$@" 2>&1 </dev/null; }
  $ on_server() { s $SB_MYSQL_ARGS --db-driver=mysql "$@"; }
  $ has() { if grep -q -e "$@"; then echo yes; else echo no; fi; }
  $ events() { sed -n 's/^ *total number of events: *//p'; }
  $ file() { s --test=fileio --file-num=2 --file-total-size=64K "$@"; }
  $ writes() { grep -o "writes.:[0-9]*" r.json | tail -n 1 | cut -d : -f 2; }
  $ warm='--warmup-time=2 --max-requests=0 --max-time=1 --report-interval=1'
  $ row() { printf '%s:' "$1"; for c in 0.4 0.5 1.0 1.1; do printf ' %s' "$(eval "$2")"; done; echo; }
  $ echo 'function event() end' >noop.lua
  $ naps 10000 naps.lua
  $ echo 'function event() print("drawn", sysbench.rand.uniform(1, 1000000000)) end' >draw.lua
  $ echo 'function thread_init() print("init") end function event() end' >init.lua
  $ echo 'function event() db_query("SELECT 1 INTO @a") end' >into.lua
  $ echo 'function event() db_query("SELECT nosuch") end' >refused.lua
  $ echo 'top = max_requests function help() print(tostring(top)) end' >top.lua
  $ echo 'function help() print("limits", sysbench.opt.events .. "/" .. sysbench.opt.time) end' >limits.lua

The command line.

  $ twice() { s --test=draw.lua --events=1 run; s --test=draw.lua --events=1 run; }
  $ row 'a single word is the command' 's cpu | has "^Unknown command: cpu"'
  > row '--num-threads is deprecated' 's --num-threads=2 cpu help | has "num-threads is deprecated"'
  > row '--help ends with' 's --help >/dev/null; echo $?'
  > row 'a refusal is' 's --test=cpu --percentile=101 run | grep -o "^.*Invalid"'
  > row 'any option of a script' 's --test=noop.lua --nosuch=1 --events=1 run | has "^ *total number"'
  > row 'any option of cpu' 's --test=cpu --nosuch=1 --events=1 run | has "^ *total number"'
  > row 'several percentiles' 's --test=cpu --percentile=50,99 --events=1 run | has "^ *total number"'
  > row 'the same numbers' 'twice | grep ^drawn | uniq -d | has .'
  > row 'events/time' 's --test=limits.lua help | sed -n "s/^limits.//p"'
  > row '--batch' 's --test=noop.lua --batch --batch-delay=0 --events=1 run | has "Invalid value for --batch-delay"'
  a single word is the command: yes yes no no
  --num-threads is deprecated: no no yes yes
  --help ends with: 1 1 0 0
  a refusal is: Invalid Invalid FATAL: Invalid FATAL: Invalid
  any option of a script: yes yes yes no
  any option of cpu: no yes no no
  several percentiles: no no yes yes
  the same numbers: yes yes no no
  events/time: 10000/0 10000/0 0/10 0/10
  --batch: yes no no no

What is said.

  $ row 'a limit of events' 's --test=noop.lua --events=1 --verbosity=4 run | has "^Event limit"'
  > row 'intervals of a warm-up' 's --test=naps.lua $warm run | has "^Warm-up \["'
  > row 'statements without a database' 's --test=noop.lua --events=1 run | has "^ *queries performed:"'
  > row 'a refused statement is' 'on_server --test=refused.lua run | sed -n "s/: mysql_drv_query.*//p"'
  > row 'which driver' 's --test=noop.lua --events=1 --verbosity=4 run | has "^No DB drivers specified"'
  > row 'examples' 's cpu help | has "^For example"'
  a limit of events: no no yes yes
  intervals of a warm-up: no no yes no
  statements without a database: yes yes no no
  a refused statement is: ALERT ALERT FATAL FATAL
  which driver: yes yes no no
  examples: no no yes yes

Scripts.

  $ row 'oltp is a test' 's oltp help | has "^oltp options:"'
  > row 'a script of 0.5 by its name' 's --test=bulk_insert help | has "which is built in"'
  > row 'globals before the script' 's --test=top.lua --max-requests=3 help | tail -n 1 | grep -o "^[3n]"'
  > row 'a connection before thread_init' 's --test=init.lua --db-driver=mysql --mysql-socket=/nonexistent --events=1 run | has "^FATAL"'
  > row 'SELECT INTO is a read' 'on_server --test=into.lua --events=1 run | sed -n "s/^ *read: *//p"'
  oltp is a test: yes no no no
  a script of 0.5 by its name: no yes no no
  globals before the script: 3 3 n n
  a connection before thread_init: yes yes no no
  SELECT INTO is a read: 1 1 0 0

Tests of the machine.

  $ row 'no limit is no event' 's --test=threads --max-requests=0 --max-time=1 run | events | has "^0"'
  > row 'events of mutex' 's --test=mutex --num-threads=3 --mutex-locks=2 --mutex-loops=2 --max-requests=2 run | events'
  > row 'memory in any block' 's --test=memory --memory-block-size=12 --memory-total-size=24 run | has "^ *total number"'
  > c=1.0; file prepare >out
  > row 'writes of 150 events' 'file --file-test-mode=rndwr --max-requests=150 --report-file=r.json run >out; writes'
  no limit is no event: yes no no no
  events of mutex: 3 3 2 2
  memory in any block: yes yes no no
  writes of 150 events: 150 150 148 148
