package backtrace

import (
	"fmt"
	"slices"
	"strings"

	"laggard/internal/lateregexp"
)

// columns says what the lines of a stack in a lightweight core file hold.
type columns int

const (
	addresses columns = iota // the last number of each line is an address
	modules                  // module+offset, the outermost frame first
)

// coreState is where reading is within a lightweight core file.
type coreState struct {
	section bool // inside +++ID
	inStack bool
	columns columns
	rank    int    // of the whole file, -1 unknown
	fault   string // of the section
	signal  int
	iar     uint64 // instruction that the fault was at, 0 unknown
}

var (
	coreHeader  = lateregexp.New(`^\+\+\+PARALLEL TOOLS CONSORTIUM`)
	coreStack   = lateregexp.New(`^\s*(?:\+\+\+STACK|Function Call Chain)`)
	coreEnd     = lateregexp.New(`^\s*(?:---STACK|End of [sS]tack)`)
	coreRank    = lateregexp.New(`(?i)^\s*(?:MPI )?rank\s*[.:=]*\s*(\d+)\s*$`)
	coreProgram = lateregexp.New(`(?i)^\s*program\s*[.:]+\s*(\S+)`)
	coreIAR     = lateregexp.New(`(?i)^While executing instruction at[ .:]*(0x[0-9a-f]+)`)
	coreSignal  = lateregexp.New(`\((\d+)\)|\bsignal (\d+)\b`)
	coreID      = lateregexp.New(`(?i)\b(rank|node|tgid|pid|process|tid|thread)\b[ :]*(\d+)`)
	coreEntry   = lateregexp.New(`^\s*([^\s:]+)\s*:\s*(\d+)(?:\s|$)`)
	coreModule  = lateregexp.New(`^\s*(\S.*)\+(0x[0-9a-fA-F]+)\s*$`)
	coreNamed   = lateregexp.New(`^\s*(0x[0-9a-fA-F]+) in (\S+?)(?:\(\))? at (\S+):(\d+)`)
	coreTitles  = lateregexp.New(`(?i)^\s*(?:Frame Address|Address)\b`)
	coreHex     = lateregexp.New(`^(?:0[xX])?[0-9a-fA-F]+$`)
)

// readCore reads the lines of a lightweight core file, which begins with its
// header or, on Blue Gene/L, with a stack.
func readCore(s *stream, text string) bool {
	if s.core == nil {
		if !strings.HasPrefix(text, "+++") && !strings.Contains(text, "Function Call Chain") ||
			!coreHeader.MatchString(text) && !coreStack.MatchString(text) {
			return false
		}
		s.core = &coreState{rank: -1}
	}
	c := s.core
	switch {
	case c.inStack:
		s.coreStackLine(text)
	case strings.HasPrefix(text, "---LCB"):
		s.endCore()
	default:
		s.coreLine(text)
	}
	return true
}

// coreLine reads a line outside the stacks. Those that say nothing of where the
// process is, such as registers, are passed over.
func (s *stream) coreLine(text string) {
	c := s.core
	switch {
	case strings.HasPrefix(text, "+++ID"):
		s.coreSection(text)
	case strings.HasPrefix(text, "---ID"):
		s.opened, c.section = nil, false
	case coreStack.MatchString(text):
		c.inStack, c.columns = true, addresses
		s.coreBegin()
	case strings.HasPrefix(text, "***FAULT"):
		c.fault = strings.Trim(strings.TrimSpace(text[8:]), `"`)
		if m := coreSignal.FindStringSubmatch(text); m != nil {
			c.signal, _ = parseNumber(m[1] + m[2])
		}
	case coreIAR.MatchString(text):
		c.iar, _ = parseAddress(coreIAR.FindStringSubmatch(text)[1])
	case coreRank.MatchString(text):
		c.rank, _ = parseNumber(coreRank.FindStringSubmatch(text)[1])
	case coreProgram.MatchString(text):
		s.program = coreProgram.FindStringSubmatch(text)[1]
	case strings.HasPrefix(text, "***STACK"):
		s.addProblem(s.line, fmt.Errorf("%w: the stack was not accessible", ErrMissing))
	}
}

