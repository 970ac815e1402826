-- All that a script can do with numbers, order and texts, digested: the same on every machine of an
-- engine. Lua 5.4's whole numbers have other texts than LuaJIT's floats.
local game = { state = "{digest:u32[10] far:f64[4]}", input = "{push:f64}" }

local digest

local function take(n, text)
    local h = digest[n]
    for i = 1, #text do h = (h * 33 + string.byte(text, i)) % 4294967296 end
    digest[n] = h
end

function game.init(state)
    state.digest = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }
    state.far = { 0, 0, 0, 0 }
end

-- A number of any size, subnormal ones among them.
local function number()
    local x = (math.random() - 0.5) * 2.0 ^ math.random(-60, 60)
    local way = math.random(12)
    if way == 1 then return x * 1e-290 * 1e-15 end
    if way == 2 then return x * 1e280 end
    if way == 3 then return math.floor(x) end
    if way == 4 then return 0.0 * (x < 0 and -1 or 1) end
    if way == 5 then return (x < 0 and -1 or 1) / 0 end
    if way == 6 then return 0 / 0 end
    return x
end

local ONE = { "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sqrt", "sinh", "cosh", "tanh",
    "floor", "ceil", "abs", "deg", "rad", "modf" }

local function functions(x, y)
    for _, name in ipairs(ONE) do
        local whole = name == "floor" or name == "ceil"
        if not whole or math.abs(x) < 2 ^ 53 then
            take(1, name .. string.format(" %.17g", math[name](x)))
        end
    end
    for _, value in ipairs({ math.atan(x, y), x ^ y, math.abs(x) ^ 0.5, math.log(x, 2), math.log(x, 10),
        math.log(x, 3), math.fmod(x, y ~= 0 and y or 1.5), math.max(x, 0.25), math.min(x, 0.25) }) do
        take(2, string.format("%.17g ", value))
    end
end

local function operators(x, y)
    for _, value in ipairs({ x + y, x - y, x * y, x / y, x % (y ~= 0 and y or 0.75), -x, x * 1e-300, y ^ 2, 2 ^ y, x ^ -1 }) do
        take(3, string.format("%.17g ", value))
    end
    take(3, tostring(x < y) .. tostring(x <= y) .. tostring(x == y) .. tostring(x ~= x))
end

local function texts(x, y)
    take(4, tostring(x) .. " " .. y .. " " .. -x)
    take(5, string.format("%.14g %5.2f %e %G %10.3g|%-12.1f|%+.3e %.0f", x, y, x, y, x, y, x, y))
    take(5, string.format("%d %x %5d %q %s", math.random(1000), math.random(1000), -7, "a\nb\0c", x))
    take(6, tostring(tonumber(tostring(x))) .. tostring(tonumber(string.format("%.17g", y)) == y))
    take(6, tostring(tonumber("0x" .. string.format("%x", math.random(65535)))) .. tostring(tonumber(" 12e-3 ")))
    take(6, table.concat({ x, y, 1, "z" }, ";"))
    take(7, string.gsub(tostring(x), "%d", { ["1"] = "one", ["2"] = "two" }))
    take(7, ("Straße"):upper() .. ("ÀB"):lower() .. ("x"):rep(3, "-") .. #tostring(y))
    take(7, tostring(string.find(tostring(x), "e", 1, true)) .. tostring(string.match("a1b22", "%a(%d+)$")))
end

local function order(x)
    local t, keys = {}, {}
    for i = 1, 20 do
        local key = math.random(5) == 1 and math.random() or string.char(96 + math.random(26), 64 + math.random(60))
        t[key] = i
    end
    t[true], t[-3], t[0.5] = 1, 2, 3
    for key, value in pairs(t) do keys[#keys + 1] = tostring(key) .. "=" .. value end
    take(8, table.concat(keys, " ") .. tostring(next(t)))
    local list = {}
    for i = 1, 130 do list[i] = { key = math.random(9), at = i } end
    table.sort(list, function(a, b) return a.key < b.key end)
    for _, each in ipairs(list) do take(9, each.key .. ":" .. each.at .. ",") end
    local words = { "b", "B", "a", "ä", "", "ab" }
    table.sort(words)
    take(9, table.concat(words, " "))
end

local function control(x)
    local ok, problem = pcall(function() return x .. {} end)
    take(10, tostring(ok) .. tostring(problem))
    take(10, select(2, pcall(error, { code = 1 })).code .. tostring(select(2, pcall(math.sin))))
    local walk = coroutine.wrap(function(n)
        while true do n = coroutine.yield(n ^ 1.5) end
    end)
    take(10, string.format("%.17g %.17g", walk(2.5), walk(3.5)))
    for i = 0.1, 1, 0.1 do take(10, string.format("%.17g", i)) end
end

function game.step(state, inputs)
    digest = state.digest
    local x, y = number(), number()
    functions(x, y)
    operators(x, y)
    texts(x, y)
    order(x)
    control(x)
    local far = state.far
    for i = 1, 4 do
        far[i] = far[i] * 0.97 + math.sin(far[i % 4 + 1] + i * inputs[1].push) ^ 3 + math.random()
    end
end

return game
