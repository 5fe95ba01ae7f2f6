// Command bench measures what the recorder costs: a program is run with and
// without it in alternating pairs, and without it twice for the null ratio. It
// prints rows for docs/results/benchmarks.md. Nothing else should run meanwhile.
//
//	go run ./recorder/bench -lib bin/liblaggard.so -pairs 15 -calls 1234567 -- mpirun -np 2 ./app
//	go run ./recorder/bench -lib bin/liblaggard.so -percall ./percall
//	go run ./recorder/bench -lib bin/liblaggard.so -record volume -percall ./percall
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"laggard/model/runfiles"
)

func main() {
	if err := runBenchmark(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type bench struct {
	lib    string
	record string // what besides the progress
	pairs  int
	cpu    string
	tmp    string
}

func runBenchmark() error {
	b := bench{}
	var percall, name string
	flag.StringVar(&b.lib, "lib", "bin/liblaggard.so", "the recorder")
	flag.StringVar(&b.record, "record", "", "what to record besides the progress: usage, movement, volume")
	flag.IntVar(&b.pairs, "pairs", 15, "alternating pairs")
	flag.StringVar(&b.cpu, "cpu", "", "processors to pin to, as taskset has them")
	flag.StringVar(&percall, "percall", "", "the micro-benchmark (recorder/bench/testdata/percall.c), built")
	flag.StringVar(&name, "name", "", "what to call the program in the table")
	flag.Parse()
	var err error
	if b.lib, err = filepath.Abs(b.lib); err != nil {
		return err
	}
	if b.tmp, err = os.MkdirTemp("", "laggard-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.tmp)
	if percall != "" {
		return b.measureCalls(percall)
	}
	if flag.NArg() == 0 {
		return errors.New("want -percall FILE or a command behind --")
	}
	return b.measureProgram(name, flag.Args())
}

// runOnce runs a command and returns its output, the CPU seconds of all its
// processes, and the run directory if it was recorded.
func (b bench) runOnce(command []string, recorded bool) (out string, cpu float64, dir string, err error) {
	if b.cpu != "" {
		command = append([]string{"taskset", "-c", b.cpu}, command...)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "TMPDIR="+b.tmp)
	if recorded {
		dir = filepath.Join(b.tmp, "run-"+strconv.FormatInt(time.Now().UnixNano(), 36))
		cmd.Env = append(cmd.Env, "LD_PRELOAD="+b.preloadPaths(), "LAGGARD_DIR="+dir, "LAGGARD_RECORD="+b.record)
	}
	text := &strings.Builder{}
	cmd.Stdout, cmd.Stderr = text, io.Discard
	if err := cmd.Run(); err != nil {
		return "", 0, "", fmt.Errorf("%s: %w", strings.Join(command, " "), err)
	}
	use := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return text.String(), seconds(use.Utime) + seconds(use.Stime), dir, nil
}

// preloadPaths is the recorder with its second library, where that is needed, as
// laggard run has it.
func (b bench) preloadPaths() string {
	if strings.Contains(b.record, "volume") || strings.Contains(b.record, "movement") {
		return b.lib + ":" + filepath.Join(filepath.Dir(b.lib), "liblaggard-libc.so")
	}
	return b.lib
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	if len(s)%2 == 1 {
		return s[len(s)/2]
	}
	return (s[len(s)/2-1] + s[len(s)/2]) / 2
}

// measureCalls prints, for each case of the micro-benchmark, the median CPU
// nanoseconds per call without and with the recorder, and of the differences.
func (b bench) measureCalls(program string) error {
	plain, with, added := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	var order []string
	for range b.pairs {
		p, err := b.runCases(program, false)
		if err != nil {
			return err
		}
		w, err := b.runCases(program, true)
		if err != nil {
			return err
		}
		for _, c := range p {
			if len(plain[c.name]) == 0 {
				order = append(order, c.name)
			}
			plain[c.name] = append(plain[c.name], c.ns)
		}
		for i, c := range w {
			with[c.name] = append(with[c.name], c.ns)
			added[c.name] = append(added[c.name], c.ns-p[i].ns)
		}
	}
	fmt.Println("| call | ns without | ns with | added, median (quartiles) |\n|---|---|---|---|")
	for _, n := range order {
		s := slices.Sorted(slices.Values(added[n]))
		fmt.Printf("| %s | %.1f | %.1f | %.1f (%.1f–%.1f) |\n", n, median(plain[n]), median(with[n]), median(s),
			s[len(s)/4], s[len(s)*3/4])
	}
	return nil
}

type timing struct {
	name string
	ns   float64
}

func (b bench) runCases(program string, recorded bool) ([]timing, error) {
	out, _, dir, err := b.runOnce([]string{program}, recorded)
	if err != nil {
		return nil, err
	}
	if dir != "" {
		os.RemoveAll(dir)
	}
	var list []timing
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var t timing
		if _, err := fmt.Sscan(line, &t.name, &t.ns); err != nil {
			return nil, fmt.Errorf("%s printed %q", program, line)
		}
		list = append(list, t)
	}
	return list, nil
}

// measureProgram prints the CPU of a program without and with the recorder, the ratio,
// the null ratio, and what a call costs.
func (b bench) measureProgram(name string, command []string) error {
	if name == "" {
		name = filepath.Base(command[len(command)-1])
	}
	var plain, ratio, null, added []float64
	calls := uint64(0)
	if _, _, _, err := b.runOnce(command, false); err != nil { // warm the caches
		return err
	}
	for i := range b.pairs {
		three := [3]float64{}
		for k := range three {
			which := (i + k) % 3 // each place in the order equally often
			_, cpu, dir, err := b.runOnce(command, which == 2)
			if err != nil {
				return err
			}
			three[which] = cpu
			if dir == "" {
				continue
			}
			if calls, err = countCalls(dir); err != nil {
				return err
			}
			os.RemoveAll(dir)
		}
		plain = append(plain, three[0], three[1])
		base := (three[0] + three[1]) / 2
		ratio = append(ratio, three[2]/base)
		null = append(null, three[1]/three[0])
		added = append(added, (three[2]-base)*1e9/float64(calls))
	}
	s := slices.Sorted(slices.Values(added))
	fmt.Println("| program | calls | CPU s without | ratio | null ratio | ns added per call (quartiles) | ± " +
		"|\n|---|---|---|---|---|---|---|")
	fmt.Printf("| %s | %d | %.2f | %.3f | %.3f | %.0f (%.0f–%.0f) | %.0f |\n", name, calls, median(plain),
		median(ratio), median(null),
		median(s), s[len(s)/4], s[len(s)*3/4], noisePerCall(null, median(plain), calls))
	return nil
}

// noisePerCall is what one standard error of the null differences makes per call, ns.
func noisePerCall(null []float64, cpu float64, calls uint64) float64 {
	mean, sum := 0.0, 0.0
	for _, r := range null {
		mean += r / float64(len(null))
	}
	for _, r := range null {
		sum += (r - mean) * (r - mean)
	}
	sd := math.Sqrt(sum / float64(max(1, len(null)-1)))
	return sd / math.Sqrt(float64(len(null))) * cpu * 1e9 / float64(calls)
}

func countCalls(dir string) (uint64, error) {
	run, err := runfiles.Open(dir)
	if err != nil {
		return 0, err
	}
	n := uint64(0)
	for _, r := range run.Ranks {
		for _, t := range r.Threads {
			n += t.Calls + t.Light
		}
	}
	return n, nil
}
