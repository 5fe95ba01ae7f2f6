// Package process says what has become of the processes of recorded ranks on
// this machine. A record cannot tell that its process was stopped or killed.
package process
