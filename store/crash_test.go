package store

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"vigia/forecast/hazard"
)

// The test binary runs itself as another process that does one of these.
var childTasks = map[string]func(path string) error{
	"hold":    childHold,
	"people":  childPeople,
	"compact": childCompact,
	"backup":  childBackup,
	"restore": childRestore,
}

func TestMain(m *testing.M) {
	if task := os.Getenv("STORE_TEST_CHILD"); task != "" {
		if err := childTasks[task](os.Getenv("STORE_TEST_PATH")); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type childProcess struct {
	command *exec.Cmd
	out     *bufio.Scanner
}

func startChild(t *testing.T, task, path string, wrapper ...string) *childProcess {
	t.Helper()
	args := append(wrapper, os.Args[0])
	command := exec.Command(args[0], args[1:]...)
	// The race detector would have the process wait for a second at its end.
	command.Env = append(os.Environ(), "STORE_TEST_CHILD="+task, "STORE_TEST_PATH="+path, "GORACE=atexit_sleep_ms=0")
	out, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	return &childProcess{command: command, out: bufio.NewScanner(out)}
}

func (c *childProcess) waitFor(t *testing.T, line string) {
	t.Helper()
	if !c.out.Scan() || c.out.Text() != line {
		t.Fatalf("the other process said %q, not %q", c.out.Text(), line)
	}
}

func (c *childProcess) kill(t *testing.T) {
	t.Helper()
	if err := c.command.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = c.command.Wait()
}

func childHold(path string) error {
	if _, err := Open(path, testOptions()); err != nil {
		return err
	}
	fmt.Println("held")
	time.Sleep(time.Hour) // until killed
	return nil
}

// crashCycle is the n-th cycle: everything in it tells n.
func crashCycle(n int) *Cycle {
	c := makeCatalogue(upTo(120)...)
	cycle := testCycle(c, testHour.Add(time.Duration(n)*time.Hour), make([]HistoryRow, len(c.Trails)))
	for i := range cycle.Rows {
		cycle.Rows[i] = HistoryRow{State: hazard.Amber, Quality: hazard.Complete, Medians: hazard.Medians{Wind: float32(n % 1000)}}
	}
	cycle.ConfirmedAt = map[string]time.Time{"gfs": cycle.Hour}
	return cycle
}

// killing runs a task in other processes and kills each at some instant, then has the
// outcome looked at. hear is told each line that a process said, and answers whether
// it tells of work that was done. A busy machine gets more time, until there is some.
func killing(t *testing.T, task, path string, hear func(line string) bool, look func()) {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	kills, done := 20, 0
	if testing.Short() {
		kills = 5
	}
	if n, err := strconv.Atoi(os.Getenv("STORE_TEST_KILLS")); err == nil {
		kills = n // by hand, for as long as one likes
	}
	for n := 0; n < kills || done == 0 && n < 20*kills; n++ {
		child := startChild(t, task, path)
		limit := time.Duration(5+r.IntN(200)) * time.Millisecond * time.Duration(1+n/kills)
		timer := time.AfterFunc(limit, func() { _ = child.command.Process.Kill() })
		for child.out.Scan() {
			if strings.HasPrefix(child.out.Text(), "failed") {
				t.Fatal(child.out.Text())
			}
			if hear(child.out.Text()) {
				done++
			}
		}
		_ = child.command.Wait()
		timer.Stop()
		look()
	}
	if done == 0 {
		t.Error("no process got to do anything before it was killed: nothing was tried")
	}
	t.Logf("%d done in %d kills", done, kills)
}

// countLine takes every line for work that was done.
func countLine(string) bool { return true }
