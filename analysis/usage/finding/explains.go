package finding

import "laggard/model"

// stalling are the classes of findings that make ranks wait for what never comes,
// those first that say most of the cause.
var stalling = []string{"collective_mismatch", "deadlock", "unmatched_message", "request_misuse", "one_sided",
	"lost_request", "type_mismatch", "truncation"}

// Explaining returns the finding that explains why these ranks hang: one of a class
// that makes ranks wait, in which some of them take part; nil: none does. Of several
// it is the first by class, and then by their order. A warning of such a class says what is wrong if ranks that poll do
// nothing else; that they hang shows it.
func Explaining(list []Finding, hanging model.RankSet) *Finding {
	for _, class := range stalling {
		for i := range list {
			f := &list[i]
			if f.Class == class && f.Ranks.Intersect(hanging).Len() > 0 {
				return f
			}
		}
	}
	return nil
}
