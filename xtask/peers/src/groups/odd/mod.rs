//! Odd servers, hosts and inputs against the built program: one row for each kind of fault that was met in the field.
//!
//! The rows are data, in `xtask/peers/odd/rows/`, and `table.rs` says what each key of a row means. The servers are Python's standard library
//! alone: `xtask/peers/odd/odd_stdio.py` and `xtask/peers/odd/odd_http.py`, whose first argument names the behaviour and whose second one holds what
//! the server lists and answers.
//!
//! | file of rows | odd is | what must hold |
//! |---|---|---|
//! | `definitions.toml` | a tool's definition | The host gets a valid definition, or the tool is withheld. |
//! | `entries.toml` | a resource, template or prompt, or what a server says of itself | The host gets a valid entry, or the entry is left out. |
//! | `lists.toml` | the pages, capabilities and errors of a server's lists | The server is up with what it listed. |
//! | `wire.toml` | a message or the process of a server over stdio | The message is read or ignored, and the process started again where that helps. |
//! | `answers.toml` | the answer to a call | The call ends with a result or an error that names the reason. |
//! | `http_servers.toml` | a server over HTTP | It is connected, and stays so after it forgot its session. |
//! | `hosts.toml` | a message of a host over stdio | It is answered as it was meant, or refused with a reason. |
//! | `http_hosts.toml` | a request of a host over HTTP | It is answered with the right status, and read in one way only. |
//! | `configurations.toml` | a configuration | The error names the key and gives advice; one server's fault turns off that server alone. |
//! | `commands.toml` | a command of an operator | It ends with its code, and the message says what to do. |
//! | `arguments.toml` | the arguments of a call that a validator reads | Harmless calls pass, and the others are refused or asked about. |
//!
//! Beside the odd server of a row runs one of ours, `good`, which a host of the row must still be able to call at its end: one peer's fault must not
//! become everybody's.

mod answer;
mod host;
mod http;
mod play;
mod rows;
mod table;

pub(super) use rows::rows;
