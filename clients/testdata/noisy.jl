# The objective of julia/objective.jl, printing wherever it can.
include("../julia/popbench.jl")
println("printed before serve")

describe() = (lo = [60, 1], hi = [100, 9], optimum = 4, optimum_x = [[82, 4]], title = "Tea", source = "an example")

function evaluate(x)
    println("printed by evaluate")
    run(`echo a child`)
    ccall(:puts, Cint, (Cstring,), "a C library")
    @show heat = (x[1] - 82) / 10
    @show time = (x[2] - 4) / 2
    return 4 - heat * heat - time * time
end

serve(name = "tea", version = "1", describe = describe, evaluate = evaluate)
