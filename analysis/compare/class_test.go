package compare

import (
	"fmt"
	"strings"
	"testing"

	"laggard/model"
)

// TestClasses: ranks with the same differences are one class, and what comes first in the program is their first.
func TestClasses(t *testing.T) {
	at := func(position int, ranks ...int) Finding {
		return Finding{Ranks: model.NewRankSet(ranks...), position: position}
	}
	for name, c := range map[string]struct {
		found []Finding
		want  string
	}{
		"none":             {nil, ""},
		"one":              {[]Finding{at(3, 0, 1, 2)}, "0-2 [0] 0"},
		"the second first": {[]Finding{at(3, 2), at(1, 2)}, "2 [0 1] 1"},
		"one of all":       {[]Finding{at(5, 0, 1, 2, 3), at(2, 2)}, "2 [0 1] 1; 0-1,3 [0] 0"},
		"overlap":          {[]Finding{at(1, 0, 1), at(2, 1, 2)}, "0 [0] 0; 1 [0 1] 0; 2 [1] 1"},
		"several classes":  {[]Finding{at(4, 0), at(3, 1, 2), at(2, 0, 1, 2, 3)}, "0 [0 2] 2; 3 [2] 2; 1-2 [1 2] 2"},
		"equal positions":  {[]Finding{at(4, 0), at(4, 0)}, "0 [0 1] 0"},
	} {
		var lines []string
		for _, k := range newClasses(c.found) {
			lines = append(lines, fmt.Sprintf("%s %v %d", k.Ranks, k.Findings, k.First))
		}
		if got := strings.Join(lines, "; "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
