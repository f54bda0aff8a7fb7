What `make install` brings, and that `make uninstall` takes all of it away.

  $ . "$TESTDIR/../include/common.sh"
  $ build=$(dirname "$(dirname "$(readlink -f "$(command -v sysbench)")")")
  $ test -e "$build/Makefile" && command -v make >/dev/null || skip "no make, or no $build/Makefile"
  $ MAKEFLAGS=; export MAKEFLAGS
  $ make -s -C "$build" install DESTDIR="$PWD/root" >out 2>&1 || tail -n 20 out
  $ find root -type f | sed 's/.*\///' | sort >names
  $ doc=$(dirname "$(find root -name ChangeLog)")

The programs, the scripts, the manual pages in their sections.

  $ "$(find root -name sysbench -perm -100 -type f -path '*/bin/*')" --version | grep -c '^sysbench'
  1
  $ "$(find root -name sysbench -perm -100 -type f -path '*/bin/*')" oltp_point_select help | grep -c table_size
  1
  $ ls "$SB_SOURCE"/src/lua/*.lua | sed 's/.*\///' | sort | comm -23 - names
  $ find root -path '*/man/*' -type f | sed 's/.*\/man\///' | sort
  man1/pstime.1
  man1/sysbench-flame.1
  man1/sysbench-lab.1
  man1/sysbench.1
  man5/sysbench-report.5
  man7/sysbench-rate.7
  man7/sysbench-telemetry.7

The programs that talk to MPI, which the installed program finds although the installation was moved.

  $ programs=$(find root -name 'sysbench-mpi-*' | sed 's/.*-//'); sysbench --version --verbose | sed -n 's/^MPI: //p' | tr ',' '\n' |
  >   sed -n 's/.*Open MPI.*/openmpi/p; s/.*MPICH.*/mpich/p; s/.*Intel MPI.*/mpich/p' | sort >want
  >   echo "$programs" | grep . | sort | diff want -
  $ installed=$(find root -name sysbench -perm -100 -type f -path '*/bin/*')
  $ for mpi in $programs; do if command -v mpirun.$mpi >/dev/null; then
  >   OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 mpirun.$mpi -np 2 \
  >     "$installed" cpu --cpu-max-prime=10 --threads=2 --events=10 run >out 2>&1 </dev/null
  >   grep -q '^Load hosts\|events: *10$' out || cat out; fi; done

All documents; no link and no name of a document or of a manual page leads nowhere.  The manual pages say where the documents are.

  $ ls "$SB_SOURCE"/docs/*.md | sed 's/.*\///' | while read -r name; do test -s "$doc/docs/$name" || echo "$name"; done
  $ (root=$PWD/root; cd "$SB_SOURCE/scripts" && PYTHONDONTWRITEBYTECODE=1 python3 -m sblab.links "$root")
  $ find root -path '*/man/*' -type f -exec sed -n -e 's/\\-/-/g' -e 's/^\.IR \(\/.*\) \.$/\1/p' \
  >   -e 's/^\\fI\(\/.*\)\\fR\.$/\1/p' {} \; >there
  $ grep -c . there
  6
  $ while read -r directory; do test "root$directory" = "$doc" || echo "not in root$directory"; done <there

README.md is that of an installation: nothing of it is only in the source.

  $ grep -n 'scripts/\|install-deps\|autogen\|<!--\|-->' "$doc/README.md"
  [1]
  $ grep '^#' "$doc/README.md" | sed -n 1,3p
  # sysbench-tx
  ## One command
  ## First run
  $ grep -c 'sysbench-lab quickstart' "$doc/README.md"
  1

The completions, where each shell looks for them.

  $ for file in bash-completion/completions/sysbench zsh/site-functions/_sysbench fish/vendor_completions.d/sysbench.fish; do
  >   for name in $file $(echo $file | sed 's/sysbench\(\.fish\)*$/sysbench-lab\1/'); do
  >   find root -path "*/share/$name" -type f | grep -c .; done; done | xargs
  1 1 1 1 1 1

The laboratory, without its tests.  It runs from where it lies, in any directory, and knows its examples and its version.  The
program below DESTDIR does not find its scripts, which plan looks for.

  $ lab=$(find root -name sysbench-lab -path '*/bin/*'); ls -l "$lab" | cut -c 1-10
  -rwxr-xr-x
  $ package=$(find root -name sysbench_lab)
  > (cd "$SB_SOURCE/scripts" && find sysbench_lab -name '*.py' ! -name '*_test.py' ! -name testing.py \
  >   ! -name conftest.py ! -name 'fake_*' ! -path '*/testdata/*') |
  >   
  >   while read -r name; do test -e "$(dirname "$package")/$name" || echo "not installed: $name"; done
  $ find "$package" -name '*_test.py' -o -name __pycache__
  $ (cd "$(dirname "$package")" && find sysbench_lab -type f | LC_ALL=C sort) >installed
  $ PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$SB_SOURCE/packaging/python" python3 -c '
  > import backend
  > for name, _ in backend.package():
  >     print(name)' | LC_ALL=C sort | diff installed -
  $ reads_toml() { python3 -c 'import importlib.util as u, sys; sys.exit(not any(map(u.find_spec, ("tomllib", "tomli"))))'; }
  $ lab=$PWD/$lab; if reads_toml; then (cd / && "$lab" --version && SB_SYSBENCH="$build/src/sysbench" "$lab" plan constant-rate) >lab.out
  > else printf '%s\n' "sysbench-lab $(sysbench --version --verbose | sed -n 's|^package: .* ||p')" '50 runs' >lab.out; fi
  $ test "$(sed -n '1s/[^0-9.]//g; 1p' lab.out)" = "$(sysbench --version --verbose | sed -n 's|^package: .* ||p')"
  $ grep -o '50 runs' lab.out
  50 runs

  $ make -s -C "$build" uninstall DESTDIR="$PWD/root" >out 2>&1 || tail -n 20 out
  $ find root -type f -o -type l
