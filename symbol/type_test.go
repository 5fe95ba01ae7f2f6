package symbol

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// shape writes a type as its size and what is where in it.
func shape(c *Code, t *Type, depth int) string {
	switch {
	case t == nil:
		return "?"
	case t.Pointer && depth > 0:
		return "*" + shape(c, c.Target(t), depth-1)
	case t.Pointer:
		return "*"
	case t.Elem != nil:
		return fmt.Sprintf("%d/%d of %s", t.Size, t.Origin, shape(c, t.Elem, depth))
	case len(t.Fields) == 0:
		return fmt.Sprint(t.Size)
	}
	var parts []string
	for _, f := range t.Fields {
		parts = append(parts, fmt.Sprintf("%d:%s", f.Offset, shape(c, f.Type, depth)))
	}
	return fmt.Sprintf("%d{%s}", t.Size, strings.Join(parts, " "))
}

const outerShape = "72{0:8 8:48/0 of 16{0:4 4:12/0 of 2} 56:* 64:4 64:4}"

// TestTypes: what is where in a struct, of a variable with an address and of what a
// pointer points to, in memory and in registers.
func TestTypes(t *testing.T) {
	for _, compiler := range []string{"gcc", "clang"} {
		for _, flags := range [][]string{{"-O0", "-g"}, {"-O2", "-g"}, {"-O2", "-gdwarf-4"}} {
			path := build(t, compiler, "types.c", flags...)
			code := opened(t, path, Config{})
			pc := functions(t, path)["sum"].addr
			vars := code.Variables(pc)
			if got := shape(code, vars.Result, 1); got != "8" {
				t.Errorf("%s %v: sum returns %s", compiler, flags, got)
			}
			var pointers []string
			for _, v := range vars.Stack {
				pointers = append(pointers, shape(code, v.Type, 1))
			}
			for _, h := range vars.Held {
				pointers = append(pointers, shape(code, h.Type, 1))
			}
			if !slices.Contains(pointers, "*"+outerShape) {
				t.Errorf("%s %v: no variable is a pointer to %s: %v", compiler, flags, outerShape, pointers)
			}
			const rdi = 5
			if got := shape(code, vars.At(rdi, pc), 1); flags[0] == "-O2" && got != "*"+outerShape {
				t.Errorf("%s %v: the first argument is %s", compiler, flags, got)
			}
			statics(t, code, pc, "288/0 of "+outerShape)
		}
	}
}

// TestDerived: what is behind a class that another one begins with, and what is kept in
// raw bytes; an iterator in a register is the pointer that it has.
func TestDerived(t *testing.T) {
	for _, compiler := range []string{"g++", "clang++"} {
		path := build(t, compiler, "nodes.cc", "-O2", "-g")
		code := opened(t, path, Config{})
		pc := functions(t, path)["sum"].addr
		const rdi = 5
		link := code.Target(code.Variables(pc).At(rdi, pc))
		if got := shape(code, link, 0); got != "8{0:*}" {
			t.Errorf("%s: the iterator is of %s", compiler, got)
		}
		if got := shape(code, code.Derived(link, 24), 0); got != "24{0:8{0:*} 8:16{0:16{0:4 8:8}}}" {
			t.Errorf("%s: a node is %s", compiler, got)
		}
		if got := code.Derived(link, 25); got != nil {
			t.Errorf("%s: something larger is %s", compiler, shape(code, got, 0))
		}
	}
}

// statics looks for a variable with a fixed address.
func statics(t *testing.T, code *Code, pc uint64, want string) {
	t.Helper()
	var got []string
	for addr := uint64(0); addr < 0x8000; addr += 4 {
		if v, ok := code.Static(pc, addr); ok && uint64(v.Offset) == addr {
			got = append(got, shape(code, v.Type, 0))
		}
	}
	if !slices.Contains(got, want) {
		t.Errorf("no variable is %s: %v", want, got)
	}
}

// TestFortranTypes: indexes begin at 1 or where the source says, and an array may be
// elsewhere.
func TestFortranTypes(t *testing.T) {
	path := build(t, "gfortran", "arrays.f90", "-O0", "-g")
	code := opened(t, path, Config{})
	pc := functions(t, path)["__grids_MOD_fill"].addr
	statics(t, code, pc, "104{0:4 4:12/4 of 4 16:88{0:*}}")
	statics(t, code, pc, fmt.Sprintf("%d/%d of 4", 8*4*4, (-2+8)*4))
	var local, common []string
	vars := code.Variables(pc)
	for _, v := range vars.Stack {
		local = append(local, shape(code, v.Type, 0))
	}
	for _, v := range vars.Static {
		common = append(common, shape(code, v.Type, 0))
	}
	if !slices.Contains(local, "28/4 of 4") || !slices.Contains(common, "4") {
		t.Errorf("on the stack %v, in common %v", local, common)
	}
}

// TestPassing: a pointer in a class of its own is passed and returned as that pointer, and an object
// whose copies are made by a function by its address.
func TestPassing(t *testing.T) {
	const node, owner = "16{0:* 8:4 12:4}", "16{0:* 8:4}"
	for _, compiler := range []string{"g++", "clang++"} {
		for _, flags := range [][]string{{"-O0", "-g"}, {"-O2", "-g"}} {
			path := build(t, compiler, "passing.cc", flags...)
			code, all := opened(t, path, Config{}), functions(t, path)
			for name, want := range map[string][]string{ // what it returns, and its arguments
				"first": {"*" + node, "*" + owner}, "made": {"*" + owner, "*" + owner, "*" + node}} {
				vars := code.Variables(all[name].addr)
				got := []string{shape(code, vars.Result, 1)}
				for _, p := range vars.Params {
					got = append(got, shape(code, p, 1))
				}
				known := min(len(got), len(want)) // optimised code does not say all arguments
				if !slices.Equal(got, want[:known]) || compiler+flags[0] == "g++-O0" && known < len(want) {
					t.Errorf("%s %v: %s: %v, want %v", compiler, flags, name, got, want)
				}
			}
		}
	}
}

// TestPieces: the pointers of a variable that is in several registers.
func TestPieces(t *testing.T) {
	pointer, number := &Type{Size: 8, Pointer: true}, &Type{Size: 8}
	pair := &Type{Size: 24, Fields: []Field{
		{Type: number},
		{Offset: 8, Type: &Type{Size: 16, Fields: []Field{{Type: pointer}, {Offset: 8, Type: pointer}}}},
	}}
	reg := func(n byte) byte { return opReg0 + n }
	for _, c := range []struct {
		name string
		expr []byte
		want []int // registers that hold pointers
	}{
		{"two pointers behind a number",
			[]byte{reg(1), opPiece, 8, reg(2), opPiece, 8, reg(3), opUninit, opPiece, 8}, []int{2, 3}},
		{"a piece that is nowhere", []byte{opPiece, 8, reg(2), opPiece, 8}, []int{2}},
		{"half a pointer", []byte{opPiece, 8, reg(2), opPiece, 4}, nil},
		{"cut off", []byte{opPiece, 8, reg(2), opPiece}, nil},
		{"something else", []byte{opFbreg, 8, opPiece, 8}, nil},
	} {
		r := variableReader{w: &walker{f: &debugFile{order: binary.LittleEndian}}, out: &Variables{}}
		r.pieces(listing{0, 16, c.expr}, pair)
		var got []int
		for _, h := range r.out.Held {
			got = append(got, h.Register)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
