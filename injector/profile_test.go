package injector

import (
	"errors"
	"os"
	"runtime"
	"testing"
	"time"

	"laggard/internal/checktest"
)

// profileOf runs a program under a profile order and waits for the profile.
func profileOf(t *testing.T, options Profile, command ...string) *Profile {
	t.Helper()
	l := launchProgram(t, Order{Profile: &options}, command...)
	if state := l.waitExit(t); !state.Success() {
		t.Fatalf("%v: %s", state, l.output.String())
	}
	for range 1000 {
		list, err := l.order.ReadProfiles(1)
		if err == nil {
			return list[0]
		}
		if !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("no profile")
	return nil
}

func entryCounts(p *Profile) map[string]int {
	out := map[string]int{}
	for _, f := range p.Functions {
		out[f.Module+" "+f.Function] = f.Before + f.Running + f.After
	}
	return out
}

func TestProfileCountsExactly(t *testing.T) {
	library := compileProgram(t, "late", "-shared", "-fPIC")
	for name, flags := range shapes {
		t.Run(name, func(t *testing.T) {
			program := compileProgram(t, "counted", flags...)
			p := profileOf(t, Profile{Cap: 1000}, program, "3", "100", library)
			want := map[string]int{"counted main": 1, "counted once": 1, "counted work": 400, "counted leaf": 400,
				"counted thread": 4, "counted children": 1, "counted late": 1, "late late_function": 5}
			got := entryCounts(p)
			if name != "pie" {
				for _, local := range []string{"counted thread", "counted children", "counted late"} {
					delete(want, local) // inlined, or no dynamic symbol
					delete(got, local)
				}
			}
			// In a stripped program they have no names; thread is among them.
			if unnamed := got["counted "]; (name == "dynamic") != (unnamed >= 4) {
				t.Errorf("functions without a name were entered %d times", unnamed)
			}
			delete(got, "counted ")
			delete(got, "counted __aarch64_ldadd8_relax") // what the compiler makes of an atomic addition
			checktest.Equal(t, want, got)
		})
	}
}

func TestProfileCap(t *testing.T) {
	program := compileProgram(t, "counted", "-O0")
	got := entryCounts(profileOf(t, Profile{Cap: 10}, program, "3", "100"))
	if got["counted work"] != 10 || got["counted thread"] != 4 {
		t.Errorf("%v", got)
	}
}

func TestProfileIsTheSameAgain(t *testing.T) {
	program := compileProgram(t, "counted", "-O0")
	a := profileOf(t, Profile{Cap: 1}, program, "3", "100")
	b := profileOf(t, Profile{Cap: 1}, program, "3", "100")
	checktest.Equal(t, a, b)
}

// The program's C library is not the program's own, unless it is asked for.
func TestProfileModules(t *testing.T) {
	program := compileProgram(t, "counted", "-O0")
	p := profileOf(t, Profile{Cap: 1, Modules: []string{"libc.so.*"}}, program, "1", "10")
	var libc int
	for _, f := range p.Functions {
		if f.Module != "counted" {
			libc++
		}
	}
	if libc < 10 {
		t.Errorf("%d functions of the C library", libc)
	}
}

// ownEntries are the functions of entries.c for a processor, and how many of them go to give_seven.
var ownEntries = map[string]struct {
	each  []string
	seven int
}{
	"amd64": {[]string{"load", "load_byte", "compare", "compare_long", "address", "jump_short", "jump_long",
		"jump_away", "jump_through", "taken", "not_taken", "taken_long", "counted_out", "call_first", "call_through",
		"pushes", "branch_target"}, 4},
	"arm64": {[]string{"load", "load_word", "load_signed", "fetch", "address", "page", "jump", "jump_away", "taken",
		"not_taken", "is_zero", "not_zero", "bit_set", "bit_clear", "pushes", "call_first", "call_through",
		"branch_target", "signs"}, 3},
}

// Every instruction that depends on its place works as a copy elsewhere.
func TestEntriesThatDependOnTheirPlace(t *testing.T) {
	for name, flags := range map[string][]string{"pie": {"-fPIE", "-pie"}, "no pie": {"-no-pie"}} {
		t.Run(name, func(t *testing.T) {
			got := entryCounts(profileOf(t, Profile{Cap: 1000}, compileProgram(t, "entries", append(flags, "-O1")...)))
			entries := ownEntries[runtime.GOARCH]
			for _, f := range entries.each {
				checktest.Equal(t, 3, got["entries "+f], f, "entries")
			}
			checktest.Equal(t, 3*entries.seven, got["entries give_seven"], "give_seven")
		})
	}
}
