// Package page is the shell of every page: its head, the style that all pages
// share, a policy that lets nothing load, and the data and scripts that are
// written into it. A page is one file that needs a browser and nothing else, no
// network in particular.
package page
