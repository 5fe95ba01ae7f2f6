package backtrace

import (
	"strconv"
	"strings"

	"laggard/internal/lateregexp"
)

// labels are how launchers put the rank before a line: OpenMPI's --tag-output,
// srun --label, and mpiexec -prepend-rank of MPICH.
var labels = []*lateregexp.Regexp{
	lateregexp.New(`^\[[^\]]*\b\d+,(\d+)\]<std(?:out|err)>: ?`),
	lateregexp.New(`^ {0,7}(\d+): `),
	lateregexp.New(`^\[(\d+)\] `),
}

// emptyLabel is what a label leaves of an empty line.
var emptyLabel = lateregexp.New(`^ {0,7}(\d+):$`)

// cutRankLabel takes the rank off a line; -1 without one.
func cutRankLabel(text string) (rank int, rest string) {
	if text == "" || !strings.ContainsRune("[ 0123456789", rune(text[0])) {
		return -1, text
	}
	for _, l := range labels {
		if m := l.FindStringSubmatch(text); m != nil {
			if rank, ok := parseNumber(m[1]); ok {
				return rank, text[len(m[0]):]
			}
		}
	}
	if m := emptyLabel.FindStringSubmatch(text); m != nil {
		if rank, ok := parseNumber(m[1]); ok {
			return rank, ""
		}
	}
	return -1, text
}

// rankLine is a line that a shell script writes before each stack.
var rankLine = lateregexp.New(`(?i)^[^\w]*(?:mpi[ _-]?)?rank[ :=#]*(\d+)[^\w]*$`)

// maxRankLine is longer than anybody makes such a line, in bytes.
const maxRankLine = 80

// readRank reads a line that says whose stacks follow.
func readRank(s *stream, text string) bool {
	if len(text) > maxRankLine {
		return false
	}
	m := rankLine.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	rank, ok := parseNumber(m[1])
	if ok {
		s.rank, s.current, s.opened = rank, nil, nil
	} else {
		s.reportBadLine(text)
	}
	return true
}

// parseNumber reads a decimal number that is a rank, a process or a line.
func parseNumber(text string) (int, bool) {
	n, err := strconv.ParseInt(text, 10, 32)
	return int(n), err == nil && n >= 0
}

// parseAddress reads a hexadecimal number with or without 0x.
func parseAddress(text string) (uint64, bool) {
	text = strings.TrimPrefix(strings.TrimPrefix(text, "0x"), "0X")
	n, err := strconv.ParseUint(text, 16, 64)
	return n, err == nil
}
