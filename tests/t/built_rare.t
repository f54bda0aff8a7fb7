The libraries of rare features are loaded when one is asked for: a start does not pay for them, and a program whose
library has gone since it was built runs everything else.

  $ . "$TESTDIR/../include/common.sh"
  $ sysbench --version --verbose >built
  $ grep -q '^libpfm4: yes' built && grep -q '^libmicrohttpd: [0-9]' built && grep -q '^elfutils: [0-9]' built ||
  >   skip 'built without one of the libraries'
  $ program=$(readlink -f "$(command -v sysbench)"); ! test -x "${program%/*}/.libs/sysbench" || program=${program%/*}/.libs/sysbench
  $ LD_TRACE_LOADED_OBJECTS=1 "$program" | grep -E 'libpfm|libmicrohttpd|libdw|libelf'
  [1]
  $ mkdir gone; for l in libpfm.so.4 libmicrohttpd.so.12 libdw.so.1; do : >gone/$l; done
  $ cat >noop.lua <<'END'
  > function event() end
  > END
  $ gone() { LD_LIBRARY_PATH=$PWD/gone sysbench noop.lua --events=2 "$@" run 2>&1 | grep -E 'FATAL|number of events'; }
  $ gone
      total number of events:              2
  $ gone --metrics-listen=0 --report-interval=1
  FATAL: --metrics-listen needs */gone/libmicrohttpd.so.12: file too short (glob)
  $ gone --server-events=nosuch::EVENT
  FATAL: Invalid value for --server-events: unknown event 'nosuch::EVENT'; names of events that are particular to a CPU need */gone/libpfm.so.4: file too short (glob)
  $ sleep 60 & gone --server=$! --server-profile=cpu; kill $!
  FATAL: --server-profile: needs */gone/libdw.so.1: file too short (glob)
