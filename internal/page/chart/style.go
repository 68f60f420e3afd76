package chart

// Colours is how many colours the lines of figures have: styles with the same remainder have the same colour.
const Colours = 8

// graded is where the styles of a sequence begin; there are fewer than gradedMax in a sequence.
const (
	graded    = 1 << 16
	gradedMax = 1 << 10
)

// Graded is the style of number k of n in a sequence, from 0: values of a setting look like steps along a scale.
func Graded(k, n int) int { return graded + min(n, gradedMax-1)*gradedMax + min(k, gradedMax-1) }

// Grade returns k and n of a style of a sequence; false for any other style.
func Grade(style int) (k, n int, ok bool) {
	style -= graded
	return style % gradedMax, style / gradedMax, style >= 0
}
