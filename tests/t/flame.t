sysbench-flame: folded stacks into pictures.

  $ . "$TESTDIR/../include/profile.sh"
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
  $ grep -c '<rect' after.svg; sed -n 's/.*<title>\([^<]*\)<.*/\1/p' after.svg | grep -v '^[a-z]* ('
  10
  Flame graph
  [libc.so.6] (15 samples, 7.50%)
  read_[k] (150 samples, 75.00%)
  std::map&lt;int, Foo&amp;&gt;::find (20 samples, 10.00%)

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

Files that say that as long was watched are compared by weight: what doubled everywhere is red everywhere.  --relative and
--absolute choose; files of unequal length are scaled to that of AFTER.

  $ colours() { sed -n 's/.*<title>\([^<]*\)<.*fill="\(#[0-9a-f]*\)".*/\1 \2/p' "$@"; }
  $ sums() { grep -o '>[0-9]* [a-z]* after, [^<]*' "$@" | cut -c2-; }
  $ printf '# window_s=10.000000 unit=us estimated from 1 of 2 waits\n# 1 samples:\nm;disk 50\nm;lock 100\n' >b.folded
  > printf '# window_s=10.400000 unit=us\nm;disk 100\nm;lock 200\n' >a.folded
  $ sysbench-flame --diff b.folded a.folded | colours
  all (300 us, 100.00%; before 150 us, +150 us) #f43636
  m (300 us, 100.00%; before 150 us, +150 us) #f43636
  disk (100 us, 33.33%; before 50 us, +50 us) #f4b5b5
  lock (200 us, 66.67%; before 100 us, +100 us) #f47676
  $ sysbench-flame --diff --relative b.folded a.folded | colours | grep -c ', +0.00) #f4f4f4$'
  4
  $ sed -i 's/10.400000/20.000000/' a.folded; sysbench-flame --diff b.folded a.folded | colours | sed -n 3p
  disk (100 us, 33.33%; before 33.33%, +0.00) #f4f4f4
  $ sysbench-flame --diff --absolute b.folded a.folded >s.svg; svg s.svg; colours s.svg | sed -n 3p; sums s.svg
  disk (100 us, 33.33%; before 100 us, +0 us) #f4f4f4
  300 us after, 300 before; 0.0% of before was in stacks that are gone and have no width here; before is scaled from 10.000 s to the 20.000 s of after
  $ sysbench-flame --diff --absolute before.folded after.folded | colours | sed -n '1p;6p;9p'
  all (200 samples, 100.00%; before 100 samples, +100 samples) #f44848
  execute (170 samples, 85.00%; before 60 samples, +110 samples) #f43636
  parse (15 samples, 7.50%; before 30 samples, -15 samples) #dbe1f4
  $ sed 1d a.folded >other.folded; sysbench-flame --diff b.folded other.folded | colours | sed -n 3p
  > echo '# a comment of others 12' | cat - other.folded >more.folded
  disk (100 samples, 33.33%; before 33.33%, +0.00) #f4f4f4
  $ sysbench-flame more.folded | colours | sed -n 1p | cut -d' ' -f1-4
  all (300 samples, 100.00%)

