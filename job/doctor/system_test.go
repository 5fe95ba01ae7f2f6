package doctor

import (
	"os"
	"path/filepath"
	"testing"
)

func TestContainer(t *testing.T) {
	for _, c := range []struct{ variable, file, want string }{
		{"", "", ""},
		{"APPTAINER_CONTAINER", "", "Apptainer"},
		{"SINGULARITY_CONTAINER", "", "Apptainer"},
		{"", "/run/.containerenv", "Podman"},
		{"", "/.dockerenv", "Docker"},
		{"HOME", "/etc/passwd", ""},
	} {
		get := func(name string) string {
			if name == c.variable {
				return "set"
			}
			return ""
		}
		if got := container(get, func(path string) bool { return path == c.file }); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.variable, c.file, got, c.want)
		}
	}
}

func TestDistribution(t *testing.T) {
	path := filepath.Join(t.TempDir(), "os-release")
	if got := distribution(path); got != "a system without a name" {
		t.Errorf("without a file: %q", got)
	}
	if err := os.WriteFile(path, []byte("ID=rocky\nPRETTY_NAME=\"Rocky Linux 8.10\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := distribution(path); got != "Rocky Linux 8.10" {
		t.Errorf("got %q", got)
	}
}
