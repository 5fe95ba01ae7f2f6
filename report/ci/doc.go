// Package ci writes how a test under laggard ended in the forms that test suites and their
// services read: JUnit's XML, SARIF, annotations and a summary of GitHub, the code
// quality report of GitLab.
package ci
