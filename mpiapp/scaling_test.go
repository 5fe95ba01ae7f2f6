package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
)

// Modules of the runs below.
var (
	volumeApp = &model.Module{Path: "/nowhere/app", BuildID: "a0"}
	volumeMPI = &model.Module{Path: "/nowhere/libmpi.so.40", BuildID: "b0"}
	volumeLib = &model.Module{Path: "/nowhere/liblaggard.so", BuildID: "c0"}
)

// volumeRank is a rank of a program that gathers from all to all, through the
// library's function at path, and exchanges halos with a neighbour.
func volumeRank(rank, ranks int, path uint64, distance uint64) *model.Rank {
	main := model.Frame{Module: volumeApp, Offset: 0x900}
	gather := &model.State{Call: "MPI_Allgather", Stack: []model.Frame{{Module: volumeApp, Offset: 0x100}, main}}
	halo := &model.State{Call: "MPI_Sendrecv", Stack: []model.Frame{{Module: volumeApp, Offset: 0x200}, main}}
	world := make([]int, ranks)
	for i := range world {
		world[i] = i
	}
	block := uint64(1000)
	below := append([]model.Frame{{Module: volumeMPI, Offset: path}, {Module: volumeMPI, Offset: 0x700},
		{Module: volumeLib, Offset: 0x10}}, gather.Stack...)
	return &model.Rank{
		Rank: rank, Size: ranks, PID: 100 + rank, Family: "openmpi", Exe: volumeApp.Path, Phase: model.Finalized,
		End:   model.Exited,
		Start: time.Unix(1000, 0), EndDetail: 0, ThreadLevel: 0, Arguments: []string{"10", "in.dat"},
		Modules: []*model.Module{volumeApp, volumeMPI, volumeLib},
		Threads: []*model.Thread{{
			TID: 100 + rank, Model: model.Model{States: []*model.State{gather, halo}, Visits: []uint64{10, 10}},
			Op: model.Op{State: -1},
			Sent: []model.Sent{
				{State: 0, Traffic: model.Traffic{Calls: 10, Bytes: 10 * block}},
				{State: 1, Traffic: model.Traffic{Calls: 10, Bytes: 5 * block}, Distance: 10 * distance},
			},
		}},
		Comms: []*model.Comm{{ID: 1, Kind: model.World, Rank: rank, Members: world, Size: ranks, State: -1}},
		Sites: []*model.Site{{Function: "writev", Stack: below,
			Traffic: model.Traffic{Calls: 10, Bytes: 10 * block * uint64(ranks-1)}}},
	}
}

// volumeRun writes a run directory; change may spoil a rank.
func volumeRun(t *testing.T, dir string, ranks int, path, distance uint64, change func(*model.Rank)) string {
	t.Helper()
	dir = filepath.Join(dir, fmt.Sprintf("run-%d-%x-%d", ranks, path, distance))
	musttest.Succeed(t, os.MkdirAll(dir, 0o700))
	id := uint64(ranks)<<32 | path<<8 | distance
	var all []*model.Rank
	for rank := range ranks {
		r := volumeRank(rank, ranks, path, distance)
		if change != nil {
			change(r)
		}
		all = append(all, r)
	}
	musttest.Get(nodefile.WriteNode(dir, nodefile.Header{RunID: id, Host: "n", Created: time.Unix(999, 0)}, all))(t)
	m := model.Manifest{RunID: model.RunIDText(id), Record: []string{"progress", "volume"},
		Command: []string{"mpirun", "app", "10"}}
	musttest.Succeed(t, runfiles.WriteManifest(dir, &m))
	return dir
}

// runLaggard runs a command line.
func runLaggard(args ...string) (status int, out, errs string) {
	var o, e bytes.Buffer
	status = execute(args, &o, &e)
	return status, o.String(), e.String()
}

func trainModel(t *testing.T, dir string, more ...string) string {
	t.Helper()
	clearSettingsEnv(t)
	file := filepath.Join(dir, "made", "by", "train", "app.model")
	args := append([]string{"scaling", "train", "-o", file}, more...)
	for _, ranks := range []int{4, 5, 6, 8, 10, 12} {
		args = append(args, volumeRun(t, dir, ranks, 0x10, 1, nil))
	}
	if status, out, errs := runLaggard(args...); status != exitOK ||
		!strings.Contains(out, "sockets: 6 runs, 45 ranks, 1 call sites") ||
		!strings.Contains(out, "MPI calls: 6 runs") {
		t.Fatalf("exit status %d\n%s%s", status, out, errs)
	}
	return file
}