The weights are what the file says they are, whatever it is called; what is something else is not compared.

  $ cp b.folded b.cpu.folded; sysbench-flame <b.folded - | colours | sed -n 1p
  > sysbench-flame --unit=waits b.cpu.folded | colours | sed -n 1p
  all (150 us, 100.00%) #e2e2dc
  all (150 waits, 100.00%) #e2e2dc
  $ sed 's/unit=us/unit=samples/' a.folded >c.offcpu.folded; sysbench-flame c.offcpu.folded | colours | sed -n 1p | cut -d' ' -f1-3
  all (300 samples,
  $ sysbench-flame --diff b.folded c.offcpu.folded
  sysbench-flame: 'b.folded' holds us and 'c.offcpu.folded' holds samples: they cannot be compared
  [1]

Waits for work are grey in a difference of times off the CPU, and in nobody's sum; a disk wait beside them has its colour.

  $ cat >b.offcpu.folded <<'END'
  > # window_s=10.000000 unit=us
  > srv;handle_one_connection;do_command;my_net_read_packet;poll;__x64_sys_poll_[k];schedule_[k] 80000000
  > srv;handle_one_connection;do_command;dispatch_command;fdatasync;__x64_sys_fdatasync_[k];schedule_[k] 50000
  > srv;handle_one_connection;do_command;dispatch_command;lock_wait;pthread_cond_wait;__x64_sys_futex_[k];schedule_[k] 3000
  > srv;start_thread;pthread_cond_timedwait@@GLIBC_2.3.2;__x64_sys_futex_[k];schedule_[k] 40000000
  > srv;[no stack sampled] 70000
  > END
  $ sed 's/80000000/60000000/; s/ 50000$/ 1360000/; s/40000000/90000000/; s/10.0/10.1/' b.offcpu.folded >a.offcpu.folded
  $ sysbench-flame --diff b.offcpu.folded a.offcpu.folded >i.svg; svg i.svg; sums i.svg; colours i.svg | grep -v '^_\|^sche\|^handle\|^poll'
  151433000 us after, 120123000 before, of them idle 150070000 and 120070000; 0.0% of before was in stacks that are gone and have no width here
  all (151433000 us, 100.00%; without idle waits 1363000 us, before 53000 us, +1310000 us) #f43636
  srv (151433000 us, 100.00%; without idle waits 1363000 us, before 53000 us, +1310000 us) #f43636
  [no stack sampled] (70000 us, 0.05%; idle, before 70000 us) #dde3dd
  do_command (61363000 us, 40.52%; without idle waits 1363000 us, before 53000 us, +1310000 us) #f43636
  dispatch_command (1363000 us, 0.90%; before 53000 us, +1310000 us) #f43636
  fdatasync (1360000 us, 0.90%; before 50000 us, +1310000 us) #f43636
  my_net_read_packet (60000000 us, 39.62%; idle, before 80000000 us) #dde3dd
  start_thread (90000000 us, 59.43%; idle, before 40000000 us) #dde3dd
  pthread_cond_timedwait@@GLIBC_2.3.2 (90000000 us, 59.43%; idle, before 40000000 us) #dde3dd
  $ sysbench-flame --diff --hide-idle b.offcpu.folded a.offcpu.folded >h.svg; svg h.svg; sums h.svg; ! colours h.svg | grep idle
  1363000 us after, 53000 before; 0.0% of before was in stacks that are gone and have no width here; idle waits are not drawn

User space only: what is idle is told by the kernel's frames before they are left out.

  $ sysbench-flame --diff --hide-kernel b.offcpu.folded a.offcpu.folded >k.svg; svg k.svg; sums k.svg; ! colours k.svg | grep '\[k\]'
  151433000 us after, 120123000 before, of them idle 150070000 and 120070000; 0.0% of before was in stacks that are gone and have no width here; without frames of the kernel
  $ colours k.svg | grep '^poll\|^fdata'
  fdatasync (1360000 us, 0.90%; before 50000 us, +1310000 us) #f43636
  poll (60000000 us, 39.62%; idle, before 80000000 us) #dde3dd

  $ sysbench-flame --diff --idle='fdatasync|poll' b.offcpu.folded a.offcpu.folded | colours | grep '; idle' | cut -d' ' -f1 | paste -sd ' '
  fdatasync __x64_sys_fdatasync_[k] schedule_[k] my_net_read_packet poll __x64_sys_poll_[k] schedule_[k]
  $ ! sysbench-flame --diff --idle= b.offcpu.folded a.offcpu.folded | colours | grep idle
  $ sysbench-flame --list-idle | grep -c '^idle\|^work'
  9

What is idle in MariaDB 10.11 and PostgreSQL 15 without debugging symbols, and what is not.

  $ S='entry_SYSCALL_64_after_hwframe_[k];do_syscall_64_[k];__x64_sys_'; F="${S}futex_[k];do_futex_[k];schedule_[k]"
  $ cat >all.offcpu.folded <<END
  > start_thread;i;my_net_read_packet;vio_read;poll;${S}poll_[k];schedule_[k] 1
  > start_thread;i;[mariadbd];pthread_cond_timedwait;__futex_abstimed_wait_common;$F 1
  > i;tpool::thread_pool_generic::wait_for_tasks;pthread_cond_clockwait;x;$F 1
  > i;clone3;clock_nanosleep;el0_svc_[k];__arm64_sys_clock_nanosleep_[k];schedule_[k] 1
  > i;io_getevents;${S}io_getevents_[k];read_events_[k];schedule_[k] 1
  > i;PostmasterMain;[postgres];WaitEventSetWait;epoll_wait;${S}epoll_wait_[k];x_[k] 1
  > i;PostgresMain;pq_getbyte;[postgres];secure_read;WaitEventSetWait;epoll_wait;x 1
  > i;[no stack sampled] 1
  > w;do_command;dispatch_command;mysql_execute_command;[mariadbd];pthread_cond_timedwait;x;$F 1
  > w;do_command;dispatch_command(COM);fdatasync;${S}fdatasync_[k];schedule_[k] 1
  > w;do_command;my_net_read_packet;poll;${S}poll_[k];schedule_[k];[waiting for a CPU] 1
  > w;start_thread;[mariadbd];pthread_mutex_lock;__lll_lock_wait;$F 1
  > w;PostgresMain;ProcSleep;WaitLatch;epoll_wait;${S}epoll_wait_[k];schedule_[k] 1
  > w;PostgresMain;PortalRun;[postgres];pg_usleep;x;${S}select_[k];schedule_[k] 1
  > w;PostgresMain;LWLockAcquire;sem_wait;$F 1
  > END
  $ sysbench-flame --hide-idle all.offcpu.folded >n.svg; grep -o '<title>[iw] [^)]*' n.svg
  <title>w (7 us, 100.00%

Only some of the stacks.

  $ sysbench-flame --filter='read_|parse' --exclude=parse after.folded >f.svg; svg f.svg; colours f.svg | cut -d' ' -f1,2,5 | paste -sd ' '
  > grep -o '>only stacks[^<]*' f.svg
  all (150 #e2e2dc server (150 #f6d57d main (150 #f6d078 execute (150 #f6b964 read_[k] (150 #ee843c
  >only stacks that match read_|parse; no stacks that match parse

The same as a grep between folding and drawing, of one file and of a difference.

  $ sysbench-flame --grep='read_|parse' after.folded >g.svg
  > grep -E 'read_|parse' after.folded | sysbench-flame - | colours >want; colours g.svg | cmp - want
  $ sysbench-flame --diff --relative --grep='read_|parse' before.folded after.folded >g.svg
  $ for f in before after; do grep -E 'read_|parse' $f.folded >$f.grep; done
  > sysbench-flame --diff --relative before.grep after.grep | colours >want
  $ colours g.svg | cmp - want; wc -l <want; grep -o 'only stacks[^<]*' g.svg
  6
  only stacks that match read_|parse

Options; files named as ours tell their unit.

  $ cp after.folded x.offcpu.folded; sysbench-flame x.offcpu.folded | grep -c '(150 us, '
  1
  $ sysbench-flame --title='a <title> & "more"' --subtitle=below --unit=ms --width=400 --min-width=50 --colors=cold \
  >   after.folded >o.svg
  > svg o.svg; for p in 'a &lt;title&gt; &amp; &quot;more&quot;<' 'below<' ' width="400"' '<title>parse'
  > do grep -o "$p" o.svg | wc -l; done | paste -sd ' '
  2 1 2 0
  $ printf 'ba\001d\377;\303\244 3\n' >odd.folded; sysbench-flame odd.folded >odd.svg; svg odd.svg; grep -c '<title>ba?d? (3' odd.svg
  1
  $ printf 'a<b>&"\047c;\001]]>\177;\303\244\342\202\254\360\237\224\245;\377\303;\355\240\200;\357\277\277;\300\200 3\n' >odd.folded
  > sysbench-flame odd.folded >odd.svg; svg odd.svg; sed -n 's/.*<title>\(.*\) (3 samples.*/\1/p' odd.svg
  all
  a&lt;b&gt;&amp;&quot;'c
  ?]]&gt;?
  \xc3\xa4\xe2\x82\xac\xf0\x9f\x94\xa5 (esc)
  ??
  ???
  ???
  ??
  $ printf '# window 5\r\nx;operator new(unsigned long) 7\r\nx;y 1.6\n\nx;y 1' | sysbench-flame - | colours
  all (10 samples, 100.00%) #e2e2dc
  x (10 samples, 100.00%) #f6b661
  operator new(unsigned long) (7 samples, 70.00%) #f6d67e
  y (3 samples, 30.00%) #f6b661
  $ : >empty.folded; sysbench-flame empty.folded >empty.svg; svg empty.svg; grep -c 'no stacks' empty.svg
  1
  $ sysbench-flame --version | sed 's/[0-9.]*$/N/'; sysbench-flame --help | sed -n 1p
  sysbench-flame N
  usage: sysbench-flame [options] FOLDED > out.svg

What cannot be: one sentence, exit 1, and no picture.

  $ echo 'a;b' >bad.folded; printf 'a 1\nb x\n' >worse.folded
  $ for v in bad.folded worse.folded nosuch . '--width=10 after.folded' '--width=x after.folded' '--min-width=-1 after.folded' \
  >   '--colors=red after.folded' '--diff after.folded' 'after.folded before.folded' '' '--nosuch after.folded' \
  >     '--diff after.folded bad.folded' \
  >   '--filter=( after.folded' '--grep=( after.folded' '--idle=* --diff a.folded b.folded' '--exclude=[ after.folded' \
  >     '--absolute after.folded' '--diff --absolute --relative a.folded b.folded'
  >   do
  >   sysbench-flame $v >bad.svg 2>err; echo "$? $(sed 's/\(a regular expression\): .*/\1/' err)"; [ ! -s bad.svg ] || cat bad.svg
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
  1 sysbench-flame: --filter: '(' is not a regular expression
  1 sysbench-flame: --grep: '(' is not a regular expression
  1 sysbench-flame: --idle: '*' is not a regular expression
  1 sysbench-flame: --exclude: '[' is not a regular expression
  1 sysbench-flame: --absolute needs --diff
  1 sysbench-flame: --absolute and --relative cannot be combined
  $ for l in 'a -1' ' 1' '  5' 'a 1e30' 'a 99999999999999999999' 'a\0b 1'; do
  >   printf "a;b 1\n\n# comment\n$l\n" | sysbench-flame - 2>&1 | sed 's/.*line/line/'; done
  line 4 does not end in a weight
  line 4 has no stack and weight
  line 4 has no stack and weight
  line 4 does not end in a weight
  line 4 does not end in a weight
  line 4 holds a NUL byte
  $ sysbench-flame after.folded >/dev/full
  sysbench-flame: cannot write: No space left on device
  [1]
