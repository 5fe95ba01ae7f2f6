package native

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing"
	"laggard/symbol"
)

// TestTimeOfLoading: to take the functions of a stack apart is part of a slice's time.
func TestTimeOfLoading(t *testing.T) {
	const depth = 24
	text := new(strings.Builder)
	for i := range depth {
		fmt.Fprintf(text, ".type f%d,@function\nf%d: call f%d\n.rept %d\ninc %%eax\n.endr\nret\n.size f%d,.-f%d\n",
			i, i, max(i-1, 0), maxInsts, i, i)
	}
	text.WriteString(".globl main\nmain: ret\n.section .note.GNU-stack,\"\",@progbits\n")
	exe := filepath.Join(t.TempDir(), "prog")
	cc := exec.Command("gcc", "-g", "-no-pie", "-x", "assembler", "-", "-o", exe)
	cc.Stdin = strings.NewReader(text.String())
	if out, err := cc.CombinedOutput(); err != nil {
		t.Skipf("gcc: %v: %s", err, out)
	}
	r := symbol.New(symbol.Config{DebugDirs: []string{}})
	defer r.Close()
	mod := &model.Module{Path: exe}
	code := musttest.Get(r.CodeOf(mod))(t)
	c := slicing.Criterion{}
	for i := range depth {
		at, ok := code.FunctionAddress(fmt.Sprint("f", i))
		if !ok {
			t.Fatalf("no f%d", i)
		}
		c.Stack = append(c.Stack, model.Frame{Module: mod, Offset: at + 5})
	}
	begin := time.Now()
	s, err := New(r, Options{}).Slice(context.Background(), c, slicing.Budget{Time: time.Millisecond})
	// To take them all apart takes 25 s and more; one of them, after which the time is looked at, is under the race
	// detector 5 s.
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("took %s: %v, %v", took, s.Notes, err)
	}
	if !s.Truncated {
		t.Errorf("nothing says that the slice was cut: %v, %v", s.Notes, err)
	}
}
