What several ranks refuse, before anything is touched: that they were not asked for the same, or for what one rank does.

  $ . "$TESTDIR/../include/ranks.sh"
  $ refused() { # all ranks end with status 1; how many said what
  >   rm -f err.* out.*; ranks "$@" >status; [ $(grep -c ': exit 1$' status) = $1 ] || echo "not all ended so: $(cat status)"
  >   { errors; grep -h FATAL out.* | sed "s/($(uname -n))/(HOST)/g"; } |
  >     sed -E 's/^rank [0-9] \(HOST\): //; s/ rank 0 \(HOST\) ended://' | sort | uniq -c | sed 's/^ *//'
  >   ls report.json raw* 2>/dev/null || true
  > }
  $ echo 'function event() end' >a.lua

Options in effect: also those that were not given, and those of the script.

  $ more_1=--threads=4
  $ refused 2 ./a.lua --threads=3 --events=1 --report-file=report.json --raw-log=raw run
  2 FATAL: rank 1 (HOST) has --threads=4, and rank 0 has --threads=3
  $ errors
  rank 1 (HOST): FATAL: rank 0 (HOST) ended: rank 1 (HOST) has --threads=4, and rank 0 has --threads=3
  $ more_1=--rand-type=gaussian; refused 2 ./a.lua --threads=3 --events=1 run
  2 FATAL: rank 1 (HOST) has --rand-type=gaussian, and rank 0 has --rand-type=special
  $ more_2=--tx-rate=100 more_1=; refused 3 ./a.lua --threads=3 --events=1 --tx-rate=200 run
  3 FATAL: rank 2 (HOST) has --tx-rate=100, and rank 0 has --tx-rate=200
  $ more_2=

Database hosts may have other names, but figures by host need as many in the same order.

  $ hosts() { more_0=$1 more_1=$2; ${3:-refused} 2 ./a.lua --threads=2 --events=1 run; more_0= more_1=; }
  $ hosts '' --mysql-host=a,b; hosts --mysql-host=c,d,e --mysql-host=b; hosts --mysql-host=c,d,c --mysql-host=a,b,b
  > hosts --mysql-host=c,d,c '--mysql-host=a,b --mysql-port=1'
  > hosts --mysql-host=c,d '--mysql-host=a --mysql-port=1,2' ranks
  2 FATAL: rank 1 (HOST) has 2 database hosts, and rank 0 has 1: all ranks need the same ones in the same order
  2 FATAL: rank 1 (HOST) has 1 database host, and rank 0 has 3: all ranks need the same ones in the same order
  2 FATAL: rank 1 (HOST) has its database hosts in the order 1 2 2, and rank 0 in the order 1 2 1: all ranks need the same ones in the same order
  2 FATAL: rank 1 (HOST) has 2 database hosts, and rank 0 has 3: all ranks need the same ones in the same order

The script: another file of the same name.

  $ mkdir other.d; echo 'function event() return end' >other.d/a.lua
  $ printf '#!/bin/sh\ncd other.d && exec sysbench "$@"\n' >other; chmod +x other
  $ program_1=./other; refused 2 ./a.lua --threads=3 --events=1 run
  2 FATAL: the script './a.lua' of rank 1 (HOST), or a file that it loads, is not the one of rank 0

A module that it requires, and a file that it executes.

  $ echo "require('part') dofile('rest.lua') function event() end" >a.lua; cp a.lua other.d; for d in . other.d
  > do echo 'x = 1' >$d/part.lua; echo 'y = 1' >$d/rest.lua; done
  $ ranks 2 ./a.lua --threads=3 --events=3 --verbosity=0 run
  $ echo 'x = 2' >other.d/part.lua
  $ refused 2 ./a.lua --threads=3 --events=3 run
  2 FATAL: the script './a.lua' of rank 1 (HOST), or a file that it loads, is not the one of rank 0
  $ cp part.lua other.d; echo 'y = 2' >other.d/rest.lua
  $ refused 2 ./a.lua --threads=3 --events=3 run | head -n 1
  2 FATAL: the script './a.lua' of rank 1 (HOST), or a file that it loads, is not the one of rank 0
  $ echo 'function event() end' >a.lua

