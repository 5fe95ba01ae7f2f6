// Package heap says how much memory may be in use before it is collected.
package heap
