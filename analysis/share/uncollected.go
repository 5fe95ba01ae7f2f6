package share

import (
	"fmt"

	"laggard/model/runfiles"
)

// UncollectedText says that files of a run may still be on their nodes, "" if there is no
// reason to think so.
func UncollectedText(index *runfiles.Index) string {
	m := index.Manifest
	missing := index.MissingRanks()
	if m == nil || m.LiveDir == "" || len(index.Slots) > 0 && missing.Len() == 0 {
		return ""
	}
	whose := "no rank left data here"
	if missing.Len() > 0 {
		whose = fmt.Sprintf("ranks %s left no data here", missing)
	}
	return fmt.Sprintf(
		"%s: their files may still be in %s on their nodes; run laggard collect %s there to fetch them",
		whose, m.LiveDir, index.Dir)
}
