package claims

var baselines = []string{dts, qeubo, sgp}

// Known reasons why numbers may differ from the paper's, if several claims share them.
const (
	knownBeta       = "The paper's text sets β0 = 1, its authors' program 0.1 on these functions; with 0.1 the regret grows much as in the paper's figure. The lines beside the claim have 0.1."
	knownDraws      = "The authors' program does not draw these functions as the text says: it interpolates values at 0, 5 and 10 only, which gives a third of the norm, under another lengthscale."
	knownNoProgram  = "The authors' program has no such experiment, and its sampler and grid, exponential in the dimension, could not produce it in twelve dimensions."
	knownWeak       = "The paper's table has several of the others' means at or above that of one uniform random point: DTS on Beale, Branin, Eggholder and Levy N. 13, SGP on Branin, qEUBO on Eggholder. qEUBO's public program reaches 0.003 on Beale, 0.26 on Branin, 1.19 on Eggholder and 0.23 on Levy N. 13 (4 to 6 runs each), where the paper prints 0.15, 0.71, 3.11 and 1.06. The programs here are our own, after the methods' papers."
	knownCopied     = "The paper prints the same standard deviation for DTS and qEUBO in five rows of seven, probably a copying error."
	knownBold       = "The paper prints POP-BO's 0.92 on Bukin in bold, as the best of the row, although qEUBO's 0.59 is lower."
	knownPilot      = "The paper fits POP-BO's lengthscale once for each function, to comparisons that all runs share. Here each run has comparisons of its own, so that the intervals include what another draw would change; lines beside the claim have one draw for all runs."
	knownBeale      = "On Beale the worst point is 21 times as far from the optimum as a random one on average, and one run in a hundred ends far away: the mean depends on how often, and with the mean the verdict. Such parts are decided by exact intervals, which need many runs. Lines beside the claim count no run for more than a random point."
	knownGrid       = "The paper measures suboptimality against the best point of a coarse grid, which can lie below the optimum; differences between methods are the same either way."
	knownMachine    = "Our times are those of our programs on our machine, the paper's those of its programs on its machine. A claim about seconds is checked as worded; the verdict says nothing about the authors' program."
	knownPairs      = "POP-BO proposes one new point per step. For a method that proposes two, the mean of their regrets counts. The paper does not say how it counts them."
	knownPrograms   = "A ratio of times compares programs as much as methods. Both programs here are our own, and the number of candidates that each evaluates is a setting."
	knownUnstated   = "The paper does not state the objective, which can be derived from PMV in several ways. Here the percentage dissatisfied determines the verdict; |PMV| and PMV² are shown beside it. Everything else that the paper leaves open is as for the test functions."
	knownAckleySets = "The paper states neither steps, runs nor settings of this experiment; those of the test functions are used, and with them POP-BO hardly gets better than a random point."
)
