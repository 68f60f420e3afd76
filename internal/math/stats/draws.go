package stats

import (
	"math"
	"math/rand/v2"
	"sync"

	"popbench/internal/math/wide"
)

// lanes is the number of columns resampled at a time, so that an index is read once for all of
// them.
const lanes = 4

// resampler has the means of up to lanes columns of a stratum over resampled runs.
type resampler struct {
	to    []float64 // the means of one resample
	rows  [][lanes]float64
	n     int
	kept  []uint8 // the runs of the next resamples; nil if draws has them
	draws *draws
	means [atOnce * lanes]float64
}

// atOnce is the number of resamples whose means are computed one after the other.
const atOnce = 16

func newResampler(to []float64, columns Stratum, stratum int) *resampler {
	n := len(columns[0])
	r := &resampler{to: to, rows: make([][lanes]float64, max(n, keptRuns)), n: n, draws: newDraws(n, stratum)}
	r.kept, _ = keptDraws(n, stratum)
	for c, column := range columns {
		for i, v := range column {
			r.rows[i][c] = v
		}
	}
	return r
}

// next computes the means of the next resamples.
func (r *resampler) next(count int) {
	if r.kept != nil {
		wide.MeanRows(r.means[:lanes*count], (*[keptRuns][lanes]float64)(r.rows), r.kept, r.n)
		r.kept = r.kept[r.n*count:]
		return
	}
	for k := range count {
		for c, sum := range sumRows(r.rows, r.draws.next()) {
			r.means[lanes*k+c] = sum / float64(r.n)
		}
	}
}

// draws generates the runs in each resample of n runs, for one stratum of a statistic. They depend
// only on n and on the stratum's number. So all samples of n runs are resampled in the same way
// (common random numbers), and intervals of quantities of the same runs are consistent: the
// interval of a difference is the same whether the difference is taken before the means or after.
// Strata with different numbers are resampled independently.
type draws struct {
	n    int
	rand *rand.PCG
	run  []uint32 // buffer
}

// next returns the runs of the next resample, valid until the next call.
func (d *draws) next() []uint32 {
	for i := 0; i < d.n; i += 2 {
		// Multiply-shift, without a division. Its bias is n/2^32.
		bits := d.rand.Uint64()
		d.run[i] = uint32(bits >> 32 * uint64(d.n) >> 32)
		d.run[i+1] = uint32(bits & math.MaxUint32 * uint64(d.n) >> 32)
	}
	return d.run[:d.n]
}

// Resamples is the number of resamples behind every interval, so that the same quantity has the
// same interval everywhere. The Monte Carlo error of an end is about 0.02 standard errors.
const Resamples = 20000

// keptDraws returns the runs of all resamples, or nil, and how often each is drawn, as [wide.WeightedSums] takes it, in the
// first stratum.
func keptDraws(n, stratum int) (all, times []uint8) {
	if n > keptRuns || stratum >= keptStrata {
		return nil, nil
	}
	draw, _ := kept.LoadOrStore([2]int{n, stratum}, sync.OnceValues(func() (all, times []uint8) {
		all, times = make([]uint8, 0, n*Resamples), make([]uint8, (n+n%2)*Resamples)
		d := newDraws(n, stratum)
		for k := range Resamples {
			for _, i := range d.next() {
				all = append(all, uint8(i))
				if stratum == 0 {
					times[(k/8*(n+n%2)/2+int(i)/2)*16+k%8*2+int(i)%2]++
				}
			}
		}
		return all, times
	}))
	return draw.(func() (all, times []uint8))()
}

func newDraws(n, stratum int) *draws {
	return &draws{n, rand.NewPCG(uint64(n), uint64(stratum)), make([]uint32, n+n%2)}
}

func sumRows(rows [][lanes]float64, drawn []uint32) [lanes]float64 {
	var s0, s1, s2, s3 float64
	for _, i := range drawn {
		row := &rows[i]
		s0 += row[0]
		s1 += row[1]
		s2 += row[2]
		s3 += row[3]
	}
	return [lanes]float64{s0, s1, s2, s3}
}

// Stratum is a sample of independent runs with several quantities each: Stratum[j][i] is quantity j
// of run i. Whole runs are resampled, so paired quantities stay paired.
type Stratum [][]float64

// Means returns the mean of quantity j of stratum s as means[s][j]. It panics if the quantities of a stratum differ in their
// number of runs.
func Means(strata []Stratum) [][]float64 {
	means := make([][]float64, len(strata))
	for s, columns := range strata {
		for _, column := range columns {
			if len(column) != len(columns[0]) {
				panic("stats: a stratum needs the same number of runs for all its quantities")
			}
			means[s] = append(means[s], Mean(column))
		}
	}
	return means
}

var kept sync.Map // of [2]int{n, stratum} to a function that returns them

// Draws of up to keptRuns runs are kept, 5 MB a stratum. All intervals but those over problems, which have a stratum for
// each, need the first keptStrata only.
const keptRuns, keptStrata = 256, 4
