package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// phases are those of the report, in their order; the whole is the time from the
// start of the program to its end.
var phases = []string{"load", "build_pdg", "find_lp", "output", "whole"}

// point is one diagnosis.
type point struct {
	x       int // ranks, or analysis ranks
	ranks   int
	seconds map[string]float64
	rss     int64 // bytes, of the largest process
	rounds  int
	bytes   int64 // sent and received by analysis rank 0
}

type bench struct {
	laggard, mpi, vary, dir string
	sizes, analysts         []int
	perAnalyst, repeat      int
}

func main() {
	var b bench
	sizes := flag.String("ranks", "1024,2048,4096,8192,16384,32768", "recorded ranks of the jobs")
	analysts := flag.String("analysts", "2,4,8,16,32,64", "analysis ranks of the second part")
	flag.IntVar(&b.perAnalyst, "per-analyst", 512, "recorded ranks per analysis rank in the second part")
	flag.IntVar(&b.repeat, "repeat", 5, "diagnoses of each job; the fastest counts")
	flag.StringVar(&b.laggard, "laggard", "bin/laggard", "the program")
	flag.StringVar(&b.mpi, "mpi", "",
		"how laggard-mpi is started, with % for the number of processes; without it the second part is left out")
	flag.StringVar(&b.vary, "vary", "counts,branches,states", "how ranks differ, as laggard synth takes it")
	out := flag.String("o", "scale.svg", "the picture to write")
	flag.Parse()
	err := errors.Join(parseNumbers(*sizes, &b.sizes), parseNumbers(*analysts, &b.analysts))
	if err == nil {
		err = b.run(*out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parseNumbers(list string, into *[]int) error {
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no list of numbers", list)
		}
		*into = append(*into, n)
	}
	return nil
}

func (b *bench) run(out string) (err error) {
	if b.dir, err = os.MkdirTemp("", "laggard-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	var panels []panel
	alone, err := b.measureJobs(b.sizes, func(x int) (int, []string) { return x, []string{b.laggard} })
	if err != nil {
		return err
	}
	panels = append(panels, panel{"one process", "recorded ranks", alone})
	if b.mpi != "" {
		together, err := b.measureJobs(b.analysts, func(x int) (int, []string) {
			return x * b.perAnalyst, strings.Fields(strings.ReplaceAll(b.mpi, "%", strconv.Itoa(x)))
		})
		if err != nil {
			return err
		}
		title := fmt.Sprintf("MPI, %d recorded ranks for each", b.perAnalyst)
		panels = append(panels, panel{title, "analysis ranks", together})
	}
	for _, p := range panels {
		p.writeTable(os.Stdout)
	}
	svg, err := renderPanels(panels)
	if err != nil {
		return err
	}
	return os.WriteFile(out, []byte(svg), 0o644)
}

// measureJobs diagnoses one job for each x; job gives its size and the program.
func (b *bench) measureJobs(xs []int, job func(x int) (ranks int, program []string)) ([]point, error) {
	var out []point
	for _, x := range xs {
		ranks, program := job(x)
		dir := filepath.Join(b.dir, strconv.Itoa(ranks))
		synth := exec.Command(b.laggard, "synth", "-p", strconv.Itoa(ranks), "--vary", b.vary, "-o", dir)
		if err := synth.Run(); err != nil {
			return nil, fmt.Errorf("%s synth: %w", b.laggard, err)
		}
		var all []point
		for range b.repeat {
			p, err := timeDiagnosis(program, dir)
			if err != nil {
				return nil, err
			}
			p.x, p.ranks = x, ranks
			all = append(all, p)
		}
		out = append(out, slices.MinFunc(all, func(p, q point) int {
			return cmp.Compare(p.seconds["whole"], q.seconds["whole"])
		}))
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// timeDiagnosis runs a diagnosis and reads what it says of itself.
func timeDiagnosis(program []string, dir string) (point, error) {
	cmd := exec.Command(program[0], append(program[1:], "diagnose", "--json", "--no-slice", dir)...)
	cmd.Stderr = os.Stderr
	begin := time.Now()
	text, err := cmd.Output()
	whole := time.Since(begin).Seconds()
	if err != nil {
		return point{}, fmt.Errorf("%s diagnose: %w", program[0], err)
	}
	var r struct {
		Analysis struct {
			Seconds map[string]float64 `json:"seconds"`
			Rounds  int                `json:"rounds"`
			Bytes   int64              `json:"bytes"`
		} `json:"analysis"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return point{}, fmt.Errorf("%s diagnose: %w", program[0], err)
	}
	p := point{seconds: r.Analysis.Seconds, rounds: r.Analysis.Rounds, bytes: r.Analysis.Bytes}
	p.seconds["whole"] = whole
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		p.rss = usage.Maxrss * 1024
	}
	return p, nil
}

// writeTable writes the points as a table in Markdown.
func (p panel) writeTable(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n\n| %s | ranks | %s | rounds | bytes | memory, MB |\n|%s\n",
		p.title, p.axis, strings.Join(phases, " | "), strings.Repeat("---|", len(phases)+5))
	for _, q := range p.points {
		fmt.Fprintf(w, "| %d | %d |", q.x, q.ranks)
		for _, phase := range phases {
			fmt.Fprintf(w, " %.3f |", q.seconds[phase])
		}
		fmt.Fprintf(w, " %d | %d | %d |\n", q.rounds, q.bytes, q.rss>>20)
	}
}
