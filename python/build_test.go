package python

import (
	"archive/zip"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// TestWheel: the wheel is built without a network or a package beside Python, and has what pip and pytest look for.
func TestWheel(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("python3", "-B", "-c", "import sys, laggard_build; print(laggard_build.build_wheel(sys.argv[1]))", dir)
	out := musttest.Run(t, cmd)
	wheel := musttest.Get(zip.OpenReader(filepath.Join(dir, strings.TrimSpace(string(out)))))(t)
	defer wheel.Close()
	files := map[string]string{}
	for _, f := range wheel.File {
		r := musttest.Get(f.Open())(t)
		text := musttest.Get(io.ReadAll(r))(t)
		files[f.Name[strings.Index(f.Name, "/")+1:]] = string(text)
	}
	if files["laggard_pytest.py"] != string(plugin) || files["entry_points.txt"] != entry {
		t.Error("the wheel does not have the plug-in with its entry point")
	}
	for name, text := range files {
		if !strings.Contains(files["RECORD"], name+",") || text == "" {
			t.Errorf("RECORD lacks %s, or it is empty", name)
		}
	}
	if !strings.Contains(files["METADATA"], "Requires-Dist: pytest") {
		t.Errorf("METADATA: %s", files["METADATA"])
	}
}
