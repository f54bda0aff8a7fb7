Completion in bash, zsh and fish, as made by the build.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql
  $ folder=$(dirname "$(readlink -f "$(command -v sysbench)")")/completion
  $ test -e "$folder/sysbench" || skip "no $folder/sysbench"

The files are sound shell.

  $ if command -v bash >/dev/null; then bash -n "$folder/sysbench"; fi; if command -v zsh >/dev/null; then zsh -n "$folder/_sysbench"; fi
  $ if command -v fish >/dev/null; then fish --no-config -n "$folder/sysbench.fish"; fi

Each has exactly the options of --help=all and of the tests' help, each test and nothing else.

  $ tests="$(builtin_tests) $(bundled_tests)"
  $ options() { grep -o '^  --[a-z0-9_-]*' | tr -d ' ' | tr _ - | sort -u; }
  $ sysbench --help=all | options >general
  $ for test in $tests; do sysbench $test help 2>/dev/null | options >own.$test; done
  $ sort -u general own.* >all
  $ grep -o -e "'--[a-z0-9-]*=-" "$folder/_sysbench" | sed -e "s/^'//" -e 's/=-$//' | sort -u | diff all -
  $ sed -n "s/.* -a '\(--[a-z0-9-]*\)=\{0,1\}' -d .*/\1/p" "$folder/sysbench.fish" | sort -u | diff all -
  $ cat >drive.bash <<'END'
  > # drive.bash FILE WORD...: what bash offers for the last word
  > source "$1"; shift
  > COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  > _sysbench
  > for word in "${COMPREPLY[@]}"; do echo "${word% }"; done
  > END
  $ offered() { bash --norc drive.bash "$folder/sysbench" "$@"; }
  $ command -v bash >/dev/null || skip 'no bash'
  $ offered sysbench -- | tr -d = | sort | diff general -
  $ for test in $tests; do sort -u general own.$test | diff - - <<END
  > $(offered sysbench $test -- | tr -d = | sort)
  > END
  > done
  $ offered sysbench '' | sort >words; for test in $tests; do grep -qx $test words || echo "not offered: $test"; done

Words that readline has cut at '=' and ':', and not cut; lists; a test as a path; options before the test.

  $ offered sysbench --db-driver = my
  mysql
  $ offered sysbench --db-driver=my
  --db-driver=mysql
  $ offered sysbench fileio --file-extra-flags = sync,d
  sync,dsync
  sync,direct
  $ offered sysbench --mysql-host = db1 : 3307 --threads = 8 fileio cl
  cleanup
  $ offered sysbench ./mine/oltp_insert.lua pre
  prepare
  prewarm
  $ offered sysbench mine.lua '' | xargs; offered sysbench cpu '' | xargs
  prepare run cleanup help
  run help
  $ offered sysbench oltp_insert --table_
  --table_size=
  $ offered sysbench cpu --table
  $ offered sysbench cpu run ''
  $ touch here.cnf; offered sysbench --defaults-file = he
  here.cnf

The real shells: a line is typed, Tab is pressed, the words are read back.  (zsh takes its own "=" away when the cursor leaves it.)

  $ press() { if command -v $1 >/dev/null && command -v python3 >/dev/null; then
  >   python3 "$TESTDIR/../include/complete.py" $1 "$folder" 'sysbench --db-dri' 'sysbench --db-driver=my' \
  >     'sysbench oltp_read_on' 'sysbench oltp_insert prew' 'sysbench oltp_insert --table-s' 'sysbench cpu --table-s' \
  >     'sysbench --rand-type=z' 'sysbench fileio --file-extra-flags=sync,dir' 'sysbench --mysql-ssl=verify-i' \
  >     'sysbench --defaults-file=he' 'sysbench --threads=4 --mysql-host=a:1 fileio cle' |
  >       sed 's/--db-driver>/--db-driver=>/; s/--table-size>/--table-size=>/' >$1.out
  >   diff words $1.out; fi; }
  $ cat >words <<'END'
  > <sysbench><--db-driver=>
  > <sysbench><--db-driver=mysql>
  > <sysbench><oltp_read_only>
  > <sysbench><oltp_insert><prewarm>
  > <sysbench><oltp_insert><--table-size=>
  > <sysbench><cpu><--table-s>
  > <sysbench><--rand-type=zipfian>
  > <sysbench><fileio><--file-extra-flags=sync,direct>
  > <sysbench><--mysql-ssl=verify-identity>
  > <sysbench><--defaults-file=here.cnf>
  > <sysbench><--threads=4><--mysql-host=a:1><fileio><cleanup>
  > END
  $ for shell in bash zsh fish; do press $shell; done

sysbench-lab has completions of its own, made from its help.

  $ own=$SB_SOURCE/scripts/completion; mkdir lab; cp "$own/sysbench-lab" lab/sysbench; cp "$own/_sysbench-lab" lab
  > cp "$own/sysbench-lab.fish" lab/sysbench.fish
  $ cat >words <<'END'
  > <sysbench-lab><resume>
  > <sysbench-lab><run><--repeats=>
  > <sysbench-lab><run><--order=shuffle>
  > <sysbench-lab><help><examples>
  > END
  $ press_lab() { if command -v $1 >/dev/null && command -v python3 >/dev/null; then
  >   python3 "$TESTDIR/../include/complete.py" $1 "$PWD/lab" 'sysbench-lab resu' 'sysbench-lab run --repea' \
  >     'sysbench-lab run --order=sh' 'sysbench-lab help exa' | sed 's/--repeats>/--repeats=>/' >$1.out
  >   diff words $1.out; fi; }
  $ for shell in bash zsh fish; do press_lab $shell; done
