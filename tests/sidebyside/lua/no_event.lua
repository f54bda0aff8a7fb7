-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- No event function.

function init()
   print("init ran")
end
