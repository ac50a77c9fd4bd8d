package settings

import (
	"fmt"
	"strings"
	"testing"
)

func TestMailSettingsGoTogether(t *testing.T) {
	whole := "--contact a@b.cl --base-url https://x.cl --smtp-host smtp.b.cl --smtp-from avisos@b.cl"
	for _, args := range []string{
		whole,
		whole + " --smtp-tls tls --smtp-port 465 --smtp-user u --smtp-password p",
		"--contact a@b.cl --base-url https://x.cl --smtp-host 127.0.0.1 --smtp-from avisos@b.cl --smtp-tls none --smtp-port 25",
	} {
		s := mustParse(t, "serve", strings.Fields(args), nil, nil)
		if s.SMTPFrom != "avisos@b.cl" || s.SMTPHost == "" {
			t.Errorf("%s gives %+v", args, s)
		}
	}
	for args, parts := range map[string][]string{
		"--contact a@b.cl --base-url https://x.cl --smtp-host smtp.b.cl": {"--smtp-from", "required with --smtp-host"},
		"--contact a@b.cl --smtp-host smtp.b.cl --smtp-from avisos@b.cl": {"--base-url", "required with --smtp-host"},
		whole + " --smtp-tls none":                                       {"--smtp-tls", "only for a relay on this machine", "smtp.b.cl"},
		whole + " --smtp-user u":                                         {"--smtp-user and --smtp-password"},
		whole + " --smtp-password p":                                     {"--smtp-user and --smtp-password"},
		whole + " --smtp-tls ssl":                                        {"--smtp-tls", "starttls, tls, none"},
		whole + " --smtp-port 0":                                         {"--smtp-port", "1 to 65535"},
		whole + " --smtp-host b.cl:25":                                   {"--smtp-host", "--smtp-port"},
		"--contact a@b.cl --smtp-from avisos@b.cl":                       {"--smtp-from", "without --smtp-host"},
		"--contact a@b.cl --dkim-key k.pem":                              {"--dkim-key", "without --smtp-host"},
		"--contact a@b.cl --push-hosts localhost":                        {"--push-hosts", "*.example.com"},
		"--contact a@b.cl --push-hosts https://push.b.cl/path":           {"--push-hosts", "origins"},
		"--contact a@b.cl --push-hosts *":                                {"--push-hosts"},
		"--contact a@b.cl --push-hosts 10.0.0.1":                         {"--push-hosts"},
	} {
		wantFault(t, faultsOf(t, "serve", strings.Fields(args), nil, nil), parts...)
	}
}

func TestPasswordIsNeverShown(t *testing.T) {
	args := strings.Fields("--contact a@b.cl --base-url https://x.cl --smtp-host smtp.b.cl --smtp-from avisos@b.cl --smtp-user u --smtp-password-file p.txt")
	s := mustParse(t, "serve", args, nil, files{"p.txt": "se creto\n"})
	if s.SMTPPassword != "se creto" {
		t.Errorf("password %q", s.SMTPPassword)
	}
	for _, row := range s.Effective() {
		if strings.Contains(row.Value, "creto") {
			t.Errorf("%+v shows it", row)
		}
	}
}

func TestTestMail(t *testing.T) {
	args := strings.Fields("ana@example.cl --smtp-host smtp.b.cl --smtp-from avisos@b.cl")
	if s := mustParse(t, "test-mail", args, nil, nil); s.Args[0] != "ana@example.cl" {
		t.Errorf("%+v", s)
	}
	wantFault(t, faultsOf(t, "test-mail", args[1:], nil, nil), "test-mail", "to which address")
	wantFault(t, faultsOf(t, "test-mail", []string{"ana", "--smtp-host", "x.cl", "--smtp-from", "a@b.cl"}, nil, nil), `"ana"`, "e-mail address")
	wantFault(t, faultsOf(t, "test-mail", args[:1], nil, nil), "--smtp-host", "required by test-mail")
	if faults := fmt.Sprint(faultsOf(t, "test-mail", []string{"ana@example.cl", "--smtp-host", "x.cl:25", "--smtp-from", "a@b.cl"}, nil, nil)); strings.Contains(faults, "(none)") {
		t.Errorf("a host that is wrong is told as missing: %s", faults)
	}
}

// A setting that is wrong is not told as missing besides.
func TestWrongIsNotMissing(t *testing.T) {
	args := strings.Fields("--contact a@b.cl --base-url https://x.cl/ --smtp-host smtp.b.cl --smtp-from x")
	if faults := faultsOf(t, "serve", args, nil, nil); len(faults) != 2 {
		t.Errorf("faults:\n%s", strings.Join(faults, "\n"))
	}
}
