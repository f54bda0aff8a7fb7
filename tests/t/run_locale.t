A locale with a decimal comma, of the user or set by a script: all figures keep the point.

  $ . "$TESTDIR/../include/report.sh"
  $ mkdir locales; for c in CTYPE COLLATE NUMERIC MONETARY TIME MESSAGES PAPER NAME ADDRESS TELEPHONE MEASUREMENT IDENTIFICATION
  > do
  >   case $c in CTYPE | COLLATE) from=POSIX ;; *) from=de_DE ;; esac # these two would take seconds
  >   printf 'LC_%s\ncopy "%s"\nEND LC_%s\n' $c $from $c
  > done >german
  $ localedef -i german -f UTF-8 locales/de_DE.UTF-8 2>localedef.err || skip "no locale can be made: $(cat localedef.err)"
  $ export LOCPATH=$PWD/locales LC_ALL=de_DE.UTF-8

glibc's newlocale() loses the list that it makes of LOCPATH; a library of the client library calls it.

  $ echo leak:__argz_add_sep >lost; export LSAN_OPTIONS=suppressions=$PWD/lost:print_suppressions=0
  $ python3 -c 'import locale; locale.setlocale(locale.LC_ALL, ""); print(locale.str(1.5))'
  1,5
  $ run() { sysbench "$@" --tx-rate=50 --tx-jitter=0.5 --tx-spin=0 --time=1 --report-interval=0.5 --percentile=50,99.9 \
  >   --report-file=a.json,a.jsonl,a.csv,a.txt,a.prom run >a.out 2>err
  > exited $?; cat err; report agree a.json a.jsonl a.csv a.prom; report get a.json end.status
  > grep -h '[0-9],[0-9]' a.out a.txt; in_range 21 1000 $(grep -o '[0-9][.][0-9]' a.out a.txt | wc -l); }

  $ echo 'function event() end' >plain.lua; run plain.lua | tee plain
  "completed"

A script sets it, for all categories; dates are in that language, numbers are not.

  $ cat >set.lua <<'EOF'
  > assert(os.setlocale(nil) and os.setlocale(nil, "numeric") == "C")
  > assert(os.setlocale("de_DE.UTF-8", "numeric") == nil and os.setlocale("C", "numeric") == "C")
  > assert(os.setlocale("no_such_locale") == nil and not pcall(os.setlocale, "C", "nothing"))
  > local now = os.setlocale("de_DE.UTF-8")
  > assert(now:find("LC_TIME=de_DE", 1, true) and now:find("LC_NUMERIC=C;", 1, true))
  > assert(os.setlocale(now) == now and os.setlocale("de_DE.UTF-8", "time") == "de_DE.UTF-8")
  > assert(os.date("%A", 86400 * 5) == "Dienstag" and ("%.1f"):format(1.5) == "1.5" and tonumber("1.5") == 1.5)
  > function event() os.setlocale("de_DE.UTF-8") end
  > EOF
  $ run set.lua | diff plain -
  $ ! sysbench set.lua --time=1 --workers=1 --threads=4 run | grep '[0-9],[0-9]'

So do pstime and the options.

  $ ! pstime -c 1 0.1 $$ | tail -n 1 | grep '[0-9],[0-9]'
