What configure says at its end about optional libraries.  It is run with the answers that the build's own run got, which
saves most of the time, but for what pretends to be missing here.

  $ . "$TESTDIR/../include/common.sh"
  $ build=$(dirname "$(dirname "$(readlink -f "$(command -v sysbench)")")")
  $ test -x "$SB_SOURCE/configure" -a -e "$build/config.log" || skip "no configure, or no $build/config.log"
  $ test ! -e "$SB_SOURCE/config.status" || skip "the source tree is configured in place"
  $ test "$(uname)" = Linux || skip 'needs Linux'
  $ sed -n 's/^\([a-z]*_cv_[A-Za-z0-9_]*=.*\)/\1/p' "$build/config.log" | grep -v -e '_cv_env_' -e PG_CONFIG \
  >   -e libaio -e pfmlib -e libdw -e PKG_CONFIG -e lib_aio -e lib_pfm -e lib_dw -e cv_mpi >answers
  $ cat >answers.none <<'END'
  > ac_cv_header_libaio_h=no
  > ac_cv_header_perfmon_pfmlib_perf_event_h=no
  > ac_cv_header_elfutils_libdwfl_h=no
  > ac_cv_path_PG_CONFIG=
  > sb_cv_mpi=none
  > END
  $ cat >pkg-config <<'END'
  > #!/bin/sh
  > case $* in *libmicrohttpd*|*libpq*) exit 1 ;; esac
  > exec $REAL_PKG_CONFIG "$@"
  > END
  $ chmod +x pkg-config; REAL_PKG_CONFIG=$(command -v pkg-config pkgconf | head -n 1); export REAL_PKG_CONFIG
  $ configure() { mkdir "$1"; cd "$1"; shift; cat ../answers ../answers.none >cache
  >   "$SB_SOURCE/configure" --no-create --cache-file=cache PKG_CONFIG="$OLDPWD/pkg-config" "$@" >out 2>err || cat out err; cd ..; }

  $ configure bare; sed -n '/WARNING/,$p' bare/err
  configure: WARNING:
  
    ************************************************************************
    The program will lack what these optional libraries provide:
  
      libpq 12 or later was not found: no PostgreSQL driver (--db-driver=pgsql).
        Install libpq-dev and run configure again, or decline it: --with-pgsql=no.
      libaio was not found: no --file-io-mode=async in fileio.
        Install libaio-dev and run configure again, or decline it: --with-libaio=no.
      libpfm4 was not found: no names of CPU events in --server-events.
        Install libpfm4-dev and run configure again, or decline it: --with-libpfm=no.
      elfutils (libdw) was not found: no --server-profile.
        Install libdw-dev libelf-dev and run configure again, or decline it: --with-elfutils=no.
      libmicrohttpd 0.9.62 or later was not found: no --metrics-listen.
        Install libmicrohttpd-dev and run configure again, or decline it: --with-microhttpd=no.
      an MPI compiler (mpicc) was not found: several load hosts need --cluster=HOST:PORT instead of mpirun.
        Install libopenmpi-dev or libmpich-dev and run configure again, or decline it: --with-mpi=no.
  
    The packages' names are Debian's; third_party/install-deps knows others
    and installs all of them.
    ************************************************************************
  

What was declined is not mentioned.

  $ configure one --with-pgsql=no --without-libaio --with-libpfm=no --with-microhttpd=no --without-mpi
  $ grep 'was not found' one/err
      elfutils (libdw) was not found: no --server-profile.

A compiler of an MPI that is neither, and MPI's name and version.

  $ printf '#!/bin/sh\nexit 1\n' >mpicc; printf '#!/bin/sh\ncase $* in *-E*) echo sb_mpi mpich Intel_MPI 2021.9 ;; esac\n' >mpiicc
  $ chmod +x mpicc mpiicc
  $ configure other --with-mpi="$PWD/mpicc" >/dev/null 2>&1; sed "s#$PWD/##" other/err
  configure: error: --with-mpi: mpicc cannot compile for Open MPI or MPICH

Chart.js is one file, of version 3; any other is refused, and without it the page has tables.

  $ pkg-config --exists 'libmicrohttpd >= 0.9.62' 2>/dev/null || skip 'no libmicrohttpd'
  $ printf '/*!\n * Chart.js v3.7.0\n */\n' >chart.js; printf '/*!\n * Chart.js v4.1.0\n */\n' >chart4.js
  $ with() { rm -rf chart; configure chart PKG_CONFIG="$REAL_PKG_CONFIG" "$@"
  > grep -h -e 'Chart.js  ' -e ' MPI  .*I' -e 'error: --with' chart/out chart/err; } 2>&1
  $ with --with-chart-js="$PWD/chart.js" --with-mpi="$PWD/mpiicc" --with-elfutils=no
      Chart.js          3.7.0
      MPI               Intel MPI 2021.9
  $ ! grep elfutils chart/err
  $ with --with-chart-js=no
      Chart.js          no
  $ with --with-chart-js="$PWD/chart4.js" | sed -n "s#$PWD##; /^configure: error/p" | sort -u
  configure: error: --with-chart-js=/chart4.js: this is not Chart.js 3 as one file

A system of 32 bits has no __int128.

  $ configure narrow CFLAGS=-D__int128=none | grep 64-bit
  configure: error: sysbench-tx needs a 64-bit system, and .* builds for one of fewer bits (re)
