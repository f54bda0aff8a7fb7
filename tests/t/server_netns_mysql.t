The server has an address of its own, in a network namespace: --server-via reaches and finds it there.

  $ . "$TESTDIR/../include/mysql.sh"; . "$TESTDIR/../include/sshd.sh"; . "$TESTDIR/../include/netns.sh"
  $ [ -z "$SB_NO_OWN_SERVER" ] || skip 'it starts a server of its own'
  $ start_netns || skip "$(cat netns.why)"
  $ server= sshd_pid= reader=
  $ finish() {
  >   for p in $reader $sshd_pid $server; do kill $p; wait $p; done 2>/dev/null
  >   [ ! -e db ] || "$SB_DBSERVER" stop --dir="$PWD/db" --remove; stop_netns; }
  $ trap finish EXIT

Made by dbserver, then started at that address instead of loopback's, for an account that may come from here.

  $ "$SB_DBSERVER" start --dir="$PWD/db" --prefix=own_ -- --innodb-buffer-pool-size=16M >env || cat env
  $ . ./env
  $ client=$(command -v mariadb || command -v mysql)
  $ "$client" --no-defaults --socket=$own_socket --user="$own_admin" \
  >   --execute="CREATE USER sbtest@'$netns_here'; GRANT ALL ON sbtest.* TO sbtest@'$netns_here'"
  $ tr '\0' '\n' </proc/$own_pid/cmdline | sed "s/^--bind-address=.*/--bind-address=$netns_there/" >command
  $ "$SB_DBSERVER" stop --dir="$PWD/db"; set --; while IFS= read -r word; do set -- "$@" "$word"; done <command
  $ ip netns exec $netns "$@" >server.out 2>&1 & server=$!
  $ args="--db-driver=mysql --mysql-host=$netns_there --mysql-port=$own_port --mysql-user=sbtest --mysql-db=sbtest"
  $ made() { sysbench oltp_point_select $args --table-size=1000 prepare >out 2>&1; }
  $ n=0; until made || [ $n -ge 300 ]; do n=$((n + 1)); sleep 0.1; done; tail -n 1 out
  Creating a secondary index on 'sbtest1'...
  $ run() { sysbench oltp_point_select --table-size=1000 $args "$@" run >out 2>err; exited $?; sed '/^Waiting up to/d' err; }
  $ name() { sed -n 's/^Server: //p' out | sed -E \
  >   "s/pid $server\b/pid PID/; s/ on [^ ,]+/ on HOST/; s/clock [-+][0-9.]+ ms \(\+- [0-9.]+\)/clock N/"
  > }
  $ line() { grep '^\[.*srv-usr [0-9]' out | sed 's/.*| srv-usr/srv-usr/; s/>=//; s/| cli-cpu.*//' | mask | sort -u; }
  $ address() { sed -E 's/[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+:[0-9]+/ADDRESS/'; }
  $ load() { : >out; sysbench oltp_point_select --table-size=1000 $args --time=250 --report-interval=1 "$@" run >out 2>err & reader=$!; }
  $ lines() { sed -n "/$1/,\$p" out | grep -c 'srv-usr [0-9]'; }

  $ two_lines() { # AFTER: until two lines that follow it have figures, then the end
  >   n=0; until [ $(lines "$1") -ge 2 ] || [ $n -ge 900 ]; do n=$((n + 1)); sleep 0.1; done
  >   kill $reader; wait $reader; reader=; sed '/^Waiting up to/d' err; }

From here it cannot be seen; there it can. (Its clock, and a reader that dies: server_via_mysql.t.)

  $ run --server=auto --events=100; grep -o '^Server: n/a (the server at [0-9.:]* runs on another host' out | address
  Server: n/a (the server at ADDRESS runs on another host
  $ load --server-via="ip netns exec $netns" --threads=2; two_lines Threads; name; line
  mariadbd (pid PID) on HOST, clock N
  srv-usr N.NN% srv-sys N.NN% cs/tx N.NN thr N rss N.NM 

What is asked for by that namespace's address is not looked for here, and the other way round.

  $ run --server-via="env" --events=100; grep -o "^Server: n/a (env: no process listens at [0-9.:]* on this host), retrying" out | address
  Server: n/a (env: no process listens at ADDRESS on this host), retrying

Through a real SSH server that listens there, where there is one.

  $ if start_sshd $netns_there "ip netns exec $netns"; then
  >   load --server-via="$ssh_command env PATH=$PATH"; two_lines Threads; name; line; stop_sshd; sshd_pid=
  > else
  >   load --server-via="ip netns exec $netns"; two_lines Threads; name; line; fi 2>/dev/null
  mariadbd (pid PID) on HOST, clock N
  srv-usr N.NN% srv-sys N.NN% cs/tx N.NN thr N rss N.NM 

Nothing is left.

  $ finish; trap - EXIT; ls /run/netns 2>/dev/null | grep -cx $netns; ip link show sbv$$ 2>&1 | grep -c 'does not exist'
  0
  1
