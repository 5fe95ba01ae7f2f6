package checks

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

const recorder = "../.."

// build makes a program of testdata with the recorder's own files.
func build(t *testing.T, source string, files ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Fatal("no C compiler: ", err)
	}
	dir := t.TempDir()
	musttest.Run(t, exec.Command("go", "run", "../../gen", dir))
	program := filepath.Join(dir, "program")
	args := []string{"-std=gnu11", "-O1", "-Wall", "-Werror", "-fsanitize=address,undefined", "-I" + recorder, "-I" + dir,
		"-o", program, source}
	for _, f := range files {
		args = append(args, filepath.Join(recorder, f))
	}
	musttest.Run(t, exec.Command(cc, args...))
	return program
}

// TestMembersInFewSteps: Open MPI takes n times the size of the world to translate n ranks.
func TestMembersInFewSteps(t *testing.T) {
	out, err := exec.Command(build(t, "testdata/members.c", "identity/members.c")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	irregular := []string{"shuffled", "strangers"}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 10 {
		t.Errorf("%d ways to choose members:\n%s", len(lines), out)
	}
	for _, line := range lines {
		f := strings.Split(line, ":")
		if len(f) != 5 {
			t.Fatalf("%q", line)
		}
		way, members, steps, direct := f[0], number(t, f[2]), number(t, f[3]), number(t, f[4])
		if f[1] != "right" {
			t.Errorf("%s: other members, or a group is left over", way)
		}
		most := 500*members + 25000
		if slices.Contains(irregular, way) {
			most = direct + direct/4
		}
		if steps > most {
			t.Errorf("%s: %d steps for %d members, at most %d are expected", way, steps, members, most)
		}
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTableUsesItsRoom: entries that go make room for others also in the largest table, which gets smaller when it is not needed any more.
func TestTableUsesItsRoom(t *testing.T) {
	out, err := exec.Command(build(t, "testdata/table.c", "base/pages.c")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f := strings.Fields(string(out))
	if len(f) != 3 {
		t.Fatalf("%q", out)
	}
	if most, came, size := number(t, f[0]), number(t, f[1]), number(t, f[2]); most < 3<<18 || came < 4*most || size > 1<<14 {
		t.Errorf("%d entries fit at once, %d come one by one, and the table has %d in the end", most, came, size)
	}
}
