sysbench-flame: folded stacks into pictures.

  $ . "$TESTDIR/../include/profile.sh"
  $ command -v sysbench-flame >/dev/null || exit 80
  $ cat >before.folded <<'END'
  > server;main;parse 30
  > server;main;execute;read_[k] 50
  > server;main;execute;std::map<int, Foo&>::find 10
  > server;main;gone;"quoted" 10
  > END
  $ cat >after.folded <<'END'
  > server;main;parse 15
  > server;main;execute;read_[k] 150
  > server;main;execute;std::map<int, Foo&>::find 20
  > server;[libc.so.6];new 15
  > END
  $ sysbench-flame after.folded >after.svg; svg after.svg
  $ grep -c '<rect' after.svg; sed -n 's/.*<title>\([^<]*\)<.*/\1/p' after.svg
  10
  Flame graph
  all (200 samples, 100.00%)
  server (200 samples, 100.00%)
  [libc.so.6] (15 samples, 7.50%)
  new (15 samples, 7.50%)
  main (185 samples, 92.50%)
  execute (170 samples, 85.00%)
  read_[k] (150 samples, 75.00%)
  std::map&lt;int, Foo&amp;&gt;::find (20 samples, 10.00%)
  parse (15 samples, 7.50%)

The same input is the same picture, from standard input too.

  $ sysbench-flame - <after.folded | cmp - after.svg

A difference: widths are those of AFTER, shares are compared. What is gone has no width; its sum is told.

  $ sysbench-flame --diff before.folded after.folded >diff.svg; svg diff.svg
  $ sed -n 's/.*<title>\([^<]*\)<.*fill="\(#[0-9a-f]*\)".*/\1 \2/p' diff.svg
  all (200 samples, 100.00%; before 100.00%, +0.00) #f4f4f4
  server (200 samples, 100.00%; before 100.00%, +0.00) #f4f4f4
  [libc.so.6] (15 samples, 7.50%; before 0.00%, +7.50) #f4bbbb
  new (15 samples, 7.50%; before 0.00%, +7.50) #f4bbbb
  main (185 samples, 92.50%; before 100.00%, -7.50) #bccaf4
  execute (170 samples, 85.00%; before 60.00%, +25.00) #f43636
  read_[k] (150 samples, 75.00%; before 50.00%, +25.00) #f43636
  std::map&lt;int, Foo&amp;&gt;::find (20 samples, 10.00%; before 10.00%, +0.00) #f4f4f4
  parse (15 samples, 7.50%; before 30.00%, -22.50) #4a74f4
  $ grep -o '[0-9]* samples after, [^<]*' diff.svg
  200 samples after, 100 before; 10.0% of before was in stacks that are gone and have no width here

Nothing changed, nothing is coloured.

  $ sysbench-flame --diff before.folded before.folded | sed -n 's/.*<title>.*fill="\(#[0-9a-f]*\)".*/\1/p' | sort -u
  #f4f4f4

Options; files named as ours tell their unit.

  $ cp after.folded x.offcpu.folded; sysbench-flame x.offcpu.folded | grep -c '(150 us, '
  1
  $ sysbench-flame --title='a <title> & "more"' --subtitle=below --unit=ms --width=400 --min-width=50 --colors=cold after.folded >o.svg; svg o.svg
  $ grep -o '>a &lt;title&gt; &amp; &quot;more&quot;<' o.svg | wc -l; grep -c '>below<' o.svg; grep -c 'width="400"' o.svg; grep -c '<title>parse' o.svg
  2
  1
  2
  0
  [1]
  $ printf 'ba\001d\377;\303\244 3\n' >odd.folded; sysbench-flame odd.folded >odd.svg; svg odd.svg; grep -c '<title>ba?d? (3' odd.svg
  1
  $ : >empty.folded; sysbench-flame empty.folded >empty.svg; svg empty.svg; grep -c 'no stacks' empty.svg
  1
  $ sysbench-flame --version | sed 's/[0-9.]*$/N/'; sysbench-flame --help | sed -n 1p
  sysbench-flame N
  usage: sysbench-flame [options] FOLDED > out.svg

What cannot be: one sentence, exit 1, and no picture.

  $ echo 'a;b' >bad.folded; printf 'a 1\nb x\n' >worse.folded
  $ for v in bad.folded worse.folded nosuch . '--width=10 after.folded' '--width=x after.folded' '--min-width=-1 after.folded' \
  >   '--colors=red after.folded' '--diff after.folded' 'after.folded before.folded' '' '--nosuch after.folded' '--diff after.folded bad.folded'; do
  >   sysbench-flame $v >bad.svg 2>err; echo "$? $(cat err)"; [ ! -s bad.svg ] || cat bad.svg
  > done
  1 sysbench-flame: 'bad.folded' is not a file of folded stacks: line 1 has no stack and weight
  1 sysbench-flame: 'worse.folded' is not a file of folded stacks: line 2 does not end in a weight
  1 sysbench-flame: cannot open 'nosuch': No such file or directory
  1 sysbench-flame: cannot read '.': Is a directory
  1 sysbench-flame: --width takes 200 to 20000, not '10'
  1 sysbench-flame: --width takes 200 to 20000, not 'x'
  1 sysbench-flame: --min-width takes 0 to 100, not '-1'
  1 sysbench-flame: --colors takes warm or cold, not 'red'
  1 sysbench-flame: --diff takes two files, BEFORE and AFTER (see sysbench-flame --help)
  1 sysbench-flame: takes one file of folded stacks (see sysbench-flame --help)
  1 sysbench-flame: takes one file of folded stacks (see sysbench-flame --help)
  1 sysbench-flame: unknown or incomplete option '--nosuch' (see sysbench-flame --help)
  1 sysbench-flame: 'bad.folded' is not a file of folded stacks: line 1 has no stack and weight
  $ sysbench-flame after.folded >/dev/full
  sysbench-flame: cannot write: No space left on device
  [1]
