--server-profile of a server that works with a process per connection.

  $ . "$TESTDIR/../include/pgsql.sh"; . "$TESTDIR/../include/profile.sh"
  $ may_profile
  $ filled oltp_point_select $SB_PGSQL_ARGS --table-size=1000
  $ sysbench oltp_point_select $SB_PGSQL_ARGS --table-size=1000 --threads=4 --time=2 --server-profile=cpu,offcpu \
  >   --server-profile=hz=199 run >out 2>err; echo $?; cat err
  0
  $ block | sed -n '/watched/s/[0-9]*\.[0-9]*/N/; s/pid [0-9]*/pid N/p'
      watched:                             postgres (pid N and its children), for N s
  $ most=$((199 * 25 / 10 * $(nproc))) # 199 a second and CPU
  $ timed 20 $most $(figure 'on CPU'); svg oltp_point_select.cpu.svg oltp_point_select.offcpu.svg
  $ in_range 50 100 $(share oltp_point_select.cpu.folded 'PostgresMain|\[postgres\]')
  $ in_range 99 101 $(echo $(total oltp_point_select.offcpu.folded) $(figure 'off CPU') | awk '{ print $1 / $2 / 10000 }')

Backends that are born and die while it watches.

  $ cat >connects.lua <<'END'
  > function event()
  >    local con = sysbench.sql.driver():connect()
  >    con:query("SELECT sum(i) FROM generate_series(1, 20000) i")
  >    con:disconnect()
  > end
  > function thread_init() keep = sysbench.sql.driver():connect() end
  > END
  $ sysbench connects.lua $SB_PGSQL_ARGS --threads=2 --time=2 --server-profile=cpu --server-profile=hz=199 run >out 2>err; echo $?; cat err
  0
  $ timed 20 $most $(total connects.cpu.folded); in_range 30 100 $(share connects.cpu.folded 'PostgresMain|\[postgres\]')
  $ in_range 5 100 $(share connects.cpu.folded 'PostmasterMain.*PostgresMain')
