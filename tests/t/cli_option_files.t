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
  $ for o in db3 localhost 'db3 --mysql-socket=/my.sock'; do show --defaults-file=socket.cnf --mysql-host=$o | sed -n 1p; done
  db3 3306  sbtest [] sbtest
  localhost 3306 /run/db.sock sbtest [] sbtest
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

  $ for text in 'host=db1' '\n[client' '[client]\n=5' '[client]\n!import x' '[client]\n\n!include nowhere.cnf' '!includedir nowhere' \
  >   '[client]\npassword' '[client]\nssl-mode=sometimes' '[client]\ncompress=maybe' '[sysbench]\nthreads=4'
  > do printf "$text\n" >bad.cnf; refused show.lua --defaults-file=bad.cnf show; done
  FATAL: bad.cnf:1: an option before the first [group]: host=db1
  FATAL: bad.cnf:2: a group without its ']': [client
  FATAL: bad.cnf:2: there is no name before: =
  FATAL: bad.cnf:2: neither !include FILE nor !includedir DIRECTORY: !import x
  FATAL: bad.cnf:3: cannot read the option file 'nowhere.cnf': No such file or directory
  FATAL: bad.cnf:1: cannot read the directory 'nowhere': No such file or directory
  FATAL: bad.cnf:2: 'password' needs a value
  FATAL: bad.cnf:2: Invalid value for --mysql-ssl: 'sometimes' (allowed: on, off, disabled, preferred, required, verify-ca, verify-identity)
  FATAL: bad.cnf:2: 'compress' is on or off, not 'maybe'
  FATAL: bad.cnf:2: 'threads' is not a connection option (put other options into a --config-file)
  $ printf '[sysbench]\nmysql-user=me\n' >bad.cnf; show --defaults-file=bad.cnf | sed -n 1p
  localhost 3306  me [] sbtest
  $ printf '[client]\nuser=a\0b\n' >nul.cnf; chmod 666 extra.cnf
  $ for f in nowhere.cnf /dev/zero nul.cnf extra=extra.cnf 'my.cnf --defaults-file=standard' 'my.cnf --defaults-file=extra=extra.cnf' \
  >   suffix=x; do refused show.lua --defaults-file=$f show; done
  FATAL: cannot read the option file 'nowhere.cnf': No such file or directory
  FATAL: cannot read the option file '/dev/zero': it is a device, not a file
  FATAL: cannot read the option file 'nul.cnf': a NUL byte on line 2
  FATAL: option file 'extra.cnf' is world-writable and was not read
  FATAL: --defaults-file and --defaults-file=standard cannot be combined
  FATAL: --defaults-file and --defaults-file=extra cannot be combined
  FATAL: --defaults-file=suffix needs --defaults-file, --defaults-file=extra or --defaults-file=standard
