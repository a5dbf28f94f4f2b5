//! §4.5 `sandbox`: blocks dangerous shell patterns, metacharacters and recursive deletes.
//!
//! The validator checks the strings and the members' names of a tool that takes commands (its name, description or schema says
//! so, or the operator set the validator for it). Of any other tool, it checks only the strings that the configuration points
//! to. A string is one command, or several with `&&` between them, each judged on its own. The validator refuses:
//!
//! - **Metacharacters**, quoted or not: `;` `|` `&` (alone) `<` `>` and the back quote, line breaks and NUL, `$` before a name,
//!   `(`, `{` or a quote, and `(){` (a function, the start of a fork bomb). Quotes do not help, because a server may
//!   hand the string to a second shell.
//! - **Quotes that do not close**: a shell's reading of them cannot be known.
//! - **Recursive deletes**: `rm` with `-r`, `-R` or `--recursive`, or aimed at `/`, `~` or `*`; `find` with `-delete` or
//!   `-exec`; `rd`, `rmdir` or `del` with `/s`; `Remove-Item` with `-Recurse`.
//! - **Commands that run other code**: a shell, or an interpreter with inline code (`python -c`, `perl -e`, ...);
//!   `eval`, `exec`, `source`; `xargs`, `env`, `nohup` and their like do not hide what follows them.
//! - **Changes of the user, and shutdowns**: `sudo`, `su`, `doas`, `pkexec`, `shutdown`, `reboot`, `halt`, `poweroff`.
//! - **Disks and devices**: `mkfs*`, `wipefs`, `shred`, `fdisk`, `parted`, `format` of a drive, and any word that names a device
//!   under `/dev/` except the harmless ones (`null`, `zero`, `random`, `urandom`, `stdin`, `stdout`, `stderr`, `tty`).
//! - **Ownership of everything**: recursive `chmod` and `chown`.
//! - **Listening back doors**: `nc`, `ncat`, `netcat`, `socat` with a command to run.
//!
//! Strings are split as a shell would split them (so `r\m -r'f' /` is seen as `rm -rf /`). The words of all strings are also
//! judged together: a program and its arguments may stand in different members, or the program in a member's name.

mod check;
mod commands;
mod metacharacters;

pub use check::Sandbox;
