//go:build e2e

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
)

// TestVolume records a program that sends in every way and prints how much.
func TestVolume(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		for _, c := range []struct{ name, source, flag string }{
			{"C", "volume.c", "-O1"}, {"use mpi", "volume.f90", "-cpp"}, {"use mpi_f08", "volume.f90", "-DF08"},
		} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				flags := []string{c.flag}
				if strings.HasSuffix(c.source, ".f90") {
					flags = []string{"-cpp", "-fallow-argument-mismatch", c.flag}
				}
				var net []string
				if f.name == "openmpi" && c.source != "volume.c" { // it has no windows over TCP
					net = overTCP[f.name]
				}
				f.checkVolumes(t, f.buildProgram(t, c.source, flags...), net)
			})
		}
	})
}

// checkVolumes compares what was recorded with what the program printed, and what
// went through sockets with what must have at least.
func (f family) checkVolumes(t *testing.T, program string, net []string) {
	const ranks = 4
	dir := filepath.Join(t.TempDir(), "run")
	command := f.underRun(t, dir, []string{"--record", "volume"}, ranks, program, "-n", "7")
	got := startJob(t, f.runEnvironment(t, net...), nil, command...).wait()
	got.mustSucceed(t)
	run := openRun(t, dir)
	want, recorded := strings.Split(strings.TrimSpace(got.programOutput()), "\n"), []string{}
	for _, r := range run.Ranks {
		recorded = append(recorded, sentLines(r)...)
		checktest.EqualList(t, []string{"-n", "7"}, r.Arguments, "rank", r.Rank, "arguments")
		if net != nil && len(r.Sites) == 0 {
			t.Errorf("rank %d: nothing was sent through sockets", r.Rank)
		}
	}
	want = slices.DeleteFunc(want, func(line string) bool { return strings.HasSuffix(line, " 0") })
	slices.Sort(want)
	slices.Sort(recorded)
	checktest.EqualList(t, want, recorded, "printed and recorded")
}

// sentLines lists what a rank sent by function, as the program prints it.
func sentLines(r *model.Rank) []string {
	bytes := map[string]uint64{}
	for _, t := range r.Threads {
		for _, s := range t.Sent {
			bytes[t.Model.States[s.State].Call] += s.Bytes
		}
	}
	var out []string
	for call, n := range bytes {
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s %d", r.Rank, call, n))
		}
	}
	return out
}
