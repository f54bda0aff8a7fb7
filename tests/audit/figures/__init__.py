# SPDX-License-Identifier: GPL-2.0-or-later
"""The audit of figures: see README.md one directory up."""
