# SPDX-License-Identifier: GPL-2.0-or-later
"""The server under test.

target.py   what all kinds have in common, and one that is only used; make() chooses the kind;
            libraries for LD_PRELOAD
"""
