package check

import (
	"os"
	"syscall"
)

// Tests write tens of thousands of small files, which nobody keeps: into memory, where it has room and programs may run.
func init() {
	const memory, needed = "/dev/shm", 4 << 30
	var s syscall.Statfs_t
	if os.Getenv("TMPDIR") == "" && syscall.Statfs(memory, &s) == nil && s.Flags&syscall.MS_NOEXEC == 0 && s.Bavail*uint64(s.Bsize) > needed {
		os.Setenv("TMPDIR", memory)
	}
}
