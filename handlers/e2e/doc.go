// Package e2e has the tests of the program as it is shipped: built, in a process of
// its own, with nothing of it in hand but its command line, its answers and its files.
package e2e
