package main

import (
	"bytes"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"laggard/analysis/share"
	"laggard/injector/synth"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/runfiles"
	"laggard/report"
	"laggard/report/diagnosis"
	"laggard/symbol"
)

// writeSyntheticRun makes a run directory and tells what a diagnosis must find.
func writeSyntheticRun(t testing.TB, template string, c synth.Config) (dir string, truth synth.Truth) {
	t.Helper()
	ranks := musttest.Get(synth.LoadTemplate(template))(t)
	dir = filepath.Join(t.TempDir(), "run")
	musttest.Succeed(t, os.Mkdir(dir, 0o700))
	truth = musttest.Get(synth.Write(dir, ranks, c, nil))(t)
	return dir, truth
}

// diagnoseRun asks a number of analysis ranks about a run.
func diagnoseRun(t testing.TB, dir string, analysts int) *diagnosis.Result {
	t.Helper()
	q := question{analysts: analysts}
	q.Dir, q.Once, q.Symbols = dir, true, symbol.Config{RunDir: dir, DebugDirs: []string{}}
	return musttest.Get(q.answer(t.Context(), runInWorld, nil))(t)
}

// kinds are the faults that hang a job, with the method by which they are found.
var kinds = []synth.Kind{synth.Compute, synth.Deadlock, synth.Message, synth.Killed, synth.Exited, synth.Missing}

// TestSynthetic: whatever the fault, the size, the template and the seed, the
// diagnosis names the ranks at fault and no other, and finds nothing damaged.
func TestSynthetic(t *testing.T) {
	for _, template := range synth.TemplateNames() {
		for i, kind := range kinds {
			for j, ranks := range []int{2, 3, 17, 150} {
				for seed := range uint64(2) {
					c := synth.Config{Ranks: ranks, PerNode: 1 + (17*i+5*j)%40, Seed: seed,
						Fault: synth.Fault{Kind: kind},
						Vary:  synth.Vary{Counts: true, Branches: true, States: true}}
					dir, truth := writeSyntheticRun(t, template, c)
					r := diagnoseRun(t, dir, 1+j)
					if r.LeastProgressed == nil || r.LeastProgressed.Set != truth.Ranks.String() {
						t.Errorf("%s %s, %d ranks, seed %d: %+v, want %s at %s", template, kind, ranks, seed,
							r.LeastProgressed, truth.Ranks, truth.Place)
					}
					if len(r.Problems) > 0 || !r.Hang || r.Ranks != ranks {
						t.Errorf("%s %s, %d ranks, seed %d: hang %v, %d ranks, problems %q", template, kind, ranks,
							seed, r.Hang, r.Ranks, r.Problems)
					}
				}
			}
		}
	}
}

// TestSyntheticSkipped: of many communicators the one is found on which a rank skipped a
// collective, and which one.
func TestSyntheticSkipped(t *testing.T) {
	for seed := range uint64(6) {
		c := synth.Config{Ranks: 200, PerNode: 24, Seed: seed, Comms: 12, Fault: synth.Fault{Kind: synth.Skipped},
			Vary: synth.Vary{Counts: true, Branches: true, States: true}}
		dir, truth := writeSyntheticRun(t, "lammps", c)
		r := diagnoseRun(t, dir, 1+int(seed)%3)
		if r.LeastProgressed == nil || r.LeastProgressed.Set != truth.Ranks.String() || len(r.Problems) > 0 ||
			len(r.Divergences) != 1 || r.Cause == nil || r.Cause.Kind != "skipped" {
			t.Fatalf("seed %d: %+v, want %s; cause %+v, %d divergences, problems %q", seed, r.LeastProgressed,
				truth.Ranks, r.Cause, len(r.Divergences), r.Problems)
		}
		comm := fmt.Sprintf("%016x", truth.Comm)
		if d := r.Divergences[0]; d.Sequence != truth.Sequence || d.Communicator != comm {
			t.Errorf("seed %d: parted at %d of %s, want %d of %s", seed, d.Sequence, d.Communicator,
				truth.Sequence, comm)
		}
	}
}

