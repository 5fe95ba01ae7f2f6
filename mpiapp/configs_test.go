package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDefaultsOnFile: configs/laggard.toml is what config print prints.
func TestDefaultsOnFile(t *testing.T) { sameFile(t, "../configs/laggard.toml", printed()) }

// TestSettingsPage: docs/settings.md says what the table of settings says.
func TestSettingsPage(t *testing.T) { sameFile(t, "../docs/settings.md", settingsPage()) }

// sameFile compares a generated file with what would be generated now.
func sameFile(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("%s; -update writes it anew:\n%s", path, diff)
	}
}

// TestExamplesLoad: the files for kinds of sites can be read, and change
// something.
func TestExamplesLoad(t *testing.T) {
	paths, err := filepath.Glob("../configs/*.toml")
	if err != nil || len(paths) < 4 {
		t.Fatalf("configs: %q, %v", paths, err)
	}
	noSettings(t)
	plain, err := loadSettings("")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		s, err := loadSettings(path)
		if err != nil {
			t.Error(err)
		}
		if same := cmp.Equal(plain, s); same != (filepath.Base(path) == "laggard.toml") {
			t.Errorf("%s: the same as the defaults: %v", path, same)
		}
	}
}

// noSettings takes away what is set around the tests.
func noSettings(t *testing.T) {
	for _, r := range new(settings).table() {
		if r.env != "" {
			t.Setenv(r.env, "")
		}
	}
}
