package main

import (
	"fmt"
	"math"
	"slices"
)

// lanesOfDot is the number of partial sums of Dot.
const lanesOfDot = 16

// dots writes the dot product of two vectors, and y += c A x for an even number of rows.
func (w *writer) dots() {
	w.function("dot", "a AX", "b SI", "n R14", "ret")
	w.dotRows(1)
	w.op("VMOVSD X0, ret+24(FP)")
	w.ret()

	const rows, c, y = 2, 14, 13 // as many rows at a time as fit into the registers
	w.function("gemv", "y DI", fmt.Sprint("c X", c), "a R8", "stride R10", "x R9", "n R12", "rows R11")
	w.at("rows")
	w.op("MOVQ R8, AX")
	w.op("MOVQ R9, SI")
	w.op("MOVQ R12, R14")
	w.dotRows(rows)
	for i := range rows {
		w.op("VMOVSD %d(DI), X%d", 8*i, y)
		w.op("VFMADD231SD X%d, X%d, X%d", i*lanesOfDot/lanes, c, y)
		w.op("VMOVSD X%d, %d(DI)", y, 8*i)
	}
	w.op("ADDQ $%d, DI", 8*rows)
	w.op("LEAQ (R8)(R10*%d), R8", rows)
	w.op("SUBQ $%d, R11", rows)
	w.op("JNZ rows")
	w.ret()
}

// dotRows sums the products of rows at AX, R10 bytes apart, with SI, of R14 elements
// each, into the first lane of the first accumulator of each row.
func (w *writer) dotRows(rows int) {
	parts := lanesOfDot / lanes
	acc := func(i, j int) int { return i*parts + j }
	b := rows * parts
	address := func(i, j int) string { return offset(rowAddress(i, "AX", "", "R10"), j*size) }
	advance := func(bytes int) {
		w.op("ADDQ $%d, AX", bytes)
		w.op("ADDQ $%d, SI", bytes)
	}
	for i := range b {
		w.op("VXORPD %[1]s, %[1]s, %[1]s", v(i))
	}
	loop, tail, sum := w.label("loop"), w.label("tail"), w.label("sum")
	w.op("SUBQ $%d, R14", lanesOfDot)
	w.op("JLT %s", tail)
	w.at(loop)
	for j := range parts {
		w.load(offset("(SI)", j*size), b, false)
		for i := range rows {
			w.op("VFMADD231PD %s, %s, %s", address(i, j), v(b), v(acc(i, j)))
		}
	}
	advance(8 * lanesOfDot)
	w.op("SUBQ $%d, R14", lanesOfDot)
	w.op("JGE %s", loop)
	w.at(tail)
	w.op("ADDQ $%d, R14", lanesOfDot)
	w.op("JZ %s", sum)
	for j := range parts {
		partial, next := w.label("partial"), w.label("next")
		w.op("CMPQ R14, $%d", lanes)
		w.op("JLT %s", partial)
		w.load("(SI)", b, false)
		for i := range rows {
			w.op("VFMADD231PD %s, %s, %s", address(i, 0), v(b), v(acc(i, j)))
		}
		advance(size)
		w.op("SUBQ $%d, R14", lanes)
		w.op("JZ %s", sum)
		w.op("JMP %s", next)
		w.at(partial)
		w.mask()
		w.load("(SI)", b, true)
		for i := range rows {
			w.load(address(i, 0), b+1, true)
			w.op("VFMADD213PD %s, %s, %s", v(acc(i, j)), v(b), v(b+1))
			w.op("VBLENDVPD %s, %s, %[3]s, %[3]s", v(maskRegister), v(b+1), v(acc(i, j)))
		}
		w.op("JMP %s", sum)
		w.at(next)
	}
	w.at(sum)
	for i := range rows {
		for half := parts / 2; half >= 1; half /= 2 {
			for j := range half {
				w.op("VADDPD %s, %[2]s, %[2]s", v(acc(i, j+half)), v(acc(i, j)))
			}
		}
		at := acc(i, 0)
		w.op("VEXTRACTF128 $1, Y%d, X%d", at, b)
		w.op("VADDPD X%d, X%[2]d, X%[2]d", b, at)
		w.op("VUNPCKHPD X%d, X%[1]d, X%d", at, b)
		w.op("VADDSD X%d, X%[2]d, X%[2]d", b, at)
	}
}

// vectors writes y += c x and x *= c.
func (w *writer) vectors() {
	const y, x, c = 0, 4, 8
	w.function("addScaled", "y DI", "c "+v(c), "x SI", "n R14")
	w.elementwise([]string{"DI", "SI"}, func(i int, masked bool) {
		w.load(offset("(DI)", i*size), y+i, masked)
		w.load(offset("(SI)", i*size), x+i, masked)
		w.op("VFMADD231PD %s, %s, %s", v(x+i), v(c), v(y+i))
		w.store(y+i, offset("(DI)", i*size), masked)
	})

	w.function("scale", "dst DI", "c "+v(c), "x SI", "n R14")
	w.elementwise([]string{"DI", "SI"}, func(i int, masked bool) {
		w.load(offset("(SI)", i*size), y+i, masked)
		w.op("VMULPD %s, %[2]s, %[2]s", v(c), v(y+i))
		w.store(y+i, offset("(DI)", i*size), masked)
	})
}

// elementwise writes a loop over R14 elements at these pointers: four registers at a
// time, then one, then the rest masked.
func (w *writer) elementwise(pointers []string, work func(register int, masked bool)) {
	four, one, last, done := w.label("four"), w.label("one"), w.label("last"), w.label("done")
	step := func(n int) {
		for _, p := range pointers {
			w.op("ADDQ $%d, %s", n*size, p)
		}
	}
	w.op("SUBQ $%d, R14", 4*lanes)
	w.op("JLT %s", one)
	w.at(four)
	for i := range 4 {
		work(i, false)
	}
	step(4)
	w.op("SUBQ $%d, R14", 4*lanes)
	w.op("JGE %s", four)
	w.at(one)
	w.op("ADDQ $%d, R14", 4*lanes)
	w.at(one + "loop")
	w.op("CMPQ R14, $%d", lanes)
	w.op("JLT %s", last)
	work(0, false)
	step(1)
	w.op("SUBQ $%d, R14", lanes)
	w.op("JMP %sloop", one)
	w.at(last)
	w.op("TESTQ R14, R14")
	w.op("JZ %s", done)
	w.mask()
	work(0, true)
	w.at(done)
	w.ret()
}

// oneByOne writes a loop over R14 elements at SI, for results at DI: one register at a time, the last of them masked.
func (w *writer) oneByOne(work func(masked bool)) {
	w.some(1, func(_ int, masked bool) { work(masked) })
}

