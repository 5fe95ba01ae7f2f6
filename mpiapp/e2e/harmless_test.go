//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"laggard/internal/checktest"
)

// checkSameOutput wants a program to print and end under a recording as it does without.
func (f family) checkSameOutput(t *testing.T, env []string, dir, record string, program ...string) {
	t.Helper()
	const ranks = 2
	plain := startJob(t, env, nil, append(f.launchCommand(ranks), program...)...).wait()
	got := startJob(t, env, nil, f.underRun(t, dir, []string{"--record", record}, ranks, program...)...).wait()
	if plain.status != 0 || got.status != 0 || !strings.HasPrefix(got.stdout, plain.stdout) {
		t.Errorf("without a recording it prints %q, status %d; with one %q, status %d\n%s",
			plain.stdout, plain.status, got.stdout, got.status, got.stderr)
	}
}

// TestFullDisk fills the file system while more than progress is recorded; of everything, at each whole page that is
// left up to 2 MB.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	kilobytes := []int{32, 192, 640}
	if runEverything() {
		kilobytes = nil
		for page := 1; page <= 512; page++ {
			kilobytes = append(kilobytes, 4*page)
		}
	}
	eachFamily(t, func(t *testing.T, f family) {
		for _, record := range []string{"usage", "volume", "movement"} {
			for _, kb := range kilobytes {
				t.Run(fmt.Sprintf("%s/%dk", record, kb), func(t *testing.T) {
					t.Parallel()
					dir := filepath.Join(t.TempDir(), "disk")
					smallDisk(fmt.Sprintf("size=%dk", kb))(t, dir)
					f.checkSameOutput(t, f.runEnvironment(t), filepath.Join(dir, "run"), record, f.buildProgram(t, "move_halo.c"))
				})
			}
		}
	})
}

// TestClosedDescriptors closes those of the recorder.
func TestClosedDescriptors(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		eachCase(t, []string{"progress", "usage", "volume", "movement"}, func(t *testing.T, record string) {
			f.checkSameOutput(t, f.runEnvironment(t), filepath.Join(t.TempDir(), "run"), record, f.buildProgram(t, "closes.c", "-O1"))
		})
	})
}

// TestOtherTool: the wrappers and the _exit of a profiling library that is loaded behind the recorder are called as without it.
func TestOtherTool(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		env := append(f.runEnvironment(t), "LD_PRELOAD="+f.buildProgram(t, "tool.c", "-shared", "-fPIC", "-DTOOL"))
		f.checkSameOutput(t, env, filepath.Join(t.TempDir(), "run"), "progress", f.buildProgram(t, "tool.c", "-O1"))
	})
}

// TestLoadsMeanwhile: another thread loads libraries while MPI_Init runs.
func TestLoadsMeanwhile(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		f.checkSameOutput(t, f.runEnvironment(t), filepath.Join(t.TempDir(), "run"), "progress", f.buildProgram(t, "loads.c", "-O1"))
	})
}

// TestExecs: the recorder's exec and its like do what those of the C library do, and a rank that could not become
// another program has finished well.
func TestExecs(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		env, dir := f.runEnvironment(t), filepath.Join(t.TempDir(), "run")
		f.checkSameOutput(t, env, dir, "progress", f.buildProgram(t, "execs.c", "-O1"))
		if a := runDiagnose(t, env, dir); a.Hang || len(a.Lost) > 0 || a.Ended != nil {
			t.Errorf("%+v", a)
		}
	})
}

// TestSanitized: programs built with the sanitizers of the compiler run as without a
// recording. MPICH itself fails under ThreadSanitizer.
func TestSanitized(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		for _, sanitizer := range []string{"address", "thread", "undefined"} {
			if sanitizer == "thread" && f.name == "mpich" {
				continue
			}
			for _, record := range []string{"progress", "usage,volume,movement"} {
				t.Run(sanitizer+"/"+record, func(t *testing.T) {
					t.Parallel()
					env := append(f.runEnvironment(t), "ASAN_OPTIONS=detect_leaks=0") // MPI libraries leak
					f.checkSameOutput(t, env, filepath.Join(t.TempDir(), "run"), record,
						f.buildProgram(t, "closes.c", "-O1", "-fsanitize="+sanitizer))
				})
			}
		}
	})
}

// TestTortures does to the process what programs do: each prints and ends under any recording as it does without.
func TestTortures(t *testing.T) {
	t.Parallel()
	records := []string{"usage,volume,movement"}
	if runEverything() {
		records = append(records, "progress", "usage", "volume", "movement")
	}
	eachFamily(t, func(t *testing.T, f family) {
		program := f.buildProgram(t, "tortures.c", "-O1")
		list := runCommand(t, f.runEnvironment(t), program, "list").stdout
		for _, name := range selectCases(f, strings.Fields(list)) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				env := append(f.runEnvironment(t), "LAGGARD_QUIET_MS=300")
				plain := f.sortedOutput(t, env, program, name)
				for _, record := range records {
					dir := filepath.Join(t.TempDir(), "run")
					got := f.sortedOutput(t, env, laggardPath(t), "run", "-o", dir, "--record", record, "--", program, name)
					checktest.Equal(t, plain, got, "--record", record, "without and with a recording")
				}
			})
		}
	})
}

// sortedOutput is what the ranks of a job print, in order, and its exit status. The last two words are the program's.
func (f family) sortedOutput(t *testing.T, env []string, words ...string) []string {
	t.Helper()
	of := len(words) - 2
	args := slices.Concat(words[:of], f.launchCommand(2), words[of:])
	got := startJob(t, env, nil, args...).wait()
	lines := strings.Split(got.programOutput(), "\n")
	slices.Sort(lines)
	return append(lines, fmt.Sprintf("exit status %d", got.status))
}

// TestHandlers: handlers on an alternate stack or on too small a one, across vfork,
// by sigset, and for the recorder's own signal, which it sends while a rank rests.
func TestHandlers(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		eachCase(t, []string{"progress", "usage,volume,movement"}, func(t *testing.T, record string) {
			const restSeconds = "3"
			env := append(f.runEnvironment(t), "LAGGARD_QUIET_MS=300")
			f.checkSameOutput(t, env, filepath.Join(t.TempDir(), "run"), record, f.buildProgram(t, "handlers.c", "-O1"), restSeconds)
		})
	})
}

// TestCutFile cuts the node file short while the ranks write to it.
func TestCutFile(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		for _, record := range []string{"progress", "usage,movement"} {
			t.Run(record, func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "run")
				args := f.underRun(t, dir, []string{"--record", record}, 2, f.buildProgram(t, "steady.c", "-O1"), "4")
				j := startJob(t, f.runEnvironment(t), nil, args...)
				for range 100 {
					time.Sleep(20 * time.Millisecond)
					files, _ := filepath.Glob(filepath.Join(dir, "*.lgd"))
					for _, file := range files {
						_ = os.Truncate(file, 0)
					}
				}
				if got := j.wait(); got.status != 0 || !strings.Contains(got.stdout, "steady: end") {
					t.Errorf("status %d, %q\n%s", got.status, got.stdout, got.stderr)
				}
			})
		}
	})
}
