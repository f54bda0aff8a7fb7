MySQL's option files: read when they are asked for, and then below what the user typed.

  $ . "$TESTDIR/../include/common.sh"
  $ cat >show.lua <<'END'
  > sysbench.cmdline.commands = {show = {function()
  >    local o = sysbench.opt
  >    local function list(l) return table.concat(l, ",") end
  >    local function show(...) print((string.format(("%s "):rep(select("#", ...)), ...):gsub(" $", ""))) end
  >    show(list(o.mysql_host), list(o.mysql_port), list(o.mysql_socket), o.mysql_user, "[" .. o.mysql_password .. "]", o.mysql_db)
  >    show(tostring(o.mysql_ssl), o.mysql_ssl_ca, o.mysql_ssl_cipher, tostring(o.mysql_compression), list(o.mysql_compression_algorithms))
  > end}}
  > END
  $ show() { sysbench show.lua "$@" show >out 2>err; exited $?; grep -v -e '^sysbench 1' -e '^$' out; cat err; }
  $ cat >my.cnf <<'END'
  > # a comment
  > ; another
  > [mysqld]
  > port = 9
  > nonsense without meaning here
  > 
  >  [client]
  > host=db1
  > port	=	3307    # as in the manual
  > user = "me # too"
  > password = 'it\'s "se\tc\\ret"'
  > default-character-set = utf8mb4
  > ssl-mode = REQUIRED
  > ssl_ca=ca.pem
  > compress
  > [sysbench]
  > database = bench
  > loose-later = 1
  > compression_algorithms = zlib,uncompressed
  > [client-live]
  > host = db2
  > END
  $ chmod 644 my.cnf; : >ca.pem

Nothing is read unasked.

  $ cp my.cnf $HOME/.my.cnf; show | head -n 1; rm $HOME/.my.cnf
  localhost 3306  sbtest [] sbtest

A file, its groups, quotes, escapes, comments.

  $ show --defaults-file=my.cnf
  db1 3307  me # too [it's "se\tc\\ret"] bench (esc)
  true ca.pem  true zlib,uncompressed
  $ show --defaults-file=my.cnf --defaults-file=suffix=-live | sed -n 1p
  db2 3307  me # too [it's "se\tc\\ret"] bench (esc)

