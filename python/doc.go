// Package python is what laggard brings for programs in Python: the plug-in for pytest,
// which is also a package for pip (pyproject.toml).
package python
