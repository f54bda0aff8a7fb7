-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- An event that does nothing: reports without a database.

function event()
end
