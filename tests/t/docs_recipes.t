The code of CONTRIBUTING.md's recipes compiles, and the script runs.

  $ . "$TESTDIR/../include/common.sh"; needs_mysql
  $ ${CC:-cc} --version >/dev/null 2>&1 || skip 'no C compiler'

recipe TITLE LANGUAGE: the code below this title.

  $ recipe() { sed -n "/^### $1\$/,/^##/p" "$SB_SOURCE/CONTRIBUTING.md" | sed -n "/^\`\`\`$2\$/,/^\`\`\`\$/p" |
  >   grep -v '^```' || echo '#error no such code'; }
  $ compiles() {
  >   { echo '#define _GNU_SOURCE'; cat; } >recipe.c
  >   ${CC:-cc} -std=gnu11 -fsyntax-only -Wall -Wextra -Werror -Wno-unused-function -Wno-unused-const-variable -Wno-unused-variable \
  >     -I "$SB_SOURCE/src" recipe.c; }
  $ { echo '#include "opt/opt.h"'; echo 'const struct opt_row rows[] = {'; recipe 'An option' c; echo '};'; } | compiles
  $ { echo '#include "report/sections.c"'; echo 'NUMBER_OF(errors_rate, snapshot, per_s(s, 1))'
  >   echo 'const struct figure rows[] = {'; recipe 'A metric' c; echo '};'; } | compiles
  $ { echo '#include "report/writer.h"'
  >   echo 'static void begin(struct report_file *f) { (void)f; }'
  >   echo 'static void interval(struct report_file *f, const struct snapshot *s) { (void)f; (void)s; }'
  >   echo 'static void end(struct report_file *f, const struct report_end *e) { (void)f; (void)e; }'
  >   recipe 'A result file' c; } | compiles
  $ { echo '#include "sql/sql_driver.h"'; echo 'const char *toy_library(void); void toy_connect(void); void toy_close(void *cfg);'
  >   echo 'int toy_check(const struct sql_options *o, struct err *e);'
  >   echo 'int toy_open(const struct sql_options *o, const struct sql_ops **ops, void **cfg);'
  >   recipe 'A database driver' c; } | compiles
  $ { echo '#include "workload/builtin.h"'; echo 'static const struct opt_row rows[] = {{.name = NULL}};'
  >   echo 'struct workload *open_spin(const struct builtin_env *env, struct err *e);'; echo 'void close_spin(struct workload *w);'
  >   recipe 'A built-in test' c; } | compiles
  $ recipe 'A bundled Lua script' lua >oltp_toy.lua
  $ sysbench ./oltp_toy.lua --mysql-dry-run --events=3 run | grep -o -e 'queries: *[0-9]*'
  queries:                             6
