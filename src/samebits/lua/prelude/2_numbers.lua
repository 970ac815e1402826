-- Numbers: `^`, `%` and math.* have one result everywhere.
local function metamethod(a, b, event)
    local found = getmetatable(a)
    found = type(a) ~= "string" and type(found) == "table" and rawget(found, event) or nil
    if found == nil then
        found = getmetatable(b)
        found = type(b) ~= "string" and type(found) == "table" and rawget(found, event) or nil
    end
    return found
end

-- The result of an operator for operands of which one is no number.
local function other_operands(a, b, event, operation)
    local x = type(a) == "string" and tonumber(a) or a
    local y = type(b) == "string" and tonumber(b) or b
    if type(x) == "number" and type(y) == "number" then return operation(x, y) end
    local found = metamethod(a, b, event)
    if found ~= nil then return (found(a, b)) end
    local odd = type(x) == "number" and b or a
    blame(format("attempt to perform arithmetic on a %s value", type(odd)))
end

local function real_power(x, y) return natives.pow(x * 1.0, y * 1.0) end
local function sb_pow(x, y)
    if type(x) == "number" and type(y) == "number" then return natives.pow(x * 1.0, y * 1.0) end
    return other_operands(x, y, "__pow", real_power)
end

-- The remainder that Lua 5.4 gives for floats, where LuaJIT's has other bits.
local function real_modulo(x, y)
    local m = natives.fmod(x, y)
    if (m > 0 and y < 0) or (m < 0 and y > 0) then m = m + y end
    return m
end
local function sb_mod(x, y)
    if type(x) == "number" and type(y) == "number" then return real_modulo(x, y) end
    return other_operands(x, y, "__mod", real_modulo)
end

-- The product, with the sign of a zero: LuaJIT has whole numbers within on some processors, where
-- 0 * -1 is 0.
local function real_product(x, y)
    local product = x * y
    if product ~= 0 then return product end
    return (x / 1) * (y / 1)
end
local function sb_mul(x, y)
    if type(x) == "number" and type(y) == "number" then return real_product(x, y) end
    return other_operands(x, y, "__mul", real_product)
end

local math_in, math_out = math, {}
env.math = math_out
for _, name in ipairs({ "abs", "ceil", "floor", "max", "min", "tointeger", "type", "ult" }) do
    math_out[name] = math_in[name]
end
math_out.pi, math_out.huge = 3.141592653589793, huge
math_out.maxinteger, math_out.mininteger = math_in.maxinteger, math_in.mininteger

for _, name in ipairs({ "sin", "cos", "tan", "asin", "acos", "exp", "sqrt", "sinh", "cosh", "tanh" }) do
    math_out[name] = function(x)
        if type(x) ~= "number" then x = number_of(x, 1, name) end
        return natives[name](x * 1.0)
    end
end

function math_out.atan(y, x)
    y = number_of(y, 1, "atan")
    if x == nil then return natives.atan(y * 1.0) end
    return natives.atan2(y * 1.0, number_of(x, 2, "atan") * 1.0)
end

function math_out.atan2(y, x)
    return natives.atan2(number_of(y, 1, "atan2") * 1.0, number_of(x, 2, "atan2") * 1.0)
end

function math_out.log(x, base)
    x = number_of(x, 1, "log") * 1.0
    if base == nil then return natives.log(x) end
    base = number_of(base, 2, "log")
    if base == 2 then return natives.log2(x) end
    if base == 10 then return natives.log10(x) end
    return natives.log(x) / natives.log(base * 1.0)
end

function math_out.log10(x) return natives.log10(number_of(x, 1, "log10") * 1.0) end
function math_out.pow(x, y)
    return natives.pow(number_of(x, 1, "pow") * 1.0, number_of(y, 2, "pow") * 1.0)
end
function math_out.deg(x) return number_of(x, 1, "deg") * (180.0 / 3.141592653589793) end
function math_out.rad(x) return number_of(x, 1, "rad") * (3.141592653589793 / 180.0) end

function math_out.fmod(x, y)
    x, y = number_of(x, 1, "fmod"), number_of(y, 2, "fmod")
    if natives.is_integer(x) and natives.is_integer(y) then
        if y == 0 then blame("bad argument #2 to 'fmod' (zero)") end
        return math_in.fmod(x, y)
    end
    return natives.fmod(x * 1.0, y * 1.0)
end

function math_out.modf(x)
    x = number_of(x, 1, "modf")
    if natives.is_integer(x) then return x, 0.0 end
    if is_nan(x) then return x, x end
    if x == huge or x == -huge then return x, 0.0 end
    if x == 0 then return x, x end
    local whole = (x >= 0 and floor(x) or -floor(-x)) * 1.0
    if whole == 0 then whole = x > 0 and 0.0 or -0.0 end
    local rest = x - whole
    if rest == 0 then rest = x > 0 and 0.0 or -0.0 end
    return whole, rest
end

if not natives.integers then -- LuaJIT's own
    math_out.mod = math_out.fmod
    math_out.frexp, math_out.ldexp = math_in.frexp, math_in.ldexp
end
