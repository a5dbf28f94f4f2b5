//! Odd servers, hosts and inputs against the built program: one row for each kind of fault that was met in the field.
//!
//! The rows are data, in `xtask/peers/odd/rows/`, and `table.rs` describes each key of a row. The servers use only Python's standard
//! library: `xtask/peers/odd/odd_stdio.py` and `xtask/peers/odd/odd_http.py`. Their first argument names the behaviour, and the second one
//! contains the server's lists and answers.
//!
//! | file of rows | odd is | what must hold |
//! |---|---|---|
//! | `definitions.toml` | a tool's definition | The host gets a valid definition, or the tool is withheld. |
//! | `entries.toml` | a resource, template or prompt, or a server's description of itself | The host gets a valid entry, or the entry is left out. |
//! | `lists.toml` | the pages, capabilities and errors of a server's lists | The server is up with what it listed. |
//! | `wire.toml` | a message or the process of a server over stdio | The message is read or ignored, and the process is restarted if that helps. |
//! | `answers.toml` | the answer to a call | The call ends with a result or an error that names the reason. |
//! | `http_servers.toml` | a server over HTTP | It is connected, and stays so after it forgot its session. |
//! | `hosts.toml` | a message of a host over stdio | It is answered as intended, or refused with a reason. |
//! | `http_hosts.toml` | a request of a host over HTTP | It is answered with the right status, and read in one way only. |
//! | `configurations.toml` | a configuration | The error names the key and gives advice; one server's fault disables only that server. |
//! | `commands.toml` | a command of an operator | It ends with its code, and the message names the remedy. |
//! | `arguments.toml` | the arguments of a call that a validator reads | Harmless calls pass, and the others are refused or asked about. |
//!
//! One of our servers, `good`, runs next to the odd server of a row. A host of the row must still be able to call it at the end: the
//! fault of one peer must not affect the others.

mod answer;
mod host;
mod http;
mod play;
mod rows;
mod table;

pub(super) use rows::rows;