The command line comes before the file, wherever it stands; so does a --config-file.

  $ show --mysql-user=you --defaults-file=my.cnf --mysql-password= --mysql-ssl=off --mysql-port=1,2
  db1 1,2  you [] bench
  false ca.pem  true zlib,uncompressed
  $ echo 'mysql-user=them' >sb.cnf; show --config-file=sb.cnf --defaults-file=my.cnf | sed -n 1p
  db1 3307  them [it's "se\tc\\ret"] bench (esc)

The socket of a file is for the local host; a host of the user's, or the file's own, leaves it aside.

  $ printf '[client-server]\nsocket=/run/db.sock\n' >socket.cnf; show --defaults-file=socket.cnf | sed -n 1p
  localhost 3306 /run/db.sock sbtest [] sbtest
  $ show --defaults-file=socket.cnf --mysql-host=db3 | sed -n 1p
  db3 3306  sbtest [] sbtest
  $ show --defaults-file=socket.cnf --mysql-host=localhost | sed -n 1p
  localhost 3306 /run/db.sock sbtest [] sbtest
  $ show --defaults-file=socket.cnf --mysql-host=db3 --mysql-socket=/my.sock | sed -n 1p
  db3 3306 /my.sock sbtest [] sbtest
  $ printf 'host=db4\n' >>socket.cnf; show --defaults-file=socket.cnf | sed -n 1p
  db4 3306  sbtest [] sbtest

Flags, in the words of MySQL and MariaDB.

  $ ssl() { printf '[client]\nssl-ca=ca.pem\n%s\n' "$1" >ssl.cnf; sysbench dump.lua --defaults-file=ssl.cnf dump | tail -n +3; }
  $ echo 'sysbench.cmdline.commands = {dump = {function() print(sysbench.opt.mysql_ssl, sysbench.opt.mysql_compression) end}}' >dump.lua
  $ for line in ssl ssl=0 skip-ssl skip_ssl=0 ssl-verify-server-cert ssl-mode=preferred ssl-mode=disabled compress=on \
  >   compress=FALSE
  > do ssl $line; done
  true\tfalse (esc)
  false\tfalse (esc)
  false\tfalse (esc)
  true\tfalse (esc)
  true\tfalse (esc)
  true\tfalse (esc)
  false\tfalse (esc)
  false\ttrue (esc)
  false\tfalse (esc)

Files that name files.

  $ mkdir more; printf '[client]\nuser=two\n' >more/2.cnf; printf '[client]\nuser=one\nport=11\n' >more/1.cnf; echo garbage >more/3.txt
  $ printf '!includedir more\n[client]\nhost=outer\n!include my.cnf\n' >outer.cnf; show --defaults-file=outer.cnf | sed -n 1p
  db1 3307  me # too [it's "se\tc\\ret"] bench (esc)
  $ printf '!include self.cnf\n' >self.cnf; show --defaults-file=self.cnf | sed -E 's/(self.cnf:1: )+/.../'
  exit 1
  FATAL: ...'self.cnf': more than 10 nested option files

The standard files, with one more before the one in the home directory.

  $ printf '[client]\nuser=home\nhost=home\n' >$HOME/.my.cnf; printf '[client]\nuser=extra\nport=12\n' >extra.cnf
  $ show --defaults-file=extra=extra.cnf | sed -n 1p
  localhost 12  extra [] sbtest
  $ show --defaults-file=standard --defaults-file=extra=extra.cnf | sed -n 1p | cut -d ' ' -f 1-4
  home 12  home
  $ rm $HOME/.my.cnf

What is wrong is said, with its place.

  $ bad() { printf "$1\n" >bad.cnf; show --defaults-file=bad.cnf; }
  $ bad 'host=db1'
  exit 1
  FATAL: bad.cnf:1: an option before the first [group]: host=db1
  $ bad '\n[client'
  exit 1
  FATAL: bad.cnf:2: a group without its ']': [client
  $ bad '[client]\n=5'
  exit 1
  FATAL: bad.cnf:2: there is no name before: =
  $ bad '[client]\n!import x'
  exit 1
  FATAL: bad.cnf:2: neither !include FILE nor !includedir DIRECTORY: !import x
  $ bad '[client]\n\n!include nowhere.cnf'
  exit 1
  FATAL: bad.cnf:3: cannot read the option file 'nowhere.cnf': No such file or directory
  $ bad '!includedir nowhere'
  exit 1
  FATAL: bad.cnf:1: cannot read the directory 'nowhere': No such file or directory
  $ bad '[client]\npassword'
  exit 1
  FATAL: bad.cnf:2: 'password' needs a value
  $ bad '[client]\nssl-mode=sometimes'
  exit 1
  FATAL: bad.cnf:2: Invalid value for --mysql-ssl: 'sometimes' (allowed: on, off, disabled, preferred, required, verify-ca, verify-identity)
  $ bad '[client]\ncompress=maybe'
  exit 1
  FATAL: bad.cnf:2: 'compress' is on or off, not 'maybe'
  $ bad '[sysbench]\nthreads=4'
  exit 1
  FATAL: bad.cnf:2: 'threads' is not a connection option (put other options into a --config-file)
  $ bad '[sysbench]\nmysql-user=me' | sed -n 1p
  localhost 3306  me [] sbtest
  $ show --defaults-file=nowhere.cnf
  exit 1
  FATAL: cannot read the option file 'nowhere.cnf': No such file or directory
  $ show --defaults-file=/dev/zero
  exit 1
  FATAL: cannot read the option file '/dev/zero': it is a device, not a file
  $ printf '[client]\nuser=a\0b\n' >nul.cnf; show --defaults-file=nul.cnf
  exit 1
  FATAL: cannot read the option file 'nul.cnf': a NUL byte on line 2
  $ chmod 666 extra.cnf; show --defaults-file=extra=extra.cnf
  exit 1
  FATAL: option file 'extra.cnf' is world-writable and was not read
  $ show --defaults-file=my.cnf --defaults-file=standard
  exit 1
  FATAL: --defaults-file and --defaults-file=standard cannot be combined
  $ show --defaults-file=my.cnf --defaults-file=extra=extra.cnf
  exit 1
  FATAL: --defaults-file and --defaults-file=extra cannot be combined
  $ show --defaults-file=suffix=x
  exit 1
  FATAL: --defaults-file=suffix needs --defaults-file, --defaults-file=extra or --defaults-file=standard