// some is oneByOne for n registers at a time; work is for as many, or for one.
func (w *writer) some(n int, work func(n int, masked bool)) {
	loop := func(n int, next string) {
		w.op("SUBQ $%d, R14", n*lanes)
		w.op("JLT %s", next)
		w.at("loop" + next)
		work(n, false)
		w.op("ADDQ $%d, DI", n*size)
		w.op("ADDQ $%d, SI", n*size)
		w.op("SUBQ $%d, R14", n*lanes)
		w.op("JGE loop%s", next)
		w.at(next)
		w.op("ADDQ $%d, R14", n*lanes)
	}
	if n > 1 {
		loop(n, "one")
	}
	loop(1, "last")
	w.op("JZ done")
	w.mask()
	work(1, true)
	w.at("done")
}

// products writes x_i = c a_i b_i, the same added to x, and x_i = c a_i + e b_i.
func (w *writer) products() {
	const x, a, b, c, e = 0, 4, 8, 12, 13
	w.function("combine", "dst DI", "c "+v(c), "a SI", "e "+v(e), "b BX", "n R14")
	w.elementwise([]string{"DI", "SI", "BX"}, func(i int, masked bool) {
		w.load(offset("(SI)", i*size), a+i, masked)
		w.load(offset("(BX)", i*size), b+i, masked)
		w.op("VMULPD %s, %[2]s, %[2]s", v(c), v(a+i))
		w.op("VFMADD231PD %s, %s, %s", v(b+i), v(e), v(a+i))
		w.store(a+i, offset("(DI)", i*size), masked)
	})
	for _, add := range []bool{false, true} {
		name := "product"
		if add {
			name = "addProduct"
		}
		w.function(name, "dst DI", "c "+v(c), "a SI", "b BX", "n R14")
		w.elementwise([]string{"DI", "SI", "BX"}, func(i int, masked bool) {
			w.load(offset("(SI)", i*size), a+i, masked)
			w.load(offset("(BX)", i*size), b+i, masked)
			w.op("VMULPD %s, %[2]s, %[2]s", v(c), v(a+i))
			if add {
				w.load(offset("(DI)", i*size), x+i, masked)
				w.op("VFMADD231PD %s, %s, %s", v(b+i), v(a+i), v(x+i))
			} else {
				w.op("VMULPD %s, %s, %s", v(b+i), v(a+i), v(x+i))
			}
			w.store(x+i, offset("(DI)", i*size), masked)
		})
	}
}

// scaleBoth writes dst = D A D, D = diag d, for the upper triangle of A and the elements to its
// left up to a multiple of eight.
func (w *writer) scaleBoth() {
	const a, c = 0, 1
	w.function("scaleBoth", "dst DI", "dstStride R10", "a SI", "stride R11", "d BX", "n R12")
	w.lastMask("R12")
	w.op("XORQ R8, R8") // the row
	w.at("row")
	w.op("MOVQ R8, R9")
	w.op("ANDQ $-8, R9") // the column
	w.op("VBROADCASTSD (BX)(R8*8), %s", v(c))
	w.op("LEAQ %d(R9), R13", lanes) // the next
	w.op("CMPQ R13, R12")
	w.op("JGE last")
	work := func(masked bool) {
		w.load("(SI)(R9*8)", a, masked)
		w.op("VMULPD %s, %[2]s, %[2]s", v(c), v(a))
		if masked {
			w.load("(BX)(R9*8)", a+2, true)
			w.op("VMULPD %s, %[2]s, %[2]s", v(a+2), v(a))
		} else {
			w.op("VMULPD (BX)(R9*8), %[1]s, %[1]s", v(a))
		}
		w.store(a, "(DI)(R9*8)", masked)
	}
	w.at("loop")
	work(false)
	w.op("MOVQ R13, R9")
	w.op("ADDQ $%d, R13", lanes)
	w.op("CMPQ R13, R12")
	w.op("JLT loop")
	w.at("last")
	work(true)
	w.op("ADDQ R10, DI")
	w.op("ADDQ R11, SI")
	w.op("INCQ R8")
	w.op("CMPQ R8, R12")
	w.op("JLT row")
	w.ret()
}

// transpose writes dst = Aᵀ for four rows of A, four columns at a time.
func (w *writer) transpose() {
	w.function("transpose", "dst DI", "dstStride R10", "a AX", "stride R11", "n R14")
	w.op("LEAQ (AX)(R11*2), BX")
	w.op("ADDQ R11, BX")
	w.op("LEAQ (DI)(R10*2), SI")
	w.op("ADDQ R10, SI")
	w.at("loop")
	for i := range 4 {
		w.op("VMOVUPD %s, Y%d", rowAddress(i, "AX", "BX", "R11"), i)
	}
	for i := range 2 {
		w.op("VUNPCKLPD Y%d, Y%d, Y%d", 2*i+1, 2*i, 2*i+4)
		w.op("VUNPCKHPD Y%d, Y%d, Y%d", 2*i+1, 2*i, 2*i+5)
	}
	for i := range 4 {
		half := "$0x20"
		if i >= 2 {
			half = "$0x31"
		}
		w.op("VPERM2F128 %s, Y%d, Y%d, Y%d", half, i%2+6, i%2+4, i)
		w.op("VMOVUPD Y%d, %s", i, rowAddress(i, "DI", "SI", "R10"))
	}
	w.op("ADDQ $32, AX")
	w.op("ADDQ $32, BX")
	w.op("LEAQ (DI)(R10*4), DI")
	w.op("LEAQ (SI)(R10*4), SI")
	w.op("SUBQ $4, R14")
	w.op("JNZ loop")
	w.ret()
}

// columns writes y += c Aᵀx and y = max(y - Σ a², 0) in strips of eight registers of y, and the rest in a strip of fewer.
func (w *writer) columns(squares bool) {
	const most = 8
	if squares {
		w.function("subtractSquares", "y DI", "a R8", "stride R10", "rows R11", "cols R12")
		w.op("VXORPD %[1]s, %[1]s, %[1]s", v(most+2))
	} else {
		w.function("columns", "y DI", fmt.Sprint("c X", most+2), "a R8", "stride R10", "x R9", "rows R11", "cols R12")
	}
	w.strips(most, []string{"DI", "R8"}, func(n int, masking func(int) bool) {
		for j := range n {
			w.load(offset("(DI)", j*size), j, masking(j))
		}
		w.op("MOVQ R8, AX")
		if !squares {
			w.op("MOVQ R9, SI")
		}
		w.op("MOVQ R11, R14")
		loop := w.label("loop")
		w.at(loop)
		if !squares {
			w.op("VMULSD (SI), X%d, X%d", most+2, most)
			w.op("VBROADCASTSD X%d, %s", most, v(most))
		}
		for j := range n {
			from := offset("(AX)", j*size)
			if squares {
				w.load(from, most+j%2, masking(j))
				w.op("VFNMADD231PD %[1]s, %[1]s, %[2]s", v(most+j%2), v(j))
				continue
			}
			if masking(j) {
				w.load(from, most+1, true)
				from = v(most + 1)
			}
			w.op("VFMADD231PD %s, %s, %s", from, v(most), v(j))
		}
		w.op("ADDQ R10, AX")
		if !squares {
			w.op("ADDQ $8, SI")
		}
		w.op("DECQ R14")
		w.op("JNZ %s", loop)
		for j := range n {
			if squares {
				w.op("VMAXPD %[1]s, %[2]s, %[1]s", v(j), v(most+2)) // y where it is NaN
			}
			w.store(j, offset("(DI)", j*size), masking(j))
		}
	})
	w.ret()
}

