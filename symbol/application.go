package symbol

import (
	"regexp"
	"slices"
	"strings"

	"laggard/internal/lateregexp"
)

// packageDir matches the beginning of a file's path up to the installed package that it is of.
var packageDir = lateregexp.New(`^.*/(site|dist)-packages/[^/]+`)

// consoleScript matches the files that pip writes to start an installed application.
var consoleScript = lateregexp.New(`/bin/[^/.]+$`)

// markApplication marks the frames of an installed application that a stack is of, innermost first: it was started by its console script,
// or by `python -m`, and no frame is of a program that uses it. They are the program's own.
func markApplication(stack []Location, configured []*regexp.Regexp) {
	var main *Location // the outermost frames: in which the process began, and of a package
	var first string
	for i := range slices.Backward(stack) {
		l := &stack[i]
		if l.Language != Python || strings.HasPrefix(l.File, "<frozen ") {
			continue
		}
		if main == nil {
			main = l
		}
		switch l.Origin() {
		case Own:
			if l != main || !consoleScript.MatchString(l.File) {
				return
			}
		case Installed:
			if first == "" {
				first = packageDir.FindString(l.File)
			}
		}
	}
	if first == "" || main.Function != "<module>" || main.Origin() == Standard {
		return
	}
	for i := range stack {
		l := &stack[i]
		set := slices.ContainsFunc(configured, func(p *regexp.Regexp) bool { return p.MatchString(l.File) })
		if l.Language == Python && !set && (l.File == first || strings.HasPrefix(l.File, first+"/")) {
			l.Application, l.Library = true, false
		}
	}
}
