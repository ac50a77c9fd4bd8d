// Package simulate plays the people to whom the service writes: a mailbox behind a
// real SMTP server ([Mailbox]) and browsers behind a push service ([Receiver]).
// The demo shows what they got on its pages; tests make them misbehave.
//
// A message comes in over the network of this machine alone, is accepted or
// refused as the protocol has it and as the faults say that were asked for
// ([Mailbox.Fail], [Receiver.Fail]), is read as the person's program would read
// it, and is kept until newer ones push it out. Nothing is ever sent on.
package simulate
