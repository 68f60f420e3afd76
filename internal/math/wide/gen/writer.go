package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
)

// writer writes the file.
type writer struct {
	out               bytes.Buffer
	labels, constants int
}

// at writes a label.
func (w *writer) at(label string) { fmt.Fprintf(&w.out, "%s:\n", label) }

// label returns a new label.
func (w *writer) label(kind string) string {
	w.labels++
	return fmt.Sprintf("%s%d", kind, w.labels)
}

// load loads a register; masked lanes become 0.
func (w *writer) load(mem string, reg int, masked bool) {
	if masked {
		w.op("VMASKMOVPD %s, %s, %s", mem, v(maskRegister), v(reg))
	} else {
		w.op("VMOVUPD %s, %s", mem, v(reg))
	}
}

// mask makes the mask for the first lanes, as many as R14 says; it uses DX, and CX must be free.
func (w *writer) mask() {
	w.op("LEAQ masks<>+32(SB), DX")
	w.op("MOVQ R14, CX")
	w.op("SHLQ $3, CX")
	w.op("SUBQ CX, DX")
	w.op("VMOVUPD (DX), %s", v(maskRegister))
}

// lastMask makes the mask of the last register of some elements, which may be full; it uses R14 too.
func (w *writer) lastMask(elements string) {
	w.op("MOVQ %s, R14", elements)
	w.op("DECQ R14")
	w.op("ANDQ $%d, R14", lanes-1)
	w.op("INCQ R14")
	w.mask()
}

// number writes a register full of v, outside of a function, and returns its address.
func (w *writer) number(v float64) string { return w.constant(math.Float64bits(v)) }

// constant is number for the bits of v.
func (w *writer) constant(bits uint64) string {
	name := fmt.Sprintf("constant%d<>", w.constants)
	w.constants++
	for i := range lanes {
		fmt.Fprintf(&w.out, "DATA %s+%d(SB)/8, $%#016x\n", name, 8*i, bits)
	}
	fmt.Fprintf(&w.out, "GLOBL %s(SB), RODATA|NOPTR, $%d\n", name, size)
	return name + "(SB)"
}

// op writes one instruction.
func (w *writer) op(format string, args ...any) { fmt.Fprintf(&w.out, "\t"+format+"\n", args...) }

// ret ends a function.
func (w *writer) ret() {
	w.op("VZEROUPPER")
	w.op("RET")
}

// store stores a register except for masked lanes.
func (w *writer) store(reg int, mem string, masked bool) {
	if masked {
		w.op("VMASKMOVPD %s, %s, %s", v(reg), v(maskRegister), mem)
	} else {
		w.op("VMOVUPD %s, %s", v(reg), mem)
	}
}

// function begins a function. An argument is its name and, if it is to be loaded, the register that it is loaded into: all
// lanes of a vector register Y, or the first of X.
func (w *writer) function(name string, args ...string) {
	fmt.Fprintf(&w.out, "\nTEXT ·%sAVX2(SB), NOSPLIT, $0-%d\n", name, 8*len(args))
	for i, arg := range args {
		if name, register, ok := strings.Cut(arg, " "); ok {
			load := "MOVQ"
			switch register[0] {
			case 'X':
				load = "VMOVSD"
			case 'Y':
				load = "VBROADCASTSD"
			}
			w.op("%s %s+%d(FP), %s", load, name, 8*i, register)
		}
	}
}

// v is vector register i.
func v(i int) string { return fmt.Sprint("Y", i) }

// maskRegister holds the mask of partial registers.
const maskRegister = 15

const lanes = 4 // doubles in a register

const size = 8 * lanes
