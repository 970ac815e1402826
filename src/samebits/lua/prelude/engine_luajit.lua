-- What the prelude needs of LuaJIT itself: bytes of numbers, and the generator's 64-bit words.
local natives = ...
local ffi = require("ffi")
local bit = require("bit")
local bxor, bor, lshift, rshift = bit.bxor, bit.bor, bit.lshift, bit.rshift
local C_TYPES = {
    f64 = "double", f32 = "float", i8 = "int8_t", u8 = "uint8_t", i16 = "int16_t",
    u16 = "uint16_t", i32 = "int32_t", u32 = "uint32_t", i64 = "int64_t", u64 = "uint64_t",
}
local cells = {}
for kind, name in pairs(C_TYPES) do cells[kind] = ffi.new(name .. "[1]") end
local swapped = not ffi.abi("le")

natives.integers = false
function natives.put(kind, value)
    cells[kind][0] = value
    local bytes = ffi.string(cells[kind], ffi.sizeof(cells[kind]))
    return swapped and bytes:reverse() or bytes
end

function natives.get(kind, bytes, at)
    local cell = cells[kind]
    local part = bytes:sub(at, at + ffi.sizeof(cell) - 1)
    ffi.copy(cell, swapped and part:reverse() or part, ffi.sizeof(cell))
    return tonumber(cell[0])
end

function natives.is_integer() return false end
function natives.to_integer(value) return value end

-- C functions that are given by their addresses.
if natives.addresses then
    local forms = { "double(*)(double)", "double(*)(double, double)" }
    for name, given in pairs(natives.addresses) do
        local call = ffi.cast(forms[given.arity], given.address)
        natives[name] = given.arity == 1 and function(x) return call(x) end
            or function(x, y) return call(x, y) end
    end
end

-- The host's writer of numbers, which takes their bytes.
if natives.write_bytes then
    function natives.write(form, value) return natives.write_bytes(form, natives.put("f64", value)) end
end

local words = ffi.new("uint64_t[4]")

-- xoshiro256** (Blackman, Vigna), as Lua 5.4 has it: the upper and the lower 32 bits of a word.
function natives.random_next()
    local a, b, c, d = words[0], words[1], bxor(words[2], words[0]), bxor(words[3], words[1])
    local r = b * 5
    r = bor(lshift(r, 7), rshift(r, 57)) * 9
    words[0], words[1] = bxor(a, d), bxor(b, c)
    words[2] = bxor(c, lshift(b, 17))
    words[3] = bor(lshift(d, 45), rshift(d, 19))
    return tonumber(rshift(r, 32)), tonumber(r % 4294967296ULL)
end

function natives.random_seed(n)
    words[0], words[1], words[2], words[3] = ffi.cast("int64_t", n), 0xff, 0, 0
    for _ = 1, 16 do natives.random_next() end
end

local function word(at)
    local lower = tonumber(words[at] % 4294967296ULL)
    return natives.put("u32", lower) .. natives.put("u32", tonumber(rshift(words[at], 32)))
end

function natives.random_state() return word(0) .. word(1) .. word(2) .. word(3) end
function natives.set_random_state(bytes)
    for n = 0, 3 do
        local upper = ffi.cast("uint64_t", natives.get("u32", bytes, n * 8 + 5))
        words[n] = lshift(upper, 32) + natives.get("u32", bytes, n * 8 + 1)
    end
end
