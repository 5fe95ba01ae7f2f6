package symbol

import (
	"encoding/binary"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"laggard/binary/expression"
	"laggard/internal/bound"
	"laggard/internal/checktest"
)

// typeShape writes a type as its size and what is where in it.
func typeShape(c *Code, t *Type, depth int) string {
	switch {
	case t == nil:
		return "?"
	case t.Pointer && depth > 0:
		return "*" + typeShape(c, c.TargetOf(t), depth-1)
	case t.Pointer:
		return "*"
	case t.Elem != nil:
		return fmt.Sprintf("%d/%d of %s", t.Size, t.Origin, typeShape(c, t.Elem, depth))
	case len(t.Fields) == 0:
		return fmt.Sprint(t.Size)
	}
	var parts []string
	for _, f := range t.Fields {
		parts = append(parts, fmt.Sprintf("%d:%s", f.Offset, typeShape(c, f.Type, depth)))
	}
	return fmt.Sprintf("%d{%s}", t.Size, strings.Join(parts, " "))
}

const outerShape = "72{0:8 8:48/0 of 16{0:4 4:12/0 of 2} 56:* 64:4 64:4}"

// TestTypes: what is where in a struct, of a variable with an address and of what a
// pointer points to, in memory and in registers.
func TestTypes(t *testing.T) {
	for _, compiler := range []string{"gcc", "clang"} {
		for _, flags := range [][]string{{"-O0", "-g"}, {"-O2", "-g"}, {"-O2", "-gdwarf-4"}} {
			path := buildSource(t, compiler, "types.c", flags...)
			code := openCode(t, path, Config{})
			pc := functionSymbols(t, path)["sum"].addr
			vars := code.Variables(pc)
			checktest.Equal(t, "8", typeShape(code, vars.Result, 1), compiler, flags, "sum returns")
			var pointers []string
			for _, v := range vars.Stack {
				pointers = append(pointers, typeShape(code, v.Type, 1))
			}
			for _, h := range vars.Held {
				pointers = append(pointers, typeShape(code, h.Type, 1))
			}
			if !slices.Contains(pointers, "*"+outerShape) {
				t.Errorf("%s %v: no variable is a pointer to %s: %v", compiler, flags, outerShape, pointers)
			}
			const rdi = 5
			if got := typeShape(code, vars.RegisterType(rdi, pc), 1); flags[0] == "-O2" && got != "*"+outerShape {
				t.Errorf("%s %v: the first argument is %s", compiler, flags, got)
			}
			checkStatic(t, code, pc, "288/0 of "+outerShape)
		}
	}
}

// TestDerived: what is behind a class that another one begins with, and what is kept in
// raw bytes; an iterator in a register is the pointer that it has.
func TestDerived(t *testing.T) {
	for _, compiler := range []string{"g++", "clang++"} {
		path := buildSource(t, compiler, "nodes.cc", "-O2", "-g")
		code := openCode(t, path, Config{})
		pc := functionSymbols(t, path)["sum"].addr
		const rdi = 5
		link := code.TargetOf(code.Variables(pc).RegisterType(rdi, pc))
		checktest.Equal(t, "8{0:*}", typeShape(code, link, 0), compiler, "the iterator is of")
		checktest.Equal(t, "24{0:8{0:*} 8:16{0:16{0:4 8:8}}}", typeShape(code, code.DerivedType(link, 24), 0), compiler, "a node is")
		if got := code.DerivedType(link, 25); got != nil {
			t.Errorf("%s: something larger is %s", compiler, typeShape(code, got, 0))
		}
	}
}

// checkStatic looks for a variable with a fixed address.
func checkStatic(t *testing.T, code *Code, pc uint64, want string) {
	t.Helper()
	var got []string
	for addr := uint64(0); addr < 0x8000; addr += 4 {
		if v, ok := code.StaticAt(pc, addr); ok && uint64(v.Offset) == addr {
			got = append(got, typeShape(code, v.Type, 0))
		}
	}
	if !slices.Contains(got, want) {
		t.Errorf("no variable is %s: %v", want, got)
	}
}

