// Package metrics writes how a job is in the text form of Prometheus, for the textfile collector of node_exporter.
package metrics
