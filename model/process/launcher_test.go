package process

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

func TestLauncher(t *testing.T) {
	dir := t.TempDir()
	if l, err := ReadLauncher(dir); l != nil || err != nil {
		t.Errorf("no record: %+v, %v", l, err)
	}
	want := Launcher{SchemaVersion: 1, Status: 137, Signal: 9, Ended: time.Date(2026, 3, 12, 14, 2, 10, 5, time.UTC)}
	musttest.Succeed(t, want.Write(dir))
	checktest.Equal(t, &want, musttest.Get(ReadLauncher(dir))(t))
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, LauncherName), []byte(`{"schema_version": 1}`), 0o600))
	checktest.Fails(ReadLauncher(dir))(t, ErrLauncher, "no time")
}

func FuzzParseLauncher(f *testing.F) {
	f.Add([]byte(`{"schema_version":1,"status":137,"signal":9,"ended":"2026-03-12T03:15:00Z"}`))
	f.Add([]byte(`{"schema_version":1,"signal":-9}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := ParseLauncher(text)
		if (err == nil) != (l != nil) || err != nil && !errors.Is(err, ErrLauncher) {
			t.Fatalf("%v, %v", l, err)
		}
	})
}