// TestFortranTypes: indexes begin at 1 or where the source says, and an array may be
// elsewhere.
func TestFortranTypes(t *testing.T) {
	path := buildSource(t, "gfortran", "arrays.f90", "-O0", "-g")
	code := openCode(t, path, Config{})
	pc := functionSymbols(t, path)["__grids_MOD_fill"].addr
	checkStatic(t, code, pc, "104{0:4 4:12/4 of 4 16:88{0:*}}")
	checkStatic(t, code, pc, fmt.Sprintf("%d/%d of 4", 8*4*4, (-2+8)*4))
	var local, common []string
	vars := code.Variables(pc)
	for _, v := range vars.Stack {
		local = append(local, typeShape(code, v.Type, 0))
	}
	for _, v := range vars.Static {
		common = append(common, typeShape(code, v.Type, 0))
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
			path := buildSource(t, compiler, "passing.cc", flags...)
			code, all := openCode(t, path, Config{}), functionSymbols(t, path)
			for name, want := range map[string][]string{ // what it returns, and its arguments
				"first": {"*" + node, "*" + owner}, "made": {"*" + owner, "*" + owner, "*" + node}} {
				vars := code.Variables(all[name].addr)
				got := []string{typeShape(code, vars.Result, 1)}
				for _, p := range vars.Params {
					got = append(got, typeShape(code, p, 1))
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
	reg := func(n byte) byte { return expression.Reg0 + n }
	for _, c := range []struct {
		name string
		expr []byte
		want []int // registers that hold pointers
	}{
		{"two pointers behind a number",
			[]byte{reg(1), expression.Piece, 8, reg(2), expression.Piece, 8, reg(3), opUninit, expression.Piece, 8}, []int{2, 3}},
		{"a piece that is nowhere", []byte{expression.Piece, 8, reg(2), expression.Piece, 8}, []int{2}},
		{"half a pointer", []byte{expression.Piece, 8, reg(2), expression.Piece, 4}, nil},
		{"cut off", []byte{expression.Piece, 8, reg(2), expression.Piece}, nil},
		{"something else", []byte{expression.Fbreg, 8, expression.Piece, 8}, nil},
	} {
		r := variableReader{w: &walker{f: &debugFile{order: binary.LittleEndian}}, out: &Variables{}}
		r.addPieces(listing{0, 16, c.expr}, pair)
		var got []int
		for _, h := range r.out.Held {
			got = append(got, h.Register)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestNestedStructs: the text that tells types apart, and the search for raw bytes, do not double with each level of
// structs in structs.
func TestNestedStructs(t *testing.T) {
	bytes := &Type{Size: 1, Elem: &Type{Size: 1, Kind: "char"}}
	for range 60 {
		bytes = &Type{Size: 2, Fields: []Field{{Type: bytes}, {Type: bytes}}}
	}
	if bytes.isRawBytes(bound.New(maxTypeDepth, maxRaw)) {
		t.Error("more was looked at than allowed")
	}
	text := new(strings.Builder)
	text.WriteString("struct s0 { long a; };\n")
	const levels = 20
	for i := range levels {
		fmt.Fprintf(text, "struct s%d { struct s%d a, b; };\n", i+1, i)
	}
	fmt.Fprintf(text, "long get(struct s%d *p) { return p->a%s; }\n", levels, strings.Repeat(".a", levels))
	path := filepath.Join(t.TempDir(), "nested.so")
	cc := exec.Command("gcc", "-g", "-fPIC", "-shared", "-x", "c", "-", "-o", path)
	cc.Stdin = strings.NewReader(text.String())
	if out, err := cc.CombinedOutput(); err != nil {
		t.Skipf("gcc: %v: %s", err, out)
	}
	code := openCode(t, path, Config{})
	vars := code.Variables(functionSymbols(t, path)["get"].addr)
	if len(vars.Stack) != 1 {
		t.Fatalf("variables: %+v", vars.Stack)
	}
	of := code.TargetOf(vars.Stack[0].Type)
	if of == nil || of.Size != 8<<levels || len(of.Kind) > maxKind {
		t.Fatalf("the argument points to %+v", of)
	}
	if a, b := of.Fields[0].Type.Kind, of.Fields[1].Type.Kind; a != b || a == of.Kind {
		t.Errorf("kinds of a struct and of its members, which are of one type: %s, %s, %s", of.Kind, a, b)
	}
}

// TestMemberPointers: neither a pointer to a member nor what a function returns is the number that is behind it.
func TestMemberPointers(t *testing.T) {
	for _, compiler := range []string{"g++", "clang++"} {
		path := buildSource(t, compiler, "members.cc", "-O0", "-g")
		got := map[string]string{}
		visible := openCode(t, path, Config{}).VisibleVariables(functionSymbols(t, path)["evaluate"].addr)
		for _, v := range visible.Levels[0].Locals {
			got[v.Name] = fmt.Sprintf("%d bytes, number %d, pointer %v", v.Type.Size, v.Type.Number, v.Type.Pointer)
		}
		want := map[string]string{"v": "8 bytes, number 0, pointer true", "factor": "8 bytes, number 0, pointer false",
			"call": "16 bytes, number 0, pointer false", "plain": "8 bytes, number 0, pointer true"}
		checktest.Equal(t, want, got, compiler)
	}
}
