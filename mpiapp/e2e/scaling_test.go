//go:build e2e

package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
)

// scalingTable asks for the whole table of docs/results/scaling.md: every scale of
// training, and good runs far beyond it.
var scalingTable = flag.Bool("scaling-table", false,
	"train on every scale, test far beyond, and print the table of docs/results/scaling.md (with -v)")

// scalingCase is a program with a bug that appears only at scale.
type scalingCase struct {
	name, source string
	// program gives, for a scale, the ranks and the arguments.
	program func(scale int) (ranks int, args []string)
	// training scales, those of the quick test, the scale of the test, and scales
	// beyond it where a good run is judged, or not, as it is said.
	training, quick []int
	test            int
	beyond          []int
	// environment of good and of faulty runs, by family; "" all.
	good, bad map[string][]string
	// function is where the first place must be, and place what must be somewhere
	// in its two stacks, where the library has no names.
	function map[string]string
	place    string
	crashes  bool
	below    bool // it shows below MPI only
}

func upTo(first, last int) []int {
	var out []int
	for n := first; n <= last; n++ {
		out = append(out, n)
	}
	return out
}

func inRanks(args ...string) func(int) (int, []string) {
	return func(scale int) (int, []string) { return scale, args }
}

var healthy = map[string][]string{"": {"HEALTHY=1"}}

var scaledPrograms = []scalingCase{
	{
		name: "a", source: "scaling/allgather.c", program: inRanks("10", "16384"),
		training: upTo(4, 15), quick: []int{4, 6, 8, 9, 11, 13, 15}, test: 16, beyond: []int{30, 60, 120},
		good: map[string][]string{
			"openmpi": {"OMPI_MCA_coll_tuned_use_dynamic_rules=1", "OMPI_MCA_coll_tuned_allgather_algorithm=4"},
			"mpich":   {"MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM=ring"},
		},
		bad: map[string][]string{
			"openmpi": {"OMPI_MCA_coll_tuned_use_dynamic_rules=1", "OMPI_MCA_coll_tuned_allgather_algorithm=3"},
			"mpich":   {"MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM=recursive_doubling"},
		},
		function: map[string]string{"openmpi": "ompi_coll_base_allgather_intra_recursivedoubling"}, place: "gather",
		below: true,
	},
	{
		name: "b", source: "scaling/product.c", program: inRanks("10", "8192"),
		training: upTo(4, 15), quick: []int{4, 6, 8, 11, 15}, test: 16, beyond: []int{30, 60, 120},
		good: healthy, function: map[string]string{"": "at_once"},
	},
	{
		name: "c", source: "scaling/large.c",
		program:  func(megabytes int) (int, []string) { return 3, []string{strconv.Itoa(megabytes)} },
		training: []int{8, 16, 32, 64, 128, 256, 512, 1024}, quick: []int{8, 16, 32, 64, 128}, test: 2048,
		good: healthy, function: map[string]string{"": "send_large"}, crashes: true,
	},
	{
		name: "d", source: "scaling/neighbour.c", program: inRanks("20", "8192"),
		training: upTo(4, 15), quick: []int{4, 6, 8, 11, 15}, test: 16, beyond: []int{30, 60, 120},
		good: healthy, function: map[string]string{"": "exchange"}, place: "far_halo",
	},
	{
		name: "e", source: "scaling/percent.c", program: inRanks("20", "60000"),
		training: upTo(4, 15), quick: []int{4, 6, 8, 11, 15}, test: 16, beyond: []int{30, 60, 120},
		good: healthy, function: map[string]string{"": "ring"}, place: "corners",
	},
}

// overTCP makes ranks of one host talk through sockets.
var overTCP = map[string][]string{
	"openmpi": {"OMPI_MCA_pml=ob1", "OMPI_MCA_btl=tcp,self", "OMPI_MCA_btl_tcp_if_include=lo"},
	"mpich":   {"UCX_TLS=tcp,self", "UCX_NET_DEVICES=lo", "MPIR_CVAR_NOLOCAL=1"},
}

// scalingVerdict is what laggard scaling test says of a run.
type scalingVerdict struct {
	Flagged string `json:"flagged_ranks"`
	Model   string `json:"verdict_model"`
	InRange bool   `json:"in_range"`
	Places  []struct {
		Training, Production *struct {
			Frames []struct{ Function, Module string }
		}
		Divergence *struct {
			Function, Module string
			Line             int
		}
	} `json:"localisation"`
	Crash *struct{ Rank int } `json:"crash"`
}

// UnmarshalJSON takes the sites under the names that they have in the output.
func (j *scalingVerdict) UnmarshalJSON(text []byte) error {
	type plain scalingVerdict
	return json.Unmarshal([]byte(strings.NewReplacer(`"training_site"`, `"training"`, `"production_site"`,
		`"production"`).Replace(string(text))), (*plain)(j))
}

func (s scalingCase) environment(f family, faulty bool) []string {
	by := s.good
	if faulty {
		by = s.bad
	}
	env := slices.Concat(by[""], by[f.name])
	if s.below || f.name != "mpich" {
		env = append(env, overTCP[f.name]...)
	}
	return env
}

