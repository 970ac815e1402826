-- Values between script and host, as bytes: no number passes through another form.
local put, get = natives.put, natives.get
local MOST_DEPTH = 64

local function pack_value(value, parts, depth)
    local kind, n = type(value), #parts
    if kind == "nil" then
        parts[n + 1] = "z"
    elseif kind == "boolean" then
        parts[n + 1] = value and "t" or "f"
    elseif natives.is_integer(value) then
        parts[n + 1], parts[n + 2] = "i", put("i64", value)
    elseif kind == "number" then
        parts[n + 1], parts[n + 2] = "d", is_nan(value) and "\0\0\0\0\0\0\248\127" or put("f64", value)
    elseif kind == "string" then
        parts[n + 1], parts[n + 2], parts[n + 3] = "s", put("u32", #value), value
    elseif kind == "table" then
        if depth >= MOST_DEPTH then error("a table for the host is nested too deeply, or holds itself", 0) end
        local keys, count = sorted_keys(value, "a table for the host")
        parts[n + 1], parts[n + 2] = "{", put("u32", count)
        for i = 1, count do
            pack_value(keys[i], parts, depth + 1)
            pack_value(rawget(value, keys[i]), parts, depth + 1)
        end
    else
        error(format("a %s cannot be given to the host", kind), 0)
    end
end

local function packed(...)
    local parts = {}
    for i = 1, select("#", ...) do pack_value((select(i, ...)), parts, 0) end
    return concat(parts)
end

local function unpack_value(bytes, at)
    local tag = sub(bytes, at, at)
    at = at + 1
    if tag == "z" then return nil, at end
    if tag == "t" then return true, at end
    if tag == "f" then return false, at end
    if tag == "i" then return get("i64", bytes, at), at + 8 end
    if tag == "d" then return get("f64", bytes, at), at + 8 end
    if tag == "s" then
        local length = get("u32", bytes, at)
        return sub(bytes, at + 4, at + 3 + length), at + 4 + length
    end
    local made, key, value = {}, nil, nil
    local count = get("u32", bytes, at)
    at = at + 4
    for _ = 1, count do
        key, at = unpack_value(bytes, at)
        value, at = unpack_value(bytes, at)
        made[key] = value
    end
    return made, at
end

local function unpacked(bytes, count)
    local values, at = {}, 1
    for i = 1, count do values[i], at = unpack_value(bytes, at) end
    return unpack(values, 1, count)
end

-- A function of the host under a name of the environment: `call` takes and gives bytes.
local function provide(name, call)
    env[name] = function(...)
        local answer = call(packed(...), select("#", ...))
        if byte(answer, 1) == 33 then blame(sub(answer, 2)) end
        return (unpack_value(answer, 1))
    end
end
