package share

import (
	"fmt"

	"laggard/model"
	"laggard/model/runfiles"
)

// UncollectedDir is the directory on each node in which files of a run may still be, "" if there is no reason to think so. The
// index may be nil.
func UncollectedDir(index *runfiles.Index) string {
	if index == nil || index.Manifest == nil {
		return ""
	}
	m := index.Manifest
	if m.LiveDir == "" || len(index.Slots) > 0 && index.MissingRanks().Len() == 0 {
		return ""
	}
	return model.NodeDir(m.LiveDir, m.RunID)
}

// UncollectedText says that files of a run may still be on their nodes, "" if there is no
// reason to think so.
func UncollectedText(index *runfiles.Index) string {
	dir := UncollectedDir(index)
	if dir == "" {
		return ""
	}
	whose := "no rank left data here"
	if missing := index.MissingRanks(); missing.Len() > 0 {
		whose = fmt.Sprintf("ranks %s left no data here", missing)
	}
	return fmt.Sprintf(
		"%s: their files may still be in %s on their nodes; when the job is over, laggard collect %s there fetches them",
		whose, dir, index.Dir)
}