A schedule from a file is that of the leader's file.

  $ cp a.lua other.d; printf '0.1\n0.2\n' >trace; printf '0.1\n0.3\n' >other.d/trace
  $ refused 2 ./a.lua --threads=3 --tx-rate=@trace run
  2 FATAL: rank 1 (HOST) has read another schedule for --tx-rate=@trace than rank 0
  $ program_1=

Another version.

  $ version=$(sysbench --version --verbose | sed -n 's/^package: [^ ]* //p'); other=$(echo "$version" | tr 0-9 9)
  $ LC_ALL=C sed "s/$(echo "$version" | sed 's/[.]/\\./g')/$other/g" "$(command -v sysbench)" >other; chmod +x other; program_1=./other
  $ refused 2 ./a.lua --threads=2 --events=1 run | sed "s/$version/VERSION/; s/$other/OTHER/"
  2 FATAL: rank 1 (HOST) is version OTHER, and rank 0 is version VERSION
  $ program_1=

Fewer clients than ranks, and what is not for several ranks.

  $ refused 3 ./a.lua --threads=2 --events=1 run; refused 2 fileio --threads=2 --file-test-mode=rndrd run
  > for o in '--tx-find=p99<20ms' --mark-on=USR1; do refused 2 ./a.lua --threads=2 $o run; done
  3 FATAL: --threads=2 is too few for 3 ranks: each needs at least one client
  2 FATAL: the 'fileio' test measures the files of one host, and this run has 2 ranks (--cluster)
  2 FATAL: --tx-find searches with one load host, and this run has 2 (--cluster)
  2 FATAL: --mark-on=USR1: marks are for a run on one load host, and this one has 2 ranks (--cluster)

A member that ends before it could agree is heard, and so is the leader.

  $ more_1=--no-such-option=1
  $ refused 2 ./a.lua --threads=2 --events=1 run
  2 FATAL: rank 1 (HOST) has an option --no-such-option, and rank 0 has none
  $ more_1= more_0=--report-file=/nowhere/report.json
  $ refused 2 ./a.lua --threads=2 --events=1 run
  2 FATAL: --report-file=/nowhere/report.json: the directory of '/nowhere/report.json': No such file or directory

A member has no standard output, so what a single host prints there it says on stderr.

  $ member() { sysbench --cluster=127.0.0.1:5999 --cluster-rank=1 --cluster-size=2 "$@" run; }
  $ member --test=cpu --compat=0.5 --num-threads=0 2>&1 | grep .
  rank 1: FATAL: Invalid value for --num-threads: 0.
  $ member cpu --verbosity=9 2>&1
  rank 1: FATAL: Invalid value for verbosity: 9
  [1]

Programs that a rank starts do not inherit the secret.

  $ echo 'function init() os.execute("env | grep -c SYSBENCH_CLUSTER_SECRET >>seen") end function event() end' >child.lua
  $ more_0=
  $ ranks 2 ./child.lua --threads=2 --events=2 run; cat seen
  0
  0

Nobody else is there: the leader and a member wait for --cluster=timeout.

  $ port=$(free_port); for r in 0 1
  > do
  >   sysbench --cluster=127.0.0.1:$port --cluster-size=2 --cluster-rank=$r --cluster=timeout=1 cpu run >out 2>err
  >   echo "exit $?"; grep -h FATAL out err | sed "s/$port/PORT/"
  > done
  exit 2
  FATAL: rank 1 of 2 did not join within 1 s (--cluster=timeout)
  exit 2
  rank 1: FATAL: cannot connect to the leader at 127.0.0.1:PORT: Connection refused; gave up after 1 s (--cluster=timeout)
