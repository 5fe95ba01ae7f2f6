package symbol

import (
	"encoding/binary"
	"os"
	"testing"

	"laggard/binary/cursor"
	"laggard/internal/musttest"
)

// TestPads: the calls of a function that handles exceptions, or has something to clean up, have
// landing pads in it; those of one that does not have none.
func TestPads(t *testing.T) {
	for _, compiler := range []string{"g++", "clang++"} {
		for _, flags := range [][]string{{"-O0"}, {"-O2"}, {"-O2", "-no-pie"}, {"-O2", "-fPIC", "-shared"}} {
			path := buildSource(t, compiler, "throwing.cc", flags...)
			code, all := openCode(t, path, Config{}), functionSymbols(t, path)
			for name, handles := range map[string]bool{"plainly": false, "handled": true, "cleaned": true} {
				f := all[name]
				pads := code.Pads(f.addr)
				if handles != (len(pads) > 0) {
					t.Errorf("%s %v: %s: %#x", compiler, flags, name, pads)
				}
				for _, p := range pads {
					part, ok := code.FunctionAt(p.At)
					apart := ok && part.Lo != f.addr // unlikely code
					if p.Lo < f.addr || p.Hi > f.addr+f.size || p.Lo >= p.Hi ||
						!apart && (p.At <= f.addr || p.At >= f.addr+f.size) {
						t.Errorf("%s %v: %s at %#x, %#x bytes: %#x", compiler, flags, name, f.addr, f.size, p)
					}
				}
			}
		}
	}
}

// table is that of a function of 64 bytes: the numbers are LEB128, and the pads relative to
// the function.
const table = "\xff\x9b\x11\x01\x0b" + "\x04\x05\x20\x01" + "\x10\x05\x00\x00" + "\x20\x81\x00"

func TestHandlers(t *testing.T) {
	for _, c := range []struct {
		name, table string
		want        []Pad
	}{
		{"two calls", table, []Pad{{0x1004, 0x1009, 0x1020}}},
		{"another base", "\x04\x00\x20\x00\x00\x00\x00\x00\x00\xff\x01\x04\x04\x05\x20\x01",
			[]Pad{{0x1004, 0x1009, 0x2020}}},
		{"base from here", "\x1b\xff\x0f\x00\x00\xff\x01\x04\x04\x05\x20\x01", []Pad{{0x1004, 0x1009, 0x6020}}},
		{"four bytes each", "\xff\xff\x03\x0d\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00",
			[]Pad{{0x1001, 0x1003, 0x1003}}},
		{"outside", "\xff\xff\x01\x04\x39\x20\x20\x01", nil},
		{"cut", "\xff\xff\x01\x20\x04\x05\x20\x01", nil},
		{"empty", "", nil},
	} {
		got := handlers(cursor.Cursor{Bytes: []byte(c.table), Order: binary.LittleEndian}, 0x5000, 0x1000, 64)
		if len(got) != len(c.want) || len(got) > 0 && got[0] != c.want[0] {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
}

// FuzzHandlers: whatever the table says, the calls are in the function.
func FuzzHandlers(f *testing.F) {
	f.Add([]byte(table), uint64(0x1000), uint64(64))
	f.Add([]byte("\x1b\xff\x0f\x00\x00\xff\x01\x04\x04\x05\x20\x01"), uint64(0x1000), uint64(10))
	f.Fuzz(func(t *testing.T, data []byte, lo, n uint64) {
		if lo+n < lo {
			return
		}
		pads := handlers(cursor.Cursor{Bytes: data, Order: binary.LittleEndian}, 0x5000, lo, n)
		for _, p := range pads {
			if p.Lo < lo || p.Hi < p.Lo || p.Hi > lo+n {
				t.Errorf("%#x outside of %#x and %d bytes", p, lo, n)
			}
		}
	})
}

// FuzzPads: whatever the file, an answer and no panic.
func FuzzPads(f *testing.F) {
	f.Add([]byte("\x7fELF"), uint64(0), uint32(0), uint64(0))
	path := buildSource(f, "g++", "throwing.cc", "-O1")
	original := musttest.Get(os.ReadFile(path))(f)
	for name, fn := range functionSymbols(f, path) {
		if name == "handled" {
			f.Add([]byte(nil), fn.addr, uint32(0x2000), uint64(0xff))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, pc uint64, at uint32, change uint64) {
		if len(data) == 0 {
			data = append(data, original...)
			for i := range 8 {
				data[(int(at)+i)%len(data)] ^= byte(change >> (8 * i))
			}
		}
		if m := moduleOf(data); m != nil {
			(&Code{m}).Pads(pc)
		}
	})
}