// strips writes a loop over R12 elements at these pointers: in strips of most registers, and the rest in a strip of fewer,
// whose last register is masked. strip writes the work on n registers.
func (w *writer) strips(most int, pointers []string, strip func(n int, masking func(register int) bool)) {
	w.at("strips")
	w.op("CMPQ R12, $%d", most*lanes)
	w.op("JLE rest")
	strip(most, func(int) bool { return false })
	for _, p := range pointers {
		w.op("ADDQ $%d, %s", most*size, p)
	}
	w.op("SUBQ $%d, R12", most*lanes)
	w.op("JMP strips")
	w.at("rest")
	w.lastMask("R12")
	for n := most; n >= 1; n-- {
		next := fmt.Sprint("rest", n)
		w.op("CMPQ R12, $%d", (n-1)*lanes)
		w.op("JLE %s", next)
		strip(n, func(register int) bool { return register == n-1 })
		if n > 1 {
			w.op("JMP rest1")
		}
		w.at(next)
	}
}

// exponential has the addresses of the constants of fmath.Exp.
type exponential struct {
	log2e, toInteger, negHi, negLo, one string
	series                              []string
}

// magic rounds a number to an integer, which is then in the last bits of the sum.
const magic = 0x1.8p52

func (w *writer) newExponential() exponential {
	e := exponential{
		log2e: w.number(math.Log2E), toInteger: w.number(magic),
		negHi: w.number(-ln2Hi), negLo: w.number(-ln2Lo), one: w.number(1),
	}
	factorial := 1.0
	for i := 2; i <= 13; i++ {
		factorial *= float64(i) // exact
		e.series = append(e.series, w.number(1/factorial))
	}
	return e
}

// Registers of an exponential: x; magic and k; y = e^x / 2^k; two spare ones.
const (
	expX, expK, expY, expA, expB = 0, 1, 2, 3, 4
	expSize                      = 5
)

// each writes an instruction for n sets of registers, so that none waits for another; an int is a register of the first.
func (w *writer) each(n int, format string, args ...any) {
	for i := range n {
		own := slices.Clone(args)
		for j, arg := range own {
			if register, ok := arg.(int); ok {
				own[j] = v(register + i*expSize)
			}
		}
		w.op(format, own...)
	}
}

// reduced writes k and y with the same steps as fmath.Exp.
func (e exponential) reduced(w *writer, n int) {
	w.each(n, "VMOVUPD %s, %s", e.toInteger, expK)
	w.each(n, "VFMADD231PD %s, %s, %s", e.log2e, expX, expK)
	w.each(n, "VSUBPD %s, %s, %s", e.toInteger, expK, expA)
	w.each(n, "VFMADD231PD %s, %s, %s", e.negHi, expA, expX)
	w.each(n, "VFMADD231PD %s, %s, %s", e.negLo, expA, expX) // r
	w.each(n, "VMULPD %[1]s, %[1]s, %[2]s", expX, expA)      // z
	for i, last := 0, len(e.series); i < last; i++ {
		part := []int{expY, expB}[i%2] // even and odd
		if i >= 2 {
			w.each(n, "VFMADD213PD %s, %s, %s", e.series[last-2+i%2-i/2*2], expA, part)
		} else {
			w.each(n, "VMOVUPD %s, %s", e.series[last-2+i], part)
		}
	}
	w.each(n, "VFMADD231PD %s, %s, %s", expB, expX, expY)
	w.each(n, "VFMADD213PD %s, %s, %s", expX, expA, expY)
	w.each(n, "VADDPD %s, %[2]s, %[2]s", e.one, expY)
}

// scaled writes y 2^k for a k of which 2^k is a normal number.
func (e exponential) scaled(w *writer, n int) {
	w.each(n, "VPSLLQ $52, %[1]s, %[1]s", expK)
	w.each(n, "VPADDQ %s, %[2]s, %[2]s", e.one, expK)
	w.each(n, "VMULPD %s, %[2]s, %[2]s", expK, expY)
}

// expNeg writes c e^-x, and returns which x are not at most ExpMax.
func (w *writer) expNeg() {
	const (
		together, bias = 2, 1023
		c, far         = together * expSize, together*expSize + 1
	)
	fmt.Fprintln(&w.out)
	least, greatest, expMax := w.number(-746), w.number(710), w.number(708)
	sign, magnitude := w.constant(1<<63), w.constant(1<<63-1)
	// 2^k is two factors, 2^(h-2048) and 2^(k-h+2048), h = (k+4096)/2.
	toHalf := w.constant(4096 - math.Float64bits(magic))
	toK := w.constant(2048 + bias - math.Float64bits(magic))
	fromHalf := w.constant(1<<64 - 2048 + bias)
	e := w.newExponential()

	w.function("expNeg", "dst DI", "c "+v(c), "x SI", "n R14", "far")
	w.op("VXORPD %[1]s, %[1]s, %[1]s", v(far))
	w.some(together, func(n int, masked bool) {
		for i := range n {
			w.load(offset("(SI)", i*size), expX+i*expSize, masked)
		}
		if n > 1 { // at the first number that is not between -ExpMax and ExpMax the loop for single registers begins
			w.each(n, "VANDPD %s, %s, %s", magnitude, expX, expA)
			w.each(n, "VCMPPD $6, %s, %s, %[2]s", expMax, expA) // not less or equal
			w.op("VORPD %s, %s, %[1]s", v(expA), v(expA+expSize))
			w.op("VMOVMSKPD %s, AX", v(expA))
			w.op("TESTQ AX, AX")
			w.op("JNE one")
			w.each(n, "VXORPD %s, %[2]s, %[2]s", sign, expX)
			e.reduced(w, n)
			e.scaled(w, n)
		} else {
			w.op("VCMPPD $6, %s, %s, %s", expMax, v(expX), v(expA))
			w.op("VORPD %s, %[2]s, %[2]s", v(expA), v(far))
			w.op("VXORPD %s, %[2]s, %[2]s", sign, v(expX))
			w.op("VMOVUPD %s, %s", least, v(expA))
			w.op("VMOVUPD %s, %s", greatest, v(expB))
			w.op("VMAXPD %[1]s, %[2]s, %[1]s", v(expX), v(expA)) // x where it is NaN
			w.op("VMINPD %[1]s, %[2]s, %[1]s", v(expX), v(expB))
			e.reduced(w, n)
			w.op("VPADDQ %s, %s, %s", toHalf, v(expK), v(expA))
			w.op("VPSRLQ $1, %[1]s, %[1]s", v(expA)) // h
			w.op("VPADDQ %s, %[2]s, %[2]s", toK, v(expK))
			w.op("VPSUBQ %s, %[2]s, %[2]s", v(expA), v(expK))
			w.op("VPADDQ %s, %[2]s, %[2]s", fromHalf, v(expA))
			for _, factor := range []int{expA, expK} {
				w.op("VPSLLQ $52, %[1]s, %[1]s", v(factor))
				w.op("VMULPD %s, %[2]s, %[2]s", v(factor), v(expY))
			}
		}
		w.each(n, "VMULPD %s, %[2]s, %[2]s", v(c), expY)
		for i := range n {
			w.store(expY+i*expSize, offset("(DI)", i*size), masked)
		}
	})
	w.op("VMOVMSKPD %s, AX", v(far))
	w.op("MOVQ AX, far+32(FP)")
	w.ret()
}

