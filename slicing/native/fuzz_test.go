package native

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing"
	"laggard/symbol"
)

// FuzzProgram slices a program of which some bytes were changed: there may be an
// error or a slice, and never a panic, an endless loop or a line without a file.
func FuzzProgram(f *testing.F) {
	exe := filepath.Join(f.TempDir(), "prog")
	const source = `int g; int h(int x) { switch (x) { case 0: return g; case 1: return 3; case 2: g++; case 3: return 8; case 4: return 9; } return x; }
int main(int c, char **v) { int n = 0; for (int i = 0; i < c; i++) n += h(i) + v[i][0]; return n; }`
	cc := exec.Command("gcc", "-g", "-O1", "-x", "c", "-", "-o", exe)
	stdin := musttest.Get(cc.StdinPipe())(f)
	go func() {
		stdin.Write([]byte(source))
		stdin.Close()
	}()
	if cc.Run() != nil {
		f.Skip("gcc is not installed")
	}
	original := musttest.Get(os.ReadFile(exe))(f)
	f.Add(uint32(0x1130), uint64(0x90), uint16(0))
	f.Add(uint32(0x1140), uint64(0xffffffffffffffff), uint16(30))
	f.Add(uint32(60), uint64(0x40), uint16(12))
	f.Fuzz(func(t *testing.T, at uint32, bytes uint64, off uint16) {
		text := append([]byte(nil), original...)
		for i := range 8 {
			text[(int(at)+i)%len(text)] ^= byte(bytes >> (8 * i))
		}
		path := filepath.Join(t.TempDir(), "prog")
		musttest.Succeed(t, os.WriteFile(path, text, 0o600))
		r := symbol.New(symbol.Config{DebugDirs: []string{}})
		defer r.Close()
		c := slicing.Criterion{Exact: true,
			Stack: []model.Frame{{Module: &model.Module{Path: path}, Offset: 0x1100 + uint64(off)}}}
		begin := time.Now()
		s, err := New(r, Options{}).Slice(context.Background(), c, slicing.Budget{Time: time.Second})
		if took := time.Since(begin); took > 20*time.Second {
			t.Fatalf("took %s", took)
		}
		if err != nil && len(s.Lines) > 0 {
			t.Fatalf("an error and a slice: %v", err)
		}
		for _, l := range s.Lines {
			if l.File == "" || l.Line <= 0 || l.Distance < 0 {
				t.Fatalf("%+v", l)
			}
		}
	})
}
