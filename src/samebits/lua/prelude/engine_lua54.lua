-- What the prelude needs of Lua 5.4 itself: bytes of numbers, and the generator's 64-bit words.
local natives = ...
local string_pack, string_unpack, mtype = string.pack, string.unpack, math.type
local CODES = {
    f64 = "<d", f32 = "<f", i8 = "<i1", u8 = "<I1", i16 = "<i2", u16 = "<I2", i32 = "<i4",
    u32 = "<I4", i64 = "<i8", u64 = "<i8",
}

natives.integers = true
function natives.put(kind, value) return string_pack(CODES[kind], value) end
function natives.get(kind, bytes, at) return (string_unpack(CODES[kind], bytes, at)) end
function natives.floor_divide(a, b) return a // b end
function natives.is_integer(value) return mtype(value) == "integer" end
function natives.to_integer(value) return math.tointeger(value) end

local s0, s1, s2, s3 = 0, 0, 0, 0

-- xoshiro256** (Blackman, Vigna), as Lua 5.4 has it: the upper and the lower 32 bits of a word.
function natives.random_next()
    local a, b, c, d = s0, s1, s2 ~ s0, s3 ~ s1
    local r = b * 5
    r = ((r << 7) | (r >> 57)) * 9
    s0, s1 = a ~ d, b ~ c
    s2 = c ~ (b << 17)
    s3 = (d << 45) | (d >> 19)
    return r >> 32, r & 0xffffffff
end

function natives.random_seed(n)
    s0, s1, s2, s3 = math.tointeger(n), 0xff, 0, 0
    for _ = 1, 16 do natives.random_next() end
end

function natives.random_state() return string_pack("<i8i8i8i8", s0, s1, s2, s3) end
function natives.set_random_state(bytes) s0, s1, s2, s3 = string_unpack("<i8i8i8i8", bytes) end
