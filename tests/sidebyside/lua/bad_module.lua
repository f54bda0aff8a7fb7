-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A module whose error is a table.

error({})
