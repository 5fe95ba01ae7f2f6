// Package python reads the stacks of Python programs from outside: which function of
// which file each thread of a CPython interpreter executes, and at which line. Since
// CPython 3.11 a call from one Python function to another leaves no trace on the C stack,
// so the interpreter's own structures are read, by the offsets of their members: those
// that the interpreter states itself (3.13 on), or a table of versions. It is what
// recorder/python does in the process itself. Nothing that is read is trusted: the
// process may run meanwhile.
package python
