package runfiles

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"laggard/internal/regular"
	"laggard/model"
)

// ManifestName is the name of the manifest in a run directory.
const ManifestName = "manifest.json"

// ManifestVersion is the schema_version that this version writes and reads.
const ManifestVersion = 1

// ParseManifest reads a manifest. The error wraps ErrManifest, or ErrVersion if
// a later version wrote it.
func ParseManifest(text []byte) (*model.Manifest, error) {
	m := new(model.Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("model: %s: %w: %w", ManifestName, model.ErrManifest, err)
	}
	if m.SchemaVersion != ManifestVersion {
		return nil, fmt.Errorf("model: %s: %w: schema_version %d, this program reads %d",
			ManifestName, model.ErrVersion, m.SchemaVersion, ManifestVersion)
	}
	if _, err := m.ID(); err != nil {
		return nil, fmt.Errorf("model: %s: %w: run_id %.40q is not a 64-bit hexadecimal number", ManifestName,
			model.ErrManifest, m.RunID)
	}
	if m.Ranks < 0 || m.Ranks > model.MaxRanks {
		return nil, fmt.Errorf("model: %s: %w: a job of %d ranks", ManifestName, model.ErrManifest, m.Ranks)
	}
	return m, nil
}

// maxManifest bounds a manifest, in bytes: the command of a job may be long.
const maxManifest = 16 << 20

// ReadManifest reads the manifest of a directory. Without one the error wraps
// fs.ErrNotExist.
func ReadManifest(dir string) (*model.Manifest, error) {
	text, err := regular.Read(filepath.Join(dir, ManifestName), maxManifest)
	if err != nil {
		return nil, fmt.Errorf("model: %s: %w", ManifestName, err)
	}
	return ParseManifest(text)
}

// WriteManifest writes the manifest of a run directory, which must not have one
// yet. Its schema version is set.
func WriteManifest(dir string, m *model.Manifest) error {
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
