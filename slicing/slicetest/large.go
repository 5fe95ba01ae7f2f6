package slicetest

import (
	"context"
	"math/rand"
	"runtime"
	"slices"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing"
	"laggard/slicing/cpu"
	"laggard/slicing/x86"
	"laggard/symbol"
)

// sites are how many call sites Large slices, and depth how many callers it
// puts around each.
const (
	sites = 100
	depth = 3
)

// callSite is a call in a program: the address behind it, and where its function
// begins.
type callSite struct{ ret, function uint64 }

// Large slices random call sites of a program, each in a random stack of calls
// that the program has, and reports the times, the sizes of the slices and the
// memory as metrics of the benchmark.
func Large(b *testing.B, backend New, path string) {
	id := musttest.Get(BuildID(path))(b)
	mod := &model.Module{Path: path, BuildID: id}
	r := symbol.New(symbol.Config{})
	defer r.Close()
	code := musttest.Get(r.CodeOf(mod))(b)
	callers, all := callGraph(code)
	if len(all) == 0 {
		b.Fatal("no calls")
	}
	for range b.N {
		random := rand.New(rand.NewSource(1))
		slicer := backend(r)
		var times []time.Duration
		var lines []int
		peak := uint64(0)
		for range sites {
			c := slicing.Criterion{Stack: stackAt(random, mod, callers, all)}
			begin := time.Now()
			s := musttest.Get(slicer.Slice(context.Background(), c, slicing.Budget{}))(b)
			times, lines = append(times, time.Since(begin)), append(lines, len(s.Lines))
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
		slices.Sort(times)
		slices.Sort(lines)
		b.ReportMetric(times[sites/2].Seconds(), "s-p50")
		b.ReportMetric(times[sites*95/100].Seconds(), "s-p95")
		b.ReportMetric(times[sites-1].Seconds(), "s-max")
		b.ReportMetric(float64(lines[sites/2]), "lines-p50")
		b.ReportMetric(float64(lines[sites*95/100]), "lines-p95")
		b.ReportMetric(float64(peak)/(1<<20), "MB-heap")
	}
}

// callGraph finds the calls of a program by decoding it from function to
// function: those by the function they call, and all.
func callGraph(code *symbol.Code) (map[uint64][]callSite, []callSite) {
	callers, all := map[uint64][]callSite{}, []callSite(nil)
	for addr := code.NextFunction(0); addr != 0; {
		f, ok := code.FunctionAt(addr)
		if !ok {
			addr = code.NextFunction(addr)
			continue
		}
		for at := f.Lo; at < f.Hi; {
			bytes := code.Bytes(at)
			if len(bytes) == 0 {
				break
			}
			in := x86.Decode(bytes[:min(len(bytes), 15)], at)
			if in.Kind == cpu.Call {
				c := callSite{in.End(), f.Lo}
				all = append(all, c)
				callers[in.Target] = append(callers[in.Target], c)
			}
			at = in.End()
		}
		addr = code.NextFunction(f.Hi - 1)
	}
	return callers, all
}

func stackAt(random *rand.Rand, mod *model.Module, callers map[uint64][]callSite, all []callSite) []model.Frame {
	at := all[random.Intn(len(all))]
	stack := []model.Frame{{Module: mod, Offset: at.ret}}
	for range depth {
		list := callers[at.function]
		if len(list) == 0 {
			break
		}
		at = list[random.Intn(len(list))]
		stack = append(stack, model.Frame{Module: mod, Offset: at.ret})
	}
	return stack
}
