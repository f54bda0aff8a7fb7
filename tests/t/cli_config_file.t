--config-file: lines of name=value, read where the option stands.

  $ . "$TESTDIR/../include/common.sh"
  $ cat >show.lua <<'END'
  > sysbench.cmdline.options = {rows = {"a number", 7}, items = {"a list", {"a"}}}
  > local function show()
  >    local o = sysbench.opt
  >    print(o.threads, o.percentile, o.histogram, o.rows, table.concat(o.items, "|"), "[" .. o.mysql_password .. "]")
  > end
  > sysbench.cmdline.commands = {show = {show}}
  > END
  $ show() { sysbench show.lua "$@" show >out 2>err; exited $?; tail -n +3 out; cat err; }
  $ bad() { refused show.lua --config-file=$1 show; }

A byte order mark before the first line is none of it.

  $ printf '\357\273\277threads=3\n' >mark.cnf; show --config-file=mark.cnf
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
  3\t50\ttrue\t12\tx|y z|w\t[secret # "word"] (esc)

What comes later wins, on either side.

  $ show --threads=9 --config-file=good.cnf --rows=1
  3\t50\ttrue\t1\tx|y z|w\t[secret # "word"] (esc)
  $ echo 'threads=4' >more.cnf
  $ show --config-file=good.cnf --config-file=more.cnf
  4\t50\ttrue\t12\tx|y z|w\t[secret # "word"] (esc)
  $ show --config-file=more.cnf --config-file=good.cnf
  3\t50\ttrue\t12\tx|y z|w\t[secret # "word"] (esc)

Off is off.

  $ for v in off false 0; do echo "histogram = $v" >off.cnf; show --histogram --config-file=off.cnf; done | cut -f 3 | xargs
  false false false

Names that nobody knows, and values that cannot be, are refused.

  $ printf 'threads=2\n\nnosuch = 5\n' >unknown.cnf; bad unknown.cnf
  invalid option: --nosuch=5 (unknown.cnf:3); see 'sysbench --help' and 'sysbench TEST --help'
  $ echo 'histogram=perhaps' >bool.cnf; bad bool.cnf
  invalid option: --histogram=perhaps (bool.cnf:1) (allowed: on, off)
  $ echo 'threads=many' >int.cnf; bad int.cnf
  Invalid value for the 'threads' option: 'many' (a whole number, such as 500, 10k or 1M, is needed)
  $ printf 'threads=2\nmysql-password="open\npercentile=1\n' >quote.cnf; bad quote.cnf
  quote.cnf: unexpected EOL on line 2

Files that cannot be read.

  $ for f in nowhere.cnf . /dev/zero; do bad $f; done
  nowhere.cnf: No such file or directory
  .: Is a directory
  /dev/zero: it is a device, not a file
  $ show --config-file=
  1\t95\tfalse\t7\ta\t[] (esc)

Long lines and odd bytes.

  $ printf 'mysql-password=%01000d\n' 7 >long.cnf; sysbench show.lua --config-file=long.cnf show | awk 'END { print length($NF) }'
  1002
  $ printf 'threads=2\r\npercentile=60\r\n' >dos.cnf; show --config-file=dos.cnf
  2\t60\tfalse\t7\ta\t[] (esc)
  $ printf 'threads=2\0\npercentile=70' >nul.cnf; bad nul.cnf
  nul.cnf: a NUL byte on line 1
  $ : >empty.cnf; show --config-file=empty.cnf
  1\t95\tfalse\t7\ta\t[] (esc)
  $ printf '\001\002\377\376\n\n\t\n# = =\n[a=b]\nthreads=2' >odd.cnf; show --config-file=odd.cnf
  2\t95\tfalse\t7\ta\t[] (esc)
  $ printf '=5\n' >nameless.cnf; bad nameless.cnf
  invalid option: --=5 (nameless.cnf:1); see 'sysbench --help' and 'sysbench TEST --help'

A line without '=' is noise, but not one that looks like a setting; a script's own options count as much.

  $ printf 'just three words\nvalidate it now\nnosuch 4\nnosuch\nthreads=2\n' >noise.cnf; show --config-file=noise.cnf
  2\t95\tfalse\t7\ta\t[] (esc)
  $ printf '[x]\nthreads 4\n' >bare.cnf; bad bare.cnf
  bare.cnf:2: 'threads' without '=' (threads=VALUE is needed)
  $ printf '\n\n  --rows 4\r\n' >bare.cnf; bad bare.cnf
  bare.cnf:3: '--rows' without '=' (rows=VALUE is needed)
  $ echo histogram >bare.cnf; bad bare.cnf
  bare.cnf:1: 'histogram' without '=' (histogram=VALUE is needed)

Devices and endless text are no config files; /dev/null is an empty one, and a pipe is read to its end.

  $ mkfifo endless; yes threads=2 >endless & bad endless
  endless: no end within 1048576 bytes, 104858 lines
  $ show --config-file=/dev/null
  1\t95\tfalse\t7\ta\t[] (esc)
  $ for f in /dev/stdin -; do printf 'threads=2\npercentile=60\n' | show --config-file=$f; done
  2\t60\tfalse\t7\ta\t[] (esc)
  2\t60\tfalse\t7\ta\t[] (esc)
  $ python3 -c 'import socket, subprocess
  > ours, its = socket.socketpair()
  > p = subprocess.Popen(["sysbench", "--config-file=-", "show.lua", "show"], stdin=its)
  > its.close(); ours.sendall(b"threads=2\n"); ours.close(); p.wait()' | tail -n +3
  2\t95\tfalse\t7\ta\t[] (esc)

A file may name another one; one that names itself is refused.

  $ echo 'config-file=good.cnf' >outer.cnf; show --config-file=outer.cnf
  3\t50\ttrue\t12\tx|y z|w\t[secret # "word"] (esc)
  $ echo 'config-file=self.cnf' >self.cnf; bad self.cnf
  self.cnf: more than 16 nested config files (does it name itself?)
