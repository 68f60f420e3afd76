package perf

import (
	"math"
	"time"
)

// calibration does a fixed calculation and returns what processor time that took. It is like
// those of the algorithms, the Cholesky factor of a kernel matrix, and uses
// nothing of theirs, so that a step in multiples of it gets cheaper when the
// algorithm does and not when the machine does. To change it is to make all
// earlier measurements worthless.
func calibration() time.Duration {
	start := cpuTime()
	if logDeterminant() != calibrationResult {
		panic("perf: the calibration did not calculate what it should")
	}
	return cpuTime() - start
}

const (
	calibrationSize   = 64
	calibrationResult = -61 // rounded: the last digits differ between processors
)

// logDeterminant is that of the matrix exp(-|i-j|/8) + [i = j]/10, rounded.
func logDeterminant() float64 {
	const n = calibrationSize
	l := make([]float64, n*n)
	var logDet float64
	for i := range n {
		row := l[i*n : i*n+i+1]
		for j := range row {
			v := math.Exp(-float64(i-j) / 8)
			if i == j {
				v += 0.1
			}
			for k, x := range l[j*n : j*n+j] {
				v -= row[k] * x
			}
			if j < i {
				row[j] = v / l[j*n+j]
			} else {
				row[j] = math.Sqrt(v)
				logDet += math.Log(v)
			}
		}
	}
	return math.Round(logDet)
}

var started = time.Now()

func wallTime() time.Duration { return time.Since(started) }
