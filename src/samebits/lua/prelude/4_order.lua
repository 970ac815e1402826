-- Order: pairs and next go through sorted keys, and table.sort is stable.
local RANKS = { number = 1, string = 2, boolean = 3 }

-- Whether string a stands before b by bytes, which `<` decides by the locale.
local function before_in_bytes(a, b)
    local most = #a < #b and #a or #b
    local at = 1
    while at <= most do
        local x, y = byte(a, at), byte(b, at)
        if x ~= y then return x < y end
        at = at + 1
    end
    return #a < #b
end

local function key_before(a, b)
    local ta, tb = type(a), type(b)
    if ta ~= tb then return RANKS[ta] < RANKS[tb] end
    if ta == "number" then return a < b end
    if ta == "string" then return before_in_bytes(a, b) end
    return b and not a
end

local function check_key(key, name)
    if not RANKS[type(key)] then
        blame(format("%s meets a %s as a key, whose order is by address: use a number or a string, "
            .. "such as an id", name, type(key)))
    end
end

-- Merge sort of items[1..n]: equal elements keep their order, and the comparator's calls follow
-- from the items alone.
local function merge_sort(items, n, before)
    local from, to, width = items, {}, 1
    while width < n do
        local at = 1
        while at <= n do
            local middle, last = at + width, at + 2 * width - 1
            if middle > n + 1 then middle = n + 1 end
            if last > n then last = n end
            local i, j, k = at, middle, at
            while i < middle and j <= last do
                if before(from[j], from[i]) then
                    to[k], j = from[j], j + 1
                else
                    to[k], i = from[i], i + 1
                end
                k = k + 1
            end
            while i < middle do to[k], i, k = from[i], i + 1, k + 1 end
            while j <= last do to[k], j, k = from[j], j + 1, k + 1 end
            at = last + 1
        end
        from, to, width = to, from, width * 2
    end
    return from
end

local function sorted_keys(t, name)
    local keys, n = {}, 0
    for key in next, t do
        check_key(key, name)
        n = n + 1
        keys[n] = key
    end
    return merge_sort(keys, n, key_before), n
end

local function expect_table(value, name)
    if type(value) ~= "table" then
        local got = value == nil and "no value" or type(value)
        blame(format("bad argument #1 to '%s' (table expected, got %s)", name, got))
    end
end

function env.pairs(t)
    local meta = natives.integers and getmetatable(t)
    local own = type(meta) == "table" and rawget(meta, "__pairs")
    if own then
        local step, state, first = own(t)
        return step, state, first
    end
    expect_table(t, "pairs")
    local keys, n = sorted_keys(t, "pairs")
    local at = 0
    return function()
        while at < n do
            at = at + 1
            local value = rawget(t, keys[at])
            if value ~= nil then return keys[at], value end
        end
        return nil
    end, t, nil
end

-- The least key above `key`.
function env.next(t, key)
    expect_table(t, "next")
    if key ~= nil then check_key(key, "next") end
    local found
    for other in next, t do
        check_key(other, "next")
        if (key == nil or key_before(key, other)) and (found == nil or key_before(other, found)) then
            found = other
        end
    end
    if found == nil then return nil end
    return found, rawget(t, found)
end

local function default_before(a, b)
    if type(a) == "string" and type(b) == "string" then return before_in_bytes(a, b) end
    return a < b
end

local table_out = {}
env.table = table_out
for _, name in ipairs({ "insert", "remove", "unpack", "pack", "move", "maxn" }) do
    table_out[name] = table[name]
end
table_out.unpack = unpack
if not natives.integers then env.unpack = unpack end

function table_out.sort(t, before)
    expect_table(t, "sort")
    local n = #t
    local items = {}
    for i = 1, n do items[i] = t[i] end
    if before == nil then
        before = default_before
    elseif type(before) ~= "function" then
        blame("bad argument #2 to 'sort' (function expected, got " .. type(before) .. ")")
    else
        for i = 1, n do
            if before(items[i], items[i]) then
                blame("invalid order function for sorting: it puts an element before itself")
            end
        end
    end
    local done = merge_sort(items, n, before)
    for i = 1, n do t[i] = done[i] end
end
