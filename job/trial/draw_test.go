package trial

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"laggard/injector"
	"laggard/internal/musttest"
)

// TestMissingProgram: a program that is not there is known from the directory in which it would run.
func TestMissingProgram(t *testing.T) {
	dir := t.TempDir()
	musttest.Succeed(t, os.WriteFile(filepath.Join(dir, "app"), nil, 0o700))
	for name, there := range map[string]bool{"./app": true, filepath.Join(dir, "app"): true, "sh": true, "./no-such-app": false} {
		r := Runner{Campaign: &injector.Campaign{}}
		r.Campaign.Program.Directory, r.Campaign.Program.Command = dir, []string{name}
		if err := r.missingProgram(); (err == nil) != there || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
