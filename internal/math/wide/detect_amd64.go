//go:build !noasm

package wide

// avx2 says that the processor has AVX2 and FMA. Tests change it.
var avx2 = detect()

func detect() bool {
	const (
		fma, osxsave, avx = 1 << 12, 1 << 27, 1 << 28 // leaf 1, ECX
		inEBX             = 1 << 5                    // leaf 7, EBX: AVX2
		ymm               = 0x06                      // registers that the operating system saves
	)
	last, _, _, _ := cpuid(0, 0)
	if last < 7 {
		return false
	}
	_, _, c, _ := cpuid(1, 0)
	_, b, _, _ := cpuid(7, 0)
	return c&fma != 0 && c&osxsave != 0 && c&avx != 0 && b&inEBX != 0 && xgetbv()&ymm == ymm
}

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// xgetbv returns the low half of XCR0.
func xgetbv() uint32
