// Package fmath provides the elementary functions that records are computed with. They return the
// same bits on every processor, at every architecture level and with every compiler setting. The
// functions of package math do not: some are assembly on some processors, and in the rest the
// compiler may fuse a product with a sum and round once. Here every product is rounded before
// anything is added to it, or the code calls math.FMA. Both define the result exactly.
//
// Each function states its error in units in the last place (ulp) of the result. The tests check it
// on reference values computed with mpmath by scripts/reference/fmath.py. Special values are as in
// package math unless a function says otherwise.
//
// The functions of package math that are exact or correctly rounded on every
// processor (Abs, Sqrt, Floor, Round, FMA, Ldexp, Nextafter and the like) need no
// replacement.
package fmath

// The coefficients of Log, Log1p, Expm1 and Erfc are from FDLIBM 5.3, whose notice follows:
//
// Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Developed at
// SunPro, a Sun Microsystems, Inc. business. Permission to use, copy, modify, and
// distribute this software is freely granted, provided that this notice is
// preserved.

// ln2Hi + ln2Lo is ln 2. ln2Hi has 21 trailing zero bits, so its product with an
// exponent is exact.
const (
	ln2Hi = 0x1.62e42fee00000p-1
	ln2Lo = 0x1.a39ef35793c76p-33
)

// Polynomials in v by Horner's rule, highest coefficient first. The compiler inlines them, as it
// would not a loop over a slice.

func poly4(v, c4, c3, c2, c1, c0 float64) float64 {
	p := float64(c4*v) + c3
	p = float64(p*v) + c2
	p = float64(p*v) + c1
	return float64(p*v) + c0
}

func poly5(v, c5, c4, c3, c2, c1, c0 float64) float64 {
	return poly4(v, float64(c5*v)+c4, c3, c2, c1, c0)
}

func poly6(v, c6, c5, c4, c3, c2, c1, c0 float64) float64 {
	return poly5(v, float64(c6*v)+c5, c4, c3, c2, c1, c0)
}
