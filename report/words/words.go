package words

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"laggard/internal/lateregexp"
	"laggard/model"
)

// Printable replaces what could drive a terminal: a run directory is data of
// whoever wrote it.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, s)
}

// AllPrintable is Printable of each text; the list is never nil.
func AllPrintable(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = Printable(t)
	}
	return out
}

// plainWord is a word that a shell takes as it is.
var plainWord = lateregexp.New(`^[A-Za-z0-9_./:=,@%+-]+$`)

// ShellCommand are words as a user would type them in a shell.
func ShellCommand(args ...string) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a
		if !plainWord.MatchString(a) {
			out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

// Ranks names a set of ranks as model.RankSet prints it: "rank 3", "ranks
// 0-2,5". A long set is cut as by Set.
func Ranks(set string) string { return Verb(set, "rank ", "ranks ") + Set(set) }

// Verb chooses between the forms for one rank and for several.
func Verb(set, one, several string) string {
	if strings.ContainsAny(set, ",-") {
		return several
	}
	return one
}

// maxSet is how many characters of a rank set are read at a glance.
const maxSet = 60

// Set cuts a rank set that fills lines, at a comma, and says how many ranks it
// has.
func Set(set string) string { return SetIn(set, maxSet) }

// SetIn is Set for a limit in characters.
func SetIn(set string, limit int) string {
	if len(set) <= limit {
		return set
	}
	all, err := model.ParseRankSet(set)
	if err != nil {
		return set
	}
	return fmt.Sprintf("%s,… (%d)", set[:max(0, strings.LastIndexByte(set[:limit], ','))], all.Len())
}

// maxSentence is how many characters of a sentence are shown.
const maxSentence = 400

// longSet is a rank set in a sentence that may be too long to be read.
var longSet = lateregexp.New(`[0-9]+(?:-[0-9]+)?(?:,[0-9]+(?:-[0-9]+)?){8,}`)

// Cut ends a sentence that fills the screen, after the rank sets in it are cut as by Set.
func Cut(s string) string { return CutTo(longSet.ReplaceAllStringFunc(s, Set), maxSentence) }

// CutTo is Cut for a limit in characters.
func CutTo(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	return string(runes[:limit]) + "… (all of it in the JSON form)"
}

// Upper begins a sentence with a capital.
func Upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Percent is a part of 1 in whole hundredths.
func Percent(part float64) string { return strconv.Itoa(int(100*part+0.5)) + " %" }

// Count is a number with its noun in the right form.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Size is how many ranks a run has; 0 is not known.
func Size(n int) string {
	if n == 0 {
		return "an unknown number of ranks"
	}
	return Count(n, "rank", "ranks")
}
