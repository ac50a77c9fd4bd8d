// Command surroundings serves what a service talks to, on this machine and for a trial
// alone: made-up weather, a certificate authority, and a mail relay that wants a login.
// The authority asks for its proofs on ports 443 and 80 of 127.0.0.1, whatever the name.
//
//	surroundings FOLDER
//
// FOLDER has authority.pem and authority.key, the certificate by which the authority is
// known itself, and gets weather.url, authority.url, relay.port, root.pem (of what the
// authority issues) and mails, each mail appended when it comes.
package main

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"

	weather "vigia/forecast/simulate"
	"vigia/notify/mail/mailtest"
)

// The login at the relay.
const (
	user     = "alertas@example.cl"
	password = "a # b\"c"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, folder string) error {
	base, _, err := weather.Listen(ctx, weather.Options{Seed: 1})
	if err != nil {
		return err
	}
	relay, err := mailtest.Listen(mailtest.Options{User: user, Password: password})
	if err != nil {
		return err
	}
	directory, root, err := authority(folder)
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		"weather.url": base, "authority.url": directory, "relay.port": fmt.Sprint(relay.Port()), "root.pem": root, "mails": "",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return keepMails(ctx, relay, filepath.Join(folder, "mails"))
}

// authority serves ACME and gives the address of its directory and the root of what it
// issues.
func authority(folder string) (directory, root string, err error) {
	os.Setenv("PEBBLE_VA_NOSLEEP", "1")
	names, err := nameServer()
	if err != nil {
		return "", "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", err
	}
	quiet, store := log.New(io.Discard, "", 0), db.NewMemoryStore()
	issuer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {ValidityPeriod: 90 * 24 * 3600}})
	prover := va.New(quiet, 80, 443, true, names, store)
	front := wfe.New(quiet, store, prover, issuer, []string{"authority.example"}, true, false, 1, 1)
	go func() { // until the end
		fmt.Fprintln(os.Stderr, http.ServeTLS(listener, front.Handler(), filepath.Join(folder, "authority.pem"), filepath.Join(folder, "authority.key")))
	}()
	root = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: issuer.GetRootCert(0).DER}))
	return "https://" + listener.Addr().String() + wfe.DirectoryPath, root, nil
}

// nameServer answers that every name is this machine's.
func nameServer() (address string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &dns.Server{Listener: listener, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, asked *dns.Msg) {
		answer := new(dns.Msg).SetReply(asked)
		if q := asked.Question[0]; q.Qtype == dns.TypeA {
			answer.Answer = []dns.RR{&dns.A{Hdr: dns.RR_Header{Name: q.Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 1}, A: net.IPv4(127, 0, 0, 1)}}
		}
		_ = w.WriteMsg(answer) // who asked has gone
	})}
	go server.ActivateAndServe() // it serves until the end
	return listener.Addr().String(), nil
}

// keepMails appends what the relay gets to a file until ctx ends.
func keepMails(ctx context.Context, relay *mailtest.Mailbox, name string) error {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for kept := 0; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		letters := relay.Mails()
		for _, letter := range letters[:len(letters)-kept] { // the newest are first
			if _, err := file.Write(letter.Raw); err != nil {
				return err
			}
		}
		kept = len(letters)
	}
}
