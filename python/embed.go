package python

import (
	_ "embed"
	"errors"
	"os"
	"path/filepath"
)

//go:embed laggard_pytest.py
var plugin []byte

// entry is what pip would write, so that pytest finds the plug-in where PYTHONPATH reaches.
const entry = "[pytest11]\nlaggard_pytest = laggard_pytest\n"

const metadata = "Metadata-Version: 2.1\nName: laggard-pytest\nVersion: 0\n"

// Install writes the plug-in into a directory, for PYTHONPATH.
func Install(dir string) error {
	info := filepath.Join(dir, "laggard_pytest-0.dist-info")
	return errors.Join(
		os.MkdirAll(info, 0o700),
		os.WriteFile(filepath.Join(dir, "laggard_pytest.py"), plugin, 0o600),
		os.WriteFile(filepath.Join(info, "entry_points.txt"), []byte(entry), 0o600),
		os.WriteFile(filepath.Join(info, "METADATA"), []byte(metadata), 0o600),
	)
}
