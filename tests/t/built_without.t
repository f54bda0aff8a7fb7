A program that was built without an optional library says so to whoever asks for what it lacks: at once, before any other
complaint, and without touching anything.  sysbench_minimal is the whole program without any of them.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql
  $ minimal=$(dirname "$(readlink -f "$(command -v sysbench)")")/sysbench_minimal
  $ test -x "$minimal" || skip 'no sysbench_minimal was built'
  $ cat >noop.lua <<'END'
  > function event() end
  > END
  $ sysbench() { "$minimal" "$@"; }
  $ refuses() { refused "$@"; ls | grep -v -x -e noop.lua -e out -e err || :; }

  $ "$minimal" --version --verbose | grep -E ': no$|^driver'
  libpfm4: no
  libmicrohttpd: no
  Chart.js: no
  elfutils: no
  libaio: no
  MPI: no
  driver: mysql \(.*\) (re)

  $ refuses noop.lua --metrics-listen=9104 --report-file=x.csv run; refuses cpu --metrics-listen=9104 run
  FATAL: --metrics-listen needs libmicrohttpd, which this program was built without: install libmicrohttpd-dev (Debian's name) and build it again
  FATAL: --metrics-listen needs libmicrohttpd, which this program was built without: install libmicrohttpd-dev (Debian's name) and build it again
  $ for command in prepare run; do refuses oltp_read_only --db-driver=pgsql --pgsql-port=1 --threads=0 $command; done
  FATAL: --db-driver=pgsql needs libpq, which this program was built without: install libpq-dev (Debian's name) and build it again
  FATAL: --db-driver=pgsql needs libpq, which this program was built without: install libpq-dev (Debian's name) and build it again

  $ refuses fileio --file-io-mode=async --file-async-backlog=8 --file-test-mode=none --file-num=0 run
  FATAL: --file-io-mode=async needs libaio, which this program was built without: install libaio-dev (Debian's name) and build it again

A name that only libpfm4 could know.

  $ refuses noop.lua --server-events=skl::UOPS_RETIRED:ALL run
  FATAL: Invalid value for --server-events: unknown event 'skl::UOPS_RETIRED:ALL'; names of events that are particular to a CPU need libpfm4, which this program was built without: install libpfm4-dev (Debian's name) and build it again

  $ refuses noop.lua --server-profile=cpu --server=off run
  FATAL: --server-profile needs elfutils, which this program was built without: install libdw-dev and libelf-dev (Debian's names) and build it again

Whoever asks for nothing of that, and whoever asks for help, hears nothing.

  $ "$minimal" noop.lua --threads=2 --events=10 run | grep -E 'WARNING|FATAL|total number of events'
      total number of events:              10
  $ "$minimal" cpu --db-driver=pgsql --events=1 run | grep -E 'WARNING|FATAL|total number of events'
      total number of events:              1
  $ "$minimal" oltp_read_only --db-driver=pgsql --metrics-listen=9104 help | sed -n 3p
  oltp_read_only options:
  $ "$minimal" fileio --file-io-mode=async help | grep -w async
  [1]
