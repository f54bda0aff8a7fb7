# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests/mutation/run is made of. Standard library only.

source.py    which changes a C file offers
build.py     a copy of the source tree, built: compile a changed file
programs.py  unit tests: link one with a changed file, run it
judge.py     the verdict on a mutant
main.py      command line, table
*_test.py    their tests: tests/mutation/run --self-test
"""
