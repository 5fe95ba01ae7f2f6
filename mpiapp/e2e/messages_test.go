//go:build e2e

package e2e

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"laggard/internal/checktest"
)

// messageCase is what is known of a program of testdata/programs/messages, by its first lines.
type messageCase struct {
	source    string
	np        int
	says, not []string
	ends      bool
}

func (m messageCase) String() string { return filepath.Base(m.source) }

var (
	linePlace = regexp.MustCompile(`@(\d+)`)
	lineMark  = regexp.MustCompile(`LAGGARD: (\d+)`)
)

func readMessage(source, text string) (m messageCase, err error) {
	m.source = source
	at := map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		if mark := lineMark.FindStringSubmatch(line); mark != nil {
			at[mark[1]] = strconv.Itoa(i + 1)
		}
	}
	err = eachComment(text, func(key, value string) (err error) {
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
		return err
	})
	return m, err
}

// TestMessages lets every program miss a message, or overlook an error, and asks what is said of it; of its twin nothing is.
func TestMessages(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		eachCase(t, selectCases(f, readCases(t, "messages", readMessage)), f.checkMessage)
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
	checktest.Contains(t, text, m.says...)
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
	return runLaggard(t, env, "diagnose", dir).stdout
}
