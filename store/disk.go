package store

import (
	"fmt"
	"os"
	"syscall"
)

// sparedBytes is what a copy leaves free on the disk, so that the live file can go on
// growing beside it: some hundred commits.
const sparedBytes = 4 << 20

// roomFor refuses, as ErrFull, bytes that a folder's disk has no room for. It is
// asked before anything is written: a disk that was filled to the last byte stops
// the live file too.
func roomFor(folder string, bytes int64) error {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return fmt.Errorf("look at the room in %s: %w", folder, err)
	}
	free := int64(min(disk.Bavail, 1<<40)) * int64(disk.Bsize)
	if free < bytes {
		return fmt.Errorf("%w: %s are needed in %s and %s are free; make room there", ErrFull, megabytes(bytes), folder, megabytes(free))
	}
	return nil
}

// megabytes writes a number of bytes for people.
func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// OwnAs sets the owner of a file or folder to that of another one, when it was made by root:
// what root makes in the folder of a service must be the service's.
func OwnAs(path, like string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(like)
	if err != nil {
		return fmt.Errorf("find the owner of %s: %w", like, err)
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	if !known || owner.Uid == 0 && owner.Gid == 0 {
		return nil
	}
	if err := os.Lchown(path, int(owner.Uid), int(owner.Gid)); err != nil {
		return fmt.Errorf("give a file to the owner of its folder: %w", err)
	}
	return nil
}
