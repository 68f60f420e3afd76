package ginop

// choice is a pair with its value f̂(x) + f̂(x') + ω(x, x').
type choice struct {
	x, y  []float64
	value float64
	width float64 // ω
	gap   float64 // of the certificate: see certificate
}

// work counts work.
type work struct{ solves, newton, failures int }
