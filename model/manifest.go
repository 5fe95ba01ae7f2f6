package model

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"laggard/internal/regular"
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
		return nil, fmt.Errorf("model: %s: %w: run_id %.40q is not a 64-bit hexadecimal number", ManifestName,
			ErrManifest, m.RunID)
	}
	if m.Ranks < 0 || m.Ranks > MaxRanks {
		return nil, fmt.Errorf("model: %s: %w: a job of %d ranks", ManifestName, ErrManifest, m.Ranks)
	}
	return m, nil
}

// maxManifest bounds a manifest, in bytes: the command of a job may be long.
const maxManifest = 16 << 20

// ReadManifest reads the manifest of a directory. Without one the error wraps
// fs.ErrNotExist.
func ReadManifest(dir string) (*Manifest, error) {
	text, err := regular.Read(filepath.Join(dir, ManifestName), maxManifest)
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
	if err := regular.WriteNew(filepath.Join(dir, ManifestName), append(text, '\n')); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	return nil
}
