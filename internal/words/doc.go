// Package words puts numbers of things and lists into English.
package words
