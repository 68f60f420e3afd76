# An optimiser that chooses from arms in turn, and keeps the first point of a tie.
include("../julia/popbench.jl")

start(setup) = (arms = setup.arms, best = setup.start, steps = 0, ties = 0)

ask(s) = [s.arms[mod1(s.steps + i, length(s.arms))] for i in 1:2]

tell(s, points, winner) =
    merge(s, (best = points[something(winner, 1)], steps = s.steps + 1, ties = s.ties + (winner === nothing)))

recommend(s) = s.best

metrics(s) = (ties = s.ties,)

serve(name = "in-turn", version = "1", capabilities = (arms = true, ties = true), start = start, ask = ask, tell = tell,
    recommend = recommend, metrics = metrics)
