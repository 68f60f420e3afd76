//go:build !amd64 || noasm

// Empty: the kernels are declared everywhere, and the compiler takes a declaration without a body only in a package
// with assembly.
