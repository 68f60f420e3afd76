# An objective in Julia: how much somebody likes a tea, by its temperature (°C) and time (minutes).
#
#   - {name: external, label: Tea, command: [julia, --startup-file=no, objective.jl]}

include("popbench.jl")

describe() = (lo = [60, 1], hi = [100, 9], optimum = 4, optimum_x = [[82, 4]], title = "Tea", source = "an example")

function evaluate(x)
    heat = (x[1] - 82) / 10
    time = (x[2] - 4) / 2
    return 4 - heat * heat - time * time
end

serve(name = "tea", version = "1", describe = describe, evaluate = evaluate)
