package symbol

import (
	"regexp"
	"strings"

	"laggard/internal/lateregexp"
)

// systemDirs are where programs and libraries are installed for all users of a machine.
var systemDirs = []string{
	"/bin/", "/sbin/", "/lib/", "/lib32/", "/lib64/", "/usr/bin/", "/usr/sbin/", "/usr/games/", "/usr/lib/", "/usr/lib32/",
	"/usr/lib64/", "/usr/libexec/", "/usr/local/bin/", "/usr/local/sbin/", "/usr/local/lib/", "/usr/local/lib64/",
}

// systemHeaders matches the files whose code compilers put into functions of a program.
var systemHeaders = lateregexp.New(`^/usr/(local/)?include/|/include/c\+\+/`)

// installedPython matches the files of packages that pip, conda or the system have installed.
var installedPython = lateregexp.New(`/(site|dist)-packages/([^/]+)`)

// generatedPython matches the names that stand for a file where code was made up at run time, as decorators do; typed those of what a
// user typed, or handed over as text.
var (
	generatedPython = lateregexp.New(`^<.*>`)
	typedPython     = lateregexp.New(`^<(string|stdin|console|input|ipython-input|cell|doctest)\b`)
)

// Origin says whose a frame of a Python program is.
type Origin int

// The origins, in the order in which a frame is chosen to say where a program is.
const (
	Own       Origin = iota // of the program
	Installed               // of a package
	Standard                // of Python's own library, or of mpi4py
)

// PythonOrigin returns whose a file of Python is.
func PythonOrigin(file string) Origin {
	switch {
	case mpi4py.MatchString(file):
		return Standard
	case installedPython.MatchString(file):
		return Installed
	case standardLibrary.MatchString(file):
		return Standard
	case generatedPython.MatchString(file) && !typedPython.MatchString(file):
		return Installed
	}
	return Own
}

// Origin returns whose a frame of a Python program is.
func (l *Location) Origin() Origin {
	if l.Application {
		return Own
	}
	if o := PythonOrigin(l.File); o != Own || !l.Library {
		return o
	}
	return Installed
}

// packageOf is the name of the installed package that a file of Python is of; "": it is of none.
func packageOf(file string) string {
	if m := installedPython.FindStringSubmatch(file); m != nil {
		return strings.TrimSuffix(m[2], ".py")
	}
	return ""
}

// libraryPatterns are the patterns of Config.Library, in which * stands for any characters.
func libraryPatterns(patterns []string) (out []*regexp.Regexp) {
	for _, p := range patterns {
		out = append(out, regexp.MustCompile("^"+strings.ReplaceAll(regexp.QuoteMeta(p), `\*`, ".*")+"$"))
	}
	return out
}

// isLibrary reports whether a frame is of a library, by the place of its module, and by the settings by that of its source too.
func (r *Resolver) isLibrary(l *Location) bool {
	for _, pattern := range r.library {
		if pattern.MatchString(l.Module) || l.File != "" && pattern.MatchString(l.File) {
			return true
		}
	}
	if l.Language == Python {
		return PythonOrigin(l.File) != Own
	}
	return hasPrefix(l.Module, systemDirs)
}
