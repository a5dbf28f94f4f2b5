//! §4.5 `sandbox`: blocks dangerous shell patterns, metacharacters and recursive deletes.
//!
//! It looks at the strings and the members' names of a tool that takes commands (its name, description or schema says so, or
//! the operator set the validator for it); of any other, only at what the configuration points to. A string is one command, or
//! several with `&&` between them, each judged for itself. It refuses:
//!
//! - **Metacharacters**, quoted or not: `;` `|` `&` (alone) `<` `>` and the back quote, line breaks and NUL, `$` before a name,
//!   `(`, `{` or a quote, and `(){` (a function, the start of a fork bomb). Quotes do not help, because a server may
//!   hand the string to a second shell.
//! - **Quotes that do not close**: what a shell would make of them cannot be known.
//! - **Recursive deletes**: `rm` with `-r`, `-R` or `--recursive`, or aimed at `/`, `~` or `*`; `find` with `-delete` or
//!   `-exec`; `rd`, `rmdir` or `del` with `/s`; `Remove-Item` with `-Recurse`.
//! - **Commands that run other code**: a shell, or an interpreter with inline code (`python -c`, `perl -e`, ...);
//!   `eval`, `exec`, `source`; `xargs`, `env`, `nohup` and their like do not hide what follows them.
//! - **Commands that change who or what runs**: `sudo`, `su`, `doas`, `pkexec`, `shutdown`, `reboot`, `halt`, `poweroff`.
//! - **Disks and devices**: `mkfs*`, `wipefs`, `shred`, `fdisk`, `parted`, `format` of a drive, and any word that names a device
//!   under `/dev/` but the harmless ones (`null`, `zero`, `random`, `urandom`, `stdin`, `stdout`, `stderr`, `tty`).
//! - **Ownership of everything**: recursive `chmod` and `chown`.
//! - **Listening back doors**: `nc`, `ncat`, `netcat`, `socat` with a command to run.
//!
//! Strings are split as a shell would (so `r\m -r'f' /` is seen as `rm -rf /`), and the words of all strings are looked
//! at together as well: a program and its arguments may stand in different members, or the program in a member's name.

mod check;
mod commands;
mod metacharacters;

pub use check::Sandbox;
