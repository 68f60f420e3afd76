package main

// caps writes the maxima over a part of a ball.
func (w *writer) caps() {
	const (
		a, h, v1, v2, mask, zero, u            = 0, 1, 2, 3, 4, 5, 6
		ball, least, rest, shift, slack, noise = 7, 8, 9, 10, 11, 12
	)
	w.function("caps", "upper DI", "along SI", "norm BX", "ball "+v(ball), "least "+v(least), "rest "+v(rest), "shift "+v(shift), "slack "+v(slack),
		"noise "+v(noise), "n R14")
	w.op("VXORPD %[1]s, %[1]s, %[1]s", v(zero))
	w.oneByOne(func(masked bool) {
		w.load("(SI)", a, masked)
		w.load("(BX)", h, masked)
		w.load("(DI)", u, masked)
		w.op("VSUBPD %s, %[2]s, %[2]s", v(shift), v(a))
		w.op("VADDPD %s, %[2]s, %[2]s", v(slack), v(a))
		w.op("VSUBPD %s, %s, %s", v(a), v(h), v(v1))
		w.op("VADDPD %s, %s, %s", v(a), v(h), v(v2))
		w.op("VMULPD %s, %[2]s, %[2]s", v(v1), v(v2))
		w.op("VMAXPD %s, %s, %[1]s", v(v2), v(zero)) // the product where it is NaN
		w.op("VSQRTPD %[1]s, %[1]s", v(v2))
		w.op("VMULPD %s, %[2]s, %[2]s", v(rest), v(v2))
		w.op("VMULPD %s, %s, %s", v(least), v(a), v(v1))
		w.op("VADDPD %s, %[2]s, %[2]s", v(v1), v(v2)) // in the cap
		w.op("VMULPD %s, %[2]s, %[2]s", v(ball), v(a))
		w.op("VMULPD %s, %s, %s", v(least), v(h), v(v1))
		w.op("VCMPPD $1, %s, %s, %s", v(v1), v(a), v(mask)) // less
		w.op("VMULPD %s, %s, %s", v(ball), v(h), v(v1))     // in the ball
		w.op("VBLENDVPD %s, %s, %s, %[3]s", v(mask), v(v2), v(v1))
		w.op("VMULPD %s, %[2]s, %[2]s", v(noise), v(h))
		w.op("VADDPD %s, %[2]s, %[2]s", v(h), v(v1))
		w.op("VMINPD %s, %s, %[2]s", v(u), v(v1)) // upper where one is NaN
		w.store(v1, "(DI)", masked)
		w.op("ADDQ $%d, BX", size)
	})
	w.ret()
}

// differences writes dst += Σ g_i (x - p_i), or the squares of the differences, in strips of at most three registers.
func (w *writer) differences(squares bool) {
	const most, acc, x, t, g = 3, 0, 3, 6, 9
	name := "differences"
	if squares {
		name = "squares"
	}
	w.function(name, "dst DI", "x BX", "points R8", "weights R9", "d R12", "n R11")
	w.op("LEAQ (R12*8), R10")
	w.strips(most, []string{"DI", "BX", "R8"}, func(n int, masking func(int) bool) {
		for j := range n {
			w.load(offset("(DI)", j*size), acc+j, masking(j))
			w.load(offset("(BX)", j*size), x+j, masking(j))
		}
		w.op("MOVQ R8, AX")
		w.op("MOVQ R9, SI")
		w.op("MOVQ R11, R14")
		loop := w.label("loop")
		w.at(loop)
		w.op("VBROADCASTSD (SI), %s", v(g))
		for j := range n {
			w.load(offset("(AX)", j*size), t+j, masking(j))
			w.op("VSUBPD %s, %s, %[1]s", v(t+j), v(x+j))
			if squares {
				w.op("VMULPD %[1]s, %[1]s, %[1]s", v(t+j))
			}
			w.op("VMULPD %s, %[2]s, %[2]s", v(g), v(t+j))
			w.op("VADDPD %s, %[2]s, %[2]s", v(t+j), v(acc+j))
		}
		w.op("ADDQ R10, AX")
		w.op("ADDQ $8, SI")
		w.op("DECQ R14")
		w.op("JNZ %s", loop)
		for j := range n {
			w.store(acc+j, offset("(DI)", j*size), masking(j))
		}
	})
	w.ret()
}
