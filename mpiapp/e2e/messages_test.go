//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// messageCase is what is known of a program of testdata/programs/messages, by its first lines.
type messageCase struct {
	source    string
	np        int
	says, not []string
	ends      bool
}

func messageCases(t *testing.T) []messageCase {
	paths, err := filepath.Glob(filepath.Join(programs, "messages", "*.*"))
	must(t, err)
	var out []messageCase
	for _, path := range paths {
		if filepath.Ext(path) == ".md" {
			continue
		}
		m := messageCase{source: filepath.Join("messages", filepath.Base(path))}
		text, err := os.ReadFile(path)
		if err == nil {
			err = m.parseComments(string(text))
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, m)
	}
	return out
}

var (
	linePlace = regexp.MustCompile(`@(\d+)`)
	lineMark  = regexp.MustCompile(`LAGGARD: (\d+)`)
)

func (m *messageCase) parseComments(text string) (err error) {
	at := map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		if mark := lineMark.FindStringSubmatch(line); mark != nil {
			at[mark[1]] = strconv.Itoa(i + 1)
		}
	}
	for line := range strings.Lines(text) {
		key, value, is := strings.Cut(strings.TrimLeft(strings.TrimSpace(line), "/! "), ": ")
		if !is || !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "!") {
			break
		}
		value = linePlace.ReplaceAllStringFunc(value, func(place string) string { return at[place[1:]] })
		switch key {
		case "np":
			m.np, err = strconv.Atoi(value)
		case "says":
			m.says = append(m.says, value)
		case "not":
			m.not = append(m.not, value)
		case "ends":
			m.ends = value == "yes"
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestMessages lets every program miss a message, or overlook an error, and asks what is said of it; of its twin nothing is.
func TestMessages(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		for _, m := range selectCases(f, messageCases(t)) {
			t.Run(filepath.Base(m.source), func(t *testing.T) {
				t.Parallel()
				f.checkMessage(t, m)
			})
		}
	})
}

func (f family) checkMessage(t *testing.T, m messageCase) {
	program, env, dir := f.buildProgram(t, m.source, "-O1"), f.runEnvironment(t), t.TempDir()
	good := f.startRecorded(t, filepath.Join(dir, "good"), env, m.np, nil, program, "good").wait()
	if text := diagnosisText(t, env, filepath.Join(dir, "good")); good.status != 0 || !strings.Contains(text, "finished: no hang") {
		t.Errorf("good: status %d, %s\n%s", good.status, good.stderr, text)
	}
	j := f.startRecorded(t, filepath.Join(dir, "hang"), env, m.np, nil, program, "hang")
	text := ""
	if m.ends {
		j.waitOrEnd(20 * time.Second)
		text = diagnosisText(t, env, filepath.Join(dir, "hang"))
	} else {
		j.awaitHang()
		j.yieldToOthers()
		j.eventually("a hang behind the start, which may stand still on a crowded machine", func() bool {
			text = diagnosisText(t, env, filepath.Join(dir, "hang"))
			return !strings.Contains(text, "in MPI_Init")
		})
	}
	for _, want := range m.says {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, wrong := range m.not {
		if strings.Contains(text, wrong) {
			t.Errorf("%q", wrong)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

func diagnosisText(t *testing.T, env []string, dir string) string {
	t.Helper()
	return runCommand(t, env, filepath.Join(binaryDir(t), "laggard"), "diagnose", dir).stdout
}