// matern52 writes the Matérn 5/2 profile, with and without slopes. The result says whether a √s is not at most ExpMax.
func (w *writer) matern52() {
	const (
		together             = 2
		variance, minus, own = together * expSize, together*expSize + 1, together*expSize + 2 // own and the next are roots
	)
	fmt.Fprintln(&w.out)
	expMax, sign, third := w.number(708), w.constant(1<<63), w.number(1./3)
	e := w.newExponential()
	for _, slopes := range []bool{false, true} {
		if slopes {
			w.function("matern52Slopes", "value DI", "slope BX", "variance "+v(variance), "s SI", "n R14", "far")
			w.op("VXORPD %s, %s, %s", sign, v(variance), v(minus))
		} else {
			w.function("matern52", "value DI", "variance "+v(variance), "s SI", "n R14", "far")
		}
		w.some(together, func(n int, masked bool) {
			for i := range n {
				w.load(offset("(SI)", i*size), expB+i*expSize, masked)
				w.op("VSQRTPD %s, %s", v(expB+i*expSize), v(own+i))
				w.op("VCMPPD $6, %s, %s, %s", expMax, v(own+i), v(expA+i*expSize)) // not less or equal
			}
			if n > 1 {
				w.op("VORPD %s, %s, %[1]s", v(expA), v(expA+expSize))
			}
			w.op("VMOVMSKPD %s, AX", v(expA))
			w.op("TESTQ AX, AX")
			w.op("JNE far")
			for i := range n {
				w.op("VXORPD %s, %s, %s", sign, v(own+i), v(expX+i*expSize))
			}
			e.reduced(w, n)
			e.scaled(w, n)
			for i := range n {
				w.op("VADDPD %s, %s, %s", e.one, v(own+i), v(expA+i*expSize))
				w.load(offset("(SI)", i*size), expB+i*expSize, masked)
			}
			w.each(n, "VMULPD %s, %[2]s, %[2]s", third, expB)
			w.each(n, "VADDPD %s, %[2]s, %[2]s", expA, expB)
			w.each(n, "VMULPD %s, %[2]s, %[2]s", v(variance), expB)
			w.each(n, "VMULPD %s, %[2]s, %[2]s", expY, expB)
			for i := range n {
				w.store(expB+i*expSize, offset("(DI)", i*size), masked)
			}
			if slopes {
				w.each(n, "VMULPD %s, %[2]s, %[2]s", v(minus), expA)
				w.each(n, "VMULPD %s, %[2]s, %[2]s", third, expA)
				w.each(n, "VMULPD %s, %[2]s, %[2]s", expY, expA)
				for i := range n {
					w.store(expA+i*expSize, offset("(BX)", i*size), masked)
				}
				w.op("ADDQ $%d, BX", n*size)
			}
		})
		w.op("XORQ AX, AX")
		w.at("far")
		result := 32
		if slopes {
			result = 40
		}
		w.op("MOVQ AX, far+%d(FP)", result)
		w.ret()
	}
}

// combineTo writes t = c a + e b, y += m t and dst = w t.
func (w *writer) combineTo() {
	const y, a, b, c, e, m, s = 0, 4, 8, 10, 11, 12, 13
	w.function("combineTo", "dst DI", "c "+v(c), "a SI", "e "+v(e), "b BX", "y R8", "m "+v(m), "w "+v(s), "n R14")
	w.elementwise([]string{"DI", "SI", "BX", "R8"}, func(i int, masked bool) {
		w.load(offset("(SI)", i*size), a+i, masked)
		w.load(offset("(BX)", i*size), b, masked)
		w.load(offset("(R8)", i*size), y+i, masked)
		w.op("VMULPD %s, %[2]s, %[2]s", v(c), v(a+i))
		w.op("VFMADD231PD %s, %s, %s", v(b), v(e), v(a+i))
		w.op("VFMADD231PD %s, %s, %s", v(a+i), v(m), v(y+i))
		w.op("VMULPD %s, %[2]s, %[2]s", v(s), v(a+i))
		w.store(y+i, offset("(R8)", i*size), masked)
		w.store(a+i, offset("(DI)", i*size), masked)
	})
}

// addLogistic writes y += 1/(1 + e^x), x limited to ±ExpMax.
func (w *writer) addLogistic() {
	const together = 3
	fmt.Fprintln(&w.out)
	least, most := w.number(-708), w.number(708)
	e := w.newExponential()
	w.function("addLogistic", "y DI", "x SI", "n R14")
	w.some(together, func(n int, masked bool) {
		for i := range n {
			w.load(offset("(SI)", i*size), expX+i*expSize, masked)
		}
		w.each(n, "VMOVUPD %s, %s", most, expA)
		w.each(n, "VMOVUPD %s, %s", least, expB)
		w.each(n, "VMINPD %[1]s, %[2]s, %[2]s", expX, expA) // x where it is NaN
		w.each(n, "VMAXPD %[1]s, %[2]s, %[3]s", expA, expB, expX)
		e.reduced(w, n)
		e.scaled(w, n)
		w.each(n, "VMOVUPD %s, %s", e.one, expA)
		w.each(n, "VADDPD %s, %[2]s, %[2]s", expA, expY)
		w.each(n, "VDIVPD %s, %s, %[2]s", expY, expA)
		for i := range n {
			w.load(offset("(DI)", i*size), expB+i*expSize, masked)
		}
		w.each(n, "VADDPD %s, %[2]s, %[2]s", expA, expB)
		for i := range n {
			w.store(expB+i*expSize, offset("(DI)", i*size), masked)
		}
	})
	w.ret()
}

