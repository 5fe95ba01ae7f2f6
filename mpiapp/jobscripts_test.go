package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// jobScripts lists the scripts in jobscripts/.
func jobScripts(t *testing.T) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir("../jobscripts", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("no job scripts: %v", err)
	}
	return paths
}

// TestJobScriptsAreShell: bash can read them, they stop at an error, and can be
// executed.
func TestJobScriptsAreShell(t *testing.T) {
	for _, path := range jobScripts(t) {
		text := musttest.Get(os.ReadFile(path))(t)
		info, err := os.Stat(path)
		if err != nil || info.Mode()&0o111 == 0 {
			t.Errorf("%s cannot be executed (%v)", path, err)
		}
		if !strings.HasPrefix(string(text), "#!/bin/bash\n# ") {
			t.Errorf("%s does not begin with #!/bin/bash and what it is for", path)
		}
		if !regexp.MustCompile(`(?m)^set -[e]?uo pipefail$`).Match(text) {
			t.Errorf("%s does not set -u and pipefail", path)
		}
		musttest.Run(t, exec.Command("bash", "-n", path))
	}
}

// TestScriptsPassShellcheck: those for jobs, and those that the Makefile runs.
func TestScriptsPassShellcheck(t *testing.T) {
	paths := append(jobScripts(t), "../.ci/run")
	own, err := filepath.Glob("../scripts/*")
	if err != nil || len(own) == 0 {
		t.Fatalf("scripts: %v", err)
	}
	for _, path := range own {
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 && !info.IsDir() && filepath.Ext(path) != ".py" {
			paths = append(paths, path)
		}
	}
	shellcheck, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("shellcheck is not installed")
	}
	musttest.Run(t, exec.Command(shellcheck, append([]string{"--shell=bash"}, paths...)...))
}

// TestJobScriptsUseWhatExists: every command of laggard's in them exists, with
// its flags, and so does every variable.
func TestJobScriptsUseWhatExists(t *testing.T) {
	known := []string{"LAGGARD_RUN_ID", "LAGGARD_CONFIG"}
	for _, v := range new(settings).table() {
		known = append(known, v.env)
	}
	found := map[string]int{}
	for _, path := range jobScripts(t) {
		text := musttest.Get(os.ReadFile(path))(t)
		for _, name := range regexp.MustCompile(`LAGGARD_\w+`).FindAllString(string(text), -1) {
			if !slices.Contains(known, name) {
				t.Errorf("%s: there is no setting %s", path, name)
			}
		}
		calls := invocations(string(text))
		found[filepath.Dir(path)] += len(calls)
		for _, args := range calls {
			checktest.ErrorIs(t, nil, checkInvocation(args), path, "laggard", strings.Join(args, " "))
		}
	}
	for dir, calls := range found {
		if calls < 2 {
			t.Errorf("%s: %d calls of laggard were found, want one that records or imports and one that diagnoses",
				dir, calls)
		}
	}
}

// program is a word that names laggard in a command line.
var program = regexp.MustCompile(`^(.*/)?laggard(-mpi|-mpich)?$`)

// invocations finds the arguments of each call of laggard in a script, comments
// included: those show how it is used, too, on lines that begin with a blank.
func invocations(script string) (calls [][]string) {
	script = strings.ReplaceAll(script, "\\\n", " ")
	for line := range strings.Lines(script) {
		if strings.HasPrefix(line, "#") {
			shown, isShown := strings.CutPrefix(line, "#   ")
			if !isShown {
				continue
			}
			line = shown
		}
		words := shellWords(strings.ReplaceAll(line, "$(", " ( "))
		for i, w := range words {
			if !program.MatchString(w) {
				continue
			}
			end := slices.IndexFunc(words[i:], func(w string) bool { return strings.ContainsAny(w[:1], "|&;><)") })
			if end < 0 {
				end = len(words) - i
			}
			calls = append(calls, words[i+1:i+end])
		}
	}
	return calls
}

