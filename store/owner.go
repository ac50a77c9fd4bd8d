package store

import (
	"fmt"
	"os"
	"syscall"
)

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