// logisticMeans writes the means of logistic functions, with the steps of the loop in Go. All three exponents are small.
func (w *writer) logisticMeans() {
	fmt.Fprintln(&w.out)
	sign, most, least := w.constant(1<<63), w.number(8), w.number(-8)
	cubic, linear, quintic := w.number(0.0735965), w.number(1.595436), w.number(0.000631614)
	var weight, spread [3]string
	for i, c := range [3][2]float64{
		{0.162636, 1 / (0.364059 * 0.364059)}, {0.585237, 1 / (0.577827 * 0.577827)}, {0.252127, 1 / (0.907980 * 0.907980)},
	} {
		weight[i], spread[i] = w.number(c[0]), w.number(c[1])
	}
	e := w.newExponential()
	w.function("logisticMeans", "p DI", "variance SI", "n R14")
	w.oneByOne(func(masked bool) {
		const n, mean, variance = 3, expB, expB + expSize
		w.load("(DI)", mean, masked)
		w.load("(SI)", variance, masked)
		for i := range n {
			w.op("VADDPD %s, %s, %s", spread[i], v(variance), v(expA+i*expSize))
		}
		w.each(n, "VSQRTPD %[1]s, %[1]s", expA)
		for i := range n {
			w.op("VDIVPD %s, %s, %s", v(expA+i*expSize), v(mean), v(expX+i*expSize))
		}
		w.each(n, "VMOVUPD %s, %s", most, expA)
		w.each(n, "VMOVUPD %s, %s", least, expY)
		w.each(n, "VMINPD %[1]s, %[2]s, %[1]s", expX, expA) // u, NaN where it is NaN
		w.each(n, "VMAXPD %[1]s, %[2]s, %[1]s", expX, expY)
		w.each(n, "VMULPD %[1]s, %[1]s, %[2]s", expX, expA)
		w.each(n, "VMULPD %s, %s, %s", quintic, expA, expY)
		w.each(n, "VMOVUPD %s, %s", cubic, expB)
		w.each(n, "VSUBPD %s, %s, %[1]s", expY, expB)
		w.each(n, "VMULPD %s, %[2]s, %[2]s", expA, expY)
		w.each(n, "VADDPD %s, %[2]s, %[2]s", linear, expY)
		w.each(n, "VMULPD %s, %[2]s, %[2]s", expY, expX)
		w.each(n, "VXORPD %s, %[2]s, %[2]s", sign, expX)
		e.reduced(w, n)
		e.scaled(w, n)
		w.each(n, "VADDPD %s, %[2]s, %[2]s", e.one, expY)
		a, b, c := v(expY), v(expY+expSize), v(expY+2*expSize)
		bc, ac, ab := v(expA), v(expA+expSize), v(expA+2*expSize)
		w.op("VMULPD %s, %s, %s", c, b, bc)
		w.op("VMULPD %s, %s, %s", c, a, ac)
		w.op("VMULPD %s, %s, %s", b, a, ab)
		w.op("VMULPD %s, %s, %s", c, ab, c)
		for i, product := range []string{bc, ac, ab} {
			w.op("VMULPD %s, %[2]s, %[2]s", weight[i], product)
		}
		w.op("VADDPD %s, %[2]s, %[2]s", ac, bc)
		w.op("VADDPD %s, %[2]s, %[2]s", ab, bc)
		w.op("VDIVPD %s, %s, %s", c, bc, a)
		w.store(expY, "(DI)", masked)
	})
	w.ret()
}

// ln2Hi + ln2Lo is ln 2, as in fmath.
const ln2Hi, ln2Lo = 0x1.62e42fee00000p-1, 0x1.a39ef35793c76p-33

// logarithm has the addresses of the constants of fmath.Log and fmath.Log1p.
type logarithm struct {
	series                                             []string
	n1, n2, half, hi, lo, direct                       string
	toK, toExponent, fromExponent, mantissa, fromLeast string
}

func (w *writer) newLogarithm() (l logarithm) {
	const (
		one, least, mantissa = 0x3ff0000000000000, 0x3fe6a09e667f3bcd, 1<<52 - 1 // bits of 1, of √½, and of a mantissa
		exponent             = 0x4330000000000000                                // bits of 2^52
	)
	for _, v := range []float64{0x1.39a09d078c69fp-3, 0x1.c71c51d8e78afp-3, 0x1.999999997fa04p-2,
		0x1.2f112df3e5244p-3, 0x1.7466496cb03dep-3, 0x1.2492494229359p-2, 0x1.5555555555593p-1} {
		l.series = append(l.series, w.number(v))
	}
	l.n1, l.n2, l.half, l.hi, l.lo = w.number(1), w.number(2), w.number(0.5), w.number(ln2Hi), w.number(ln2Lo)
	l.direct = w.number(math.Sqrt2 - 1)
	l.toK, l.toExponent, l.fromExponent = w.constant(one-least), w.constant(exponent), w.number(0x1p52+1023)
	l.mantissa, l.fromLeast = w.constant(mantissa), w.constant(least)
	return l
}

// Registers of a logarithm: x, the result and other ones.
const (
	logX, logY                          = 1, 7
	logF, logK, logC, logS, logZ, logZ2 = 0, 2, 3, 4, 5, 6
	logOdd, logHalf, logNaN, logSize    = 8, 9, 10, 11
)

