package diagnosis

import (
	"encoding/json"
	"slices"
	"time"

	"laggard/model"
	"laggard/report/source"
	"laggard/report/timeline"
)

// Extra is what only the page shows, beside the result.
type Extra struct {
	// Compared is the same run by the other algorithm; nil: it was not asked.
	Compared *Result
	Comms    []Communicator // by ID
	// Sources are the lines around those of the stacks, by file and line, as
	// far as the files were found on the analysing machine.
	Sources []source.Excerpt
	Changed []string // files that were changed after the run began
	// Timeline is what the ranks did in the minutes before the hang; nil: it is not known.
	Timeline *timeline.Result
}

// Communicator is one that the filter of the page knows.
type Communicator struct {
	ID    string `json:"id"`    // hexadecimal, as in reasons of edges
	Ranks string `json:"ranks"` // its members, of both groups if it has two
	World bool   `json:"world"`
	Name  string `json:"name,omitempty"` // as the texts name it by the call that made it
}

// What the page holds is bounded, so that it stays below 2 MB for 32,768 ranks
// whatever they do; the JSON form has all. What was left out is counted.
const (
	maxPageGroups      = 1000
	maxPageEdges       = 400
	maxComparedParts   = 150     // groups and edges of the compared result, each
	maxPageSets        = 80_000  // bytes of rank sets in a list
	maxPageComms       = 150_000 // bytes of the members of communicators
	maxPageSource      = 150_000 // bytes of source text
	maxPageLines       = 6000    // lines of slices
	maxPageFrames      = 6000    // distinct ones
	maxPageStacks      = 30_000  // frames in all stacks
	maxComparedSet     = 300     // characters of a set of the compared result
	maxPageNodes       = 2000    // of the tree of stacks
	maxPageDepth       = 200     // of it
	maxPageTexts       = 100     // notes, problems, losses and cycles, each
	maxPageText        = 2000    // characters of one of them
	maxPageDivergences = 8       // communicators whose members part, and sides of one
)

// pageData is the data of the page. Positions in a table stand for what many groups
// share: frames, stacks, states, names and files.
type pageData struct {
	Run         pageRun          `json:"run"`
	Ranks       int              `json:"ranks"`
	Headline    string           `json:"headline"`
	Next        *step            `json:"next"`
	Notes       []string         `json:"notes"`
	Cycles      []string         `json:"cycles"`
	Taken       []string         `json:"taken"`
	Lost        string           `json:"lost"`
	Losses      []Loss           `json:"losses"`
	LossLines   []string         `json:"loss_lines"`
	Damaged     string           `json:"damaged"`
	Unfinished  string           `json:"unfinished"`
	Problems    []string         `json:"problems"`
	Explained   []string         `json:"explained,omitempty"` // the wrong use of MPI that explains the hang
	Partings    []pageDivergence `json:"partings,omitempty"`
	Differences []pageDifference `json:"differences,omitempty"`
	Exceptions  []string         `json:"exceptions,omitempty"`
	Library     *pageLibrary     `json:"library,omitempty"`
	View        pageView         `json:"view"`
	Same        bool             `json:"same"` // the compared result names the same ranks
	Compared    *pageView        `json:"compared"`
	Comms       []Communicator   `json:"comms"`
	Slices      []pageSlice      `json:"slices"`
	Sources     []pageExcerpt    `json:"sources"`
	Changed     []int            `json:"changed"` // positions in files
	Files       []string         `json:"files"`
	Names       []string         `json:"names"` // of functions
	Modules     []string         `json:"modules"`
	Frames      []pageFrame      `json:"frames"`
	Stacks      [][]int          `json:"stacks"` // positions in frames, innermost first
	States      []pageState      `json:"states"`
	Parts       []pagePart       `json:"parts"`
	Tree        *pageNode        `json:"tree"` // of the stacks of the parts
	Timeline    *timeline.Result `json:"timeline,omitempty"`
	Left        pageOmitted      `json:"left"`
}

// pageOmitted counts what the bounds left out.
type pageOmitted struct {
	Groups   int `json:"groups"`
	Edges    int `json:"edges"`
	Order    int `json:"order"`  // levels
	Frames   int `json:"frames"` // of stacks
	Tree     int `json:"tree"`   // nodes
	Comms    int `json:"comms"`
	Lines    int `json:"lines"`  // of slices
	Source   int `json:"source"` // lines of source text
	Problems int `json:"problems"`
	Partings int `json:"partings,omitempty"`
}

// pageDivergence is a Divergence in words.
type pageDivergence struct {
	Where string `json:"where"`
	Last  string `json:"last"` // "" not known
	// Then is where each side began what they did alike behind that, from different places.
	Then  []string   `json:"then,omitempty"`
	Sides []pageSide `json:"sides"`
	// Branches decided that the ways part, nearest first.
	Branches []pageBranch `json:"branches,omitempty"`
}

type pageBranch struct {
	At   string `json:"at"`
	Text string `json:"text"` // of its line, "" not found
}

type pageSide struct {
	Ranks string   `json:"ranks"`
	How   string   `json:"how"`
	Calls []string `json:"calls"`
}

type pageRun struct {
	Dir     string     `json:"dir"`
	Command string     `json:"command"`
	Created *time.Time `json:"created"`
	Job     string     `json:"job"`
}

