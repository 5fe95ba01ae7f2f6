package training

import (
	"fmt"
	"slices"

	"laggard/analysis/scaling/file"
	"laggard/analysis/scaling/recorded"
)

// check reports whether a model that was read hangs together, so that no test
// with it can fail for another reason than its own data.
func (m *Model) check() error {
	columns := len(m.Controls) + 2
	switch {
	case len(m.Sites) == 0 || len(m.Shares) != len(m.Sites):
		return file.Corrupt("%d shares of %d sites", len(m.Shares), len(m.Sites))
	case len(m.Ranges) != columns-1:
		return file.Corrupt("%d ranges of %d controls", len(m.Ranges), columns-1)
	case !slices.IsSorted(m.Controls):
		return file.Corrupt("controls out of order")
	case m.KCCA == nil || len(m.Features) != len(m.Sites):
		return file.Corrupt("%d models of %d sites", len(m.Features), len(m.Sites))
	case !increasing(m.Sites):
		return file.Corrupt("sites out of order")
	}
	for i := range m.Features {
		if m.Features[i].Site != i {
			return file.Corrupt("feature %d is of site %d", i, m.Features[i].Site)
		}
		if err := m.Features[i].Check(columns); err != nil {
			return fmt.Errorf("feature %d: %w", i, err)
		}
	}
	for _, p := range m.Past {
		if len(p.Volume) != len(m.Sites) {
			return file.Corrupt("%d volumes of %d sites in run %q", len(p.Volume), len(m.Sites), p.Run)
		}
		rows := recorded.Table{Sites: m.Sites, Rows: p.Rows}
		if err := rows.Validate(); err != nil {
			return file.Corrupt("rows of run %q: %v", p.Run, err)
		}
	}
	return m.KCCA.Check(columns, len(m.Sites))
}

func increasing(sites []recorded.Site) bool {
	for i := 1; i < len(sites); i++ {
		if sites[i-1].Key() >= sites[i].Key() {
			return false
		}
	}
	return true
}
