The interval reports as lines or as a table: --report-style.

  $ . "$TESTDIR/../include/rate.sh"
  $ terminal() { python3 "$TESTDIR/../include/terminal.py" "$@"; }
  $ unset COLUMNS NO_COLOR; TERM=xterm; export TERM
  $ naps 1000 sleep.lua
  $ rated="sleep.lua --threads=2 --tx-rate=50 --tx-jitter=0 --time=1 --report-interval=0.5"
  $ style() { awk '/^\[ [0-9.]+s \] thds:/ { l = "lines" } / time s / { h = "headers" } END { print l h ? l h : "neither" }' "$1"; }
  $ styles() { # lines "WANTED: COMMAND" on standard input: those that print another
  >   while IFS=: read -r want call
  >   do eval "$call run" >out </dev/null && [ "$(style out)" = $want ] || echo "$call: $? $(style out)"; done; }

A pipe and a file get lines, a terminal a table, when there is an option that stock does not have; else it gets stock's lines, too.

  $ sysbench $rated run | cat >out; style out
  lines
  $ styles <<'END'
  > lines: sysbench $rated
  > headers: terminal 80 sysbench $rated
  > lines: terminal 80 sysbench sleep.lua --threads=2 --time=1 --report-interval=1
  > lines: terminal 80 sysbench sleep.lua --rate=50 --time=1 --report-interval=1 --percentile=99 --verbosity=3
  > END

On a terminal a rate has an interval of 1 s; where no interval is printed, a line says how far the run is and leaves nothing.

  $ terminal 80 sysbench sleep.lua --tx-rate=50 --time=2 run >out; style out; grep -c 'second(s)' out
  headers
  1
  $ styles <<'END'
  > neither: terminal 80 sysbench sleep.lua --tx-rate=50 --time=1 --report-interval=0
  > neither: sysbench sleep.lua --tx-rate=50 --time=1
  > END
  $ terminal 80 sysbench sleep.lua --warmup-time=2 --time=3 run | tr '\r' '\n' | sed -n 's/.\[K.*//p' >out
  $ timed_diff - out <<'END'
  > warm-up: 1 s of 2 s
  > 1 s of 3 s (33 %), 2 s left
  > 2 s of 3 s (66 %), 1 s left
  > 
  > END
  $ sysbench sleep.lua --time=2 run 2>&1 >/dev/null

Each can be asked for everywhere.  Saying which is no reason for a table.

  $ styles <<'END'
  > lines: terminal 80 sysbench $rated --report-style=line
  > lines: terminal 80 sysbench sleep.lua --time=1 --report-interval=1 --report-style=auto
  > headers: sysbench $rated --report-style=table
  > headers: sysbench sleep.lua --time=1 --report-interval=1 --report-style=table
  > END
  $ for v in tables Line; do echo $(refused sleep.lua --report-style=$v run | sed 's/:.*//'); done | uniq -c | tr -s ' '
   2 FATAL

The table itself, figures masked.  What follows it is as ever.

  $ sysbench $rated --report-style=table run | sed -n '/response, ms/,/^General/p' >out
  $ sed -E 's/[0-9]+(\.[0-9]+)?/N/g; s/ +N/ N/g' out | sed 's/^ *N/N/' | uniq >got; timed 2 2 $(grep -c '^ *[0-9]' out)
  $ timed_diff - got <<'END' # an interval in which nothing ended has other rows
  >                  -- response, ms ---                               pN ms client
  >  time s     eps    pN    pN    pN  late err/s unfin  fail  drop    lag   cpu%
  > N N N N N* N N N N N N* N
  >          * of fewer samples than this percentile needs: the slowest of them
  > N N N N N* N N N N N N* N
  > 
  > General statistics:
  > END

Nothing is wider than the screen: 80 columns in a pipe, COLUMNS, the terminal's own width.

  $ widest() { sed 's/\x1b\[[0-9;]*m//g' | sed -n '/ time s /,/^$/p' | awk '{ if (length($0) > w) w = length($0) } END { print w }'; }
  $ all="$rated --percentile=10,20,30,40,50,60,70,80,90,95,99,99.9 --host-stats"
  $ in_range 70 80 $(sysbench $all --report-style=table run | widest)
  $ in_range 110 120 $(COLUMNS=120 sysbench $all --report-style=table run | widest)
  $ in_range 70 80 $(COLUMNS=12x sysbench $all --report-style=table run | widest)
  $ in_range 190 200 $(terminal 200 sysbench $all run | widest)
  $ in_range 70 80 $(COLUMNS=200 terminal 80 sysbench $all run | widest)
  $ in_range 110 120 $(COLUMNS=120 terminal 0 sysbench $all run | widest)