// TestScalingTrainRefuses: what is wrong with the training runs is said once, and how many are needed.
func TestScalingTrainRefuses(t *testing.T) {
	clearSettingsEnv(t)
	dir := t.TempDir()
	few := volumeRun(t, dir, 2, 0x10, 1, nil)
	without := volumeRun(t, dir, 3, 0x10, 1, func(r *model.Rank) { r.Arguments = nil })
	for run, says := range map[string]string{
		few:     "a model needs at least 4 ranks, of all training runs together, and there are 2; train on more runs",
		without: "laggard: " + without + ": what the ranks sent was not recorded",
	} {
		status, _, errs := runLaggard("scaling", "train", "-o", filepath.Join(dir, "app.model"), run)
		if status != exitUsage || !strings.Contains(errs, says) {
			t.Errorf("status %d, not %q: %s", status, says, errs)
		}
	}
}

func TestScalingTest(t *testing.T) {
	dir := t.TempDir()
	file := trainModel(t, dir)
	for _, c := range []struct {
		name           string
		ranks          int
		path, distance uint64
		change         func(*model.Rank)
		status         int // with --exit-code
		says           []string
	}{
		{"good", 14, 0x10, 1, nil, exitOK, []string{"all 14 ranks send what smaller runs predict"}},
		{"far off", 48, 0x10, 1, nil, exitOK, []string{"all 48 ranks send what smaller runs predict"}},
		{"another path", 14, 0x20, 1, nil, exitFindings,
			[]string{"none of the 14 ranks sends", "look at: libmpi.so.40+0x20", "sockets: flagged 0-13"}},
		{"wrong neighbour", 14, 0x10, 5, nil, exitFindings,
			[]string{"none of the 14 ranks sends", "look at: app+0x200", "MPI calls: flagged 0-13",
				"distance of the peers"}},
		{"no sockets", 15, 0x10, 1, func(r *model.Rank) { r.Sites = nil }, exitOK,
			[]string{"note: nothing was sent through sockets"}},
		{"one rank is short", 16, 0x10, 1, func(r *model.Rank) {
			if r.Rank == 7 {
				r.Threads[0].Sent[0].Bytes /= 2
			}
		}, exitFindings, []string{"rank 7 of 16: not what", "look at: app+0x100"}},
		{"crash", 16, 0x30, 1, func(r *model.Rank) {
			r.Phase, r.End = model.Running, model.Signalled
			if r.Rank == 2 {
				r.Threads[0].Captured = &model.Capture{Time: time.Unix(1100, 0), Why: model.CaptureFatal, Signal: 11,
					Stack: []model.Frame{{Module: volumeApp, Offset: 0x55}, {Module: volumeApp, Offset: 0x200},
						{Module: volumeApp, Offset: 0x900}}}
			}
		}, exitFindings, []string{"crash: rank 2: segmentation fault", "look at: app+0x55",
			"note: ranks 0-15: did not complete MPI_Finalize"}},
	} {
		run := volumeRun(t, dir, c.ranks, c.path, c.distance, c.change)
		status, out, errs := runLaggard("scaling", "test", "--exit-code", "--model", file, run)
		checktest.Equal(t, c.status, status, c.name, "exit status", out, errs)
		checktest.Contains(t, out, c.says...)
		_, form, _ := runLaggard("scaling", "test", "--json", "--model", file, run)
		if !json.Valid([]byte(form)) {
			t.Errorf("%s: %s", c.name, form)
		}
		for analysts := range 4 { // the same whatever their number
			n := fmt.Sprint(analysts + 1)
			if _, again, _ := runLaggard("scaling", "test", "--analysts", n, "--model", file, run); again != out {
				t.Errorf("%s: with %s analysis ranks:\n%s\nand else:\n%s", c.name, n, again, out)
			}
		}
	}
}

// TestScalingTrainsAlike: the model is the same whatever the number of analysis
// ranks.
func TestScalingTrainsAlike(t *testing.T) {
	dir := t.TempDir()
	var first []byte
	for _, analysts := range []string{"1", "2", "3", "7"} {
		sub := filepath.Join(dir, "x")
		musttest.Succeed(t, os.RemoveAll(sub))
		data := musttest.Get(os.ReadFile(trainModel(t, sub, "--analysts", analysts)))(t)
		if first == nil {
			first = data
		}
		if !bytes.Equal(first, data) {
			t.Errorf("%s analysis ranks make another model", analysts)
		}
	}
}

