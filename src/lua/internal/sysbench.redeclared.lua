-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Declarations that a script repeats.  ffi.cdef() accepts a function or an opaque type any number
-- of times, but refuses a second enum with the same names, and makes of a second struct another
-- type, which our functions do not accept.  So a declaration that equals ours is removed from the
-- script's text: a
--
--     typedef struct { ... } name;        typedef enum { ... } name;
--
-- without a tag that means the same as ours of that name, whatever its blanks, comments and
-- explicit enum values.  Everything else is left to FFI.
--
-- Gets our declarations, returns the function that takes them out of a text.

local ours = ...

local function blanks(text)
   return (text:gsub("[^\n]", " "))
end

-- The text with blanks for its comments.
local function without_comments(text)
   local parts, at = {}, 1
   local first = text:find("/[/*]")

   while first do
      local line = text:sub(first + 1, first + 1) == "/"
      local last = select(2, text:find(line and "[^\n]*" or "%*/", first + 2)) or #text
      parts[#parts + 1] = text:sub(at, first - 1) .. blanks(text:sub(first, last))
      at = last + 1
      first = text:find("/[/*]", at)
   end
   return table.concat(parts) .. text:sub(at)
end

-- "A,B=3,C," as "A=0,B=3,C=4,"; nil: a value is no number.
local function explicit(list)
   local value, items = 0, {}

   for item in (list:gsub(",$", "") .. ","):gmatch("([^,]*),") do
      local name, equals, number = item:match("^([^=]*)(=?)(.*)$")
      if equals ~= "" then
         local whole = number:find("^[-+]?0[xX]%x+$") or number:find("^[-+]?%d+$")
         value = whole and tonumber(number, number:find("^[-+]?0%d") and 8 or nil)
         if not value then
            return nil
         end
      end
      items[#items + 1] = ("%s=%d"):format(name, value)
      value = value + 1
   end
   return table.concat(items, ",")
end

-- The form in which two declarations without comments are compared: a blank only where it parts two
-- words, each value of an enum explicit.  nil: it is not of the kind that can be alike.
local function normal_form(text)
   text = text:gsub("%s+", " "):gsub("([^%w_]) ", "%1"):gsub(" ([^%w_])", "%1"):gsub("^ ", "")
   local list, name = text:match("^typedef enum{(.*)}(.*)$")
   local items = list and explicit(list)

   return items and items .. "}" .. name or text:match("^typedef struct{.*")
end

-- Begin, end and normal form of each declaration, up to and with a semicolon outside of braces.
local function declarations(text)
   local plain = without_comments(text)
   local outside = plain:gsub("%b{}", function(braces) return ("{"):rep(#braces) end)

   return coroutine.wrap(function()
      for first, last in outside:gmatch("()[^;]*;()") do
         coroutine.yield(first, last - 1, normal_form(plain:sub(first, last - 1)))
      end
   end)
end

local known = {}
for _, _, form in declarations(ours) do
   if form then
      known[form] = true
   end
end

return function(text)
   local parts, at = {}, 1

   for first, last, form in declarations(text) do
      if form and known[form] then
         parts[#parts + 1] = text:sub(at, first - 1) .. blanks(text:sub(first, last))
         at = last + 1
      end
   end
   return table.concat(parts) .. text:sub(at)
end
