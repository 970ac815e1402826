-- What the host calls. Every call is protected: it gives true and results, or false, the
-- problem and the lines that led to it.
local function described(problem)
    local text = problem
    is_final(problem)
    if stopped ~= nil then
        text = stopped
    elseif type(problem) ~= "string" then
        local ok, said = real_pcall(text_of, problem)
        text = ok and said or format("an error object that is a %s", type(problem))
    end
    return { text = text, trace = debug.traceback("", 2), stopped = stopped ~= nil }
end

local function finish(ok, ...)
    if natives.integers then debug.sethook() end
    if ok then return true, (...) end
    local problem = ...
    stopped = nil
    if type(problem) ~= "table" then
        local ended = find(tostring(problem), "not enough memory", 1, true) ~= nil
        return false, ended and MEMORY or tostring(problem), "", ended
    end
    return false, problem.text, problem.trace, problem.stopped
end

local function protected(f, ...)
    stopped = nil
    if hook then debug.sethook(hook, "", hook_step) end
    return finish(real_xpcall(f, described, ...))
end

local host = { env = env }

-- Stop a call where `tick`, which is called after each `step` instructions, returns a text.
function host.limit(step, tick)
    hook_step = step
    hook = function()
        if stopped ~= nil then error(stopped, 0) end
        local ok, reason = real_pcall(tick)
        if not ok or reason then
            stopped = ok and reason or "interrupted"
            error(stopped, 0)
        end
    end
end

function host.compile(text, name)
    local made, problem = load(text, name, "t", {})
    if made then return true end
    return false, problem
end

function host.load(text, name)
    local main, problem = compiled(text, name)
    if not main then return nil, problem end
    return main
end

function host.start_trace() told = {} end
function host.taken_trace()
    local bytes = concat(told or {})
    told = nil
    return bytes
end

host.seed = natives.random_seed
host.random_state, host.set_random_state = natives.random_state, natives.set_random_state
host.provide = provide

-- The functions of a program that the host calls: a chunk, or what a chunk gave, and its state.
local kept = {}

local function path_of(name)
    local found = kept.main
    if found == nil or sub(name, 1, 1) ~= "." then
        found = env
    else
        name = sub(name, 2)
    end
    return type(found) == "table" and rawget(found, name) or nil
end

-- Run a prepared text; what it gives is kept as the program.
function host.run(text, name)
    return protected(function()
        local main, problem = compiled(text, name)
        if not main then error(problem, 0) end
        kept.main = main()
        if type(kept.main) == "table" or type(kept.main) == "function" then return "z" end
        return packed(kept.main)
    end)
end

-- Whether the program, or the environment, has a function of that name.
function host.has(name) return type(path_of(name)) == "function" end

function host.field(name)
    return protected(function() return packed(path_of(name)) end)
end

function host.call(name, bytes, count)
    return protected(function()
        local f = path_of(name)
        if type(f) ~= "function" then error(format("there is no function %s", name), 0) end
        return packed((f(unpacked(bytes, count))))
    end)
end

-- The same with values of this state, for a host that lives in it.
function host.apply(name, ...)
    return protected(function(...)
        local f = path_of(name)
        if type(f) ~= "function" then error(format("there is no function %s", name), 0) end
        return (f(...))
    end, ...)
end

-- The state's tables: made or filled from bytes, and settled into bytes.
function host.fill(text, bytes)
    return protected(function() kept.state = filled(type_of_text(text), bytes, 1, kept.state) end)
end

function host.settle(text)
    return protected(function() return state_bytes(text, "state", kept.state) end)
end

-- `step(state, inputs)` or `init(state)`, then the state's bytes.
function host.advance(name, state_text, input_text, inputs)
    return protected(function()
        local f = path_of(name)
        if type(f) ~= "function" then error(format("there is no function %s", name), 0) end
        kept.state = kept.state or {}
        if input_text then
            f(kept.state, (filled(type_of_text(input_text), inputs, 1, nil)))
        else
            f(kept.state)
        end
        return state_bytes(state_text, "state", kept.state)
    end)
end
return host