// pageView is what one algorithm concludes.
type pageView struct {
	Algorithm string      `json:"algorithm"`
	Least     *pageLeast  `json:"least"`
	Groups    []pageGroup `json:"groups"`
	Edges     []pageEdge  `json:"edges"`
	// levels, least progressed first: a rank set, or the position of a group that is all of it
	Order []any `json:"order"`
}

type pageLeast struct {
	Set        string      `json:"set"`
	Count      int         `json:"count"`
	Method     string      `json:"method"`
	Confidence float64     `json:"confidence"`
	Reason     string      `json:"reason"`
	Places     []pagePlace `json:"places"`
}

// pagePlace is a location of least-progressed ranks, in words.
type pagePlace struct {
	Ranks   string `json:"ranks"`
	Doing   string `json:"doing"`
	Process string `json:"process"`
	Place   string `json:"place"` // function (file:line)
	Stack   int    `json:"stack"`
}

type pageGroup struct {
	ID    int    `json:"id"`
	Ranks string `json:"ranks"`
	Count int    `json:"count"`
	State int    `json:"state"`
	Least bool   `json:"least"`
	Far   int    `json:"far"` // waits between it and a least-progressed group
}

type pageEdge struct {
	From   int    `json:"from"` // positions in the groups of the view
	To     int    `json:"to"`
	Kind   string `json:"kind"`
	Weak   bool   `json:"weak"`
	Reason string `json:"reason"`
}

// pageState is a State, with what it does and where, in words.
type pageState struct {
	Does  string `json:"does"`
	At    string `json:"at"`
	Stack int    `json:"stack"`
}

// pagePart are ranks of one group that share a stack.
type pagePart struct {
	Group int    `json:"group"` // position in the groups of the view
	Ranks string `json:"ranks"` // "" all of the group
}

type pageNode struct {
	Text     string      `json:"text"`
	Ends     []int       `json:"ends"` // positions in parts
	Children []*pageNode `json:"children"`
}

// pageFrame is written as a list: name, file, line, module, note, and 1 if it is
// inlined.
type pageFrame struct {
	name    int // in names: the function, or what else is known
	file    int // in files
	line    int // 0 unknown
	module  int // in modules
	note    int // in names
	inlined bool
}

// MarshalJSON writes the list.
func (f pageFrame) MarshalJSON() ([]byte, error) {
	inlined := 0
	if f.inlined {
		inlined = 1
	}
	return json.Marshal([]int{f.name, f.file, f.line, f.module, f.note, inlined})
}

// pageSlice is one step of the slice. A line is file, line, function, distance,
// kind, 1 if no earlier slice has it, and what the names in it stand for, if that is known.
type pageSlice struct {
	Group     int      `json:"group"` // position in the groups of the view, -1 none
	Ranks     string   `json:"ranks"`
	Text      string   `json:"text"`
	Backend   string   `json:"backend"`
	Truncated bool     `json:"truncated"`
	Notes     []string `json:"notes"`
	Lines     [][]any  `json:"lines"`
}

type pageExcerpt struct {
	File  int      `json:"file"` // in files
	First int      `json:"first"`
	Text  []string `json:"text"`
}

// newPage lays out a result for the page.
func newPage(r *Result) (*pageData, error) {
	b := pageBuilder{tables: newPageTables()}
	p := &pageData{
		Run: b.runSummary(r.Run), Ranks: r.Ranks, Headline: Headline(r), Next: b.nextStep(r),
		Notes: b.pageTexts(r.Notes), Cycles: b.pageTexts(cycleLines(r)),
		Taken: b.pageTexts(slices.Concat(threadLines(r), returnedErrorLines(r), unfreedLines(r), passedLines(r), unsentLines(r),
			takenLines(r), anySourceLines(r))),
		LossLines: b.pageTexts(lossLines(r)), Explained: b.pageTexts(explainedLines(r)),
		Exceptions: b.pageTexts(exceptionLines(r)),
		Partings:   b.pageDivergences(r), Differences: pageDifferences(r), Library: pageLibraryOf(r),
		Lost: setText(r.LostRanks), Damaged: setText(r.DamagedRanks), Unfinished: setText(r.UnfinishedRanks),
		Losses: b.pageLosses(r.Losses), Problems: b.pageTexts(r.Problems), Timeline: r.Extra.Timeline,
	}
	p.Left.Problems = len(r.Problems) - len(p.Problems)
	p.Left.Partings = len(r.Divergences) - len(p.Partings)
	var position map[int]int
	p.View, position = b.newView(r, maxPageGroups, maxPageEdges, &p.Left)
	if r.Extra.Compared != nil {
		p.Compared = b.comparedView(r.Extra.Compared)
		p.Same = leastSet(r) == leastSet(r.Extra.Compared)
	}
	if err := b.addStackTree(p, r, position); err != nil {
		return nil, err
	}
	p.Comms = b.pageComms(r.Extra.Comms, &p.Left)
	p.Slices = b.pageSlices(r.Slices, position, &p.Left)
	p.Sources = b.sourceExcerpts(r, &p.Left)
	p.Changed = b.fileIndices(r.Extra.Changed)
	p.Left.Frames = b.tables.omitted
	b.tables.fillPage(p)
	return p, nil
}

func setText(ranks []int) string { return model.NewRankSet(ranks...).String() }