// of writes log x, or log(1+x), with the same steps as fmath.Log and fmath.Log1p, for positive normal numbers, or those of
// wide.Log1p, and NaN.
func (l logarithm) of(w *writer, plusOne bool) {
	const f, u, k, c, s, z, z2, even, odd, half, zero = logF, logX, logK, logC, logS, logZ, logZ2, logY, logOdd, logHalf, logNaN
	w.op("VSUBPD %[1]s, %[1]s, %[2]s", v(u), v(zero)) // NaN where x is, which the bits below are not
	if plusOne {
		w.op("VMOVAPD %s, %s", v(u), v(f))
		w.op("VADDPD %s, %[2]s, %[2]s", l.n1, v(u))
		// What 1 + x loses: x - (u - 1) below 2, else 1 - (u - x).
		w.op("VSUBPD %s, %s, %s", l.n1, v(u), v(c))
		w.op("VSUBPD %s, %s, %[1]s", v(c), v(f))
		w.op("VSUBPD %s, %s, %s", v(f), v(u), v(s))
		w.op("VMOVUPD %s, %s", l.n1, v(z))
		w.op("VSUBPD %s, %s, %[1]s", v(s), v(z))
		w.op("VCMPPD $1, %s, %s, %s", l.n2, v(u), v(z)) // less
		w.op("VBLENDVPD %s, %s, %s, %s", v(z), v(c), v(s), v(c))
		w.op("VDIVPD %s, %s, %[2]s", v(u), v(c))
	}
	w.op("VPADDQ %s, %[2]s, %[2]s", l.toK, v(u))
	w.op("VPSRLQ $52, %s, %s", v(u), v(k))
	w.op("VPOR %s, %[2]s, %[2]s", l.toExponent, v(k))
	w.op("VSUBPD %s, %[2]s, %[2]s", l.fromExponent, v(k))
	w.op("VPAND %s, %[2]s, %[2]s", l.mantissa, v(u))
	w.op("VPADDQ %s, %[2]s, %[2]s", l.fromLeast, v(u))
	w.op("VSUBPD %s, %[2]s, %[2]s", l.n1, v(u))
	if plusOne {
		w.op("VCMPPD $1, %s, %s, %s", l.direct, v(f), v(z))
		w.op("VBLENDVPD %s, %s, %s, %s", v(z), v(f), v(u), v(f))
		w.op("VANDNPD %s, %s, %[1]s", v(k), v(z)) // 0 where x is small
		w.op("VANDNPD %s, %s, %[1]s", v(c), v(z))
	} else {
		w.op("VMOVAPD %s, %s", v(u), v(f))
	}
	w.op("VADDPD %s, %s, %s", l.n2, v(f), v(s))
	w.op("VDIVPD %s, %s, %[1]s", v(s), v(f))
	w.op("VMULPD %[1]s, %[1]s, %[2]s", v(s), v(z))
	w.op("VMULPD %[1]s, %[1]s, %[2]s", v(z), v(z2))
	series := func(to int, names []string) {
		w.op("VMULPD %s, %s, %s", names[0], v(z2), v(to))
		for i, name := range names[1:] {
			w.op("VADDPD %s, %[2]s, %[2]s", name, v(to))
			if i < len(names)-2 {
				w.op("VMULPD %s, %[2]s, %[2]s", v(z2), v(to))
			}
		}
	}
	series(even, l.series[:3])
	series(odd, l.series[3:])
	w.op("VMULPD %s, %[2]s, %[2]s", v(z2), v(even))
	w.op("VMULPD %s, %[2]s, %[2]s", v(z), v(odd))
	w.op("VADDPD %s, %[2]s, %[2]s", v(odd), v(even))
	w.op("VMULPD %s, %s, %s", l.half, v(f), v(half))
	w.op("VMULPD %s, %[2]s, %[2]s", v(f), v(half))
	w.op("VADDPD %s, %[2]s, %[2]s", v(half), v(even))
	w.op("VMULPD %s, %[2]s, %[2]s", v(s), v(even))
	w.op("VMULPD %s, %s, %s", l.lo, v(k), v(odd))
	if plusOne {
		w.op("VADDPD %s, %[2]s, %[2]s", v(c), v(odd))
	}
	w.op("VADDPD %s, %[2]s, %[2]s", v(odd), v(even))
	w.op("VSUBPD %s, %s, %[1]s", v(even), v(half))
	w.op("VSUBPD %s, %[2]s, %[2]s", v(f), v(even))
	w.op("VMULPD %s, %s, %s", l.hi, v(k), v(odd))
	w.op("VSUBPD %s, %s, %[1]s", v(even), v(odd))
	w.op("VADDPD %s, %[2]s, %[2]s", v(zero), v(even))
}

// logs writes logarithms, and the sums of LogitNodes.
func (w *writer) logs() {
	fmt.Fprintln(&w.out)
	l := w.newLogarithm()
	w.function("log1p", "dst DI", "x SI", "n R14")
	w.oneByOne(func(masked bool) {
		w.load("(SI)", logX, masked)
		l.of(w, true)
		w.store(logY, "(DI)", masked)
	})
	w.ret()

	const low, high, weight, counted, one = logSize, logSize + 1, logSize + 2, logSize + 3, logSize + 4
	field := func(name string) string { return "LogitNodes_" + name + "(DI)" }
	w.function("logitSums", "nodes DI", "n R14")
	w.op("VMOVUPD %s, %s", l.n1, v(one))
	w.at("four")
	w.load(field("Low"), low, false)
	w.load(field("High"), high, false)
	w.load(field("Weight"), weight, false)
	w.at("node")
	const z, pl, ph, ql, qh, sum, wl, wh = 0, 2, 3, 4, 5, 6, 7, 8
	w.load(field("Z"), z, false)
	w.op("VCMPPD $1, %s, %s, %s", field("End"), v(z), v(counted)) // z less
	w.op("VMOVMSKPD %s, AX", v(counted))
	w.op("TESTQ AX, AX")
	w.op("JEQ next")
	w.op("VADDPD %s, %[2]s, %[2]s", field("Step"), v(z))
	w.store(z, field("Z"), false)
	w.load(field("Ratio"), z, false)
	w.op("VMULPD %s, %[2]s, %[2]s", v(z), v(weight))
	w.op("VMULPD %s, %[2]s, %[2]s", field("Shrink"), v(z))
	w.store(z, field("Ratio"), false)
	w.op("VMULPD %s, %[2]s, %[2]s", field("Down"), v(low))
	w.op("VMULPD %s, %[2]s, %[2]s", field("Up"), v(high))
	for _, register := range []int{low, high} { // a node that does not count adds zeros
		w.op("VANDPD %s, %[2]s, %[2]s", v(counted), v(register))
	}
	w.op("VANDPD %s, %s, %[2]s", v(weight), v(counted))
	w.op("VADDPD %s, %s, %s", v(one), v(low), v(pl))
	w.op("VADDPD %s, %s, %s", v(one), v(high), v(ph))
	w.op("VMULPD %s, %s, %s", v(ph), v(pl), v(logX))
	add := func(name string, term int) {
		w.op("VMULPD %s, %[2]s, %[2]s", v(counted), v(term))
		w.op("VADDPD %s, %[2]s, %[2]s", field(name), v(term))
		w.store(term, field(name), false)
	}
	w.op("VDIVPD %s, %s, %[1]s", v(pl), v(one))
	w.op("VDIVPD %s, %s, %[1]s", v(ph), v(one))
	w.op("VMULPD %s, %s, %s", v(pl), v(low), v(ql))
	w.op("VMULPD %s, %s, %s", v(ph), v(high), v(qh))
	w.op("VADDPD %s, %s, %s", v(qh), v(ql), v(sum))
	add("D1", sum)
	w.op("VMULPD %s, %s, %s", v(pl), v(ql), v(wl))
	w.op("VMULPD %s, %s, %s", v(ph), v(qh), v(wh))
	w.op("VADDPD %s, %s, %s", v(wh), v(wl), v(sum))
	add("W", sum)
	w.op("VSUBPD %s, %[2]s, %[2]s", v(pl), v(ql))
	w.op("VSUBPD %s, %[2]s, %[2]s", v(ph), v(qh))
	w.op("VMULPD %s, %[2]s, %[2]s", v(ql), v(wl))
	w.op("VMULPD %s, %[2]s, %[2]s", v(qh), v(wh))
	w.op("VADDPD %s, %[2]s, %[2]s", v(wh), v(wl))
	add("Slope", wl)
	w.op("VADDPD %[1]s, %[1]s, %[2]s", v(counted), v(sum))
	w.op("VADDPD %s, %[2]s, %[2]s", field("Total"), v(sum))
	w.store(sum, field("Total"), false)
	l.of(w, false)
	add("Value", logY)
	w.op("JMP node")
	w.at("next")
	w.op("ADDQ $LogitNodes__size, DI")
	w.op("DECQ R14")
	w.op("JNZ four")
	w.ret()
}

