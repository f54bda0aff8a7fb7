-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- An error at the top level.

error("not today")