// shellWords splits a line into words and operators, and takes quotes away. It
// stops at a comment. Variables stay as they are.
func shellWords(line string) (words []string) {
	word := regexp.MustCompile(`^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'|&;<>()])+|^(?:\d?>&\d|&&|\|\||[|&;<>()]+)`)
	for rest := strings.TrimSpace(line); rest != "" && rest[0] != '#'; rest = strings.TrimSpace(rest) {
		w := word.FindString(rest)
		if w == "" {
			break
		}
		rest = rest[len(w):]
		words = append(words, strings.NewReplacer(`"`, "", `'`, "").Replace(w))
	}
	return words
}

// checkInvocation looks a command line up in the tree of commands. The values of
// flags are checked where the script does not leave them to a variable.
func checkInvocation(args []string) error {
	a := &app{out: io.Discard, err: io.Discard}
	cmd, rest, err := a.root().Find(args)
	if err != nil {
		return err
	}
	if !cmd.Runnable() || cmd == cmd.Root() {
		return fmt.Errorf("%q is no command", strings.Join(args, " "))
	}
	operands, err := checkFlags(cmd, rest)
	if err != nil || slices.ContainsFunc(operands, func(w string) bool { return strings.ContainsAny(w, "$*…") }) {
		return err
	}
	return cmd.ValidateArgs(operands)
}

// checkFlags sets the flags of a command and returns what is left.
func checkFlags(cmd *cobra.Command, args []string) (operands []string, err error) {
	cmd.InheritedFlags() // adds those of the parents
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		if word == "--" {
			return append(operands, args...), nil
		}
		if len(word) < 2 || word[0] != '-' {
			operands = append(operands, word)
			continue
		}
		set, bare, value, given := findFlag(cmd, word)
		switch {
		case set == nil:
			return nil, fmt.Errorf("there is no flag %s", word)
		case !given && bare != "":
			value = bare
		case !given && len(args) == 0:
			return nil, fmt.Errorf("%s wants a value", word)
		case !given:
			value, args = args[0], args[1:]
		}
		if strings.Contains(value, "$") {
			continue
		}
		if err := set(value); err != nil {
			return nil, fmt.Errorf("%s: %w", word, err)
		}
	}
	return operands, nil
}

// findFlag returns what sets the flag, nil if there is none, its value if it
// stands alone, and the value in the word itself.
func findFlag(cmd *cobra.Command, word string) (set func(string) error, bare, value string, given bool) {
	flag := cmd.Flags().ShorthandLookup(word[1:2])
	value, given = word[2:], len(word) > 2
	if name, long := strings.CutPrefix(word, "--"); long {
		name, value, given = strings.Cut(name, "=")
		flag = cmd.Flags().Lookup(name)
	}
	if flag == nil {
		return nil, "", "", false
	}
	return flag.Value.Set, flag.NoOptDefVal, value, given
}

// TestInvocations: the check finds the calls, and the faults in them.
func TestInvocations(t *testing.T) {
	for _, c := range []struct {
		script string
		calls  int
		fault  string // in the first call; "" none
	}{
		{`srun -n 4 laggard exec -o "$dir" -- ./app --no-such-flag`, 1, ""},
		{"laggard run \\\n  --timeout 5m -- mpirun ./app", 1, ""},
		{"laggard diagnose --json d > out.json && laggard inspect d", 2, ""},
		{"x=$(laggard config print)", 1, ""},
		{"# laggard is not called here\n#   laggard inspect RUNDIR\necho 'no laggards'", 1, ""},
		{"laggard diagnose --jsn d", 1, "no flag --jsn"},
		{"laggard diagnos d", 1, "diagnos"},
		{"/opt/bin/laggard-mpi run --timeout soon -- x", 1, "soon"},
		{"laggard run --timeout \"$T\" -- x", 1, ""},
		{"laggard inspect a b", 1, "expected one RUNDIR argument"},
		{"laggard exec -o", 1, "wants a value"},
	} {
		calls := invocations(c.script)
		if len(calls) != c.calls {
			t.Errorf("%q: calls %q, want %d", c.script, calls, c.calls)
			continue
		}
		if len(calls) == 0 {
			continue
		}
		if err := checkInvocation(calls[0]); (err == nil) != (c.fault == "") || err != nil &&
			!strings.Contains(err.Error(), c.fault) {
			t.Errorf("%q: %v, want %q", c.script, err, c.fault)
		}
	}
}