// distances writes the squared distances of points, four at a time, two coordinates at a time.
func (w *writer) distances() {
	const sum, a, b, even, odd = 0, 1, 2, 3, 4
	w.function("distances", "dst DI", "x SI", "scale BX", "points AX", "d R9", "n R14")
	w.op("LEAQ (R9*8), R10")
	w.op("LEAQ (R10)(R10*2), R12") // from the first point to the last
	w.op("LEAQ (AX)(R12*1), R11")
	w.op("LEAQ -1(R9), R13")
	row := func(i int) string { return rowAddress(i, "AX", "R11", "R10") }
	add := func(coordinate, points int) {
		w.op("VBROADCASTSD %s, %s", offset("(SI)(R8*8)", 8*coordinate), v(a))
		w.op("VSUBPD %s, %s, %[1]s", v(points), v(a))
		w.op("VBROADCASTSD %s, %s", offset("(BX)(R8*8)", 8*coordinate), v(a))
		w.op("VMULPD %s, %[2]s, %[2]s", v(a), v(points))
		w.op("VMULPD %[1]s, %[1]s, %[1]s", v(points))
		w.op("VADDPD %s, %[2]s, %[2]s", v(points), v(sum))
	}
	next := func(coordinates int) {
		w.op("ADDQ $%d, AX", 8*coordinates)
		w.op("ADDQ $%d, R11", 8*coordinates)
		w.op("ADDQ $%d, R8", coordinates)
	}
	w.at("points")
	w.op("VXORPD %[1]s, %[1]s, %[1]s", v(sum))
	w.op("XORQ R8, R8")
	w.op("CMPQ R8, R13")
	w.op("JGE single")
	w.at("pair")
	for i, register := range []int{a, b} {
		w.op("VMOVUPD %s, X%d", row(i), register)
		w.op("VINSERTF128 $1, %s, %[2]s, %[2]s", row(i+2), v(register))
	}
	w.op("VUNPCKLPD %s, %s, %s", v(b), v(a), v(even))
	w.op("VUNPCKHPD %s, %s, %s", v(b), v(a), v(odd))
	add(0, even)
	add(1, odd)
	next(2)
	w.op("CMPQ R8, R13")
	w.op("JLT pair")
	w.op("JNE stored")
	w.at("single")
	for i, register := range []int{even, odd} {
		w.op("VMOVSD %s, X%d", row(2*i), register)
		w.op("VMOVHPD %s, X%d, X%[2]d", row(2*i+1), register)
	}
	w.op("VINSERTF128 $1, X%d, %[2]s, %[2]s", odd, v(even))
	add(0, even)
	next(1)
	w.at("stored")
	w.store(sum, "(DI)", false)
	w.op("ADDQ $%d, DI", size)
	w.op("ADDQ R12, AX")
	w.op("ADDQ R12, R11")
	w.op("SUBQ $%d, R14", lanes)
	w.op("JNZ points")
	w.ret()
}

// means writes the means of some rows of four numbers, for four lists of rows at a time.
func (w *writer) means() {
	const lists, count = 4, 4
	w.function("means", "dst DI", "rows SI", "drawn AX", "n R9", "lists R14")
	w.op("LEAQ (R9)(R9*2), R12") // from the first list to the last
	w.op("VCVTSI2SDQ R9, X%d, X%[1]d", count)
	w.op("VBROADCASTSD X%d, %s", count, v(count))
	w.at("lists")
	w.op("LEAQ (AX)(R12*1), R11")
	w.op("MOVQ R9, R13")
	for i := range lists {
		w.op("VXORPD %[1]s, %[1]s, %[1]s", v(i))
	}
	w.at("rows")
	for i := range lists {
		w.op("MOVBQZX %s, BX", rowAddress(i, "AX", "R11", "R9"))
		w.op("SHLQ $5, BX")
		w.op("VADDPD (SI)(BX*1), %[1]s, %[1]s", v(i))
	}
	w.op("INCQ AX")
	w.op("INCQ R11")
	w.op("DECQ R13")
	w.op("JNZ rows")
	for i := range lists {
		w.op("VDIVPD %s, %[2]s, %[2]s", v(count), v(i))
		w.store(i, offset("(DI)", i*size), false)
	}
	w.op("ADDQ $%d, DI", lists*size)
	w.op("ADDQ R12, AX")
	w.op("SUBQ $%d, R14", lists)
	w.op("JNZ lists")
	w.ret()
}

// weightedSums writes the sums of eight columns, eight of each at a time.
func (w *writer) weightedSums() {
	const columns, weights = 8, 8
	w.function("weightedSums", "dst DI", "stride R10", "weights AX", "values SI", "pairs R9", "blocks R14")
	w.at("blocks")
	for c := range columns {
		w.op("VPXOR %[1]s, %[1]s, %[1]s", v(c))
	}
	w.op("MOVQ SI, BX")
	w.op("MOVQ R9, R13")
	w.at("pairs")
	w.op("VPMOVZXBW (AX), %s", v(weights))
	for c := range columns {
		product := v(weights + 1 + c%4)
		w.op("VPBROADCASTD %s, %s", offset("(BX)", 4*c), product)
		w.op("VPMADDWD %s, %[2]s, %[2]s", v(weights), product)
		w.op("VPADDD %s, %[2]s, %[2]s", product, v(c))
	}
	w.op("ADDQ $16, AX")
	w.op("ADDQ $%d, BX", 4*columns)
	w.op("DECQ R13")
	w.op("JNZ pairs")
	w.op("MOVQ DI, R11")
	for c := range columns {
		w.op("VMOVDQU %s, (R11)", v(c))
		w.op("ADDQ R10, R11")
	}
	w.op("ADDQ $32, DI")
	w.op("DECQ R14")
	w.op("JNZ blocks")
	w.ret()
}

