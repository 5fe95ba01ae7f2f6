package x86

import "testing"

// TestDisplacement: displacements of one and of four bytes have a sign.
func TestDisplacement(t *testing.T) {
	const at = 0x2000
	for _, c := range []struct {
		what string
		code []byte
		want int64
	}{
		{"mov -0x88(%rbp),%rax", []byte{0x48, 0x8b, 0x85, 0x78, 0xff, 0xff, 0xff}, -0x88},
		{"mov -0x8(%rbp),%rax", []byte{0x48, 0x8b, 0x45, 0xf8}, -8},
		{"mov 0x88(%rbp),%rax", []byte{0x48, 0x8b, 0x85, 0x88, 0, 0, 0}, 0x88},
		{"mov -0x1000(%rip),%rax", []byte{0x48, 0x8b, 0x05, 0, 0xf0, 0xff, 0xff}, at + 7 - 0x1000},
	} {
		in := Decode(c.code, at)
		if in.Len != len(c.code) || in.Load == nil || in.Load.Disp != c.want {
			t.Errorf("%s: %d bytes, load %+v, want the displacement %#x", c.what, in.Len, in.Load, c.want)
		}
	}
}
