# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of readers/ read; not installed."""
