package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// ManifestName is the name of the manifest in a run directory.
const ManifestName = "manifest.json"

// ManifestVersion is the schema_version that this version writes and reads.
const ManifestVersion = 1

// ParseManifest reads a manifest. The error wraps ErrManifest, or ErrVersion if
// a later version wrote it.
func ParseManifest(text []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("model: %s: %w: %w", ManifestName, ErrManifest, err)
	}
	if m.SchemaVersion != ManifestVersion {
		return nil, fmt.Errorf("model: %s: %w: schema_version %d, this program reads %d",
			ManifestName, ErrVersion, m.SchemaVersion, ManifestVersion)
	}
	if _, err := m.ID(); err != nil {
		return nil, fmt.Errorf("model: %s: %w: run_id %.40q is no hexadecimal number of 64 bits", ManifestName, ErrManifest, m.RunID)
	}
	if m.Ranks < 0 || m.Ranks > MaxRank {
		return nil, fmt.Errorf("model: %s: %w: ranks %d", ManifestName, ErrManifest, m.Ranks)
	}
	return m, nil
}

// ID returns the run id as a number, as it is in the node files.
func (m *Manifest) ID() (uint64, error) { return strconv.ParseUint(m.RunID, 16, 64) }

// RunIDText writes a run id as a manifest has it.
func RunIDText(id uint64) string { return fmt.Sprintf("%016x", id) }

// readManifest reads the manifest of a directory, nil if there is none.
func readManifest(dir string) (*Manifest, error) {
	text, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("model: %s: %w", ManifestName, err)
	}
	return ParseManifest(text)
}

// WriteManifest writes the manifest of a run directory, which must not have one
// yet. Its schema version is set.
func WriteManifest(dir string, m *Manifest) error {
	out := *m
	out.SchemaVersion = ManifestVersion
	text, err := json.MarshalIndent(&out, "", "  ")
	if err != nil {
		return fmt.Errorf("model: %s: %w", ManifestName, err)
	}
	return writeNew(filepath.Join(dir, ManifestName), append(text, '\n'))
}

// writeNew writes a file that must not exist; no link is followed. Whoever sees
// the file sees all of it: it gets its name once it is written.
func writeNew(path string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return fmt.Errorf("model: %w", err)
	}
	defer os.Remove(file.Name())
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("model: %s: %w", filepath.Base(path), err)
	}
	err = os.Link(file.Name(), path)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without hard links
		err = unix.Renameat2(unix.AT_FDCWD, file.Name(), unix.AT_FDCWD, path, unix.RENAME_NOREPLACE)
	}
	if err != nil {
		return fmt.Errorf("model: %s: %w", filepath.Base(path), err)
	}
	return nil
}