// TestSyntheticPlaces: the fault is where it was asked for.
func TestSyntheticPlaces(t *testing.T) {
	for _, after := range []string{"MPI_Allreduce", "MPI_Send", "MPI_Wait", "76"} {
		c := synth.Config{Ranks: 64, PerNode: 16, Seed: 5,
			Fault: synth.Fault{Kind: synth.Compute, Ranks: model.NewRankSet(13), After: after}}
		dir, truth := writeSyntheticRun(t, "lammps", c)
		r := diagnoseRun(t, dir, 2)
		if r.LeastProgressed == nil || r.LeastProgressed.Set != "13" {
			t.Fatalf("after %s: %+v", after, r.LeastProgressed)
		}
		if at := r.LeastProgressed.Locations[0]; at.After != truth.Place || at.InMPI != nil || !at.Captured ||
			at.Host != "n000000" {
			t.Errorf("after %s: rank 13 at %+v, want behind %s", after, at, truth.Place)
		}
	}
}

func TestSyntheticHealthy(t *testing.T) {
	dir, _ := writeSyntheticRun(t, "lammps", synth.Config{Ranks: 100, PerNode: 10, Fault: synth.Fault{Kind: synth.Healthy}})
	if r := diagnoseRun(t, dir, 3); r.Hang || r.LeastProgressed != nil {
		t.Errorf("%+v", r)
	}
}

// TestDistinct: of ranks in states of their own, each has a group, and what is
// told of them grows with their number and not with its square.
func TestDistinct(t *testing.T) {
	const ranks = 1200
	dir, truth := writeSyntheticRun(t, "lammps", synth.Config{Ranks: ranks, PerNode: 64, Vary: synth.Vary{Distinct: true},
		Fault: synth.Fault{Kind: synth.Compute}})
	r := diagnoseRun(t, dir, 4)
	if r.LeastProgressed.Set != truth.Ranks.String() || len(r.Groups) != ranks {
		t.Errorf("%s in %d groups, want %s in %d", r.LeastProgressed.Set, len(r.Groups), truth.Ranks, ranks)
	}
	if len(r.Edges) < ranks/2 || len(r.Edges) > 8*ranks {
		t.Errorf("%d edges of %d groups", len(r.Edges), ranks)
	}
}

// TestAnalystsOfMany: no number of analysis ranks changes a byte, wherever the
// files are cut, and the tree has as many rounds as it may.
func TestAnalystsOfMany(t *testing.T) {
	dir, _ := writeSyntheticRun(t, "lammps", synth.Config{Ranks: 300, PerNode: 7, Seed: 2,
		Vary: synth.Vary{Counts: true, Branches: true}, Fault: synth.Fault{Kind: synth.Compute},
		Damage: synth.Damage{Missing: 0.05, Torn: 0.05, Foreign: 2}})
	want := reportForms(t, diagnoseRun(t, dir, 1))
	for _, n := range []int{2, 3, 4, 5, 8, 13, 64, 100} {
		r := diagnoseRun(t, dir, n)
		var sum int64
		for _, b := range r.Analysis.PerRound {
			sum += b
		}
		if rounds := bits.Len(uint(n - 1)); r.Analysis.Rounds != rounds || len(r.Analysis.PerRound) != rounds ||
			sum != r.Analysis.Bytes || r.Analysis.Ranks != n {
			t.Errorf("%d analysis ranks: %d rounds, %d bytes, want %d rounds", r.Analysis.Ranks, r.Analysis.Rounds,
				r.Analysis.Bytes, rounds)
		}
		musttest.Equal(t, want, reportForms(t, r), n, "analysis ranks")
	}
}

// reportForms writes a result in all forms, without the analysis.
func reportForms(t *testing.T, r *diagnosis.Result) string {
	t.Helper()
	r.Analysis = diagnosis.Analysis{}
	var out bytes.Buffer
	for _, form := range []diagnoseFlags{{}, {json: true}, {dot: true}} {
		musttest.Succeed(t, writeReport(&out, form, r))
	}
	return out.String()
}

