package record

import "testing"

func BenchmarkDecode(b *testing.B) {
	r := example(b)
	r.Header.Budget = 30
	r.Header.Seal()
	for len(r.Steps) < 30 {
		s := r.Steps[0]
		s.T = len(r.Steps) + 1
		r.Steps = append(r.Steps, s)
	}
	data := encoded(b, r)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Decode("x", data); err != nil {
			b.Fatal(err)
		}
	}
}
