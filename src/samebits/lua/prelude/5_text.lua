-- Text: what would hold an address, or differ by C library or locale, is refused or made one.
local string_out = {}
env.string = string_out
for _, name in ipairs({ "byte", "char", "find", "gmatch", "gsub", "len", "match", "rep", "reverse", "sub" }) do
    string_out[name] = string[name]
end

-- A number's text. LuaJIT's own writer rounds otherwise by version, and has wrong digits in some.
local write = natives.write
local function number_text(value)
    if is_nan(value) then return "nan" end
    if not write or value == huge or value == -huge then return tostring(value) end
    if value == floor(value) and value > -1e14 and value < 1e14 then return tostring(value) end
    return write("%.14g", value)
end

local function plain(value) return type(value) == "number" and number_text(value) or value end

if write then -- these take numbers as texts, up to the parameter of that number
    local function texts(name, count)
        local inner = string[name]
        string_out[name] = function(a, b, c, ...)
            local n = select("#", ...)
            if b == nil and c == nil and n == 0 then return inner(plain(a)) end
            if count > 1 then b = plain(b) end
            if count > 2 then
                c = plain(c)
                if type(c) == "function" then
                    local f = c
                    c = function(...) return plain((f(...))) end
                elseif type(c) == "table" then
                    local t = c
                    c = function(key) return plain(t[key]) end
                end
            end
            if c == nil and n == 0 then return inner(plain(a), b) end
            return inner(plain(a), b, c, ...)
        end
    end
    for _, name in ipairs({ "byte", "len", "rep", "reverse", "sub" }) do texts(name, 1) end
    for _, name in ipairs({ "find", "gmatch", "match" }) do texts(name, 2) end
    texts("gsub", 3)
end

local function text_of(value)
    local kind = type(value)
    if kind == "number" then return number_text(value) end
    if kind == "string" then return value end
    if kind == "nil" or kind == "boolean" then return tostring(value) end
    local meta = getmetatable(value)
    local own = type(meta) == "table" and rawget(meta, "__tostring")
    if own then
        local text = own(value)
        if type(text) ~= "string" then blame("'__tostring' must return a string") end
        return text
    end
    blame(format("the text of a %s would hold its address, which no two runs share: "
        .. "write its fields, or give it __tostring", kind))
end

function env.tostring(value) return (text_of(value)) end

-- `a .. b .. c`: a NaN is "nan" on every processor.
local function sb_cat(...)
    local n = select("#", ...)
    local found = select(n, ...)
    for at = n - 1, 1, -1 do
        local left = select(at, ...)
        local tl, tr = type(left), type(found)
        if (tl == "string" or tl == "number") and (tr == "string" or tr == "number") then
            found = plain(left) .. plain(found)
        else
            local own = metamethod(left, found, "__concat")
            if own == nil then
                local odd = (tl == "string" or tl == "number") and tr or tl
                blame(format("attempt to concatenate a %s value", odd))
            end
            found = (own(left, found))
        end
    end
    return found
end

function table_out.concat(t, separator, first, last)
    expect_table(t, "concat")
    first, last = first or 1, last or #t
    local parts = {}
    for i = first, last do
        local value = t[i]
        if type(value) ~= "string" and type(value) ~= "number" then
            blame(format("invalid value (at index %d) in table for 'concat'", i))
        end
        parts[#parts + 1] = plain(value)
    end
    return concat(parts, separator)
end

local ASCII_UP, ASCII_DOWN = {}, {}
for code = 97, 122 do
    ASCII_UP[string.char(code)], ASCII_DOWN[string.char(code - 32)] = string.char(code - 32), string.char(code)
end
function string_out.upper(s) return (string.gsub(s, "[a-z]", ASCII_UP)) end
function string_out.lower(s) return (string.gsub(s, "[A-Z]", ASCII_DOWN)) end

function string_out.format(pattern, ...)
    local given, n = { ... }, 0
    if type(pattern) ~= "string" then pattern = text_of(pattern) end
    local count = select("#", ...)
    local made = string.gsub(pattern, "%%([-+ #0]*)(%d*%.?%d*)(.?)", function(flags, width, letter)
        if letter == "%" then return "%%" end
        n = n + 1
        local value = given[n]
        if letter == "s" then
            if n <= count then given[n] = text_of(value) end
        elseif letter == "p" then
            blame("'%p' writes an address, which no two runs share")
        elseif letter == "a" or letter == "A" then
            blame("'%" .. letter .. "' differs by C library: use string.pack, or '%.17g'")
        elseif letter == "q" and type(value) == "number" and not natives.is_integer(value) then
            blame("'%q' of a float differs by C library: use '%.17g'")
        elseif (letter == "g" or letter == "G" or letter == "e" or letter == "E" or letter == "f")
            and type(value) == "number" and (is_nan(value) or value == huge or value == -huge) then
            local word = is_nan(value) and "nan" or (value < 0 and "-inf" or "inf")
            if find(flags, "+", 1, true) and sub(word, 1, 1) ~= "-" and word ~= "nan" then word = "+" .. word end
            given[n] = (letter == "G" or letter == "E") and string_out.upper(word) or word
            return "%" .. (find(flags, "-", 1, true) and "-" or "") .. string.match(width, "^%d*") .. "s"
        elseif write and find(letter, "^[eEfgG]$") and string.match(width, "^%d?%d?%.?%d?%d?$") then
            value = tonumber(value)
            if value then
                given[n] = write("%" .. flags .. width .. letter, value)
                return "%s"
            end
        end
        return nil
    end)
    return format(made, unpack(given, 1, count))
end

local UNFIXED = {
    ["="] = "the machine's byte order", ["!"] = "the machine's alignment", l = "the compiler's long",
    L = "the compiler's long", T = "the machine's size_t", s = "the machine's size_t",
}
local function fixed_format(pattern)
    if type(pattern) ~= "string" then pattern = text_of(pattern) end
    local at = 1
    while at <= #pattern do
        local letter, digit = sub(pattern, at, at), sub(pattern, at + 1, at + 1)
        local sized = (letter == "s" or letter == "!") and find(digit, "^%d$")
        if UNFIXED[letter] and not sized then
            blame(format("'%s' in a pack format is %s: write sizes, such as i8 or s4, and < or >",
                letter, UNFIXED[letter]))
        end
        at = at + ((letter == "X") and 2 or 1)
    end
    return "<" .. pattern
end
if string.pack then
    function string_out.pack(pattern, ...)
        local given, n = { ... }, select("#", ...)
        for i = 1, n do
            if is_nan(given[i]) then given[i] = natives.get("f64", "\0\0\0\0\0\0\248\127", 1) end
        end
        return string.pack(fixed_format(pattern), unpack(given, 1, n))
    end
    function string_out.unpack(pattern, ...) return string.unpack(fixed_format(pattern), ...) end
    function string_out.packsize(pattern) return string.packsize(fixed_format(pattern)) end
end

local string_meta = getmetatable("")
string_meta.__index = string_out
string_meta.__metatable = false
