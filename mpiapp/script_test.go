package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
)

var update = flag.Bool("update", false, "write the goldens in testdata/script anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"laggard": main})
}

// TestScripts runs the commands as a user does. Each script finds the recorded
// run in $RUN, a copy of its own, all recorded runs in $RUNS, and in $LAGGARD_LIBRARY a library that can be
// preloaded: the recorder if it has been built, else an empty one.
func TestScripts(t *testing.T) {
	library, err := preloadable(t)
	runs, failed := filepath.Abs("testdata/runs")
	if failed != nil {
		t.Fatal(failed)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			run := filepath.Join(e.WorkDir, "run")
			e.Setenv("RUN", run)
			e.Setenv("RUNS", runs)
			e.Setenv("LAGGARD_LIBRARY", library)
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, ".cache"))
			return os.CopyFS(run, os.DirFS("testdata/runs/halo16"))
		},
		Condition: func(name string) (bool, error) {
			if name == "hup" { // not if the tests themselves were started to ignore it
				return !signal.Ignored(syscall.SIGHUP), nil
			}
			if name == "preload" {
				return err == nil, nil
			}
			return false, fmt.Errorf("no such condition: %s", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": checkStatus, "portable": writePortable, "flip": flipRecordByte, "cut": cutFile,
			"without": dropRanks, "mode": checkMode,
			"sed": replaceText,
		},
	})
}

// preloadable returns a library to preload; without one and without a compiler
// the scripts that need it are skipped.
func preloadable(t *testing.T) (string, error) {
	built, err := filepath.Abs("../bin/liblaggard.so")
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(built); err == nil {
		return built, nil
	}
	dir := t.TempDir()
	source, library := filepath.Join(dir, "empty.c"), filepath.Join(dir, "liblaggard.so")
	if err := os.WriteFile(source, []byte("int laggard_empty;\n"), 0o600); err != nil {
		return "", err
	}
	return library, exec.Command("cc", "-shared", "-fPIC", "-o", library, source).Run()
}

// checkStatus CODE PROGRAM ARG… runs a program and checks its exit status, 128+n if
// a signal ended it.
func checkStatus(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		if got = exit.ExitCode(); got < 0 {
			got = 128 + int(exit.Sys().(syscall.WaitStatus).Signal())
		}
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// writePortable FILE writes the last output to FILE without what differs from one
// machine and one analysis to the next: frames in the system's libraries, which
// may not be there, and in JSON the analysis.
func writePortable(ts *testscript.TestScript, neg bool, args []string) {
	out := []byte(ts.ReadFile("stdout"))
	if bytes.HasPrefix(out, []byte("{")) {
		var v map[string]any
		ts.Check(json.Unmarshal(out, &v))
		delete(v, "analysis")
		dropSystemFrames(v)
		text, err := json.MarshalIndent(v, "", "  ")
		ts.Check(err)
		out = append(text, '\n')
	} else {
		out = systemFrame.ReplaceAll(out, nil)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out, 0o600))
}

// systemFrame is a line of a stack in a library, resolved or not, or says why
// it was not.
var systemFrame = regexp.MustCompile(`(?m)^      (\S+  sysdeps/.*|\S+  in lib.*|lib\S+\+0x.*|\(symbols: .*)\n`)

func dropSystemFrames(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			dropSystemFrames(x)
		}
	case map[string]any:
		if stack, ok := v["stack"].([]any); ok {
			v["stack"] = slices.DeleteFunc(stack, func(f any) bool {
				return strings.HasPrefix(path.Base(f.(map[string]any)["module"].(string)), "lib")
			})
		}
		for _, x := range v {
			dropSystemFrames(x)
		}
	}
}

// nodeFile is the one node file of the run.
func nodeFile(ts *testscript.TestScript) string {
	names, err := filepath.Glob(filepath.Join(ts.Getenv("RUN"), runfiles.NodeFiles))
	ts.Check(err)
	if len(names) != 1 {
		ts.Fatalf("node files: %v", names)
	}
	return names[0]
}

// flipRecordByte RANK RECORD changes a byte in the first such record of a rank.
func flipRecordByte(ts *testscript.TestScript, neg bool, args []string) {
	name := nodeFile(ts)
	var dump bytes.Buffer
	_, err := nodefile.Dump(&dump, name)
	ts.Check(err)
	at := regexp.MustCompile(`(?m)^    ` + args[1] + ` at (\d+)`)
	for _, slot := range strings.Split(dump.String(), "\nslot ") {
		if !strings.Contains(slot, " rank "+args[0]+" size ") {
			continue
		}
		offset, err := strconv.Atoi(at.FindStringSubmatch(slot)[1])
		ts.Check(err)
		data, err := os.ReadFile(name)
		ts.Check(err)
		data[offset+40] ^= 0x55
		ts.Check(os.WriteFile(name, data, 0o600))
		return
	}
	ts.Fatalf("rank %s has no slot", args[0])
}

// cut PERCENT leaves that much of the node file.
func cutFile(ts *testscript.TestScript, neg bool, args []string) {
	percent, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	info, err := os.Stat(nodeFile(ts))
	ts.Check(err)
	ts.Check(os.Truncate(nodeFile(ts), info.Size()*percent/100))
}

// dropRanks RANKS writes the run anew as if these ranks had left nothing.
func dropRanks(ts *testscript.TestScript, neg bool, args []string) {
	gone, err := model.ParseRankSet(args[0])
	ts.Check(err)
	run, err := runfiles.Open(ts.Getenv("RUN"))
	ts.Check(err)
	ranks := slices.DeleteFunc(run.Ranks, func(r *model.Rank) bool { return gone.Contains(r.Rank) })
	ts.Check(os.Remove(nodeFile(ts)))
	_, err = nodefile.WriteNode(ts.Getenv("RUN"), nodefile.Header{RunID: run.ID, Host: "vm", Created: run.Manifest.Created},
		ranks)
	ts.Check(err)
}

// checkMode OCTAL FILE checks the permissions of a file.
func checkMode(ts *testscript.TestScript, neg bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%o", info.Mode()&fs.ModePerm); got != args[0] {
		ts.Fatalf("%s has the mode %s, want %s", args[1], got, args[0])
	}
}

// sed FILE OLD NEW replaces text in a file.
func replaceText(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not have %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o600))
}
