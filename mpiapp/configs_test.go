package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// TestDefaultsOnFile: configs/laggard.toml is what config print prints.
func TestDefaultsOnFile(t *testing.T) {
	checkGeneratedFile(t, "../configs/laggard.toml", defaultsTOML())
}

// TestSettingsPage: docs/reference/settings.md says what the table of settings says.
func TestSettingsPage(t *testing.T) {
	checkGeneratedFile(t, "../docs/reference/settings.md", settingsPage())
}

// settingsPage is docs/reference/settings.md.
func settingsPage() string {
	var b strings.Builder
	b.WriteString("<!-- Generated from the table in mpiapp/settings.go: " +
		"go test ./mpiapp -run TestSettingsPage -update -->\n\n# Settings\n\n" +
		wrap("A flag overrides the environment variable, which overrides the file (TOML; `--config` or `LAGGARD_CONFIG`), which "+
			"overrides the default. Every setting has the flag `--set KEY=VALUE`, such as `--set recorder.max_mb=128`; some "+
			"have a flag of their own. Lists in variables are separated by commas. An unknown key, an invalid value or an "+
			"unreadable file is an error that says where. `laggard config print` prints a file with all defaults.") + "\n")
	s := defaultSettings()
	for _, r := range s.table() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", r.key, wrap(r.doc))
		if value := r.tomlValue(); value != "" {
			fmt.Fprintf(&b, "- default: `%s`\n", value)
		}
		if r.env != "" {
			fmt.Fprintf(&b, "- variable: `%s`\n", r.env)
		}
		if r.flag != "" {
			fmt.Fprintf(&b, "- flag: `--%s`\n", r.flag)
		}
	}
	return strings.TrimSuffix(b.String(), "\n") + "\n"
}

// checkGeneratedFile compares a generated file with what would be generated now.
func checkGeneratedFile(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		musttest.Succeed(t, os.WriteFile(path, []byte(want), 0o644))
	}
	text := musttest.Get(os.ReadFile(path))(t)
	checktest.Equal(t, want, string(text), path, "-update writes it anew")
}

// TestExamplesLoad: the files for kinds of sites can be read, and change
// something.
func TestExamplesLoad(t *testing.T) {
	paths, err := filepath.Glob("../configs/*.toml")
	if err != nil || len(paths) < 4 {
		t.Fatalf("configs: %q, %v", paths, err)
	}
	clearSettingsEnv(t)
	plain := musttest.Get(loadSettings(""))(t)
	for _, path := range paths {
		s, err := loadSettings(path)
		checktest.ErrorIs(t, nil, err)
		if same := cmp.Equal(plain, s); same != (filepath.Base(path) == "laggard.toml") {
			t.Errorf("%s: the same as the defaults: %v", path, same)
		}
	}
}

// clearSettingsEnv takes away what is set around the tests.
func clearSettingsEnv(t *testing.T) {
	for _, r := range new(settings).table() {
		if r.env != "" {
			t.Setenv(r.env, "")
		}
	}
}

// TestSpackRecipe: the recipe does what a Spack would have it do, as far as one that only notes it can tell.
func TestSpackRecipe(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	stub := t.TempDir()
	for name, text := range map[string]string{"spack/__init__.py": "", "spack/package.py": spackStub} {
		path := filepath.Join(stub, name)
		musttest.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o755))
		musttest.Succeed(t, os.WriteFile(path, []byte(text), 0o644))
	}
	recipe := musttest.Get(filepath.Abs("../configs/package/spack/packages/laggard"))(t)
	cmd := exec.Command(python, "-B", "-c", "from package import Laggard\nLaggard().all()")
	cmd.Env = append(os.Environ(), "PYTHONPATH="+stub+":"+recipe)
	out := musttest.Run(t, cmd)
	want := `version main
depends_on c
depends_on go@1.26:
depends_on gmake@4.3:
set GOPATH /stage/go
set GOFLAGS -modcacherw
make install-files PREFIX=/prefix
prepend_path MANPATH /prefix/share/man
`
	checktest.Equal(t, want, string(out))
}

// spackStub is as much of Spack as the recipe asks for.
const spackStub = `
import os

join_path = os.path.join
def version(name): print("version", name)
def depends_on(spec, type): print("depends_on", spec)
def make(*args): print("make", *args)

class Prefix(str):
    def __getattr__(self, name): return Prefix(join_path(self, name))

class Environment:
    def set(self, name, value): print("set", name, value)
    def prepend_path(self, name, value): print("prepend_path", name, value)

class Package:
    prefix = Prefix("/prefix")
    class stage: path = "/stage"
    def all(self):
        self.setup_build_environment(Environment())
        self.install(None, self.prefix)
        self.setup_run_environment(Environment())
`
