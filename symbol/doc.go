// Package symbol answers: which function, file and line is this address? Its
// input is a model.Frame, a file address in a module known by path and
// build-id; its output is a Location. It works offline, once per module, on a
// machine that may not be the one the job ran on, so a file counts as the
// recorded module only when its build-id says so.
//
// Function names come from DWARF (versions 2 to 5, inlined calls included) or
// from the symbol tables; debug information may stand in the module itself or
// in a separate file found by build-id or .gnu_debuglink, with the parts that
// dwz moved to a .gnu_debugaltlink file. Split DWARF (.dwo) is not read: lines
// are still found, functions then come from the symbols.
//
// The PDI paper names states by call stack (§3.1); this package gives such
// stacks the form in which its diagnosis shows them (§4).
package symbol
