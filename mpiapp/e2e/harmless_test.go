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

	"github.com/google/go-cmp/cmp"
)

// same wants a program to print and end under a recording as it does without.
func (f family) same(t *testing.T, env []string, dir, record string, program ...string) {
	t.Helper()
	const ranks = 2
	plain := start(t, env, nil, append(f.command(ranks), program...)...).wait()
	args := []string{filepath.Join(binaries(t), "laggard"), "run", "-o", dir, "--record", record, "--"}
	args = append(args, f.command(ranks)...)
	got := start(t, env, nil, append(args, program...)...).wait()
	if plain.status != 0 || got.status != 0 || !strings.HasPrefix(got.stdout, plain.stdout) {
		t.Errorf("without a recording it prints %q, status %d; with one %q, status %d\n%s",
			plain.stdout, plain.status, got.stdout, got.status, got.stderr)
	}
}

// TestFullDisk fills the file system while more than progress is recorded; of everything, at each whole page that is
// left up to 2 MB.
func TestFullDisk(t *testing.T) {
	kilobytes := []int{32, 192, 640}
	if everything() {
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
					f.same(t, f.environ(t), filepath.Join(dir, "run"), record, f.build(t, "move_halo.c"))
				})
			}
		}
	})
}

// TestClosedDescriptors closes those of the recorder.
func TestClosedDescriptors(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		for _, record := range []string{"progress", "usage", "volume", "movement"} {
			t.Run(record, func(t *testing.T) {
				t.Parallel()
				f.same(t, f.environ(t), filepath.Join(t.TempDir(), "run"), record, f.build(t, "closes.c", "-O1"))
			})
		}
	})
}

// TestSanitized: programs built with the sanitizers of the compiler run as without a
// recording. MPICH itself fails under ThreadSanitizer.
func TestSanitized(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		for _, sanitizer := range []string{"address", "thread", "undefined"} {
			if sanitizer == "thread" && f.name == "mpich" {
				continue
			}
			for _, record := range []string{"progress", "usage,volume,movement"} {
				t.Run(sanitizer+"/"+record, func(t *testing.T) {
					t.Parallel()
					env := append(f.environ(t), "ASAN_OPTIONS=detect_leaks=0") // MPI libraries leak
					f.same(t, env, filepath.Join(t.TempDir(), "run"), record,
						f.build(t, "closes.c", "-O1", "-fsanitize="+sanitizer))
				})
			}
		}
	})
}

// TestTortures does to the process what programs do: each prints and ends under any recording as it does without.
func TestTortures(t *testing.T) {
	records := []string{"usage,volume,movement"}
	if everything() {
		records = append(records, "progress", "usage", "volume", "movement")
	}
	eachFamily(t, func(t *testing.T, f family) {
		program := f.build(t, "tortures.c", "-O1")
		list := output(t, f.environ(t), program, "list").stdout
		for i, name := range strings.Fields(list) {
			if !f.takes(i) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				env := append(f.environ(t), "LAGGARD_QUIET_MS=300")
				plain := f.said(t, env, program, name)
				for _, record := range records {
					dir := filepath.Join(t.TempDir(), "run")
					got := f.said(t, env, filepath.Join(binaries(t), "laggard"), "run", "-o", dir, "--record", record,
						"--", program, name)
					if diff := cmp.Diff(plain, got); diff != "" {
						t.Errorf("--record %s: without (-) and with a recording (+)\n%s", record, diff)
					}
				}
			})
		}
	})
}

// said is what the ranks of a job print, in order, and its exit status. The last two words are the program's.
func (f family) said(t *testing.T, env []string, words ...string) []string {
	t.Helper()
	of := len(words) - 2
	args := slices.Concat(words[:of], f.command(2), words[of:])
	got := start(t, env, nil, args...).wait()
	lines := strings.Split(got.printed(), "\n")
	slices.Sort(lines)
	return append(lines, fmt.Sprintf("exit status %d", got.status))
}

// TestHandlers: handlers on an alternate stack or on too small a one, across vfork,
// by sigset, and for the recorder's own signal, which it sends while a rank rests.
func TestHandlers(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		for _, record := range []string{"progress", "usage,volume,movement"} {
			t.Run(record, func(t *testing.T) {
				t.Parallel()
				const restSeconds = "3"
				env := append(f.environ(t), "LAGGARD_QUIET_MS=300")
				f.same(t, env, filepath.Join(t.TempDir(), "run"), record, f.build(t, "handlers.c", "-O1"), restSeconds)
			})
		}
	})
}

// TestCutFile cuts the node file short while the ranks write to it.
func TestCutFile(t *testing.T) {
	eachFamily(t, func(t *testing.T, f family) {
		for _, record := range []string{"progress", "usage,movement"} {
			t.Run(record, func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "run")
				args := []string{filepath.Join(binaries(t), "laggard"), "run", "-o", dir, "--record", record, "--"}
				args = append(append(args, f.command(2)...), f.build(t, "steady.c", "-O1"), "4")
				j := start(t, f.environ(t), nil, args...)
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
