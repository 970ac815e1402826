-- samebits' rules for a Lua state. The parts of this prelude are one chunk, which takes what the
-- host gives it and returns what the host calls. Scripts see the environment `env` alone.
local natives = ...
local type, error, select, rawget, rawset, rawequal = type, error, select, rawget, rawset, rawequal
local next, tostring, tonumber, setmetatable, getmetatable = next, tostring, tonumber, setmetatable, getmetatable
local real_pcall, real_xpcall, unpack = pcall, xpcall, table.unpack or unpack
local concat, floor, string, coroutine, debug = table.concat, math.floor, string, coroutine, debug
local load, format, byte, sub, find, rep = load, string.format, string.byte, string.sub, string.find, string.rep
local huge = math.huge
local env = {}

-- The reason why the script is being stopped, which no pcall of it catches.
local stopped = nil

-- Raise an error at the script's line: the innermost that is none of the prelude's.
local function blame(text)
    local level = 2
    while true do
        local at = debug.getinfo(level, "Sl")
        if at == nil then error(text, 0) end
        if at.currentline > 0 and sub(at.short_src, 1, 16) ~= "samebits prelude" then
            error(format("%s:%d: %s", at.short_src, at.currentline, text), 0)
        end
        level = level + 1
    end
end

local function is_nan(x) return x ~= x end

-- A number for a function of numbers, as luaL_checknumber takes it.
local function number_of(value, position, name)
    local number = type(value) == "number" and value or (type(value) == "string" and tonumber(value))
    if not number then
        local got = value == nil and "no value" or type(value)
        blame(format("bad argument #%d to '%s' (number expected, got %s)", position, name, got))
    end
    return number
end
