// Package bound limits what data from a file can do to the program that reads them. Damaged or hostile data, and large
// programs, lead a recursion deeper and further than memory and time allow, and Go cannot recover from a stack
// overflow. A function that calls itself over such data calls [Budget.Enter] first and gives a partial answer where
// that is refused. [CatchPanic] turns a panic into an error.
//
// docs/development/recursion.md lists all recursive functions, and what limits each; TestRecursions of mpiapp checks the list.
package bound
