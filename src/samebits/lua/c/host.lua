-- What the C module calls: each gives true and a result, or false and a text.
local natives, host, engine, seed, most = ...
local string, tonumber, floor = string, tonumber, math.floor
local HEAD = "^%-%-%[%[samebits (%w+)|(%d+)|(%d+)|([^|]*)|([^|]*)%]%]"
local RANDOM = 32
local modules, program = {}, nil
local ticks = 0

local each = most < 10000 and floor(most) or 10000
host.limit(each, function()
    ticks = ticks + 1
    if ticks * each > most then return string.format("it ran more than %.0f instructions", most) end
end)
host.seed(seed)

-- A prepared text's program, or false and why it is none.
local function head_of(text, name)
    local wanted, state_size, input_size, state, input = string.match(text, HEAD)
    if not wanted then return false, name .. " is not prepared: samebits lua build" end
    if wanted ~= engine then return false, name .. " is prepared for " .. wanted .. ", and this is " .. engine end
    return {
        state = state ~= "" and state, input = input ~= "" and input or "{'struct'}",
        state_size = tonumber(state_size), input_size = tonumber(input_size),
    }
end

function natives.module(name)
    if modules[name] then return modules[name], "=" .. name .. ".lua" end
end

local c = {}

function c.module(name, text)
    local found, problem = head_of(text, name)
    if not found then return false, problem end
    modules[name] = text
    return true
end

function c.run(name, text)
    local found, problem = head_of(text, name)
    if not found then return false, problem end
    program, ticks = found, 0
    local ok, said = host.run(text, "=" .. name)
    if not ok then return false, said end
    return true
end

function c.call(name, ...)
    ticks = 0
    return host.apply(name, ...)
end

function c.set(name, value)
    host.env[name] = value
    return true
end

-- A call of the program that gives its state.
local function advanced(name, input, bytes)
    if not (program and program.state) then
        return false, "no script with a state was run: it returns a table with state, init and step"
    end
    ticks = 0
    local ok, state = host.advance(name, program.state, input, bytes)
    if not ok then return false, state end
    return true, state .. host.random_state()
end

function c.start()
    host.seed(seed)
    return advanced(".init", nil, "")
end

function c.step(inputs)
    if program and #inputs ~= program.input_size then
        return false, string.format("inputs of %d bytes, where the script takes %d", #inputs, program.input_size)
    end
    return advanced(".step", program and program.input, inputs)
end

function c.restore(state)
    if not (program and program.state) or #state ~= program.state_size then
        return false, string.format("a state of %d bytes is none of the script's", #state)
    end
    local ok, said = host.fill(program.state, string.sub(state, 1, -RANDOM - 1))
    if not ok then return false, said end
    host.set_random_state(string.sub(state, -RANDOM))
    return true, state
end

return c
