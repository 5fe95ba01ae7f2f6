package dyninst

import (
	"testing"

	"laggard/slicing/cpu"
	"laggard/slicing/x86"
)

// FuzzListing: whatever a helper answers, what is accepted can be sliced.
func FuzzListing(f *testing.F) {
	f.Add([]byte(`{"insts":[{"addr":4198,"len":3,"kind":0,"def":32,"use":0,"kills":32,"move":1,"dst":5,"src":4,"imm":0,"bound":0,"sp":0}],"jumps":[[1,2,3]],"halts":[7]}`))
	f.Add([]byte(`{"insts":[{"addr":1,"len":4,"load":{"base":5,"index":-1,"scale":0,"disp":-12,"size":4},"move":5,"dst":1,"src":-1}]}`))
	f.Add([]byte(`{"insts":[{"addr":1,"len":4,"store":{"base":99,"index":-9}}]}`))
	f.Add([]byte(`{"error":"no code"}`))
	f.Add([]byte(`{"jumps":[[],[1]]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		l, err := parseListing(line, func(addr uint64) cpu.Inst { return x86.Decode(nil, addr) })
		if err != nil {
			return
		}
		for _, in := range l.Insts {
			if in.Len < 1 || in.Len > longest || in.Kind > cpu.Bad || in.Dst < cpu.None ||
				int(in.Dst) >= x86.Registers {
				t.Errorf("%+v", in)
			}
			for _, m := range []*cpu.Mem{in.Load, in.Store, in.Load2, in.Address} {
				if m != nil && (m.Base < cpu.None || m.Base >= x86.General || m.Index < cpu.None ||
					m.Index >= x86.General) {
					t.Errorf("%+v: %+v", in, m)
				}
			}
		}
		for from, to := range l.Jumps {
			if len(to) == 0 {
				t.Errorf("a jump at %#x to nowhere", from)
			}
		}
	})
}
