# An optimiser in Julia: random points of the box by turns with points near the best, each in a duel with
# the best so far. To be replaced by yours.
#
#   - {name: external, label: My optimizer, command: [julia, --startup-file=no, optimizer.jl]}

include("popbench.jl")

start(setup) = propose((lo = setup.lo, hi = setup.hi, best = setup.start, radius = 0.25, steps = 0, random = setup.seed % 2^30 + 1))

# A challenger for the best point. Draws are those of Lehmer's generator, which all languages compute
# exactly, so that the examples of all clients can be compared with one recorded conversation.
function propose(s)
    random = s.random
    challenger = copy(s.best)
    for j in eachindex(challenger)
        random = 16807 * random % 2147483647
        u = random / 2147483647
        width = s.hi[j] - s.lo[j]
        x = isodd(s.steps) ? s.best[j] + s.radius * (2 * u - 1) * width : s.lo[j] + u * width
        challenger[j] = clamp(x, s.lo[j], s.hi[j])
    end
    return merge(s, (random = random, challenger = challenger))
end

ask(s) = [s.best, s.challenger]

# After a duel with a near point the radius is halved if the best won, and doubled if not.
function tell(s, points, winner)
    radius = iseven(s.steps) ? s.radius : winner == 1 ? s.radius / 2 : min(2 * s.radius, 0.5)
    return propose(merge(s, (radius = radius, best = points[winner], steps = s.steps + 1)))
end

recommend(s) = s.best

metrics(s) = (radius = s.radius,)

serve(name = "random-local", version = "1", start = start, ask = ask, tell = tell, recommend = recommend, metrics = metrics)
