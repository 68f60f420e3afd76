package main

import "fmt"

// tile writes the function that works on r rows of C, see tile in kernels.go: strips of three
// registers, then the remaining columns in one or two registers, the last of them masked.
//
// DI is the tile; R8, R9 and R10 are a and its strides, R11 and R12 b and its stride,
// R13 and CX c and its stride; AX and BX run through a from its rows 0 and 3,
// SI runs through b, R14 counts.
func (w *writer) tile(r int) {
	w.function(fmt.Sprint("tile", r), "t DI")
	w.lastMask("tile_cols(DI)")
	w.op("MOVQ tile_a(DI), R8")
	w.op("MOVQ tile_ak(DI), R9")
	w.op("MOVQ tile_ai(DI), R10")
	w.op("MOVQ tile_b(DI), R11")
	w.op("MOVQ tile_bs(DI), R12")
	w.op("MOVQ tile_c(DI), R13")
	w.op("MOVQ tile_cs(DI), CX")
	w.op("CMPQ tile_stage(DI), $const_stageCholesky")
	w.op("JNE columns")
	if r == 4 {
		w.op("CMPQ tile_cols(DI), $%d", 3*lanes)
		w.op("JLT few")
		w.strip(r, 3, false, true)
		w.op("MOVQ $const_stageSolve, tile_stage(DI)")
		w.op("JMP columns")
		w.at("few")
	}
	w.op("CMPQ tile_cols(DI), $%d", lanes)
	w.op("JLE pivots")
	w.strip(r, 1, false, true)
	w.op("MOVQ $const_stageSolve, tile_stage(DI)")

	w.at("columns")
	w.op("CMPQ tile_cols(DI), $%d", 3*lanes)
	w.op("JLT rest")
	w.strip(r, 3, false, false)
	w.op("JMP columns")

	w.at("rest")
	w.lastMask("tile_cols(DI)") // strips of three use all registers, and CX
	w.op("MOVQ tile_cs(DI), CX")
	for n := 2; n >= 1; n-- {
		next := fmt.Sprint("rest", n-1)
		w.op("CMPQ tile_cols(DI), $%d", (n-1)*lanes)
		w.op("JLE %s", next)
		if n == 2 { // 9 to 11 columns: 8, and the masked rest
			w.op("CMPQ tile_cols(DI), $%d", 2*lanes)
			w.op("JLE last2")
			w.strip(r, 2, false, false)
			w.op("JMP rest1")
			w.at("last2")
		}
		w.strip(r, n, true, false)
		if n > 1 {
			w.op("JMP done")
		}
		w.at(next)
	}
	w.at("done")
	w.op("MOVQ $-1, tile_failed(DI)")
	w.ret()

	w.at("pivots")
	w.strip(r, 1, true, true)
	w.op("JMP done")
	w.at("failed")
	w.ret()
}

// strip writes the work on n registers of each of r rows, and moves on.
func (w *writer) strip(r, n int, masked, cholesky bool) {
	acc := func(i, j int) int { return i*n + j }
	coef, bReg := r*n+n, func(j int) int { return r*n + j }
	eachRow := func(do func(i int, mem string)) { // of C; SI is free then
		w.op("LEAQ (R13)(CX*2), SI")
		w.op("ADDQ CX, SI")
		for i := range r {
			do(i, rowAddress(i, "R13", "SI", "CX"))
		}
	}
	aOf := func(i int) string { return rowAddress(i, "AX", "BX", "R10") }
	nextA := func() {
		w.op("ADDQ R9, AX")
		if r > 2 {
			w.op("ADDQ R9, BX")
		}
	}

	eachRow(func(i int, mem string) {
		for j := range n {
			w.load(offset(mem, j*size), acc(i, j), masked && j == n-1)
		}
	})
	w.op("MOVQ R8, AX")
	w.op("LEAQ (R10)(R10*2), BX")
	w.op("ADDQ AX, BX")
	w.op("MOVQ R11, SI")
	w.op("MOVQ tile_k(DI), R14")
	added := w.label("added")
	w.op("TESTQ R14, R14")
	w.op("JZ %s", added)
	loop := func(op string) {
		l := w.label("loop")
		w.at(l)
		for j := range n {
			w.load(offset("(SI)", j*size), bReg(j), masked && j == n-1)
		}
		for i := range r {
			w.op("VBROADCASTSD %s, %s", aOf(i), v(coef))
			for j := range n {
				w.op("%s %s, %s, %s", op, v(coef), v(bReg(j)), v(acc(i, j)))
			}
		}
		nextA()
		w.op("ADDQ R12, SI")
		w.op("DECQ R14")
		w.op("JNZ %s", l)
	}
	if cholesky {
		loop("VFNMADD231PD")
	} else {
		add := w.label("add")
		w.op("CMPQ tile_stage(DI), $const_stageAdd")
		w.op("JEQ %s", add)
		loop("VFNMADD231PD")
		w.op("JMP %s", added)
		w.at(add)
		loop("VFMADD231PD")
	}
	w.at(added)

	if !cholesky {
		store := w.label("store")
		w.op("CMPQ tile_stage(DI), $const_stageSolve")
		w.op("JLT %s", store)
		for i := range r {
			w.op("VBROADCASTSD tile_inverse+%d(DI), %s", 8*i, v(coef))
			for j := range n {
				w.op("VMULPD %s, %[2]s, %[2]s", v(coef), v(acc(i, j)))
			}
			for below := i + 1; below < r; below++ {
				w.op("VBROADCASTSD %s, %s", aOf(below), v(coef))
				for j := range n {
					w.op("VFNMADD231PD %s, %s, %s", v(coef), v(acc(i, j)), v(acc(below, j)))
				}
			}
			if i < r-1 {
				nextA()
			}
		}
		w.at(store)
		eachRow(func(i int, mem string) {
			for j := range n {
				w.store(acc(i, j), offset(mem, j*size), masked && j == n-1)
			}
		})
	} else {
		w.pivots(r, n, masked, aOf, nextA)
	}
	w.op("ADDQ $%d, R11", n*size)
	w.op("ADDQ $%d, R13", n*size)
	w.op("SUBQ $%d, tile_cols(DI)", n*lanes)
}