// TestBadInputAtScale: what is missing, torn, foreign or a lie is named, in few
// words, and the rest is diagnosed.
func TestBadInputAtScale(t *testing.T) {
	c := synth.Config{Ranks: 4096, PerNode: 64, Seed: 7, Fault: synth.Fault{Kind: synth.Compute},
		Damage: synth.Damage{Missing: 0.01, Torn: 0.01, Foreign: 2, Manifest: true}}
	dir, truth := writeSyntheticRun(t, "lammps", c)
	d := truth.Damage
	if d.Missing.Len() == 0 || d.Torn.Len() == 0 || d.Foreign.Len() != 2*c.PerNode {
		t.Fatalf("too little is damaged: %+v", d)
	}
	r := diagnoseRun(t, dir, 3)
	if r.LeastProgressed == nil || r.LeastProgressed.Set != truth.Ranks.String() || r.Ranks != c.Ranks {
		t.Errorf("%+v of %d ranks, want %s", r.LeastProgressed, r.Ranks, truth.Ranks)
	}
	named := model.NewRankSet(r.DamagedRanks...)
	for what, ranks := range map[string]model.RankSet{"missing": d.Missing, "torn": d.Torn, "foreign": d.Foreign} {
		if left := ranks.Minus(named); left.Len() > 0 {
			t.Errorf("%s ranks %s are not named", what, left)
		}
	}
	if len(r.LostRanks) > 0 {
		t.Errorf("lost: %v", r.LostRanks)
	}
	if err := statusError(false, r); err != (exitError{exitDamaged}) {
		t.Errorf("verdict %v", err)
	}
	checkProblems(t, r.Problems)
	report := musttest.Get(runfiles.Validate(dir))(t)
	if want := d.Missing.Union(d.Foreign); !report.Missing.Equal(want) || !report.Foreign.Equal(d.Foreign) {
		t.Errorf("missing %s, foreign %s; want %s, %s", report.Missing, report.Foreign, want, d.Foreign)
	}
	checkProblems(t, share.Describe(report.Problems))
}

func checkProblems(t *testing.T, problems []string) {
	t.Helper()
	all := strings.Join(problems, "\n")
	for _, want := range []string{
		`(?m)^model: node-n\d+\.lgd: file header at 0: belongs to another run: `,
		`(?m)^model: manifest.json: belongs to another run: `,
		`(?m)^model: manifest.json: bad manifest: 8192 ranks, but most of them say 4096$`,
		`(?m)^record is missing: \d+ times; first: model: node-n\d+\.lgd: ` +
			`record is missing: slot \d+ is missing`,
		`(?m)of \d+ ranks, \d+,.*; first: model: node-n\d+.lgd: `,
	} {
		if !regexp.MustCompile(want).MatchString(all) {
			t.Errorf("no problem like %s in\n%s", want, all)
		}
	}
	if len(problems) > 60 {
		t.Errorf("%d problems, one by one:\n%s", len(problems), all)
	}
}

// BenchmarkDiagnose goes from a run directory to JSON, with two analysis ranks.
// LAGGARD_BENCH_RANKS is how many ranks are recorded; LAGGARD_BENCH_VARY how
// they differ; LAGGARD_BENCH_COMMS in how many more communicators each is, on one of
// which a rank skipped a collective.
//
//	go test ./mpiapp -run '^$' -bench Diagnose -benchtime 3x
func BenchmarkDiagnose(b *testing.B) {
	ranks := 32768
	if n, err := strconv.Atoi(os.Getenv("LAGGARD_BENCH_RANKS")); err == nil {
		ranks = n
	}
	vary := synth.Vary{Counts: true, Branches: true, States: true}
	if text := os.Getenv("LAGGARD_BENCH_VARY"); text != "" {
		vary = musttest.Get(synth.ParseVary(text))(b)
	}
	c := synth.Config{Ranks: ranks, PerNode: 64, Seed: 1, Vary: vary, Fault: synth.Fault{Kind: synth.Compute}}
	if n, err := strconv.Atoi(os.Getenv("LAGGARD_BENCH_COMMS")); err == nil {
		c.Comms, c.Fault.Kind = n, synth.Skipped
	}
	dir, truth := writeSyntheticRun(b, "lammps", c)
	b.Run(fmt.Sprint(ranks), func(b *testing.B) {
		for b.Loop() {
			var out bytes.Buffer
			r := diagnoseRun(b, dir, 2)
			if r.LeastProgressed == nil || r.LeastProgressed.Set != truth.Ranks.String() {
				b.Fatalf("%+v, want rank %s", r.LeastProgressed, truth.Ranks)
			}
			musttest.Succeed(b, report.JSON(&out, r))
		}
	})
}
