-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Options of the shop: other modules add theirs to the same table.

sysbench.cmdline.options = sysbench.cmdline.options or {}
local o = sysbench.cmdline.options
o.warehouses = {"number of warehouses", 2}
o.items = {"items in each", 20}
o["order-lines"] = {"lines of an order", 3}
o.mix = {"weights of order, payment and stock level", {"45", "43", "12"}}
o["use-fk"] = {"foreign keys", true}