// recordAtScale runs the program at a scale and returns the run directory.
func (s scalingCase) recordAtScale(t *testing.T, f family, dir string, scale int, faulty bool) string {
	t.Helper()
	ranks, args := s.program(scale)
	out := filepath.Join(dir, fmt.Sprintf("%d-%v", scale, faulty))
	flags := []string{"--record", "volume", "--timeout", s.hangTimeout(f)}
	command := append([]string{f.buildProgram(t, s.source, "-O0")}, args...)
	j := startJob(t, f.runEnvironment(t, s.environment(f, faulty)...), nil, f.underRun(t, out, flags, ranks, command...)...)
	got, _ := j.waitOrEnd(4 * time.Minute) // gigabytes are sent, or a hundred ranks started
	stuck := s.hangTimeout(f) == briefly && strings.Contains(got.stderr, "in MPI_Finalize")
	if got.status != 0 && !(faulty && s.crashes) && !stuck {
		t.Fatalf("%s at %d: exit status %d\n%s", s.source, scale, got.status, got.stderr)
	}
	return out
}

// MPICH over UCX and TCP on one host hangs in MPI_Finalize every second time,
// with laggard or without. All has been sent by then.
const briefly = "5s"

func (s scalingCase) hangTimeout(f family) string {
	if s.below && f.name == "mpich" {
		return briefly
	}
	return "200s"
}

func scalingTest(t *testing.T, f family, file, dir string) *scalingVerdict {
	t.Helper()
	j := new(scalingVerdict)
	got := runForJSON(t, f.runEnvironment(t), j, "scaling", "test", "--json", "--model", file, dir)
	musttest.Equal(t, exitDone, got.status, "test: exit status", got.stderr)
	return j
}

// isRightPlace reports whether the first place is where the fault is.
func (s scalingCase) isRightPlace(f family, j *scalingVerdict) bool {
	if len(j.Places) == 0 || j.Places[0].Divergence == nil {
		return false
	}
	first := j.Places[0]
	function := s.function[""] + s.function[f.name]
	if function != "" && first.Divergence.Function != function {
		return false
	}
	if function == "" && !strings.Contains(first.Divergence.Module, "mpi") {
		return false
	}
	return s.place == "" || first.Production != nil &&
		slices.ContainsFunc(first.Production.Frames,
			func(frame struct{ Function, Module string }) bool { return frame.Function == s.place })
}

// TestScaling trains on small runs and judges a good and a faulty one at the next
// scale.
func TestScaling(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		for i, s := range scaledPrograms {
			if !*scalingTable && !f.runsCase(i) {
				continue
			}
			t.Run(s.name, func(t *testing.T) {
				if !*scalingTable {
					t.Parallel()
				}
				s.checkScaling(t, f)
			})
		}
	})
}

func (s scalingCase) checkScaling(t *testing.T, f family) {
	dir := t.TempDir()
	scales := s.quick
	if *scalingTable {
		scales = s.training
	}
	file := filepath.Join(dir, "model")
	args := []string{laggardPath(t), "scaling", "train", "-o", file}
	for _, n := range scales {
		args = append(args, s.recordAtScale(t, f, dir, n, false))
	}
	if got := runCommand(t, f.runEnvironment(t), args...).mustSucceed(t, "train"); *scalingTable {
		t.Log(got.stdout)
	}
	bad := scalingTest(t, f, file, s.recordAtScale(t, f, dir, s.test, true))
	found := bad.Flagged != "" || s.crashes && bad.Crash != nil
	right := s.isRightPlace(f, bad)
	if !found {
		t.Errorf("the faulty run is not found: %+v", bad)
	}
	if !right {
		t.Errorf("the first place is wrong: %+v", bad.Places[:min(1, len(bad.Places))])
	}
	good := scalingTest(t, f, file, s.recordAtScale(t, f, dir, s.test, false))
	if good.Flagged != "" {
		t.Errorf("the good run at %d is flagged: %s, %+v", s.test, good.Flagged, good.Places[:min(1, len(good.Places))])
	}
	row := fmt.Sprintf("| %s | %s | %v, %s | %v | %s |", s.name, f.name, found, flaggedOf(bad), right, flaggedOf(good))
	if *scalingTable {
		t.Log(row + s.checkBeyond(t, f, file, dir))
	}
}

// checkBeyond judges good runs far beyond training.
func (s scalingCase) checkBeyond(t *testing.T, f family, file, dir string) string {
	row := ""
	for _, n := range s.beyond {
		if f.name == "mpich" && n > 30 {
			break // its ranks spin
		}
		j := scalingTest(t, f, file, s.recordAtScale(t, f, dir, n, false))
		if j.Flagged != "" && j.InRange {
			t.Errorf("the good run at %d is flagged: %s, %+v", n, j.Flagged, j.Places[:min(1, len(j.Places))])
		}
		row += " " + flaggedOf(j) + " |"
	}
	return row
}

// flaggedOf says how many ranks are flagged, and whether the run is in range.
func flaggedOf(j *scalingVerdict) string {
	set, _ := model.ParseRankSet(j.Flagged)
	text := strconv.Itoa(set.Len())
	if !j.InRange {
		text += ", outside the range"
	}
	return text
}
