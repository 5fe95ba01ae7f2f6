package hostile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// roundsVariable says how many damaged interpreters of each version are read.
const (
	roundsVariable = "LAGGARD_HOSTILE"
	defaultRounds  = 20000
)

// units are the files of the reader that the program is linked with.
var units = []string{"code.c", "exception.c", "frames.c", "layout.c", "lines.c", "words.c"}

func buildProgram(t *testing.T) string {
	t.Helper()
	made := t.TempDir()
	musttest.Run(t, exec.Command("go", "run", "../../gen", made))
	program := filepath.Join(made, "hostile")
	args := []string{"-g", "-O1", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined",
		"-fno-sanitize-recover=all", "-I../..", "-I" + made, "-o", program, "testdata/hostile.c"}
	for _, u := range units {
		args = append(args, "../"+u)
	}
	musttest.Run(t, exec.Command("gcc", args...))
	return program
}

// versions are the minor versions whose layout is known, with how the frames are told apart
// from those of C code that has entered the interpreter.
var versions = []int{8, 9, 10, 11, 12, 13, 14}

// want is the stack that the program builds: its Python frames, each in the place of the C
// frame that executes it; the interpreter's own (odd addresses) are left out. Then its exceptions,
// with the lines that they came through: handled, printed, and set.
const want = `C 1000
/home/u/app.py:fé€ 22
/home/u/app.py:Solver.key.x 11
C 3000
/home/u/app.py:main 41
C 4000
C 5000
2 lib.Failure 73 71
3 KeyError 72
1 lib.Failure 73 71
`

func TestInterpreters(t *testing.T) {
	program := buildProgram(t)
	rounds := strconv.Itoa(defaultRounds)
	if v := os.Getenv(roundsVariable); v != "" {
		rounds = v
	}
	for _, minor := range versions {
		t.Run("3."+strconv.Itoa(minor), func(t *testing.T) {
			cmd := exec.Command(program, strconv.Itoa(minor), rounds, "7")
			var errors strings.Builder
			cmd.Stderr = &errors
			out := musttest.Get(cmd.Output())(t, errors.String())
			if string(out) != want {
				t.Errorf("got:\n%s\nwant:\n%s", out, want)
			}
		})
	}
}
