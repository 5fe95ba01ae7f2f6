package dyninst

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing/cpu"
	"laggard/slicing/slicetest"
	"laggard/slicing/x86"
	"laggard/symbol"
)

// least is the share of the instructions on which both decoders must agree.
const least = 0.97

// TestAgreement compares what the helper says of each instruction of the test
// programs with what package x86 says.
func TestAgreement(t *testing.T) {
	path := findHelper(t)
	stub := slicetest.Stub(t)
	same, all := 0, 0
	differ := map[string]int{}
	for _, p := range slicetest.Programs(t) {
		for _, opt := range []string{"-O0", "-O2"} {
			exe := p.Build(t, stub, slicetest.Compiler("gcc", p.Name), opt)
			for _, pair := range decodeBoth(t, path, exe) {
				all++
				if d := instDifference(pair[0], pair[1]); d == "" {
					same++
				} else {
					differ[d]++
				}
			}
		}
	}
	if all == 0 || float64(same) < least*float64(all) {
		t.Errorf("the decoders agree on %d of %d instructions: %v", same, all, differ)
	}
	if testing.Verbose() {
		t.Logf("the decoders agree on %d of %d instructions: %v", same, all, differ)
	}
}

// decodeBoth are those of the helper and of package x86, for all functions
// of a program.
func decodeBoth(t *testing.T, path, exe string) [][2]cpu.Inst {
	t.Helper()
	id := musttest.Get(slicetest.BuildID(exe))(t)
	r := symbol.New(symbol.Config{DebugDirs: []string{}})
	defer r.Close()
	code := musttest.Get(r.CodeOf(&model.Module{Path: exe, BuildID: id}))(t)
	f := &front{path: path}
	f.beginSlice(context.Background(), time.Minute)
	defer f.stopHelper()
	var out [][2]cpu.Inst
	for addr := code.NextFunction(0); addr != 0; addr = code.NextFunction(addr) {
		fn, ok := code.FunctionAt(addr)
		if !ok || fn.Lo != addr || !code.IsExecutable(addr) {
			continue
		}
		l, err := f.Listing(code, addr)
		if f.failed != nil {
			t.Fatal(err)
		}
		for _, in := range l.Insts {
			bytes := code.Bytes(in.Addr)
			out = append(out, [2]cpu.Inst{in, x86.Decode(bytes[:min(len(bytes), 15)], in.Addr)})
		}
	}
	return out
}

// instDifference names what two instructions differ in that matters to a slice.
func instDifference(a, b cpu.Inst) string {
	var out []string
	add := func(what string, x, y any) {
		if p, q := fmt.Sprint(x), fmt.Sprint(y); p != q {
			out = append(out, fmt.Sprintf("%s %s/%s", what, p, q))
		}
	}
	add("length", a.Len, b.Len)
	add("kind", a.Kind, b.Kind)
	add("target", a.Target, b.Target)
	add("indirect", a.Indirect, b.Indirect)
	add("opaque", a.Opaque, b.Opaque)
	add("def", a.Def, b.Def)
	add("use", a.Use, b.Use)
	add("kills", a.Kills, b.Kills)
	add("load", memString(a.Load), memString(b.Load))
	add("second load", memString(a.Load2), memString(b.Load2))
	add("store", memString(a.Store), memString(b.Store))
	add("address", memString(a.Address), memString(b.Address))
	add("move", a.Move, b.Move)
	if a.Move != cpu.NoMove || a.Indirect {
		add("imm", a.Imm, b.Imm)
		add("dst", a.Dst, b.Dst)
		add("src", a.Src, b.Src)
	}
	add("sp", a.SP, b.SP)
	add("bound", a.Bound, b.Bound)
	return strings.Join(out, ", ")
}

func memString(m *cpu.Mem) string {
	if m == nil {
		return "none"
	}
	scale := m.Scale
	if m.Index == cpu.None {
		scale = 0
	}
	return fmt.Sprintf("%d+%d*%d%+d:%d %v", m.Base, m.Index, scale, m.Disp, m.Size, m.Thread)
}
