-- What scripts get besides: protected calls that catch no stop, coroutines under the limit,
-- modules of the host. Clocks, files, processes, bytecode and the debug library are not there.
env._G = env
env._VERSION = _VERSION
env.assert, env.error, env.ipairs, env.select, env.type = assert, error, ipairs, select, type
env.tonumber, env.rawequal, env.rawget, env.rawset, env.rawlen = tonumber, rawequal, rawget, rawset, rawlen
env.getmetatable, env.utf8 = getmetatable, utf8
if not natives.integers then env.bit = bit end

function env.setmetatable(t, meta)
    if type(t) ~= "table" or (meta ~= nil and type(meta) ~= "table") then
        blame("bad argument to 'setmetatable' (tables expected)")
    end
    if meta and (rawget(meta, "__gc") ~= nil or rawget(meta, "__mode") ~= nil) then
        blame("__gc and __mode act when memory is collected, at another moment in each run: "
            .. "release and clear by hand")
    end
    return setmetatable(t, meta)
end

-- What no script may catch: the stop of a limit, and the end of memory.
local MEMORY = "it needs more memory than the limit"
local function is_final(problem)
    if stopped == nil and type(problem) == "string" and find(problem, "not enough memory", 1, true) then
        stopped = MEMORY
    end
    return stopped ~= nil
end

local function passed(ok, ...)
    if not ok and is_final((...)) then error(stopped, 0) end
    return ok, ...
end

function env.pcall(f, ...) return passed(real_pcall(f, ...)) end

function env.xpcall(f, handler, ...)
    return passed(real_xpcall(f, function(problem)
        if is_final(problem) then return problem end
        return handler(problem)
    end, ...))
end

local hook, hook_step = nil, 0
local function watch(thread)
    if hook and natives.integers then debug.sethook(thread, hook, "", hook_step) end
    return thread
end

local coroutine_out = {}
env.coroutine = coroutine_out
for _, name in ipairs({ "isyieldable", "running", "status", "yield", "close" }) do
    coroutine_out[name] = coroutine[name]
end
function coroutine_out.create(f)
    if type(f) ~= "function" then blame("bad argument #1 to 'create' (function expected)") end
    return watch(coroutine.create(f))
end
function coroutine_out.resume(thread, ...) return passed(coroutine.resume(thread, ...)) end

local function resumed(ok, ...)
    if ok then return ... end
    local problem = ...
    if is_final(problem) then error(stopped, 0) end
    error(problem, 0)
end
function coroutine_out.wrap(f)
    local thread = coroutine_out.create(f)
    return function(...) return resumed(coroutine.resume(thread, ...)) end
end

function env.collectgarbage(option)
    option = option or "collect"
    if option == "collect" or option == "step" then return 0 end
    blame(format("collectgarbage('%s') tells of this machine's memory, or changes how it is "
        .. "collected: the host does that", text_of(option)))
end

local printed = natives.printed
function env.print(...)
    local parts = {}
    for i = 1, select("#", ...) do parts[i] = text_of((select(i, ...))) end
    if printed then printed(concat(parts, "\t")) end
end

-- A function that refuses, and says what to do.
local function gone(library, name, why)
    local text = format("%s is not there: %s", library and library .. "." .. name or name, why)
    local where = library and (rawget(env, library) or {}) or env
    if library then env[library] = where end
    where[name] = function() blame(text) end
end
local CLOCK = "no two runs read the same time: count frames, or have the host give it as input"
local WORLD = "what it finds is not in a replay: have the host give it as input"
local CODE = "code comes by `require`, from the host's modules"
for _, name in ipairs({ "time", "clock", "date", "difftime" }) do gone("os", name, CLOCK) end
for _, name in ipairs({ "getenv", "tmpname", "execute", "exit", "remove", "rename", "setlocale" }) do
    gone("os", name, WORLD)
end
for _, name in ipairs({ "open", "lines", "read", "write", "popen", "input", "output", "tmpfile" }) do
    gone("io", name, WORLD)
end
for _, name in ipairs({ "load", "loadstring", "loadfile", "dofile" }) do gone(nil, name, CODE) end
gone("string", "dump", "bytecode is another one in each version")

-- What a traced script tells, while `told` is a list: places, operands and results of numbers.
local told = nil
local OPERATIONS = {
    ["+"] = function(a, b) return a + b end, ["-"] = function(a, b) return a - b end,
    ["*"] = natives.integers and function(a, b) return a * b end or sb_mul, ["/"] = function(a, b) return a / b end,
    ["%"] = natives.integers and function(a, b) return a % b end or sb_mod, ["^"] = sb_pow,
    ["//"] = natives.floor_divide,
}

local function tell(site, count, result, a, b)
    local function bytes(x)
        if type(x) ~= "number" then x = 0 end
        return is_nan(x) and "\0\0\0\0\0\0\248\127" or natives.put("f64", x)
    end
    told[#told + 1] = natives.put("u32", site) .. natives.put("u32", count) .. bytes(result)
        .. bytes(a) .. bytes(b)
end

local function called(site, count, a, b, ...)
    if told and type((...)) == "number" then tell(site, count, (...), a, b) end
    return ...
end

local function sb_trace(site, operation, ...)
    if operation == "call" then
        local count = select("#", ...) - 1
        local f, a, b = ...
        return called(site, count < 2 and count or 2, a, b, f(select(2, ...)))
    end
    local a, b = ...
    local result = OPERATIONS[operation](a, b)
    if told and type(result) == "number" then tell(site, 2, result, a, b) end
    return result
end

-- A script that was prepared for this prelude, as its main function. `text` begins with the names
-- that the operators became; nothing of it is bytecode.
local function compiled(text, name)
    local made, problem = load(text, name, "t", env)
    if not made then return nil, problem end
    return made(sb_pow, sb_cat, sb_mod, sb_mul, sb_trace)
end

local loaded = {}
function env.require(name)
    if type(name) ~= "string" then blame("bad argument #1 to 'require' (string expected)") end
    if loaded[name] == nil then
        local text, chunk = nil, nil
        if natives.module then text, chunk = natives.module(name) end
        if not text then
            blame(format("there is no module '%s': the host gives modules", name))
        end
        local main, problem = compiled(text, chunk)
        if not main then error(problem, 0) end
        local result = main(name)
        if result == nil then result = true end
        loaded[name] = result
    end
    return loaded[name]
end
