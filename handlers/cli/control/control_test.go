package control

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// handlers are those of the test's service.
func handlers() map[string]Handler {
	return map[string]Handler{
		"/eco": func(_ context.Context, params url.Values, document io.Reader) (string, error) {
			data, err := io.ReadAll(document)
			return params.Get("a") + string(data), err
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

// serve runs a service on a folder until the test or stop ends it.
func serve(t *testing.T, folder string) (stop func()) {
	t.Helper()
	s, err := Listen(folder, handlers(), slog.New(slog.DiscardHandler))
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		must(t, <-ended)
	})
	t.Cleanup(stop)
	return stop
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
	if _, err := ask(t, folder); !errors.Is(err, ErrNotRunning) {
		t.Errorf("before: %v", err)
	}
	stop := serve(t, folder)
	wantEcho(t, folder)
	if _, err := Ask(t.Context(), folder, "/falla", nil, nil); err == nil || err.Error() != "no room\nno time" {
		t.Errorf("a failure: %v", err)
	}
	if _, err := Ask(t.Context(), folder, "/otra", nil, nil); err == nil || !strings.Contains(err.Error(), "another version") {
		t.Errorf("an unknown request: %v", err)
	}
	if _, err := Ask(t.Context(), folder, "/rompe", nil, nil); err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("one that breaks: %v", err)
	}
	if _, err := Ask(t.Context(), folder, "/eco", nil, bytes.NewReader(make([]byte, MaxDocument+1))); err == nil {
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
	if _, err := ask(t, filepath.Join(folder, "none", "below")); !errors.Is(err, ErrNotRunning) {
		t.Errorf("without a folder: %v", err)
	}
}

// The socket is never open to others, not even while it is being made, whatever files
// are made with: between bind and Chmod any user could connect.
func TestTheSocketIsMadeClosed(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	path := filepath.Join(t.TempDir(), socketName)
	listener, err := config.Listen(t.Context(), "unix", path)
	must(t, err)
	defer listener.Close()
	if info, err := os.Stat(path); err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestAnotherUserLearnsWhoMayAsk(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EACCES)}
	if err := unanswered("data", refused); !strings.Contains(err.Error(), "run it as the user of the service, or as root") {
		t.Error(err)
	}
}

func TestAStaleSocketIsNoObstacle(t *testing.T) {
	folder := t.TempDir()
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(folder, socketName), Net: "unix"})
	must(t, err)
	left.SetUnlinkOnClose(false) // as a process that is killed leaves it
	must(t, left.Close())
	if _, err := ask(t, folder); !errors.Is(err, ErrNotRunning) {
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
	if _, err := ask(t, folder); !errors.Is(err, ErrNotRunning) {
		t.Errorf("asked: %v", err)
	}
}

// Where the path is longer than a socket's, the service runs without.
func TestALongPath(t *testing.T) {
	folder := filepath.Join(t.TempDir(), strings.Repeat("d", longestPath))
	must(t, os.MkdirAll(folder, 0o700))
	if _, err := Listen(folder, nil, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "shorter --data") {
		t.Errorf("listening: %v", err)
	}
	if _, err := ask(t, folder); !errors.Is(err, ErrNotRunning) {
		t.Errorf("asked: %v", err)
	}
}

func TestGivingUpEndsTheRequest(t *testing.T) {
	folder := t.TempDir()
	stop := serve(t, folder)
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
	stop() // a request under way is cancelled
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
