package backtrace

import (
	"strings"

	"laggard/internal/lateregexp"
)

var (
	euProcess = lateregexp.New(`^PID (\d+) - (?:process|core)`)
	euThread  = lateregexp.New(`^TID (\d+):$`)
	euFrame   = lateregexp.New(`^#(\d+) +0x([0-9a-fA-F]+)((?: .*)?)$`)
	euBuildID = lateregexp.New(`^    \[([0-9a-f]*)\]@0x([0-9a-f]+)\+0x([0-9a-f]+)$`)
	euSource  = lateregexp.New(`^    (\S.*?):(\d+)(?::\d+)?$`)
)

// readEuStack reads the lines of eu-stack: "PID n - process", "TID n:", frames
// such as "#1  0x0000… function - module", and behind them the build-id (-b) and
// the source (-s).
func readEuStack(s *stream, text string) bool {
	if text == "" || !strings.ContainsRune("PT# e", rune(text[0])) {
		return false
	}
	if m := euProcess.FindStringSubmatch(text); m != nil {
		s.pid, _ = parseNumber(m[1])
		s.current, s.opened, s.since = nil, nil, len(s.stacks)
		return true
	}
	if m := euThread.FindStringSubmatch(text); m != nil {
		tid, _ := parseNumber(m[1])
		s.openStack(tid)
		if s.opened.PID == 0 { // with -1 there is no line for the process
			s.opened.PID = tid
		}
		return true
	}
	if m := euFrame.FindStringSubmatch(text); m != nil && !strings.HasPrefix(m[3], " in ") {
		s.euFrame(text, m)
		return true
	}
	if strings.HasPrefix(text, "eu-stack: ") {
		if s.current != nil {
			s.current.Partial = true
		}
		s.reportBadLine(text)
		return true
	}
	return s.euMore(text)
}

// euFrame reads what follows the address: "- 1" for an address behind a call,
// with -a or -v; the function; "- " and the module, with -m. Function and module
// may be missing.
func (s *stream) euFrame(text string, m []string) {
	n, known := parseNumber(m[1])
	at, ok := parseAddress(m[2])
	if !known || !ok {
		s.reportBadLine(text)
		return
	}
	rest := strings.TrimSpace(m[3])
	if rest == "- 1" || strings.HasPrefix(rest, "- 1 ") {
		rest = strings.TrimSpace(rest[3:])
	}
	f := Frame{Address: at, PC: n == 0, Function: rest}
	if i := strings.LastIndex(" "+rest, " - "); i >= 0 {
		f.Function, f.Module = strings.TrimSpace(rest[:i]), rest[i+2:]
	}
	f.Function, _, _ = strings.Cut(f.Function, "@") // the version of the symbol
	if inner := s.lastFrame(); inner != nil && n > 0 && inner.Address == at && inner.Function != f.Function {
		inner.Inlined, f.PC = true, inner.PC
	}
	s.addFrame(n, f)
}

// euMore reads a line that belongs to the frame before it.
func (s *stream) euMore(text string) bool {
	f := s.lastFrame()
	if f == nil {
		return false
	}
	if m := euBuildID.FindStringSubmatch(text); m != nil {
		f.BuildID = m[1]
		f.Base, _ = parseAddress(m[2])
		return true
	}
	if m := euSource.FindStringSubmatch(text); m != nil && f.File == "" {
		f.File = m[1]
		f.Line, _ = parseNumber(m[2])
		return true
	}
	return false
}
