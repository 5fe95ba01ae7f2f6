package symbol

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// maxName bounds the names that are demangled; longer ones are cut, since
// templates can make names that nobody reads.
const maxName = 16 << 10

// displayNames turns a linker name into the form for a screen and the full form.
func displayNames(linker string) (short, full string) {
	if len(linker) > maxName {
		return linker[:maxName], linker[:maxName]
	}
	if f := fortranName(linker); f != "" {
		return f, f
	}
	short = demangle.Filter(linker, demangle.NoParams, demangle.NoClones, demangle.MaxLength(16))
	full = demangle.Filter(linker, demangle.MaxLength(16))
	return short, full
}

// VariableName is the name of a variable in the source: "halo" of "halo.0", "table" of "_ZL5table".
func VariableName(linker string) string {
	if base, number, ok := strings.Cut(linker, "."); ok && strings.Trim(number, ".0123456789") == "" {
		linker = base
	}
	short, _ := displayNames(linker)
	return short
}

// TypeName is the name of a type of C++ that typeid mangles so, such as "St12length_error". A name that was cut
// stays as it is.
func TypeName(mangled string) string {
	const what = "typeinfo name for "
	if len(mangled) > maxName {
		return mangled
	}
	full, err := demangle.ToString("_ZTS"+mangled, demangle.MaxLength(16))
	if name, ok := strings.CutPrefix(full, what); err == nil && ok {
		return name
	}
	return mangled
}

// fortranName reads the names that gfortran (__mod_MOD_proc), Intel
// (mod_mp_proc_) and LLVM Flang (_QMmodPproc) make. "" if it is none of them.
func fortranName(linker string) string {
	if linker == "MAIN__" || linker == "_QQmain" {
		return "main"
	}
	if rest, ok := strings.CutPrefix(linker, "__"); ok {
		if mod, proc, ok := strings.Cut(rest, "_MOD_"); ok && mod != "" && proc != "" {
			return mod + "::" + proc
		}
	}
	if mod, proc, ok := strings.Cut(linker, "_mp_"); ok && mod != "" && len(proc) > 1 && strings.HasSuffix(proc, "_") {
		return mod + "::" + strings.TrimSuffix(proc, "_")
	}
	if rest, ok := strings.CutPrefix(linker, "_QM"); ok {
		if mod, proc, ok := strings.Cut(rest, "P"); ok && mod != "" && proc != "" {
			return mod + "::" + proc
		}
	}
	return ""
}