// pivots writes the Cholesky factorisation of the diagonal block, in the first of n registers of each row, and the solution
// of the columns to its right. It works row by row and stores each row as soon as it is done, so that the next rows
// read their coefficients from it.
//
// A pivot depends on the pivot before it. So that it waits for nothing else, it is computed alone,
// from its row in memory, before the rest of the row. The processor works on the rest while it waits for the pivot.
func (w *writer) pivots(r, n int, masked bool, aOf func(int) string, nextA func()) {
	acc, coef := func(i, j int) int { return i*n + j }, r*n
	xmm := func(i int) string { return fmt.Sprint("X", coef+i) }
	x, root, one, u, pivot := xmm(0), xmm(1), xmm(2), xmm(2), xmm(3)
	w.op("MOVQ R13, SI")
	w.store(acc(0, 0), "(SI)", masked)
	w.op("VMOVSD (SI), %s", pivot)
	for i := range r {
		if i > 0 {
			w.store(acc(i, 0), "(SI)", masked)
		}
		if i < r-1 {
			w.store(acc(i+1, 0), "(SI)(CX*1)", masked)
		}
		w.op("MOVQ $%d, tile_failed(DI)", i)
		w.op("VMOVSD tile_floor(DI), %s", x)
		w.op("VMAXSD %s, %[2]s, %[2]s", pivot, x) // the pivot where it is NaN
		w.op("VUCOMISD tile_least(DI), %s", x)
		w.op("JCS failed") // below, or NaN
		w.op("VSQRTSD %s, %[1]s, %s", x, root)
		w.op("VMOVSD tile_one(DI), %s", one)
		w.op("VDIVSD %s, %[2]s, %[2]s", x, one)
		w.op("VMULSD %s, %s, %s", root, one, x)
		if i < r-1 {
			w.op("VMULSD %d(SI), %s, %s", 8*(i+1), x, u)
			w.op("VMOVSD %d(SI)(CX*1), %s", 8*(i+1), pivot)
			w.op("VFNMADD231SD %s, %[1]s, %s", u, pivot)
		}
		w.op("VMOVSD %s, tile_inverse+%d(DI)", x, 8*i)
		w.op("VBROADCASTSD %s, %s", x, v(coef))
		for j := range n {
			w.op("VMULPD %s, %[2]s, %[2]s", v(coef), v(acc(i, j)))
			w.store(acc(i, j), offset("(SI)", j*size), masked)
		}
		w.op("VMOVSD %s, %d(SI)", root, 8*i)
		for below := i + 1; below < r; below++ {
			w.op("VBROADCASTSD %s, %s", aOf(below), v(coef))
			for j := range n {
				w.op("VFNMADD231PD %s, %s, %s", v(coef), v(acc(i, j)), v(acc(below, j)))
			}
		}
		if i < r-1 {
			nextA()
			w.op("ADDQ CX, SI")
		}
	}
}

// rowAddress returns the address of one of the first four rows of a matrix from registers that point to rows 0 and 3.
func rowAddress(i int, row0, row3, stride string) string {
	switch i {
	case 0:
		return "(" + row0 + ")"
	case 3:
		return "(" + row3 + ")"
	}
	return fmt.Sprintf("(%s)(%s*%d)", row0, stride, i)
}

// offset returns an address some bytes further on.
func offset(mem string, bytes int) string {
	if bytes == 0 {
		return mem
	}
	return fmt.Sprint(bytes, mem)
}
