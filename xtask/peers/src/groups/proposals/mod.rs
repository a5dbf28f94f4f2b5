//! The extension proposals: their servers behind our kernel, their manifests, and the schemas that our messages fit.
//!
//! Of the proposals' four scripts none is a server that a client could start or connect to:
//!
//! | script | what it is | its row |
//! |---|---|---|
//! | `server.py` | plays a demo with itself; a function of it answers messages of MCP | `server`, through a script that gives it stdin |
//! | `data_reference_demo.py` | servers of data over an HTTP interface of their own, and their client | `references`: its server is the one whose data our kernel fetches |
//! | `saga_demo.py` | three servers that answer `tools/call` over HTTP and neither a handshake nor a list | none: no client of MCP could learn that they have tools |
//! | `sse_subscription_demo.py` | a server of events over an HTTP interface of its own | none: it speaks neither MCP nor a transport of it |

mod manifests;
mod messages;
mod references;
mod request;
mod rows;
mod schemas;
mod server;

pub(super) use rows::rows;
