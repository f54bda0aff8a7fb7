# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for sysbench-lab; made by sblab/completion.py
complete -c sysbench-lab -f
complete -c sysbench-lab -n 'not __fish_seen_subcommand_from run plan find resume check show page compare verdict quickstart server examples version help' -a run -d 'measure an experiment; then print its table, draw pictures and page'
complete -c sysbench-lab -n 'not __fish_seen_subcommand_from run plan find resume check show page compare verdict quickstart server examples version help' -a plan -d 'print cells, order and estimated duration; run nothing'
complete -c sysbench-lab -n 'not __fish_seen_subcommand_from run plan find resume check show page compare verdict quickstart server examples version help' -a find -d 'find the highest rate of each cell under an objective (--slo)'
complete -c sysbench-lab -n 'not __fish_seen_subcommand_from run plan find resume check show page compare verdict quickstart server examples version help' -a resume -d 'measure what an interrupted experiment lacks'
complete -c sysbench-lab -n 'not __fish_seen_subcommand_from run plan find resume check show page compare verdict quickstart server examples version help' -a check -d 'say what this machine and the server allow and what would disturb'
complete -c sysbench-lab -n 'not __fish_seen_subcommand_from run plan find resume check show page compare verdict quickstart server examples version help' -a show -d 'print the answer and the table of results'
complete -c sysbench-lab -n 'not __fish_seen_subcommand_from run plan find resume check show page compare verdict quickstart server examples version help' -a page -d 'draw the pictures and write the page of results again'
complete -c sysbench-lab -n 'not __fish_seen_subcommand_from run plan find resume check show page compare verdict quickstart server examples version help' -a compare -d 'show results side by side'
complete -c sysbench-lab -n 'not __fish_seen_subcommand_from run plan find resume check show page compare verdict quickstart server examples version help' -a verdict -d 'say whether an arm is worse than the baseline'
complete -c sysbench-lab -n 'not __fish_seen_subcommand_from run plan find resume check show page compare verdict quickstart server examples version help' -a quickstart -d 'create an index in the middle of a run; compare two schedulers'
complete -c sysbench-lab -n 'not __fish_seen_subcommand_from run plan find resume check show page compare verdict quickstart server examples version help' -a server -d 'start, stop, restart and describe a private server'
complete -c sysbench-lab -n 'not __fish_seen_subcommand_from run plan find resume check show page compare verdict quickstart server examples version help' -a examples -d 'list the examples, or print one'
complete -c sysbench-lab -n 'not __fish_seen_subcommand_from run plan find resume check show page compare verdict quickstart server examples version help' -a version -d 'print the version'
complete -c sysbench-lab -n 'not __fish_seen_subcommand_from run plan find resume check show page compare verdict quickstart server examples version help' -a help -d 'print help, of a command if one is named'
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -F
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -a 'allocators change-at-mid-run constant-rate constant-rate-far flat-out highest-rate off-cpu two-load-hosts until-known workloads'
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l help -d 'show this help message and exit'
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l set -d 'set any key of the file' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l vary -d 'vary a setting' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l script -d 'the test: a bundled script, a path, a built-in test' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l threads -d 'numbers of connections [1]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l tx-rate -d 'transactions per second; 0: no limit [0]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l tables -d 'number of tables [the test\'s: 1]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l table-size -d 'rows of each table [the test\'s: 10000]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l engine -d 'private server: mysql, postgresql [mariadb]' -r -a 'mariadb mysql postgresql'
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l hosts -d 'load hosts, the leader first: \'local,ssh load2\'' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l load-hosts -d 'numbers of load hosts to use [all]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l time -d 'time of each run [30]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l warmup -d 'warm-up before each run [5]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l repeats -d 'number of runs of each cell [5]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l until -d 'end when differences are known to \'5 %\'' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l budget -d 'begin no round that would not end within 20m' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l order -d 'blocks, abba, shuffle or written [blocks]' -r -a 'blocks abba shuffle written'
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l seed -d 'seed of the order and of the bootstrap [1]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l slo -d 'objective of a search: \'p99<20ms\'' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l name -d 'name of experiment and results directory [the test]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l results -d 'new directory for the results [results/NAME-DATE]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l plain -d 'progress as lines, no bar'
complete -c sysbench-lab -n '__fish_seen_subcommand_from run' -l find-max-rate -d 'the same as the command find'
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -F
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -a 'allocators change-at-mid-run constant-rate constant-rate-far flat-out highest-rate off-cpu two-load-hosts until-known workloads'
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l help -d 'show this help message and exit'
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l set -d 'set any key of the file' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l vary -d 'vary a setting' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l script -d 'the test: a bundled script, a path, a built-in test' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l threads -d 'numbers of connections [1]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l tx-rate -d 'transactions per second; 0: no limit [0]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l tables -d 'number of tables [the test\'s: 1]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l table-size -d 'rows of each table [the test\'s: 10000]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l engine -d 'private server: mysql, postgresql [mariadb]' -r -a 'mariadb mysql postgresql'
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l hosts -d 'load hosts, the leader first: \'local,ssh load2\'' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l load-hosts -d 'numbers of load hosts to use [all]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l time -d 'time of each run [30]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l warmup -d 'warm-up before each run [5]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l repeats -d 'number of runs of each cell [5]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l until -d 'end when differences are known to \'5 %\'' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l budget -d 'begin no round that would not end within 20m' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l order -d 'blocks, abba, shuffle or written [blocks]' -r -a 'blocks abba shuffle written'
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l seed -d 'seed of the order and of the bootstrap [1]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l slo -d 'objective of a search: \'p99<20ms\'' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l name -d 'name of experiment and results directory [the test]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l results -d 'new directory for the results [results/NAME-DATE]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l plain -d 'progress as lines, no bar'
complete -c sysbench-lab -n '__fish_seen_subcommand_from plan' -l find-max-rate -d 'the same as the command find'
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -F
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -a 'allocators change-at-mid-run constant-rate constant-rate-far flat-out highest-rate off-cpu two-load-hosts until-known workloads'
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l help -d 'show this help message and exit'
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l set -d 'set any key of the file' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l vary -d 'vary a setting' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l script -d 'the test: a bundled script, a path, a built-in test' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l threads -d 'numbers of connections [1]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l tx-rate -d 'transactions per second; 0: no limit [0]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l tables -d 'number of tables [the test\'s: 1]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l table-size -d 'rows of each table [the test\'s: 10000]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l engine -d 'private server: mysql, postgresql [mariadb]' -r -a 'mariadb mysql postgresql'
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l hosts -d 'load hosts, the leader first: \'local,ssh load2\'' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l load-hosts -d 'numbers of load hosts to use [all]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l time -d 'time of each run [30]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l warmup -d 'warm-up before each run [5]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l repeats -d 'number of runs of each cell [5]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l until -d 'end when differences are known to \'5 %\'' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l budget -d 'begin no round that would not end within 20m' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l order -d 'blocks, abba, shuffle or written [blocks]' -r -a 'blocks abba shuffle written'
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l seed -d 'seed of the order and of the bootstrap [1]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l slo -d 'objective of a search: \'p99<20ms\'' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l name -d 'name of experiment and results directory [the test]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l results -d 'new directory for the results [results/NAME-DATE]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from find' -l plain -d 'progress as lines, no bar'
complete -c sysbench-lab -n '__fish_seen_subcommand_from resume' -a '(__fish_complete_directories)'
complete -c sysbench-lab -n '__fish_seen_subcommand_from resume' -l help -d 'show this help message and exit'
complete -c sysbench-lab -n '__fish_seen_subcommand_from resume' -l failed -d 'also measure again the runs that failed'
complete -c sysbench-lab -n '__fish_seen_subcommand_from resume' -l disturbed -d 'also measure again the runs that were disturbed'
complete -c sysbench-lab -n '__fish_seen_subcommand_from resume' -l repeats -d 'measure N rounds in all' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from resume' -l until -d 'measure until differences are known to \'5 %\'' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from resume' -l anyway -d 'go on with another machine, kernel, server or sysbench'
complete -c sysbench-lab -n '__fish_seen_subcommand_from resume' -l plain -d 'progress as lines, no bar'
complete -c sysbench-lab -n '__fish_seen_subcommand_from check' -l help -d 'show this help message and exit'
complete -c sysbench-lab -n '__fish_seen_subcommand_from show' -a '(__fish_complete_directories)'
complete -c sysbench-lab -n '__fish_seen_subcommand_from show' -l help -d 'show this help message and exit'
complete -c sysbench-lab -n '__fish_seen_subcommand_from show' -l plot -d 'draw a figure in the terminal'
complete -c sysbench-lab -n '__fish_seen_subcommand_from page' -a '(__fish_complete_directories)'
complete -c sysbench-lab -n '__fish_seen_subcommand_from page' -l help -d 'show this help message and exit'
complete -c sysbench-lab -n '__fish_seen_subcommand_from compare' -F
complete -c sysbench-lab -n '__fish_seen_subcommand_from compare' -l help -d 'show this help message and exit'
complete -c sysbench-lab -n '__fish_seen_subcommand_from compare' -l against -d 'the base; the other results are repeats of one side'
complete -c sysbench-lab -n '__fish_seen_subcommand_from compare' -l control -d 'the base measured again: changes must exceed its own'
complete -c sysbench-lab -n '__fish_seen_subcommand_from compare' -l style -d 'text, markdown, html or junit' -r -a 'text markdown html'
complete -c sysbench-lab -n '__fish_seen_subcommand_from compare' -l fail-if -d 'exit with status 3 if it holds, 4 if by chance: \'p99>+5%\'' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from compare' -l junit -d 'write the conditions as JUnit\'s XML' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from compare' -l markdown -d 'write it as Markdown; - is standard output' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from compare' -l history -d 'add a line for each cell to a CSV file' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from verdict' -a '(__fish_complete_directories)'
complete -c sysbench-lab -n '__fish_seen_subcommand_from verdict' -l help -d 'show this help message and exit'
complete -c sysbench-lab -n '__fish_seen_subcommand_from verdict' -l figures -d 'columns of runs.csv to compare' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from verdict' -l margin -d 'change that does not matter' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from verdict' -l control -d 'arm that is the baseline again: changes must exceed its own' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from verdict' -l fail-if -d 'exit with status 3 if it holds, 4 if by chance: \'p99>+5%\'' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from verdict' -l junit -d 'write the conditions as JUnit\'s XML' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from verdict' -l markdown -d 'write it as Markdown; - is standard output' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from verdict' -l history -d 'add a line for each cell to a CSV file' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l help -d 'show this help message and exit'
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l full -d 'instead of a short comparison the one of 1 to 2,048 connections, in half an hour'
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l set -d 'set any key of the file' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l vary -d 'vary a setting' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l script -d 'the test: a bundled script, a path, a built-in test' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l threads -d 'numbers of connections [1]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l tx-rate -d 'transactions per second; 0: no limit [0]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l tables -d 'number of tables [the test\'s: 1]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l table-size -d 'rows of each table [the test\'s: 10000]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l engine -d 'private server: mysql, postgresql [mariadb]' -r -a 'mariadb mysql postgresql'
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l hosts -d 'load hosts, the leader first: \'local,ssh load2\'' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l load-hosts -d 'numbers of load hosts to use [all]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l time -d 'time of each run [30]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l warmup -d 'warm-up before each run [5]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l repeats -d 'number of runs of each cell [5]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l until -d 'end when differences are known to \'5 %\'' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l budget -d 'begin no round that would not end within 20m' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l order -d 'blocks, abba, shuffle or written [blocks]' -r -a 'blocks abba shuffle written'
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l seed -d 'seed of the order and of the bootstrap [1]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l slo -d 'objective of a search: \'p99<20ms\'' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l name -d 'name of experiment and results directory [the test]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l results -d 'new directory for the results [results/NAME-DATE]' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from quickstart' -l plain -d 'progress as lines, no bar'
complete -c sysbench-lab -n '__fish_seen_subcommand_from server' -l help -d 'show this help message and exit'
complete -c sysbench-lab -n '__fish_seen_subcommand_from examples' -a 'allocators change-at-mid-run constant-rate constant-rate-far flat-out highest-rate off-cpu two-load-hosts until-known workloads'
complete -c sysbench-lab -n '__fish_seen_subcommand_from examples' -l help -d 'show this help message and exit'
complete -c sysbench-lab -n '__fish_seen_subcommand_from examples' -l copy -d 'copy the examples, or the named one, into DIR' -r
complete -c sysbench-lab -n '__fish_seen_subcommand_from version' -l help -d 'show this help message and exit'
complete -c sysbench-lab -n '__fish_seen_subcommand_from help' -a 'run plan find resume check show page compare verdict quickstart server examples version'
complete -c sysbench-lab -n '__fish_seen_subcommand_from help' -l help -d 'show this help message and exit'
