package perf

import (
	"math"
	"time"
)

// calibration times a fixed calculation and returns its processor time. The calculation, the Cholesky factor of a kernel
// matrix, resembles the algorithms' own but shares no code with them. So the cost of a step in calibrations falls when the
// algorithm gets faster, not when the machine does. Changing the calculation invalidates all earlier measurements.
func calibration() time.Duration {
	start := cpuTime()
	if logDeterminant() != calibrationResult {
		panic("perf: the calibration has a wrong result")
	}
	return cpuTime() - start
}

const (
	calibrationSize   = 64
	calibrationResult = -61 // rounded, because the last digits differ between processors
)

// logDeterminant returns the rounded log-determinant of the matrix exp(-|i-j|/8) + [i = j]/10.
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
