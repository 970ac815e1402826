-- math.random: Lua 5.4's generator and ranges in every engine, seeded by the host. Its state is
-- part of the simulation's.
local two32 = 4294967296

-- A whole number from 0 to n, which is below 2^53: the low bits of a word, words beyond n left out.
local function below(upper, lower, n)
    local limit = 1
    while limit <= n do limit = limit * 2 end
    while true do
        local found
        if limit <= two32 then
            found = lower % limit
        else
            found = (upper % floor(limit / two32)) * two32 + lower
        end
        if found <= n then return found end
        upper, lower = natives.random_next()
    end
end

local function whole(value, position)
    local number = number_of(value, position, "random")
    if number ~= floor(number) or is_nan(number) then
        blame(format("bad argument #%d to 'random' (number has no integer representation)", position))
    end
    return number
end

function math_out.random(...)
    local upper, lower = natives.random_next()
    local count = select("#", ...)
    if count == 0 then
        return (upper * 2097152 + floor(lower / 2048)) * (0.5 / 4503599627370496.0)
    end
    local first, last = 1, nil
    if count == 1 then
        last = whole((...), 1)
    elseif count == 2 then
        first, last = whole((...), 1), whole((select(2, ...)), 2)
    else
        blame("wrong number of arguments")
    end
    if first > last then
        blame(format("bad argument #%d to 'random' (interval is empty)", count))
    end
    local width = last - first
    if width < 0 or width >= 9007199254740992 or first < -9007199254740992 then
        blame("bad argument #1 to 'random' (an interval of more than 2^53 numbers)")
    end
    local found = below(upper, lower, width) + first
    return natives.integers and natives.to_integer(found) or found
end

function math_out.randomseed(seed, ...)
    if seed == nil then
        blame("math.randomseed() would take its seed from the clock: give one, or leave it to the host")
    end
    seed = number_of(seed, 1, "randomseed")
    if seed ~= floor(seed) or seed < -9007199254740992 or seed > 9007199254740992 then
        blame("bad argument #1 to 'randomseed' (a whole number up to 2^53 is needed)")
    end
    natives.random_seed(seed)
end
