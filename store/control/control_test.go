package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain has the test binary ask, as another process, where it is told to.
func TestMain(m *testing.M) {
	if folder := os.Getenv("CONTROL_TEST_ASK"); folder != "" {
		said, err := Ask(context.Background(), folder, "/eco", url.Values{"a": {"1"}}, strings.NewReader("x"))
		fmt.Printf("%q %v\n", said, err)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// errands are what the test's service does.
func errands() map[string]Errand {
	return map[string]Errand{
		"/eco": func(_ context.Context, about url.Values, document io.Reader) (string, error) {
			data, err := io.ReadAll(document)
			return about.Get("a") + string(data), err
		},
		"/falla": func(context.Context, url.Values, io.Reader) (string, error) {
			return "", errors.New("no room\nno time")
		},
		"/rompe": func(context.Context, url.Values, io.Reader) (string, error) { panic("broken") },
		"/espera": func(ctx context.Context, _ url.Values, _ io.Reader) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		},
	}
}

// serve runs a service on a folder until the test or stop ends it, and gives its log.
func serve(t *testing.T, folder string) (log *lines, stop func()) {
	t.Helper()
	log = &lines{}
	s, err := Listen(folder, errands(), slog.New(slog.NewTextHandler(log, nil)))
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			must(t, <-ended)
		})
	}
	t.Cleanup(stop)
	return log, stop
}

// lines is a log that several may write and read.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func ask(t *testing.T, folder string) (string, error) {
	t.Helper()
	return Ask(t.Context(), folder, "/eco", url.Values{"a": {"é&=\n"}}, strings.NewReader("document"))
}

func wantEcho(t *testing.T, folder string) {
	t.Helper()
	if said, err := ask(t, folder); said != "é&=\ndocument" || err != nil {
		t.Errorf("%q, %v", said, err)
	}
}

func TestACommandAsksTheService(t *testing.T) {
	folder := t.TempDir()
	if _, err := ask(t, folder); !errors.Is(err, ErrNobody) {
		t.Errorf("before: %v", err)
	}
	_, stop := serve(t, folder)
	wantEcho(t, folder)
	if _, err := Ask(t.Context(), folder, "/falla", nil, nil); err == nil || err.Error() != "no room\nno time" {
		t.Errorf("a failure: %v", err)
	}
	if _, err := Ask(t.Context(), folder, "/otra", nil, nil); err == nil || !strings.Contains(err.Error(), "another version") {
		t.Errorf("an unknown errand: %v", err)
	}
	if _, err := Ask(t.Context(), folder, "/rompe", nil, nil); err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("one that breaks: %v", err)
	}
	if _, err := Ask(t.Context(), folder, "/eco", nil, bytes.NewReader(make([]byte, maxBody+1))); err == nil {
		t.Error("a document without end was taken")
	}
	if info, err := os.Stat(filepath.Join(folder, socketName)); err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	wantEcho(t, folder)
	stop()
	if _, err := os.Lstat(filepath.Join(folder, socketName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
	if _, err := ask(t, filepath.Join(folder, "none", "below")); !errors.Is(err, ErrNobody) {
		t.Errorf("without a folder: %v", err)
	}
}

func TestAStaleSocketIsNoObstacle(t *testing.T) {
	folder := t.TempDir()
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(folder, socketName), Net: "unix"})
	must(t, err)
	left.SetUnlinkOnClose(false) // as a process that is killed leaves it
	must(t, left.Close())
	if _, err := ask(t, folder); !errors.Is(err, ErrNobody) {
		t.Errorf("of nobody: %v", err)
	}
	serve(t, folder)
	wantEcho(t, folder)
}

func TestWhatIsNoSocketStays(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, socketName)
	must(t, os.WriteFile(path, []byte("mine"), 0o600))
	if _, err := Listen(folder, nil, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "something else") {
		t.Errorf("%v", err)
	}
	if text, err := os.ReadFile(path); string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := ask(t, folder); !errors.Is(err, ErrNobody) {
		t.Errorf("asked: %v", err)
	}
}

// A path may be longer than a socket's.
func TestALongPath(t *testing.T) {
	for _, length := range []int{90, 93, 94, 95, 96, 97, 110, 300, 2000} {
		folder := t.TempDir()
		for len(folder) < length {
			folder = filepath.Join(folder, strings.Repeat("d", min(200, max(1, length-len(folder)-1))))
		}
		must(t, os.MkdirAll(folder, 0o700))
		if _, err := ask(t, folder); !errors.Is(err, ErrNobody) {
			t.Errorf("%d: before: %v", length, err)
		}
		_, stop := serve(t, folder)
		wantEcho(t, folder)
		stop()
		if left, _ := os.ReadDir(folder); len(left) > 0 {
			t.Errorf("%d: left %v", length, left)
		}
	}
}

func TestWhoeverGivesUpEndsTheErrand(t *testing.T) {
	folder := t.TempDir()
	_, stop := serve(t, folder)
	ctx, giveUp := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer giveUp()
	if _, err := Ask(ctx, folder, "/espera", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("given up: %v", err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := Ask(context.Background(), folder, "/espera", nil, nil)
		answered <- err
	}()
	stop() // an errand under way is told to end
	if err := <-answered; err == nil {
		t.Error("it ended well")
	}
}

// Nothing that comes in by the socket keeps it from answering others.
func TestHostileBytes(t *testing.T) {
	folder := t.TempDir()
	serve(t, folder)
	path := filepath.Join(folder, socketName)
	for _, text := range []string{"", "\x00\xff", "GET / HTTP/1.1\r\n\r\n", "POST /eco HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n",
		"POST /eco HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "POST /" + strings.Repeat("a", 2*maxHead), strings.Repeat("x", 1<<20)} {
		conn, err := net.Dial("unix", path)
		must(t, err)
		_, _ = io.WriteString(conn, text)
		must(t, conn.Close())
		wantEcho(t, folder)
	}
}

func TestAnotherUserIsTurnedAway(t *testing.T) {
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("only root can ask as another user: that one is turned away was not tried")
	}
	folder, err := os.MkdirTemp("", "control-") // which others may enter
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(folder)) })
	must(t, os.Chmod(folder, 0o755))
	log, _ := serve(t, folder)
	binary := filepath.Join(folder, "asker")
	content, err := os.ReadFile(os.Args[0])
	must(t, err)
	must(t, os.WriteFile(binary, content, 0o755))
	asked := func(uid uint32) string {
		command := exec.Command(binary)
		command.Env = append(os.Environ(), "CONTROL_TEST_ASK="+folder)
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		out, err := command.Output()
		must(t, err)
		return string(out)
	}
	if said := asked(0); said != "\"1x\" <nil>\n" {
		t.Errorf("root: %s", said)
	}
	if said := asked(65534); !strings.Contains(said, "run it as the user of the service, or as root") {
		t.Errorf("another user: %s", said)
	}
	must(t, os.Chmod(filepath.Join(folder, socketName), 0o666)) // what a disk without permissions is like
	if said := asked(65534); !strings.Contains(said, "did not answer") || !strings.Contains(log.String(), "uid=65534") {
		t.Errorf("another user where the socket is open: %s\n%s", said, log)
	}
}