A line has 280 characters, except in files.

  $ long() { awk '/^\[/ { n = length($0); if (n > w) w = n } END { print (w > 280 ? "longer" : "280 at most") }' "$1"; }
  $ many="--percentile=50,90,95,99 --host-stats"
  $ sysbench $rated $many --report-file=a.txt run >out; long out; long a.txt; grep -o 'figures hidden;.*' out | sort -u
  280 at most
  longer
  figures hidden; --report-style=full, csv and json have all
  $ sysbench $rated $many --report-style=full run >out; long out; grep -c hidden out; style out
  longer
  0
  lines
  $ sysbench $rated $many --report-style=line run >out; long out
  280 at most

What had no room is counted.

  $ sysbench $all --report-style=table run | grep -c 'columns hidden; widen to [0-9]*$'
  1

A header comes again after 20 rows, and asks for the width then.

  $ terminal --resize=120 --after=' time s ' 80 sysbench $rated --report-interval=0.1 --time=5 --host-stats run >out
  $ sed 's/\x1b\[[0-9;]*m//g' out | awk '/^General/ { exit } / time s / { if (length($0) > 120) print "too wide"; print n; n = '\
  > '0; w = length($0); next } w && /^ +[0-9.]+ / { n++; if (length($0) != w) print "row of " length($0) " under " w }
  >   END { print n }' | sed '1d;$d' | sort -u # all but the last one
  20
  $ sed 's/\x1b\[[0-9;]*m//g' out | grep ' time s ' | awk '{ print (length($0) > 80) }' | uniq
  0
  1

Colours on a terminal that has them, unless NO_COLOR says otherwise.

  $ coloured() { grep -c "$(printf '\033')" || :; }
  $ [ $(terminal 80 sysbench $rated run | coloured) -gt 0 ] && echo coloured
  coloured
  $ TERM=dumb terminal 80 sysbench $rated run | coloured
  0
  $ NO_COLOR=1 terminal 80 sysbench $rated run | coloured
  0
  $ sysbench $rated --report-style=table run | coloured
  0

Marks and checkpoints stand on lines of their own; after a checkpoint report the header comes again.

  $ cat >marks.lua <<'END'
  > ffi.cdef("int usleep(unsigned)")
  > local n = 0
  > function event() ffi.C.usleep(1000) n = n + 1 if n == 20 then sysbench.mark("here it is") end end
  > END
  $ sysbench marks.lua --tx-rate=50 --time=3 --report-interval=1 --report-checkpoints=2 --report-style=table run >out
  $ sed -n -E \
  >   's/^(\[ )[0-9.]+(s \] (mark: here it is|Checkpoint report:))$/\1N\2/p; s/^( time s) .*/\1/p; s/^ +[0-9]+( +[0-9.]+\*?)+$/row/p' \
  >   out >got
  $ timed_diff - got <<'END'
  > [ Ns ] mark: here it is
  >  time s
  > row
  > row
  > [ Ns ] Checkpoint report:
  >  time s
  > row
  > END

A hook of the script, and files, have what they always had.

  $ cat >hook.lua <<'END'
  > function sysbench.hooks.report_intermediate(stat) print("hook", stat.events > 0) end
  > function event() end
  > END
  $ sysbench hook.lua --tx-rate=50 --time=1 --report-interval=1 --report-style=table run | grep -c -e hook -e '^ time s'
  1
  $ sysbench $rated --report-style=table --report-file=a.txt --report-file=a.csv run >out; style a.txt; head -n 1 a.csv | cut -d, -f1
  lines
  kind
  $ sysbench $rated --report-style=table --verbosity=2 run

A test of files has columns of bytes.

  $ files="--file-num=1 --file-total-size=64K --file-test-mode=rndrd"
  $ sysbench fileio $files prepare >out
  $ COLUMNS=120 sysbench fileio $files --time=1 --report-interval=1 --report-style=table run | grep -o ' time s .*'
   time s     eps    p50    p95    p99 err/s      qps      r/s      w/s      o/s readM/s writM/s
