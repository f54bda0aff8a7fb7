The manual pages.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql
  $ sysbench --version --verbose | grep -q '^driver: pgsql' || skip 'no PostgreSQL driver'

sysbench(1) has every option that the help texts have: the general ones, those of old generations, those of the built-in
tests and those of the bundled scripts.

  $ tests="$(builtin_tests) $(bundled_tests)"
  $ { sysbench --help=all; sysbench --compat=0.4 --help; for test in $tests; do sysbench $test help 2>/dev/null; done; } >help
  $ grep -o '^  --[a-z0-9_-]*' help | tr -d ' ' | tr _ - | sort -u >in_help
  $ sed -n -e 's/\\-/-/g' -e '/^\.B[IR]* --/p' -e '/^\.B [a-z]*$/,/^\.TP/p' "$SB_SOURCE/docs/sysbench.1" |
  >   grep -o -e '--[a-z][a-z0-9-]*' | sort -u >in_page
  $ comm -23 in_help in_page
  $ grep -c . in_help | awk '{ print ($1 > 100) }'
  1

And none besides (--name=value stands for all, --test is read before all others, --verbose is for --version).

  $ comm -13 in_help in_page
  --name
  --test
  --verbose

Each bundled script and each built-in test is named.

  $ for test in $tests; do
  >   grep -q -w "$test" "$SB_SOURCE/docs/sysbench.1" || echo "not in the page: $test"; done

How a document becomes a page.

  $ page() { LC_ALL=C awk -v page=x -v section=7 -v date=2026-01-01 -v summary=s -v docdir=/usr/share/doc/x \
  >   -v pages='rate.md=sysbench-rate(7) own.md=x(7)' -v also='sysbench(1) pstime(1)' -f "$SB_SOURCE/scripts/md2man.awk" "$@"; }
  $ data=$SB_SOURCE/tests/data/manual; cp "$data/document.txt" own.md; page own.md | diff "$data/document.7" -

Of two documents in one page, neither sends the reader to the page itself.

  $ printf '# Second\n\nSee [own.md](own.md#there), ([two.md](two.md)), [rate.md](rate.md).\n' >two.md
  $ page -v pages='rate.md=sysbench-rate(7) own.md=x(7) two.md=x(7)' own.md two.md | grep -A 1 '^.SH "Second'
  .SH "Second"
  See above, (\fISecond\fR), \fBsysbench\-rate\fR(7).

The pages that the build made have every heading of their documents, and no formatter complains about any page.

  $ build=$(dirname "$(dirname "$(readlink -f "$(command -v sysbench)")")")
  $ test -e "$build/docs/sysbench-rate.7" || skip "no manual pages in $build/docs"
  $ headings() { cat "$@" | awk '/^    / { next } /^##+ / { n++ } END { print n }'; }
  $ check() { page=$build/docs/$1; shift; for md; do set -- "$@" "$SB_SOURCE/docs/$md"; shift; done
  >   test "$(headings "$@")" = "$(grep -c -E '^\.S[HS] "' "$page" | awk -v files=$# '{ print $1 - 1 - (files - 1) }')" ||
  >     echo "$page lacks headings"; }
  $ check sysbench-rate.7 rate.md verdict.md warmup.md; check sysbench-telemetry.7 server.md events.md
  $ check sysbench-report.5 reports.md marks.md hooks.md results.md figures.md raw-log.md
  $ pages="$build/docs/sysbench-rate.7 $build/docs/sysbench-telemetry.7 $build/docs/sysbench-report.5"
  $ pages="$pages $SB_SOURCE/docs/sysbench.1 $SB_SOURCE/docs/pstime.1 $SB_SOURCE/docs/sysbench-flame.1"
  $ pages="$pages $SB_SOURCE/docs/sysbench-lab.1"
  $ for page in "$build"/docs/*.[57]; do name=$(basename "$page")
  >   sed -e 's/\\-/-/g' "$page" | grep -F "fB${name%.*}\\fR(${name##*.})"; done
  [1]
  $ # one long page, as on a terminal; from 1.23 on groff tells of every line that it cannot adjust
  > if command -v groff >/dev/null
  > then for page in $pages; do { echo '.pl 9999v'; cat "$page"; } | groff -t -ww -man -Tutf8 -rLL=78n -z 2>&1; done |
  >   sed '/: cannot adjust line/d'; fi
  $ if command -v mandoc >/dev/null; then mandoc -Tlint -W warning $pages; fi

sysbench-lab(1) has the commands and options of its help, and docs/lab.md every key (sysbench_lab/docs_test.py).
