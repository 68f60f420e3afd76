//go:build !amd64 || noasm

package wide

// avx2 says that there are kernels.
const avx2 = false