// coreSection reads "+++ID Rank: 3, TGID: 5, Core: 0, HWTID:0 TID: 7 …", or as
// the standard has it "+++ID Node 0 Process 12710".
func (s *stream) coreSection(text string) {
	c := s.core
	c.section, c.fault, c.signal, c.iar = true, "", 0, 0
	s.openStack(0)
	found := map[string]int{}
	for _, m := range coreID.FindAllStringSubmatch(text, -1) {
		if n, ok := parseNumber(m[2]); ok {
			found[strings.ToLower(m[1])] = n
		}
	}
	first := func(missing int, names ...string) int {
		for _, name := range names {
			if n, ok := found[name]; ok {
				return n
			}
		}
		return missing
	}
	s.opened.Rank = first(s.opened.Rank, "rank")
	if s.opened.Rank < 0 {
		s.opened.Rank = c.rank
	}
	s.opened.Rank = first(s.opened.Rank, "rank", "node")
	s.opened.Lightweight = true
	s.opened.PID, s.opened.TID = first(0, "tgid", "pid", "process"), first(0, "tid", "thread")
}

// coreBegin starts a stack at its opening line.
func (s *stream) coreBegin() {
	if s.opened == nil {
		s.openStack(0)
		s.opened.Rank = max(s.rank, s.core.rank)
	}
	if s.core.iar != 0 {
		s.addFrame(0, Frame{Address: s.core.iar, PC: true})
	}
}

func (s *stream) coreStackLine(text string) {
	c := s.core
	text = strings.TrimRight(text, " \t")
	switch {
	case coreEnd.MatchString(text):
		s.endStack()
	case strings.HasPrefix(text, "---"):
		s.addProblem(s.line, fmt.Errorf("%w: the stack has no end before %.20q", ErrMissing, text))
		s.endStack()
		s.coreLine(text)
	case strings.HasPrefix(text, "+++"):
		s.addProblem(s.line, fmt.Errorf("%w: the stack has no end before %.20q", ErrMissing, text))
		s.endStack()
		s.coreLine(text)
	case strings.HasPrefix(text, "#"), coreTitles.MatchString(text):
	case strings.HasPrefix(text, "Module+Offset"):
		c.columns = modules
	case text == "": // the standard's sign for a rest that is not readable
		if s.current != nil {
			s.current.Partial = true
		}
	default:
		s.coreFrame(text)
	}
}

// coreFrame reads one level.
func (s *stream) coreFrame(text string) {
	f, ok := s.coreFrameOf(text)
	switch {
	case !ok:
		s.reportBadLine(text)
	case f == Frame{}: // the saved link register of the outermost frame is 0
	default:
		s.addFrame(s.next, f)
	}
}

func (s *stream) coreFrameOf(text string) (f Frame, ok bool) {
	if m := coreModule.FindStringSubmatch(text); m != nil && s.core.columns == modules {
		f.Module = m[1]
		f.Offset, ok = parseAddress(m[2])
		return f, ok
	}
	if m := coreNamed.FindStringSubmatch(text); m != nil {
		f.Address, ok = parseAddress(m[1])
		f.PC, f.Function, f.File = true, m[2], m[3]
		f.Line, _ = parseNumber(m[4])
		return f.withoutUnknown(), ok
	}
	fields := strings.Fields(text)
	if last := fields[len(fields)-1]; coreHex.MatchString(last) && allHex(fields) && !coreEntry.MatchString(text) {
		f.Address, ok = parseAddress(last)
		return f, ok
	}
	if m := coreEntry.FindStringSubmatch(text); m != nil {
		f.Function = m[1]
		f.Line, ok = parseNumber(m[2])
		return f, ok
	}
	return f, false
}

// withoutUnknown leaves out what addr2line writes for names that it does not find.
func (f Frame) withoutUnknown() Frame {
	if f.Function == "??" {
		f.Function = ""
	}
	if strings.HasPrefix(f.File, "??") {
		f.File, f.Line = "", 0
	}
	return f
}

func allHex(fields []string) bool {
	return !slices.ContainsFunc(fields, func(f string) bool { return !coreHex.MatchString(f) })
}

// endStack closes a stack; frames that came the other way round are turned.
func (s *stream) endStack() {
	if s.core.columns == modules && s.current != nil {
		slices.Reverse(s.current.Frames)
	}
	if s.current != nil {
		s.current.Fault, s.current.Signal = s.core.fault, s.core.signal
	}
	s.core.inStack, s.current, s.opened = false, nil, nil
}

// endCore ends the file or, in a file of several, one of them.
func (s *stream) endCore() {
	if s.core.inStack {
		s.addProblem(s.line, fmt.Errorf("%w: the file ends within a stack", ErrMissing))
		if s.current != nil {
			s.current.Partial = true
		}
		s.endStack()
	} else if s.core.section {
		s.addProblem(s.line, fmt.Errorf("%w: the file ends within a section", ErrMissing))
	}
	s.core, s.program = nil, ""
}
