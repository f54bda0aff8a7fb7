--config-file: lines of name=value, read where the option stands.

  $ cat >show.lua <<'END'
  > sysbench.cmdline.options = {rows = {"a number", 7}, items = {"a list", {"a"}}}
  > local function show()
  >    local o = sysbench.opt
  >    print(o.threads, o.percentile, o.histogram, o.rows, table.concat(o.items, "|"), "[" .. o.mysql_password .. "]")
  > end
  > sysbench.cmdline.commands = {show = {show}}
  > END
  $ show() { sysbench show.lua "$@" show >out 2>err; echo "exit $?"; tail -n +3 out; cat err; }

A byte order mark before the first line is none of it.

  $ printf '\357\273\277threads=3\n' >mark.cnf; show --config-file=mark.cnf
  exit 0
  3\t95\tfalse\t7\ta\t[] (esc)

General options and the script's own; blanks around names and values do not count, sections and comments neither.

  $ cat >good.cnf <<'END'
  > # a comment
  > [section]
  > just words
  > threads=3
  >   percentile = 50     # behind a value
  > histogram=on
  > rows	=	12
  > items = x, "y z" ,w
  > mysql-password = 'secret # "word"'
  > 
  > END
  $ show --config-file=good.cnf
  exit 0
  3\t50\ttrue\t12\tx|y z|w\t[secret # "word"] (esc)

What comes later wins, on either side.

  $ show --threads=9 --config-file=good.cnf --rows=1
  exit 0
  3\t50\ttrue\t1\tx|y z|w\t[secret # "word"] (esc)
  $ echo 'threads=4' >more.cnf
  $ show --config-file=good.cnf --config-file=more.cnf
  exit 0
  4\t50\ttrue\t12\tx|y z|w\t[secret # "word"] (esc)
  $ show --config-file=more.cnf --config-file=good.cnf
  exit 0
  3\t50\ttrue\t12\tx|y z|w\t[secret # "word"] (esc)

Off is off.

  $ for v in off false 0; do echo "histogram = $v" >off.cnf; show --histogram --config-file=off.cnf; done
  exit 0
  1\t95\tfalse\t7\ta\t[] (esc)
  exit 0
  1\t95\tfalse\t7\ta\t[] (esc)
  exit 0
  1\t95\tfalse\t7\ta\t[] (esc)

Names that nobody knows, and values that cannot be, are refused.

  $ printf 'threads=2\n\nnosuch = 5\n' >unknown.cnf; show --config-file=unknown.cnf
  exit 1
  invalid option: --nosuch=5 (unknown.cnf:3); see 'sysbench --help' and 'sysbench TEST --help'
  $ echo 'histogram=perhaps' >bool.cnf; show --config-file=bool.cnf
  exit 1
  invalid option: --histogram=perhaps (bool.cnf:1) (allowed: on, off)
  $ echo 'threads=many' >int.cnf; show --config-file=int.cnf
  exit 1
  Invalid value for the 'threads' option: 'many' (a whole number, such as 500, 10k or 1M, is needed)
  $ printf 'threads=2\nmysql-password="open\npercentile=1\n' >quote.cnf; show --config-file=quote.cnf
  exit 1
  quote.cnf: unexpected EOL on line 2

Files that cannot be read.

  $ show --config-file=nowhere.cnf
  exit 1
  nowhere.cnf: No such file or directory
  $ show --config-file=.
  exit 1
  .: Is a directory
  $ show --config-file=
  exit 0
  1\t95\tfalse\t7\ta\t[] (esc)

Long lines and odd bytes.

  $ printf 'mysql-password=%01000d\n' 7 >long.cnf; sysbench show.lua --config-file=long.cnf show | awk 'END { print length($NF) }'
  1002
  $ printf 'threads=2\r\npercentile=60\r\n' >dos.cnf; show --config-file=dos.cnf
  exit 0
  2\t60\tfalse\t7\ta\t[] (esc)
  $ printf 'threads=2\0\npercentile=70' >nul.cnf; show --config-file=nul.cnf
  exit 1
  nul.cnf: a NUL byte on line 1
  $ : >empty.cnf; show --config-file=empty.cnf
  exit 0
  1\t95\tfalse\t7\ta\t[] (esc)
  $ printf '\001\002\377\376\n\n\t\n# = =\n[a=b]\nthreads=2' >odd.cnf; show --config-file=odd.cnf
  exit 0
  2\t95\tfalse\t7\ta\t[] (esc)
  $ printf '=5\n' >nameless.cnf; show --config-file=nameless.cnf
  exit 1
  invalid option: --=5 (nameless.cnf:1); see 'sysbench --help' and 'sysbench TEST --help'

A line without '=' is noise, but not one that looks like a setting; a script's own options count as much.

  $ printf 'just three words\nvalidate it now\nnosuch 4\nnosuch\nthreads=2\n' >noise.cnf; show --config-file=noise.cnf
  exit 0
  2\t95\tfalse\t7\ta\t[] (esc)
  $ printf '[x]\nthreads 4\n' >bare.cnf; show --config-file=bare.cnf
  exit 1
  bare.cnf:2: 'threads' without '=' (threads=VALUE is needed)
  $ printf '\n\n  --rows 4\r\n' >bare.cnf; show --config-file=bare.cnf
  exit 1
  bare.cnf:3: '--rows' without '=' (rows=VALUE is needed)
  $ echo histogram >bare.cnf; show --config-file=bare.cnf
  exit 1
  bare.cnf:1: 'histogram' without '=' (histogram=VALUE is needed)

Devices and endless text are no config files; /dev/null is an empty one, and a pipe is read to its end.

  $ show --config-file=/dev/zero
  exit 1
  /dev/zero: it is a device, not a file
  $ yes threads=2 | show --config-file=/dev/stdin
  exit 1
  /dev/stdin: no end within 1048576 bytes, 104858 lines
  $ show --config-file=/dev/null
  exit 0
  1\t95\tfalse\t7\ta\t[] (esc)
  $ (echo threads=2; echo percentile=60) | show --config-file=/dev/stdin
  exit 0
  2\t60\tfalse\t7\ta\t[] (esc)
  $ (echo threads=2; echo percentile=60) | show --config-file=-
  exit 0
  2\t60\tfalse\t7\ta\t[] (esc)
  $ python3 -c 'import socket, subprocess
  > ours, its = socket.socketpair()
  > p = subprocess.Popen(["sysbench", "--config-file=-", "show.lua", "show"], stdin=its)
  > its.close(); ours.sendall(b"threads=2\n"); ours.close(); p.wait()' | tail -n +3
  2\t95\tfalse\t7\ta\t[] (esc)

A file may name another one; one that names itself is refused.

  $ echo 'config-file=good.cnf' >outer.cnf; show --config-file=outer.cnf
  exit 0
  3\t50\ttrue\t12\tx|y z|w\t[secret # "word"] (esc)
  $ echo 'config-file=self.cnf' >self.cnf; show --config-file=self.cnf
  exit 1
  self.cnf: more than 16 nested config files (does it name itself?)
