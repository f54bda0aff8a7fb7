What third_party/install-deps does without root, without a network, with a package manager that is busy.  apt-get, sudo,
id and pkg-config are stand-ins; all that they are asked goes into a file.

  $ . "$TESTDIR/../include/common.sh"
  $ mkdir bin; cat >bin/pkg-config <<'END'
  > #!/bin/sh
  > case $* in *"$(cat "$STATE/missing")"*) exit 1 ;; esac
  > END
  $ cat >bin/id <<'END'
  > #!/bin/sh
  > cat "$STATE/uid"
  > END
  $ cat >bin/sudo <<'END'
  > #!/bin/sh
  > test -e "$STATE/sudo" || { echo "sudo: a password is required" >&2; exit 1; }
  > if [ "$1" = -n ]; then shift; fi
  > exec "$@"
  > END
  $ cat >bin/apt-get <<'END'
  > #!/bin/sh
  > echo "apt-get $*" >>"$STATE/log"
  > if [ -e "$STATE/locked" ]; then rm "$STATE/locked"; echo "E: Could not get lock /var/lib/apt/lists/lock" >&2; exit 100; fi
  > case $* in *update*) exit 0 ;; esac
  > if [ -e "$STATE/broken" ]; then echo "E: Unable to locate package"; exit 100; fi
  > echo nothing >"$STATE/missing"
  > END
  $ chmod +x bin/*; export STATE=$PWD PATH=$PWD/bin:$PATH
  $ echo 1000 >uid; echo nothing >missing; : >log
  $ deps() { "$SB_SOURCE/third_party/install-deps" "$@"; echo "exit $?"; grep -o -e 'update' -e 'install .*' log; : >log; }
  $ deps --build --check >all; tail -n 1 all
  exit 0
  $ test "$(cat all)" = "exit 0" || skip "install-deps --build would install something: $(cat all)"

All there: nothing is asked of anybody.

  $ deps
  exit 0

An optional library is missing.  Who may not install is told, and not stopped.

  $ echo libmicrohttpd >missing
  $ deps 2>&1
  install-deps: optional, not installed: libmicrohttpd-dev (missing without it: --metrics-listen)
  install-deps: not root, and sudo needs a password: run this as root to install them, or say --minimal
  exit 0
  $ deps --minimal
  exit 0
  $ deps --check
  optional  lib libmicrohttpd >= 0.9.62        libmicrohttpd-dev (missing without it: --metrics-listen)
  exit 0

With a sudo that asks for no password, and as root, it is installed.

  $ touch sudo; deps 2>&1; rm sudo
  install-deps: installing libmicrohttpd-dev
  exit 0
  update
  install -y --no-install-recommends --no-remove libmicrohttpd-dev
  $ echo 0 >uid; echo libmicrohttpd >missing; deps 2>&1
  install-deps: installing libmicrohttpd-dev
  exit 0
  update
  install -y --no-install-recommends --no-remove libmicrohttpd-dev

What cannot be installed costs a line; the apt lock is waited for, by apt's own option and where that does not reach.

  $ touch broken; echo libmicrohttpd >missing; deps 2>&1
  install-deps: installing libmicrohttpd-dev
  install-deps: optional, not installed: libmicrohttpd-dev (missing without it: --metrics-listen)
  exit 0
  update
  install -y --no-install-recommends --no-remove libmicrohttpd-dev
  install -y --no-install-recommends --no-remove libmicrohttpd-dev
  $ rm broken; touch locked; "$SB_SOURCE/third_party/install-deps" 2>&1; cat log; : >log
  install-deps: installing libmicrohttpd-dev
  apt-get -q -o DPkg::Lock::Timeout=300 update -o Acquire::Retries=0 -o Acquire::http::Timeout=20
  apt-get -q -o DPkg::Lock::Timeout=300 update -o Acquire::Retries=0 -o Acquire::http::Timeout=20
  apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends --no-remove libmicrohttpd-dev

A required one that cannot be installed ends it.

  $ touch broken; echo 'ck >= 0.6.0' >missing; deps 2>&1
  install-deps: installing libck-dev
  E: Unable to locate package
  install-deps: the package manager failed; see above
  exit 1
  update
  install -y --no-install-recommends --no-remove libck-dev