// within finds a number between two, eight at a time.
func (w *writer) within() {
	w.function("within", "x SI", "least", "most", "n R14", "next")
	w.op("VPBROADCASTD least+8(FP), Y0")
	w.op("VPBROADCASTD most+16(FP), Y1")
	w.op("XORQ AX, AX")
	w.at("loop")
	w.op("VMOVDQU (SI)(AX*4), Y2")
	w.op("VPSUBD Y0, Y2, Y2")
	w.op("VPMINUD Y1, Y2, Y3")
	w.op("VPCMPEQD Y2, Y3, Y3") // at most
	w.op("VMOVMSKPS Y3, BX")
	w.op("TESTL BX, BX")
	w.op("JNZ found")
	w.op("ADDQ $8, AX")
	w.op("CMPQ AX, R14")
	w.op("JLT loop")
	w.op("XORQ BX, BX")
	w.at("found")
	w.op("BSFL BX, BX") // leaves 0
	w.op("ADDQ BX, AX")
	w.op("MOVQ AX, next+32(FP)")
	w.ret()
}

// fly writes Fly. A pass of its loop is a bounce: it writes x += time s and s += c row, and finds the first least -x/s
// among the positive s. R13 is the last wall, and X8 the speed there.
func (w *writer) fly() {
	const (
		x, s, row, t, mask              = 0, 1, 2, 3, 4
		time, c, zero, speed            = 5, 6, 7, 8
		least, index, here, step, other = 9, 10, 11, 12, 13
	)
	fmt.Fprintln(&w.out)
	infinity, minusOne, four, minusTwo := w.number(math.Inf(1)), w.constant(math.MaxUint64), w.constant(lanes), w.number(-2)
	for i := range lanes {
		fmt.Fprintf(&w.out, "DATA firstLanes<>+%d(SB)/8, $%d\n", 8*i, i)
	}
	fmt.Fprintf(&w.out, "GLOBL firstLanes<>(SB), RODATA|NOPTR, $%d\n", size)

	w.function("fly", "x R8", "s R9", "sigma R10", "n", "limit R12", "lanes R11", "left", "wall")
	w.op("VXORPD %[1]s, %[1]s, %[1]s", v(zero))
	w.op("VXORPD %[1]s, %[1]s, %[1]s", v(time))
	w.op("VXORPD %[1]s, %[1]s, %[1]s", v(c))
	w.op("VMOVUPD %s, %s", four, v(step))
	w.op("MOVQ $-1, R13")
	w.op("MOVQ R10, BX")
	w.at("pass")
	w.op("MOVQ R8, DI")
	w.op("MOVQ R9, SI")
	w.op("MOVQ n+24(FP), R14")
	w.op("VMOVUPD %s, %s", infinity, v(least))
	w.op("VMOVUPD %s, %s", minusOne, v(index))
	w.op("VMOVUPD firstLanes<>(SB), %s", v(here))
	w.oneByOne(func(masked bool) {
		w.load("(DI)", x, masked)
		w.load("(SI)", s, masked)
		w.load("(BX)", row, masked)
		w.op("VFMADD231PD %s, %s, %s", v(s), v(time), v(x))
		w.op("VFMADD231PD %s, %s, %s", v(row), v(c), v(s))
		w.store(x, "(DI)", masked)
		w.store(s, "(SI)", masked)
		w.op("VSUBPD %s, %s, %s", v(x), v(zero), v(t))
		w.op("VDIVPD %s, %[2]s, %[2]s", v(s), v(t))
		w.op("VCMPPD $1, %s, %s, %s", v(s), v(zero), v(other)) // 0 less than s
		w.op("VCMPPD $1, %s, %s, %s", v(least), v(t), v(mask)) // t less
		w.op("VANDPD %s, %s, %[2]s", v(other), v(mask))
		w.op("VBLENDVPD %s, %s, %s, %[3]s", v(mask), v(t), v(least))
		w.op("VBLENDVPD %s, %s, %s, %[3]s", v(mask), v(here), v(index))
		w.op("VPADDQ %s, %[2]s, %[2]s", v(step), v(here))
		w.op("ADDQ $%d, BX", size)
	})
	// Rounding may have missed where the last wall put the ball and its speed.
	w.op("TESTQ R13, R13")
	w.op("JLT turned")
	w.op("MOVQ $0, (R8)(R13*8)")
	w.op("VSUBSD X%d, X%d, X%d", speed, zero, other)
	w.op("VMOVSD X%d, (R9)(R13*8)", other)
	w.at("turned")
	w.op("VMOVDQU %s, (R11)", v(index))
	w.acrossLanes("VMINPD", least, time, other)
	w.op("VCMPPD $0, %s, %s, %s", v(least), v(time), v(mask)) // equal
	w.op("VMOVMSKPD %s, AX", v(mask))
	w.op("BSFQ AX, CX")
	w.op("MOVQ (R11)(CX*8), DX")
	w.at("first")
	w.op("LEAQ -1(AX), CX")
	w.op("ANDQ CX, AX")
	w.op("JZ found")
	w.op("BSFQ AX, CX")
	w.op("MOVQ (R11)(CX*8), CX")
	w.op("CMPQ CX, DX")
	w.op("CMOVQLT CX, DX")
	w.op("JMP first")
	w.at("found")
	w.op("TESTQ DX, DX")
	w.op("JLT ended")
	w.op("TESTQ R12, R12")
	w.op("JZ ended")
	w.op("DECQ R12")
	w.op("MOVQ DX, BX")
	w.op("IMULQ n+24(FP), BX")
	w.op("LEAQ (R10)(BX*8), BX")
	w.op("VMOVSD (R9)(DX*8), X%d", speed)
	w.op("VMULSD %s, X%d, X%d", minusTwo, speed, c)
	w.op("VDIVSD (BX)(DX*8), X%d, X%[1]d", c)
	w.op("VBROADCASTSD X%d, %s", c, v(c))
	w.op("VMAXPD %s, %[2]s, %[2]s", v(zero), v(time)) // rounding can put the ball beyond the wall
	w.op("MOVQ DX, R13")
	w.op("JMP pass")
	w.at("ended")
	w.op("MOVQ R12, left+48(FP)")
	w.op("MOVQ DX, wall+56(FP)")
	w.ret()
}

// acrossLanes writes the least or greatest of all lanes.
func (w *writer) acrossLanes(op string, of, result, spare int) {
	w.op("VPERM2F128 $1, %[1]s, %[1]s, %[2]s", v(of), v(spare))
	w.op("%s %s, %s, %s", op, v(spare), v(of), v(result))
	w.op("VSHUFPD $5, %[1]s, %[1]s, %[2]s", v(result), v(spare))
	w.op("%s %s, %[3]s, %[3]s", op, v(spare), v(result))
}
