// Package shape tells which bytes of one type are bytes of another one: two places in memory whose objects are not
// known can be the same only where the types of their objects have a part in common.
package shape
