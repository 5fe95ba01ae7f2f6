package reporttest

import (
	"laggard/report"
	"laggard/report/diagnosis"
	"laggard/report/slice"
	"laggard/report/source"
	"laggard/report/usage"
	"laggard/slicing"
)

// Evil is a text that tries to be markup, script, style, and control of a
// terminal, and to be read from right to left.
const Evil = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">'\"`" +
	"${document.title='owned'}\u202e\u2066\u2028\x1b[2J\x00]]>--><!--{{data}}{{script}}&lt;b&gt;\\u003c"

// Hostile has Evil wherever a run directory has a say.
func Hostile() *diagnosis.Result {
	r := newResult(2)
	evil := Evil
	stack := []report.Frame{{Function: evil, File: "/" + evil + ".c", Line: 3, Module: "/" + evil, Offset: evil,
		Note: evil}}
	r.Run = report.Run{Dir: evil, ID: evil, Command: []string{evil}, Job: evil, Created: started}
	r.Notes, r.Problems = []string{evil}, []string{evil}
	r.Groups = []diagnosis.Group{newGroup(0, rankRange(0, 0), "communication", evil, stack...),
		newGroup(1, rankRange(1, 1), "computation", evil, stack...)}
	r.Groups[0].Least = true
	r.Edges = []diagnosis.Edge{{From: 1, To: 0, Kind: "p2p", Reason: evil}, {From: 0, To: 0, Kind: evil, Reason: evil}}
	r.RankOrder = []string{"0", "1"}
	r.Losses, r.LostRanks, r.DamagedRanks = []diagnosis.Loss{{Ranks: "1", Reason: evil}}, []int{1}, []int{1}
	r.LeastProgressed = &diagnosis.LeastProgressed{Ranks: []int{0}, Set: "0", Method: evil, Confidence: 0.5,
		Reason: evil,
		Locations: []diagnosis.Location{{Rank: 0, Ranks: "0",
			Site: report.Site{Function: evil, File: "/" + evil + ".c", Line: 3}, InMPI: &evil, Stack: stack, Host: evil,
			PID: 1}}}
	r.Slices = []slice.Slice{{
		Head: slice.Head{Criterion: slice.Criterion{Group: 0, Ranks: "0", Text: evil}, Backend: evil,
			Truncated: true, Notes: []string{evil}},
		Lines: []slice.Line{{Line: slicing.Line{File: "/" + evil + ".c", Line: 3, Function: evil,
			Kind: slicing.Kind(evil)}, New: true}},
		Excerpts: []source.Excerpt{{File: "/" + evil + ".c", First: 3, Text: []string{evil}}},
	}}
	call := diagnosis.Begun{MPI: evil, Site: report.Site{Function: evil, File: "/" + evil + ".c", Line: 3}, Op: evil,
		Stack: stack}
	branch := diagnosis.Branch{Site: call.Site, Text: evil}
	branch.Or = []diagnosis.Branch{branch}
	r.Divergences = []diagnosis.Divergence{{Communicator: evil, Object: evil, Kind: evil, Common: &call,
		Branch: &branch,
		Sides:  []diagnosis.Side{{Ranks: "0", Kind: evil, Begun: call, Calls: []diagnosis.Begun{call}, Now: &call}}}}
	r.Library = &diagnosis.Library{MPI: evil, Transport: []string{evil},
		Stacks: []diagnosis.InsideStack{{Ranks: "0-1", Frames: stack}},
		Known:  []diagnosis.KnownIssue{{Title: evil, Reference: evil, Workaround: evil, Why: []string{evil}}}}
	r.Explained = &usage.Finding{Class: evil, Severity: evil, Ranks: "0", Count: 1, Message: evil, Change: evil,
		Standard: evil}
	r.Extra.Comms = []diagnosis.Communicator{{ID: evil, Ranks: "0-1"}}
	r.Extra.Compared = compareSame(r)
	r.Extra.Compared.Analysis.Algorithm = evil
	return r
}
