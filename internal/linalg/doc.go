// Package linalg has the factorisations that more than one package needs.
package linalg
