package rundir

import (
	"time"

	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
)

// Import makes the run directory, dir or one of a name of its own, of ranks that no recorder wrote, and returns it.
func Import(dir string, ranks []*model.Rank, m model.Manifest) (string, error) {
	dir, err := Create(dir)
	if err != nil {
		return "", err
	}
	id, err := NewID()
	if err != nil {
		return "", err
	}
	m.RunID, m.Created, m.Imported = model.RunIDText(id), time.Now().UTC().Truncate(time.Second), true
	if _, err := nodefile.NewFolder().WriteNode(dir, nodefile.Header{RunID: id, Host: "import", Created: m.Created},
		ranks); err != nil {
		return "", err
	}
	return dir, runfiles.WriteManifest(dir, &m)
}
