package process

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

func TestArrivals(t *testing.T) {
	dir := t.TempDir()
	checktest.EqualList(t, nil, musttest.Get(ReadSignals(dir))(t), "before any signal")
	at := time.Date(2026, 3, 12, 14, 2, 10, 5, time.UTC)
	var want []ReceivedSignal
	for i := range maxSignals + 2 {
		a := ReceivedSignal{Signal: 15, Name: "SIGTERM", Time: at.Add(time.Duration(i)), Whole: i%2 == 0}
		musttest.Succeed(t, AppendSignal(dir, a))
		want = append(want, a)
	}
	checktest.Equal(t, want[2:], musttest.Get(ReadSignals(dir))(t), "the latest signals")
}

func TestBadArrivals(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":         `{`,
		"a later version": `{"schema_version": 2}`,
		"no such signal":  `{"schema_version": 1, "signals": [{"signal": 65, "time": "2026-03-12T14:02:10Z"}]}`,
		"no time":         `{"schema_version": 1, "signals": [{"signal": 15}]}`,
		"too long":        string(slices.Repeat([]byte(" "), maxSignalsBytes+1)),
	} {
		dir := t.TempDir()
		musttest.Succeed(t, os.WriteFile(filepath.Join(dir, SignalsName), []byte(text), 0o600))
		checktest.Fails(ReadSignals(dir))(t, ErrSignals, name)
		a := ReceivedSignal{Signal: 15, Name: "SIGTERM", Time: time.Unix(1, 0).UTC()}
		checktest.ErrorIs(t, nil, AppendSignal(dir, a), name)
		if got, err := ReadSignals(dir); err != nil || !cmp.Equal(got, []ReceivedSignal{a}) {
			t.Errorf("%s, replaced: %+v, %v", name, got, err)
		}
	}
}

func FuzzParseArrivals(f *testing.F) {
	f.Add([]byte(`{"schema_version":1,"signals":[{"signal":15,"name":"SIGTERM","time":"2026-03-12T03:15:00Z","whole":true}]}`))
	f.Add([]byte(`{"schema_version":1,"signals":[{"signal":-1,"time":"x"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := ParseSignals(text)
		if err != nil && (all != nil || !errors.Is(err, ErrSignals)) || len(all) > maxSignals {
			t.Fatalf("%d signals, %v", len(all), err)
		}
	})
}
