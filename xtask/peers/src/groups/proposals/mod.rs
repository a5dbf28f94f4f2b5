//! The extension proposals: their servers behind our kernel, their manifests, and the schemas that our messages fit.
//!
//! None of the proposals' four scripts is a server that a client could start or connect to:
//!
//! | script | what it is | its rows |
//! |---|---|---|
//! | `server.py` | plays a demo with itself; one of its functions answers messages of MCP | `server-*` and `messages`, through a script that gives it stdin |
//! | `data_reference_demo.py` | servers of data over their own HTTP interface, and their client | `references`: its server is the one whose data our kernel fetches |
//! | `saga_demo.py` | three servers that answer `tools/call` over HTTP and neither a handshake nor a list, and their client | `saga`: played, and with its servers behind our kernel through a script that answers these two |
//! | `sse_subscription_demo.py` | a server of events over its own HTTP interface, and its client | `events`: played, and with its server behind our kernel through a script that answers MGP's methods by it |

mod events;
mod form;
mod manifests;
mod messages;
mod page;
mod references;
mod rows;
mod saga;
mod schemas;
mod server;
mod traffic;

pub(super) use rows::rows;
