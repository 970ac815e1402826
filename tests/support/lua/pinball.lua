-- A game of numbers for tests: balls, springs, a pull of powers, a draw of random numbers.
local game = {}

game.state = "{balls:{x:f64 y:f64 vx:f64 vy:f64 spin:f32 hits:i32 alive:bool}[12] score:i64 "
    .. "heat:f64[4] seen:u16 far:float3}"
game.input = "{push:f32 aim:f64 fire:bool}"
game.players = 2

local G, DT, SIZE = 9.81, 1 / 60, 10

local function clamp(x, low, high)
    if x < low then return low end
    if x > high then return high end
    return x
end

function game.init(state)
    state.balls = {}
    for i = 1, 12 do
        local turn = i * 2.399963229728653
        state.balls[i] = {
            x = 5 + 3 * math.cos(turn), y = 5 + 3 * math.sin(turn),
            vx = math.random() - 0.5, vy = math.random() - 0.5,
            spin = 0, hits = 0, alive = true,
        }
    end
    state.score, state.seen = 0, 0
    state.heat = { 1, 2, 3, 4 }
    state.far = { x = 0, y = 0, z = 0 }
end

local pulls = { spring = 1.5, drag = 0.4, wind = 0.07, lift = 2.25 }

local function pull_of(ball, frame)
    local total = 0.0
    for name, power in pairs(pulls) do
        local way = name == "spring" and -1 or 1
        total = total + way * (math.abs(ball.x - 5) + 0.125) ^ power * 0.01
        total = total * 1.0009765625 + math.exp(-power) * 1e-3
    end
    return total
end

local function bounce(ball, state)
    if ball.x < 0 or ball.x > SIZE then
        ball.vx = -ball.vx * 0.93
        ball.x = clamp(ball.x, 0, SIZE)
        ball.hits = ball.hits + 1
        state.score = state.score + 1
    end
    if ball.y < 0 or ball.y > SIZE then
        ball.vy = -ball.vy * 0.97
        ball.y = clamp(ball.y, 0, SIZE)
        ball.hits = ball.hits + 1
        state.seen = (state.seen * 7 + ball.hits) % 65536
    end
end

local function collide(balls)
    for i = 1, #balls do
        for j = i + 1, #balls do
            local a, b = balls[i], balls[j]
            local dx, dy = b.x - a.x, b.y - a.y
            local near = dx ^ 2 + dy * dy
            if near < 0.25 and near > 0 then
                local length = near ^ 0.5
                local push = (0.5 - length) / length * 0.5
                a.vx, a.vy = a.vx - dx * push, a.vy - dy * push
                b.vx, b.vy = b.vx + dx * push, b.vy + dy * push
            end
        end
    end
end

function game.step(state, inputs)
    local order = {}
    for i, ball in ipairs(state.balls) do order[i] = { key = math.floor(ball.y), at = i } end
    table.sort(order, function(a, b) return a.key < b.key end)
    for n, each in ipairs(order) do
        local ball = state.balls[each.at]
        local player = inputs[n % 2 + 1]
        local force = pull_of(ball, n) + player.push * math.tan(player.aim * 0.5)
        ball.vx = ball.vx + force * DT
        ball.vy = ball.vy - G * DT * 0.1 + math.sinh(player.aim) * 0.01
        if player.fire then ball.vy = ball.vy + math.random() * 0.2 end
        ball.spin = ball.spin * 0.9 + math.atan(ball.vy, ball.vx) * 0.1
        ball.x, ball.y = ball.x + ball.vx * DT, ball.y + ball.vy * DT
        bounce(ball, state)
    end
    collide(state.balls)
    for i = 1, 4 do
        local other = state.heat[i % 4 + 1]
        state.heat[i] = state.heat[i] + (other - state.heat[i]) * 0.1 + math.log(other + 2, 10) % 0.01
    end
    local first = state.balls[math.random(1, 12)]
    state.far.x = math.asin(first.x / SIZE)
    state.far.y = math.acos(clamp(first.y / SIZE, -1, 1))
    state.far.z = math.tanh(first.vx) + math.fmod(first.vy, 0.3) + math.log(first.hits + 1)
end

return game
