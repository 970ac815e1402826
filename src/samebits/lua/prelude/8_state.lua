-- State by its layout: tables that hold exactly what the layout tells, as canonical bytes.
-- A type is a scalar's name, {"array", length, type} or {"struct", name, type, name, type, …}.
local RANGES = {
    i8 = { -128, 127 }, u8 = { 0, 255 }, i16 = { -32768, 32767 }, u16 = { 0, 65535 },
    i32 = { -2147483648, 2147483647 }, u32 = { 0, 4294967295 },
}
local EXACT = 9007199254740992
local CANONICAL = { f64 = "\0\0\0\0\0\0\248\127", f32 = "\0\0\192\127" }

local function odd(path, value, wanted)
    local said = type(value)
    if said == "number" or said == "boolean" or said == "nil" then said = text_of(value) end
    if type(value) == "string" then said = "a text" end
    error(format("%s is %s, where %s is needed", path, said, wanted), 0)
end

-- The value as its place holds it, and its bytes.
local function settled(kind, value, path)
    if kind == "bool" then
        if type(value) ~= "boolean" then odd(path, value, "true or false") end
        return value, value and "\1" or "\0"
    end
    if type(value) ~= "number" then odd(path, value, "a number (" .. kind .. ")") end
    if CANONICAL[kind] then
        if is_nan(value) then return value, CANONICAL[kind] end
        local bytes = put(kind, value)
        return get(kind, bytes, 1), bytes
    end
    local whole = value
    if not natives.is_integer(value) then
        if value ~= floor(value) or is_nan(value) then odd(path, value, "a whole number (" .. kind .. ")") end
        if value < -EXACT or value > EXACT then odd(path, value, "a whole number up to 2^53") end
        whole = natives.to_integer(value)
    end
    local range = RANGES[kind]
    if range and (whole < range[1] or whole > range[2]) then
        odd(path, value, format("%s, from %.0f to %.0f,", kind, range[1], range[2]))
    end
    if kind == "u64" and not natives.integers and whole < 0 then odd(path, value, "u64") end
    if whole == 0 and not natives.integers then whole = 0 end
    return whole, put(kind, whole)
end

local function settle(t, place, key, path, parts)
    local value = rawget(place, key)
    if type(t) == "string" then
        local kept, bytes = settled(t, value, path)
        if not rawequal(kept, value) or kept == 0 then rawset(place, key, kept) end
        parts[#parts + 1] = bytes
        return
    end
    if type(value) ~= "table" then odd(path, value, "a table") end
    local known = 0
    if t[1] == "array" then
        for i = 1, t[2] do settle(t[3], value, i, path .. "[" .. i .. "]", parts) end
        known = t[2]
    else
        for i = 2, #t, 2 do
            settle(t[i + 1], value, t[i], path .. "." .. t[i], parts)
            known = known + 1
        end
    end
    local count = 0
    for _ in next, value do count = count + 1 end
    if count ~= known then
        local names = {}
        if t[1] == "array" then
            for i = 1, t[2] do names[i] = true end
        else
            for i = 2, #t, 2 do names[t[i]] = true end
        end
        local keys, n = sorted_keys(value, path)
        for i = 1, n do
            if not names[keys[i]] then
                error(format("%s has %s, which its layout does not: what no layout tells is not in the "
                    .. "hash, nor in a saved state", path, text_of(keys[i])), 0)
            end
        end
    end
end

local function size_of(t)
    if t == "bool" then return 1 end
    if type(t) == "string" then return tonumber(sub(t, 2)) / 8 end
    if t[1] == "array" then return t[2] * size_of(t[3]) end
    local total = 0
    for i = 2, #t, 2 do total = total + size_of(t[i + 1]) end
    return total
end

-- The value in bytes from `at` on; tables that are there already are filled.
local function filled(t, bytes, at, old)
    if t == "bool" then return byte(bytes, at) ~= 0, at + 1 end
    if type(t) == "string" then
        local value = get(t, bytes, at)
        if not natives.integers and (t == "i64" or t == "u64") and (value < -EXACT or value > EXACT) then
            error("a whole number beyond 2^53 has no number in LuaJIT", 0)
        end
        return value, at + tonumber(sub(t, 2)) / 8
    end
    local made = type(old) == "table" and old or {}
    if t[1] == "array" then
        for i = 1, t[2] do made[i], at = filled(t[3], bytes, at, made[i]) end
    else
        for i = 2, #t, 2 do made[t[i]], at = filled(t[i + 1], bytes, at, made[t[i]]) end
    end
    return made, at
end

local state_types = {}
local function type_of_text(text)
    if not state_types[text] then state_types[text] = load("return " .. text, "=layout", "t", {})() end
    return state_types[text]
end

local function state_bytes(text, name, value)
    local parts = {}
    settle(type_of_text(text), { [name] = value }, name, name, parts)
    return concat(parts)
end
