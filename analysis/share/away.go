package share

import (
	"fmt"

	"laggard/model"
)

// Away says that files of a run may still be on their nodes, "" if there is no
// reason to think so.
func Away(index *model.Index) string {
	m := index.Manifest
	missing := index.Missing()
	if m == nil || m.LiveDir == "" || len(index.Slots) > 0 && missing.Len() == 0 {
		return ""
	}
	whose := "nothing is here"
	if missing.Len() > 0 {
		whose = fmt.Sprintf("ranks %s have left nothing here", missing)
	}
	return fmt.Sprintf(
		"%s: their files may still be in %s on their nodes; laggard collect %s, called there, brings them",
		whose, m.LiveDir, index.Dir)
}
