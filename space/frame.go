package space

// Frame maps a domain to unit coordinates, in which its bounds are [0,1]^d. Methods compute in unit coordinates. A
// Frame is immutable and safe for concurrent use.
type Frame struct {
	box  Box
	arms *Arms // nil for a box
}

// NewFrame returns the frame of a valid domain.
func NewFrame(d Domain) Frame {
	if d == nil {
		return Frame{}
	}
	arms, _ := d.(*Arms)
	return Frame{d.Bounds(), arms}
}

// Box returns the bounds of the domain. The caller must not change them.
func (f Frame) Box() Box { return f.box }

// Dim returns the dimension d.
func (f Frame) Dim() int { return f.box.Dim() }

// Arms returns the unit coordinates of all arms, K×d row-major, nil if the domain is a box. The caller must not
// change them.
func (f Frame) Arms() []float64 {
	if f.arms == nil {
		return nil
	}
	return f.arms.unit
}

// ToUnit sets dst to the unit coordinates of x, a point of the domain, and returns dst. dst may be x.
func (f Frame) ToUnit(dst, x []float64) []float64 { return f.box.ToUnit(dst, x) }

// FromUnit is the inverse of ToUnit: dst is a point of the domain. The unit coordinates of an arm give its
// features bit for bit. Any other u gives the point of [Box.FromUnit] in a box, and the nearest arm among arms.
// dst may be u.
func (f Frame) FromUnit(dst, u []float64) []float64 {
	if f.arms == nil {
		return f.box.FromUnit(dst, u)
	}
	i, ok := f.arms.atUnit[Key(u)]
	if !ok {
		i = f.nearest(u)
	}
	copy(dst, f.arms.At(i))
	return dst
}

// nearest returns the arm at the smallest distance from u in unit coordinates; of equal ones the first.
func (f Frame) nearest(u []float64) (best int) {
	least := -1.0
	for i := range f.arms.Len() {
		var square float64
		for j, v := range u {
			d := v - f.arms.unit[i*len(u)+j]
			square += float64(d * d)
		}
		if least < 0 || square < least {
			best, least = i, square
		}
	}
	return best
}