func TestScalingFeatures(t *testing.T) {
	dir := t.TempDir()
	list := filepath.Join(dir, "features.toml")
	var text strings.Builder
	for _, ranks := range []int{4, 5, 6, 8, 10, 12} {
		fmt.Fprintf(&text, "[run-%d-10-1]\ncells = %d\n", ranks, 100*ranks)
	}
	musttest.Succeed(t, os.WriteFile(list, []byte(text.String()), 0o600))
	file := trainModel(t, dir, "--features", list, "--feature", "nodes=1", "--ignore", "arg1")
	run := volumeRun(t, dir, 14, 0x10, 1, nil)
	if status, _, errs := runLaggard("scaling", "test", "--model", file, run); status != exitUsage ||
		!strings.Contains(errs, `the run has no number "cells"`) {
		t.Errorf("exit status %d: %s", status, errs)
	}
	status, out, errs := runLaggard("scaling", "test", "--model", file, "--feature", "cells=1400", "--feature", "nodes=1",
		run)
	if status != exitOK || !strings.Contains(out, "numbers unknown to the training are ignored: arg1") {
		t.Errorf("exit status %d\n%s%s", status, out, errs)
	}
}

func TestScalingRefuses(t *testing.T) {
	dir := t.TempDir()
	file := trainModel(t, dir)
	good, again := volumeRun(t, dir, 7, 0x10, 1, nil), filepath.Join(dir, "again")
	musttest.Succeed(t, os.Symlink(good, again))
	without := volumeRun(t, dir, 9, 0x10, 1, func(r *model.Rank) { r.Arguments, r.Sites = nil, nil })
	crashed := volumeRun(t, dir, 11, 0x10, 1, func(r *model.Rank) {
		r.Threads[0].Captured = &model.Capture{Time: time.Unix(1, 0), Why: model.CaptureFatal, Signal: 6,
			Stack: []model.Frame{{Module: volumeApp, Offset: 1}}}
	})
	broken := filepath.Join(dir, "broken.model")
	musttest.Succeed(t, os.WriteFile(broken, []byte("laggard-scaling 2 2 00000000\n{}"), 0o600))
	out := filepath.Join(dir, "new.model")
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"train " + good, exitUsage, "-o MODEL"},
		{"train -o " + out, exitUsage, "expected run directories"},
		{"train -o " + out + " " + dir + "/nosuch", exitUsage, "no such run directory"},
		{"train -o " + out + " " + good + " " + again, exitUsage, "hold the same run"},
		{"train -o " + out + " " + without, exitUsage, "--record volume"},
		{"train -o " + out + " " + crashed, exitUsage, "rank 0 crashed (aborted)"},
		{"train -o " + out + " --source disk " + good, exitUsage, `--source must be mpi, socket or both, not "disk"`},
		{"train -o " + out + " --feature x " + good, exitUsage, `--feature must be NAME=NUMBER, not "x"`},
		{"train -o " + out + " --features " + file + " " + good, exitUsage, "--features"},
		{"train -o " + out + " --analysts -1 " + good, exitUsage, "--analysts must be a number of ranks, not -1"},
		{"test " + good, exitUsage, "--model MODEL"},
		{"test --model " + dir + "/nosuch " + good, exitUsage, "no such file"},
		{"test --model " + broken + " " + good, exitFailed, "checksum"},
		{"test --model " + file + " --json --html x " + good, exitUsage, "cannot be combined"},
		{"test --model " + file + " " + without, exitUsage, "--record volume"},
	} {
		status, _, errs := runLaggard(append([]string{"scaling"}, strings.Fields(c.args)...)...)
		if status != c.status || !strings.Contains(errs, c.says) {
			t.Errorf("scaling %s: exit status %d, want %d: %s", c.args, status, c.status, errs)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a model of nothing was written")
	}
}

func TestScalingPage(t *testing.T) {
	dir := t.TempDir()
	file := trainModel(t, dir)
	page := filepath.Join(dir, "page.html")
	if status, out, errs := runLaggard("scaling", "test", "--html", page, "--model", file,
		volumeRun(t, dir, 14, 0x20, 1, nil)); status != exitOK || out != "the page is "+page+"\n" {
		t.Fatalf("exit status %d\n%s%s", status, out, errs)
	}
	text, err := os.ReadFile(page)
	if err != nil || !bytes.Contains(text, []byte("Bytes by call site")) || !bytes.Contains(text, []byte("</html>")) {
		t.Errorf("%v\n%.300s", err, text)
	}
}
